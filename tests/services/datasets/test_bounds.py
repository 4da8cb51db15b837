"""Datasets from others: a small one that unpacks to much, or has more rows than it says, is not read on."""

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from kg.errors import InputError
from services.datasets.export_dataset import verify_export
from services.datasets.folder import MANIFEST, file_facts
from services.datasets.formats.hopgrade import ARTICLES, QUESTIONS, read_articles
from services.datasets.formats.parquet import BATCH_BYTES, ROWS_A_GROUP, rows_at_once

ARTICLE = {
    "id": "a1",
    "title": "The lamp",
    "body": "Tarn Museum bought the lamp.",
    "source": "",
    "category": "",
    "author": "",
    "published_at": "",
    "url": "",
    "tokens": 6,
    "sha256": "0" * 64,
    "given_id": "",
    "other_ids": [],
    "chunks": [],
}


def _dataset(folder: Path, name: str, tables: Mapping[str, int], files: Mapping[str, bytes]) -> Path:
    """An export with these files, which its manifest names rightly, and with what it says of its tables."""
    for file, data in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    facts = [file_facts(folder, file) for file in files]
    manifest = {
        "made_by": "hopgrade",
        "kind": "dataset",
        "format": name,
        "splits": [{"name": ""}],
        "tables": {table: {"records": number, "sha256": "0"} for table, number in tables.items()},
        "files": [{"name": one.name, "bytes": one.bytes, "sha256": one.sha256} for one in facts],
    }
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _articles(rows: int) -> dict[str, bytes]:
    return {ARTICLES: (json.dumps(ARTICLE).encode() + b"\n") * rows, QUESTIONS: b""}


def _refused(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        verify_export(folder)
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.message
    assert caught.value.remedy
    return caught.value


def test_a_manifest_that_speaks_of_too_many_records_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _dataset(tmp_path, "hopgrade", {"articles": 15, "questions": 6}, _articles(15))
    assert not verify_export(folder).changed
    monkeypatch.setattr("services.datasets.export_dataset.MOST_RECORDS", 20)
    assert "speaks of 21 records, and at most 20 are read" in _refused(folder).message


def test_records_beyond_those_of_the_manifest_are_not_read(tmp_path: Path) -> None:
    folder = _dataset(tmp_path, "hopgrade", {"articles": 3, "questions": -5}, _articles(500))
    (articles, _) = verify_export(folder).compared
    assert (articles.written, articles.found, articles.equal) == (3, 4, False)


def test_a_row_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _dataset(tmp_path, "hopgrade", {"articles": 2, "questions": 0}, _articles(2))
    assert len(list(read_articles(folder))) == 2
    monkeypatch.setattr("services.datasets.formats.hopgrade.MOST_LINE_CHARACTERS", 100)
    assert "articles.jsonl:1: the row has over 100 characters" in _refused(folder).message


def _table(path: Path, value: str, rows: int) -> bytes:
    """A Parquet table with one text in all of its rows, which is in the file once."""
    parquet.write_table(pa.table({"id": pa.array([value]).take(pa.array([0] * rows))}), path)
    return path.read_bytes()


def test_a_table_that_unpacks_to_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(tmp_path / "made.parquet", "lamp" * 2_500, 2_000)
    assert len(table) < 40_000
    folder = _dataset(tmp_path / "out", "ragas", {"questions": 2_000}, {"questions.parquet": table})
    assert [one.found for one in verify_export(folder).compared] == [2_000]
    monkeypatch.setattr("services.datasets.formats.parquet.MOST_UNPACKED_BYTES", 10 << 20)
    assert "questions.parquet unpacks to over 10,485,760 bytes" in _refused(folder).message


def test_rows_are_read_so_many_at_once_as_fit_into_memory(tmp_path: Path) -> None:
    _table(tmp_path / "short", "lamp", 2_000)
    assert rows_at_once(parquet.read_metadata(tmp_path / "short")) == ROWS_A_GROUP
    # Each of 500 rows could be the four megabytes that stand in the file once.
    _table(tmp_path / "long", "lamp" * (1 << 20), 2)
    rows = rows_at_once(parquet.read_metadata(tmp_path / "long"))
    assert 1 <= rows <= BATCH_BYTES // (4 << 20) < ROWS_A_GROUP


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = _dataset(tmp_path, "ragas", {"questions": 1}, {"questions.parquet": b"PAR1 no table"})
    assert "questions.parquet can't be read as Parquet" in _refused(folder).message
