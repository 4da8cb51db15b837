import json
from pathlib import Path

import pytest

from tests.kg.ingest.reading import read, write


def test_each_bad_line_is_rejected_where_it_stands_and_the_others_are_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        b'{"body": "one"}\n'
        b"\n"
        b'{"body": "two" "title": 3}\n'
        b"[1, 2]\n"
        b'"words"\n'
        b'{"body": ""}\n'
        b'{"body": "caf\xe9"}\n'
        b'{"body": ' + b"9" * 5000 + b"}\n"
        b'{"title": "no body"}\r\n'
        b'{"body": "last"}',
    )
    reading = read(path)
    assert [(a.body, a.place) for a in reading.articles] == [("one", f"{path}:1"), ("last", f"{path}:10")]
    assert [reject.place.rpartition(":")[2] for reject in reading.rejects] == [
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
    ]
    reasons = [reject.reason for reject in reading.rejects]
    assert reasons[0] == "invalid JSON in line 3, column 16: expecting ',' delimiter"
    assert reasons[1] == "it is not a JSON object but a list"
    assert reasons[2] == "it is not a JSON object but text"
    assert reasons[3] == "the body is empty"
    assert "save the file as UTF-8" in reasons[4]
    assert reasons[5] == "it holds a number with too many digits"
    assert reasons[6].startswith("there is no body")


def test_nesting_without_end_costs_one_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"body": "one"}\n{"x": ' + "[" * 200_000 + "\n" + '{"body": "two"}\n')
    reading = read(path)
    assert reading.bodies == ["one", "two"]
    assert len(reading.rejects) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_announce_themselves(tmp_path: Path, encoding: str) -> None:
    bodies = ["שלום עולם \u200fمرحبا", "👩‍👩‍👧 naïve 日本", "line\u2028sep\x85end"]  # noqa: RUF001
    text = "".join(json.dumps({"body": body}, ensure_ascii=False) + "\n" for body in bodies)
    assert read(write(tmp_path / "a.ndjson", text.encode(encoding))).bodies == bodies


def test_a_bad_unit_in_utf_16_costs_one_row(tmp_path: Path) -> None:
    first, last = ('{"body": "one"}\n'.encode("utf-16-le"), '{"body": "two"}\n'.encode("utf-16-le"))
    lone = '{"body": "'.encode("utf-16-le") + b"\x3d\xd8" + '"}\n'.encode("utf-16-le")
    reading = read(write(tmp_path / "a.jsonl", b"\xff\xfe" + first + lone + last))
    assert reading.bodies == ["one", "two"]
    assert len(reading.rejects) == 1


def test_escaped_surrogates_and_nuls_are_kept_with_notes(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        b'{"body": "\\ud83d\\ude00 \\ud83d!"}\n{"body": "a\\u0000b"}\n{"body": "c\0d"}\n',
    )
    reading = read(path)
    assert reading.bodies == ["😀 \ufffd!", "ab", "cd"]
    assert [note.place for note in reading.notes] == [f"{path}:1", f"{path}:2", f"{path}:3"]
    assert "".join(reading.bodies).encode()
