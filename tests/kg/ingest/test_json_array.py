import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.ingest import json_rows
from kg.ingest.json_rows import json_array_rows
from kg.ingest.rows import RawRow, file_and_line
from kg.model import Reject
from tests.examples import examples
from tests.kg.ingest.reading import read, write

MULTIHOP_RAG = """[
  {
    "title": "A \\"new\\" phone",
    "author": "Ana Brel",
    "source": "The Verge",
    "published_at": "2023-10-07T14:26:00+00:00",
    "category": "technology",
    "url": "https://example.org/a",
    "body": "It has {two} cameras ]."
  },
  {
    "title": "Rain",
    "author": null,
    "source": "Globe",
    "published_at": "2023-10-08T00:00:00+00:00",
    "category": "weather",
    "url": "https://example.org/b",
    "body": "It rained \\\\"
  }
]
"""


def test_the_corpus_of_multihop_rag(tmp_path: Path) -> None:
    path = write(tmp_path / "corpus.json", MULTIHOP_RAG)
    first, second = read(path).articles
    assert (first.title, first.body, first.author) == ('A "new" phone', "It has {two} cameras ].", "Ana Brel")
    assert (first.source, first.category, first.url) == ("The Verge", "technology", "https://example.org/a")
    assert first.published_at is not None
    assert first.published_at.isoformat() == "2023-10-07T14:26:00+00:00"
    assert (second.body, second.author, second.place) == ("It rained \\", "", f"{path}:11")


def test_a_broken_element_costs_only_itself(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json",
        '[{"body": "one"},\n\n {"body":\n  "x" "y"},\n17, "text, ]", [{"body": 1}] null,\n{"body": "two"}]',
    )
    reading = read(path)
    assert reading.bodies == ["one", "two"]
    assert reading.articles[1].place == f"{path}:6"
    assert [(r.place, r.reason) for r in reading.rejects] == [
        (f"{path}:3", "invalid JSON in line 4, column 7: expecting ',' delimiter"),
        (f"{path}:5", "it is not a JSON object but a number"),
        (f"{path}:5, row 4", "it is not a JSON object but text"),
        (f"{path}:5, row 5", "it is not a JSON object but a list"),
        (f"{path}:5, row 6", "it is not a JSON object but null"),
    ]


def test_an_error_in_the_elements_first_line_has_the_files_column(tmp_path: Path) -> None:
    (reject,) = read(write(tmp_path / "a.json", '[{"body": "one"}, {"body" 1}]')).rejects
    assert reject.reason == "invalid JSON in line 1, column 27: expecting ':' delimiter"


@examples("text, line, reason")
def test_an_array_that_does_not_end_well(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path / "a.json", text)
    reading = read(path)
    assert reading.bodies == ["one"]
    assert reading.rejects == [Reject(f"{path}:{line}", reason)]


TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from('\\"{}[],\n'))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None)
@given(
    rows=st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=5),
    window=st.integers(1, 7),
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
)
def test_any_array_of_objects_comes_back_however_the_windows_fall(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, object]],
    window: int,
    indent: int | None,
    ascii_only: bool,
) -> None:
    text = json.dumps(rows, indent=indent, ensure_ascii=ascii_only)
    path = write(tmp_path_factory.mktemp("array") / "a.json", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_rows, "_WINDOW_CHARACTERS", window)
        out = list(json_array_rows(path, "utf-8-sig"))
    assert [row.cells for row in out if isinstance(row, RawRow)] == rows
    assert len(out) == len(rows)


@settings(deadline=None)
@given(st.text(st.sampled_from('[]{}",\\:a1 \n')))
def test_no_text_makes_it_fail(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = write(tmp_path_factory.mktemp("array") / "a.json", "[" + text)
    for row in json_array_rows(path, "utf-8-sig"):
        assert isinstance(row, RawRow | Reject)
        assert 1 <= file_and_line(row.place)[1] <= text.count("\n") + 1
