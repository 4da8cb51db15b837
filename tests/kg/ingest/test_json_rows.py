"""Question sets as article files: each passage is an article, bad passages are named."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import InputError
from kg.ingest import json_rows
from kg.ingest.json_rows import joined, json_array_rows, json_object_rows
from kg.ingest.rows import RawRow, file_and_line
from kg.model import Reject
from tests.examples import examples
from tests.kg.ingest.reading import read, write
from tests.services.benchmarks import sets

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


PASSAGE_SENTENCES = [("Mira Tolland", sets.MIRA), ("Ostby Rovers", sets.ROVERS)]
PASSAGES = [("Mira Tolland", "".join(sets.MIRA)), ("Ostby Rovers", "".join(sets.ROVERS))]


@pytest.mark.parametrize(
    "row",
    [sets.HOTPOTQA, sets.HOTPOTQA_COLUMNS, sets.TWO_WIKI, sets.MOREHOPQA],
    ids=lambda row: str(len(row)),
)
def test_the_context_of_a_question_becomes_articles(tmp_path: Path, row: object) -> None:
    for path in (
        sets.write_lines(tmp_path / "a.jsonl", row, row),
        sets.write_array(tmp_path / "a.json", row),
    ):
        found = read(path)
        assert [(one.title, one.body) for one in found.articles[:2]] == PASSAGES
        assert found.rejects == []
        assert {one.place for one in found.articles[:2]} == {f"{path}:{1 if path.suffix == '.jsonl' else 2}"}


def test_the_paragraphs_of_musique_become_articles(tmp_path: Path) -> None:
    found = read(sets.write_lines(tmp_path / "a.jsonl", sets.MUSIQUE))
    assert [one.title for one in found.articles] == ["Ostby Rovers", "Kaldmere", "Mira Tolland"]


def test_bad_passages_are_named_with_the_line_of_their_question(tmp_path: Path) -> None:
    path = sets.write_lines(
        tmp_path / "a.jsonl",
        {"question": "?", "context": [["Title", "no list"], ["Good", ["A sentence."]], ["Empty", []]]},
        {"question": "?", "paragraphs": [{"title": "No text"}]},
        {"question": "?", "context": {"title": ["One"], "sentences": []}},
    )
    found = read(path)
    assert [one.title for one in found.articles] == ["Good"]
    assert [(one.place, one.reason) for one in found.rejects] == [
        (f"{path}:1", "passage 1 of its context is not a title with sentences"),
        (f"{path}:1", "the body is empty"),
        (f"{path}:2", "paragraph 1 has no title with paragraph_text"),
        (f"{path}:3", "its context is not titles with as many lists of sentences"),
    ]


def test_a_mapped_body_is_read_in_place_of_the_passages(tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", sets.HOTPOTQA)
    assert read(path, mapping={"body": "question"}).bodies == [sets.QUESTION]


def test_an_article_with_a_context_of_its_own_is_no_question(tmp_path: Path) -> None:
    row = {"question": "What now?", "context": ["some", "words"], "body": "Text."}
    assert read(sets.write_lines(tmp_path / "a.jsonl", row)).bodies == ["Text."]


def test_sentences_are_joined_with_one_blank() -> None:
    assert joined(["One.", " Two.", "Three. ", "Four."]) == "One. Two. Three. Four."


def test_a_corpus_of_titles_is_one_object(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", json.dumps(dict(PASSAGE_SENTENCES), indent=1))
    found = read(path)
    assert [(one.title, one.body) for one in found.articles] == PASSAGES
    assert [one.place for one in found.articles] == [f"{path}:2", f"{path}:6"]


def test_entries_of_one_line_are_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{"A": ["One."], "B": 7,\n"C": 8, "D": []}')
    assert [one.place for one in read(path).rejects] == [f"{path}:1, row 2", f"{path}:2", f"{path}:2, row 4"]


@examples("content, titles, reason")
def test_a_bad_entry_costs_itself_or_the_rest(
    tmp_path: Path, content: str, titles: list[str], reason: str
) -> None:
    found = read(write(tmp_path / "a.json", content))
    assert [one.title for one in found.articles] == titles
    assert [reason in one.reason for one in found.rejects] == [True] * bool(reason)


def test_bytes_that_are_no_text_cost_one_entry(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", b'{"A": ["One."], "B": ["caf\xe9"], "C": ["Three."]}')
    found = read(path)
    assert [one.title for one in found.articles] == ["A", "C"]
    assert "bytes that are not text" in found.rejects[0].reason


@given(
    corpus=st.dictionaries(st.text(), st.lists(st.text(min_size=1), min_size=1)), window=st.integers(1, 40)
)
def test_any_object_is_read_whatever_the_size_of_a_window(
    tmp_path_factory: pytest.TempPathFactory, corpus: dict[str, list[str]], window: int
) -> None:
    path = tmp_path_factory.mktemp("object") / "a.json"
    path.write_text(json.dumps(corpus), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_rows, "_WINDOW_CHARACTERS", window)
        rows = list(json_object_rows(path, "utf-8-sig"))
    kept = [row for row in rows if isinstance(row, RawRow)]
    assert [(row.cells["title"], row.cells["body"]) for row in kept] == [
        (title, joined(sentences)) for title, sentences in corpus.items()
    ]
    assert not any(isinstance(row, Reject) for row in rows)


def test_a_beir_folder_is_read_by_its_corpus(tmp_path: Path) -> None:
    found = read(sets.write_beir(tmp_path / "set"))
    assert [(one.given_id, one.title) for one in found.articles] == [
        ("d1", "Mira Tolland"),
        ("d2", "Ostby Rovers"),
        ("d3", ""),
    ]
    with pytest.raises(InputError, match="holds no text files"):
        read(tmp_path / "set" / "qrels")


@examples("questions, corpus, articles")
def test_real_questions_bring_the_articles_of_their_corpus(
    shared_data: Path, questions: str, corpus: str, articles: int
) -> None:
    brought, whole = read(shared_data / questions), read(shared_data / corpus)
    assert brought.rejects == whole.rejects == []
    assert len(whole.articles) == articles
    assert {(one.title, one.body) for one in brought.articles} == {
        (one.title, one.body) for one in whole.articles
    }


def test_real_chunks_keep_their_ids(shared_data: Path) -> None:
    found = read(shared_data / "kg_rag_multihop" / "data__processed__corpus.jsonl")
    assert [one.given_id for one in found.articles] == [f"c{at:05}" for at in range(3350)]
    assert found.articles[0].title == "Morris Harvey"
