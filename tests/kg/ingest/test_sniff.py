import gzip
import os
import zipfile
from pathlib import Path

import pytest

from kg.errors import InputError
from tests.kg.ingest.reading import read, write

ROW = '{"body": "one"}\n'


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.jsonl", b"", "the file is empty"),
        ("a.txt", b" \n\t\n", "the file is empty"),
        ("a.csv", b"\xef\xbb\xbf", "the file is empty"),
        ("a.csv", b"\xff\xfe", "the file is empty"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a PNG image"),
        ("a.txt", b"%PDF-1.7\nwords", "a PDF document"),
        ("a.jsonl", gzip.compress(ROW.encode(), mtime=0), "a gzip file"),
        ("a.bin", bytes(range(256)) * 8, "binary, not text"),
        ("a.csv", "title,body\nA,one\n".encode("utf-16-le"), "binary, not text"),
        ("a.json", b'{"articles": [{"body": "one"}]}', "one JSON object, not an array"),
        ("a.json", b'{\n "body": "one"\n}', "one JSON object, not an array"),
        ("a.json", b"body\none\n", "is not JSON"),
        ("a.json", b"[]", "holds no articles"),
        ("a.log", b"Some words\nand more.\n", "what kind of file"),
        ("a", b"headline,words\nA,one\n", "what kind of file"),
        ("a.jsonl", b"just words\n" * 300, "none of the first 200 rows"),
    ],
)
def test_what_sinks_a_whole_file(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(InputError, match=what) as caught:
        read(path)
    assert str(path) in caught.value.message
    assert caught.value.remedy


def test_a_zip_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("a.txt", "words")
    with pytest.raises(InputError, match="zip archive"):
        read(tmp_path / "a.docx")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read(tmp_path / "nothing.csv")


def test_a_path_that_the_system_refuses(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read(tmp_path / ("x" * 5000))


def test_a_pipe_is_not_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        read(tmp_path / "a.jsonl")


def test_no_files_at_all() -> None:
    with pytest.raises(InputError, match="No files were given"):
        read()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", ROW),
        ("a.jsonl", f"[\n{ROW}]"),
        ("a.jsonl", f"[{ROW.strip()}]\n"),
        ("a.json", f"  \n[{ROW}]"),
        ("a.json", ROW + ROW.replace("one", "")),
        ("a.dat", ROW * 2),
        ("a", f"[{ROW}]"),
        ("a.export", "title,body\nA,one\n"),
    ],
)
def test_the_content_comes_before_the_suffix(tmp_path: Path, name: str, content: str) -> None:
    assert read(write(tmp_path / name, content)).bodies[0] == "one"


def test_a_list_in_the_first_line_does_not_make_lines_an_array(tmp_path: Path) -> None:
    reading = read(write(tmp_path / "a.jsonl", "[1, 2]\n" + ROW))
    assert reading.bodies == ["one"]
    assert len(reading.rejects) == 1
