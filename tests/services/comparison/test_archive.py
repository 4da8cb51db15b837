"""An archive gives back what was written, is the same for the same rows, and says what is wrong with it."""

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from kg.errors import InputError
from services.comparison.analysis.analyse import analyse
from services.comparison.archive import Comparison, read_archive, read_manifest, write_archive
from services.comparison.archive_rows import MOST_FILES, MOST_LINE_BYTES, MOST_TEXT_BYTES, SMALL_BYTES
from services.comparison.records import MOST_ACCEPTED
from services.comparison.verify import verify_archive
from tests.examples import examples
from tests.services.comparison.made_comparison import made_comparison


def _rows(comparison: Comparison) -> dict[str, object]:
    return {
        "lock": comparison.lock,
        "look": comparison.look,
        "protocol": comparison.protocol,
        "questions": comparison.questions,
        "sample": comparison.sample,
        "runs": comparison.runs,
        "chunks": tuple(comparison.chunks),
        "pool": tuple(comparison.pool),
        "answers": {name: tuple(rows) for name, rows in comparison.answers.items()},
        "judgements": {
            role: {name: tuple(rows) for name, rows in judged.items()}
            for role, judged in comparison.judgements.items()
        },
        "calibration": {role: tuple(rows) for role, rows in comparison.calibration.items()},
    }


@pytest.mark.parametrize("look", [1, 2])
def test_what_is_read_is_what_was_written(tmp_path: Path, look: int) -> None:
    comparison = made_comparison(look)
    path = tmp_path / "small.zip"
    written = write_archive(path, comparison)
    assert _rows(written) == _rows(comparison)
    assert _rows(read_archive(path)) == _rows(comparison)
    # Rows are gone through as often as wanted.
    answers = read_archive(path).answers["good"]
    assert list(answers) == list(answers)
    assert len(answers) == len(comparison.questions)


def test_the_same_comparison_is_the_same_file(tmp_path: Path) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    write_archive(first, made_comparison())
    write_archive(second, made_comparison())
    assert first.read_bytes() == second.read_bytes()


def test_what_is_rendered_sees_the_rows_of_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "small.zip"
    write_archive(path, made_comparison(), lambda one: {"count.txt": f"{len(one.answers['good'])}\n"})
    with ZipFile(path) as bundle:
        assert bundle.read("count.txt") == b"12\n"
    assert read_manifest(path).files["count.txt"].rows is None


def test_a_write_that_fails_leaves_the_old_archive(tmp_path: Path) -> None:
    path = tmp_path / "small.zip"
    write_archive(path, made_comparison(1))
    before = path.read_bytes()

    def fails(_: Comparison) -> dict[str, str]:
        raise InputError("the report can't be made.")

    with pytest.raises(InputError, match="report"):
        write_archive(path, made_comparison(2), fails)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["small.zip"]


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.zip"
    path.write_text("no archive")
    with pytest.raises(InputError, match="can't be read as an archive"):
        read_archive(path)
    with ZipFile(path, "w") as bundle:
        bundle.writestr("other.txt", "x")
    with pytest.raises(InputError, match=r"holds no manifest\.json"):
        read_archive(path)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole archive, to read only."""
    path = tmp_path_factory.mktemp("whole") / "small.zip"
    write_archive(path, made_comparison())
    return path


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """Where a test's own archive goes."""
    return tmp_path / "changed.zip"


def _with(archive: Path, path: Path, name: str, data: bytes) -> Path:
    """A copy of an archive with one file changed."""
    with ZipFile(archive) as old, ZipFile(path, "w", ZIP_DEFLATED) as new:
        for kept in old.namelist():
            new.writestr(kept, data if kept == name else old.read(kept))
    return path


def test_files_that_would_fill_the_memory_are_refused(path: Path, changed: Path) -> None:
    with pytest.raises(InputError, match=r"manifest\.json in changed\.zip is larger"):
        read_archive(_with(path, changed, "manifest.json", b" " * (MOST_TEXT_BYTES + 1)))
    with pytest.raises(InputError, match=r"a line of questions\.jsonl in changed\.zip is longer"):
        read_archive(_with(path, changed, "questions.jsonl", b" " * (MOST_LINE_BYTES + 1)))
    with pytest.raises(InputError, match="which no rows of a comparison do"):
        read_archive(_with(path, changed, "questions.jsonl", b"\n" * (SMALL_BYTES + 1)))


@pytest.mark.parametrize("field", ["rows", "size"])
@pytest.mark.parametrize("number", [10**13, -1, 10**30, 1 << 48, 0.5, "many"])
def test_a_manifest_with_numbers_that_can_not_be_is_refused(
    path: Path, changed: Path, field: str, number: object
) -> None:
    for name in ("questions.jsonl", "answers/01.jsonl"):
        with ZipFile(path) as bundle:
            manifest = json.loads(bundle.read("manifest.json"))
        manifest["files"][name][field] = number
        _with(path, changed, "manifest.json", json.dumps(manifest).encode())
        if (field, number) == ("size", 10**13):
            # It makes no room for anything, and verifying names it.
            assert read_manifest(changed).files[name].size == number
            continue
        with pytest.raises(InputError, match=r"^manifest\.json in changed\.zip ") as caught:
            read_archive(changed)
        assert name in caught.value.message
        assert caught.value.message.count("\n") == 0


def test_an_archive_whose_files_together_are_too_large_is_refused_before_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.comparison.archive_rows.MOST_BYTES", 1_000)
    with pytest.raises(InputError, match=r"small\.zip unpacks to [\d,]+ bytes, more than 1,000 for"):
        read_manifest(path)


@examples("bound, most, said")
def test_more_rows_than_any_comparison_has_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int, said: str
) -> None:
    monkeypatch.setattr(f"services.comparison.archive.{bound}", most)
    with pytest.raises(InputError, match=said):
        read_archive(path)


def _bomb(archive: Path, path: Path, name: str, times: int) -> Path:
    """A copy of an archive, one table of which has its first row so many times, as its manifest says."""
    with ZipFile(archive) as bundle:
        row = bundle.read(name).splitlines(keepends=True)[0]
        manifest = json.loads(bundle.read("manifest.json"))
    data = row * times
    digest = hashlib.sha256(data).hexdigest()
    manifest["files"][name] = {"sha256": digest, "size": len(data), "rows": times}
    part = path.with_suffix(".part")
    _with(archive, part, name, data)
    return _with(part, path, "manifest.json", json.dumps(manifest).encode())


@pytest.mark.parametrize(
    ("name", "bound", "most", "said"),
    [
        ("answers/01.jsonl", "archive.MOST_ROWS", 19_999, "speaks of 20,"),
        ("chunks.jsonl", "archive.MOST_ROWS", 19_999, "chunks.jsonl has most of them"),
        ("runs.jsonl", "archive.MOST_HELD_ROWS", 19_999, "runs.jsonl in bomb.zip has 20,000 rows"),
        ("calibration/judge.jsonl", "archive.MOST_HELD_ROWS", 19_999, "calibration/judge.jsonl in bomb.zip"),
        ("chunks.jsonl", "archive.MOST_LOOKED_UP_BYTES", 1 << 20, "chunks.jsonl and pool.jsonl in bomb.zip"),
        ("pool.jsonl", "archive.MOST_LOOKED_UP_BYTES", 1 << 20, "chunks.jsonl and pool.jsonl in bomb.zip"),
        ("judgements/judge/01.jsonl", "archive_rows.MOST_BYTES", 1 << 20, "bomb.zip unpacks to"),
    ],
)
def test_a_small_archive_of_many_rows_is_refused_before_they_are_read(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, bound: str, most: int, said: str
) -> None:
    bomb = _bomb(path, tmp_path / "bomb.zip", name, 20_000)
    assert bomb.stat().st_size < 10 * path.stat().st_size
    monkeypatch.setattr(f"services.comparison.{bound}", most)
    assert len(read_archive(path).questions) == 12
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=said) as caught:
            verify_archive(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A million bytes of rows as objects are several; what is read is the head of the archive.
    assert peak < 4 << 20
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.message
    assert caught.value.remedy


def test_a_question_with_more_answers_than_anything_has_names_is_refused(path: Path, changed: Path) -> None:
    with ZipFile(path) as bundle:
        first, *rows = bundle.read("questions.jsonl").splitlines(keepends=True)
    for number, refused in ((MOST_ACCEPTED, False), (MOST_ACCEPTED + 1, True)):
        row = json.dumps({**json.loads(first), "accepted": ["x"] * number}).encode() + b"\n"
        _with(path, changed, "questions.jsonl", b"".join([row, *rows]))
        if refused:
            with pytest.raises(InputError, match=r"^line 1 of questions\.jsonl in changed\.zip"):
                read_archive(changed)
        else:
            assert len(read_archive(changed).sample[0].accepted) == number


def test_rows_beyond_those_of_the_manifest_are_refused(path: Path, changed: Path) -> None:
    with ZipFile(path) as bundle:
        rows = bundle.read("questions.jsonl")
    with pytest.raises(InputError, match=r"questions\.jsonl in changed\.zip has more rows"):
        read_archive(_with(path, changed, "questions.jsonl", rows + rows.splitlines(keepends=True)[0]))


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with ZipFile(path, "w") as bundle:
        for number in range(MOST_FILES + 1):
            bundle.writestr(str(number), "")
    with pytest.raises(InputError, match=r"many\.zip holds more than 4,096 files"):
        read_archive(path)


@examples("find, put")
def test_a_lock_that_says_more_than_hash_and_time_is_refused(
    path: Path, changed: Path, find: str, put: str
) -> None:
    with ZipFile(path) as bundle:
        lock = bundle.read("lock.json").decode()
    assert lock.count(find) == 1
    _with(path, changed, "lock.json", lock.replace(find, put).encode())
    with pytest.raises(InputError, match=r"^lock\.json in changed\.zip can't be read"):
        read_archive(changed)


def _in_row(name: str, value: str) -> Callable[[str], str]:
    """A row of JSON with another value of a field, also one that JSON doesn't know."""

    def changed(row: str) -> str:
        fields = json.loads(row)
        assert name in fields
        return json.dumps({**fields, name: "<put>"}).replace('"<put>"', value)

    return changed


@examples("file, field")
def test_a_number_that_can_not_be_is_refused_with_its_row(
    path: Path, changed: Path, file: str, field: str
) -> None:
    with ZipFile(path) as bundle:
        first, *rows = bundle.read(file).decode().splitlines(keepends=True)
    for value in ("Infinity", "NaN", "1e999", "1e300", f"1{'0' * 400}", "-1"):
        row = f"{_in_row(field, value)(first)}\n"
        _with(path, changed, file, "".join([row, *rows]).encode())
        with pytest.raises(InputError, match=f"^line 1 of {file} in changed"):
            analyse(read_archive(changed))


def test_what_is_no_text_or_packed_otherwise_is_refused(path: Path, changed: Path) -> None:
    with pytest.raises(InputError, match=r"protocol\.json in changed\.zip is no text in UTF-8"):
        read_archive(_with(path, changed, "protocol.json", b"\xff"))
    with ZipFile(changed, "w", ZIP_BZIP2) as bundle:
        bundle.writestr("manifest.json", "{}")
    with pytest.raises(InputError, match="is encrypted, or packed otherwise"):
        read_archive(changed)


def test_a_row_that_is_none_is_named_by_file_and_line(path: Path, changed: Path) -> None:
    with ZipFile(path) as bundle:
        lines = bundle.read("answers/01.jsonl").splitlines(keepends=True)
    _with(path, changed, "answers/01.jsonl", b"".join([lines[0], b'{"system": 3}\n', *lines[2:]]))
    with pytest.raises(InputError, match=r"line 2 of answers/01\.jsonl in changed\.zip is no Answer"):
        list(read_archive(changed).answers["good"])


def test_an_archive_of_another_layout_is_refused_with_the_version_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "later.zip"
    with ZipFile(path, "w") as bundle:
        bundle.writestr("manifest.json", '{"archive": 2, "hopgrade": "9.0", "files": {}}')
    with pytest.raises(InputError, match=r"layout 2.*hopgrade 9\.0"):
        read_archive(path)


def test_a_look_that_the_protocol_does_not_plan_is_refused(path: Path, changed: Path) -> None:
    with ZipFile(path) as bundle:
        look = bundle.read("look.json").replace(b'"number": 2', b'"number": 3')
    with pytest.raises(InputError, match="look 3, which the protocol doesn't plan"):
        read_archive(_with(path, changed, "look.json", look))


def test_a_place_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        write_archive(tmp_path / "file" / "small.zip", made_comparison())
