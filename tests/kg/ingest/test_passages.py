"""Question sets as article files: each passage is an article, bad passages are named."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from kg.ingest import json_rows
from kg.ingest.json_rows import json_object_rows
from kg.ingest.passages import joined
from kg.ingest.rows import RawRow
from kg.model import Reject
from tests.examples import examples
from tests.kg.ingest.reading import read, write
from tests.services.benchmarks import sets

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
