"""HippoRAG's solutions, and the files of its first version."""

import json
from pathlib import Path

from services.external.answer_formats import read_hipporag
from services.external.replies import AnswerRow
from tests.services.external.answer_formats.written import lines, only, rejects

SOLUTION = {
    "question": "Who founded Halden Shipping?",
    "answer": "Greta Lindqvist",
    "gold_answers": ["Greta Lindqvist"],
    "docs": ["Founder\nHalden Shipping was founded by Greta Lindqvist.", "A text without a title."],
    "doc_scores": [0.8123, 0.1],
    "gold_docs": None,
}


def test_a_solution_has_its_documents_in_order_with_their_scores(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([SOLUTION]))
    row = only(read_hipporag(path))
    assert (row.question, row.answer.text) == ("Who founded Halden Shipping?", "Greta Lindqvist")
    assert [(one.title, one.score) for one in row.answer.retrieved] == [("Founder", 0.8123), ("", 0.1)]
    assert row.answer.retrieved[0].text.endswith("by Greta Lindqvist.")


def test_the_gold_answer_of_the_first_version_is_never_taken_for_the_answer(tmp_path: Path) -> None:
    answered = {
        "_id": "5a8b",
        "question": "Who?",
        "answer": "the gold answer",
        "retrieved": ["T\ntext"],
        "prediction": "Otto Pelham",
    }
    retrieved_only = {
        "_id": "5a8c",
        "question": "Who?",
        "answer": "the gold answer",
        "retrieved": ["T\ntext"],
    }
    path = lines(tmp_path / "qa.jsonl", answered, retrieved_only)
    first, _ = read_hipporag(path)
    assert isinstance(first, AnswerRow)
    assert (first.question_id, first.answer.text) == ("5a8b", "Otto Pelham")
    (reject,) = rejects(read_hipporag(path))
    assert reject.place == f"{path}:2"
    assert "no prediction" in reject.reason


def test_an_empty_answer_is_an_error(tmp_path: Path) -> None:
    row = only(read_hipporag(lines(tmp_path / "a.jsonl", SOLUTION | {"answer": None})))
    assert (row.answer.text, bool(row.answer.error)) == ("", True)
