"""Which question a row of a file answers, and why a row is set aside."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg.errors import InputError, SettingsError
from kg.model import Reject
from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.external.endpoint import ResponseMap
from services.external.given_answers import (
    OWN,
    UNWANTED_PREFIX,
    answer_reader,
    external_answers,
    match_answers,
    read_own,
    sort_prefixes,
)
from services.external.replies import AnswerRow
from tests.examples import read_examples

QUESTIONS: list[Any] = list(read_examples("services/external/given_answers")["questions"])


def row(question_id: str = "", question: str = "", answer: str = "x") -> AnswerRow:
    return AnswerRow(question_id, question, OwnAnswer(answer), "answers.jsonl:1")


@pytest.mark.parametrize(
    ("given", "question"),
    [
        (row("question-1"), "question-1"),
        (row("dev-7"), "question-2"),
        (row(question="who bought  the PIER"), "question-1"),
        (row("their-own-id", "Who bought the pier?"), "question-1"),
        (row("dev-9", "Who sings?"), "question-4"),
    ],
    ids=["our id", "the set's id", "text", "text behind an unknown id", "id tells equal texts apart"],
)
def test_a_question_is_known_by_id_or_text(given: AnswerRow, question: str) -> None:
    found = match_answers([given], QUESTIONS)
    assert dict(found.answers) == {question: given.answer}
    assert found.set_aside == ()
    assert len(found.missing) == 3


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (row("nobody's"), 'no kept question has the id "nobody\'s"'),
        (row(question="Who else?"), "no kept question has the text 'Who else?'"),
        (row(question="Who sings?"), "several kept questions have the text 'Who sings?'"),
        (Reject("answers.jsonl:1", "it is no JSON"), "it is no JSON"),
    ],
)
def test_a_row_that_fits_no_question_is_set_aside_with_its_place(given: AnswerRow | Reject, why: str) -> None:
    found = match_answers([given], QUESTIONS)
    assert (len(found.answers), len(found.missing)) == (0, 4)
    (reject,) = found.set_aside
    assert reject.place == "answers.jsonl:1"
    assert why in reject.reason


def test_the_first_of_two_answers_counts() -> None:
    found = match_answers([row("question-1", answer="first"), row("question-1", answer="second")], QUESTIONS)
    assert found.answers["question-1"].text == "first"
    assert "has an answer already, at answers.jsonl:1" in found.set_aside[0].reason


def test_a_file_is_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": "question-1", "answer": "Oda", "retrieved": ["chunk-1", {"text": "a text", "score": 1}]},
        {"question": "What was printed?", "answer": "a stamp"},
        {"id": "question-3"},
        {"answer": "to nothing"},
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows) + "no JSON\n", encoding="utf-8")
    first, second, *rejects = read_own(path)
    retrieved = (RetrievedText(chunk="chunk-1"), RetrievedText("a text", score=1.0))
    assert first == AnswerRow("question-1", "", OwnAnswer("Oda", retrieved), f"{path}:1")
    assert second == AnswerRow(
        "", "What was printed?", OwnAnswer("a stamp", tells_retrieved=False), f"{path}:2"
    )
    assert [one.place for one in rejects] == [f"{path}:3", f"{path}:4", f"{path}:5"]
    assert all(isinstance(one, Reject) for one in rejects)


UNNAMED = "nothing is at 'number' or 'user_input', where the map looks for its question"


def test_a_map_says_where_the_fields_of_a_row_are(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"number": 7, "user_input": "Who?", "out": {"prediction": "Oda", "docs": [{"body": "a text"}]}},
        {"out": {"prediction": "lost"}},
        {"number": 8, "out": {"other": 1}},
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    places = {"answer": "out.prediction", "retrieved": "out.docs[].{text: body}"}
    form = ResponseMap(id="number", question="user_input", **places)
    first, *rejects = answer_reader(OWN, form)(path)
    assert first == AnswerRow("7", "Who?", OwnAnswer("Oda", (RetrievedText("a text"),)), f"{path}:1")
    assert rejects == [
        Reject(f"{path}:2", UNNAMED),
        Reject(f"{path}:3", "nothing is at 'out.prediction', where the map looks for the answer"),
    ]


def test_a_map_names_columns_as_the_header_does(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("user_input,Said,Contexts,took\nWho?,Oda,\"['a text']\",2.5\n,lost,,\n", encoding="utf-8")
    form = ResponseMap(
        id="number", question="user_input", answer="Said", retrieved="Contexts", seconds="took"
    )
    first, reject = answer_reader(OWN, form)(path)
    assert first == AnswerRow(
        "", "Who?", OwnAnswer("Oda", (RetrievedText("a text"),), seconds=2.5), f"{path}:2"
    )
    assert reject == Reject(f"{path}:3", UNNAMED)


def test_a_map_is_for_files_whose_fields_are_not_known() -> None:
    with pytest.raises(SettingsError, match="those of 'graphrag' are known"):
        answer_reader("graphrag", ResponseMap(answer="a"))


def test_a_changed_file_is_another_source() -> None:
    before = match_answers([row("question-1")], QUESTIONS)
    after = match_answers([row("question-1", answer="y")], QUESTIONS)
    path = Path("ours.jsonl")
    assert external_answers(path, OWN, before).source == external_answers(path, OWN, before).source
    assert external_answers(path, OWN, before).source != external_answers(path, OWN, after).source
    assert external_answers(path, OWN, before).covers == frozenset({"question-1"})
    assert external_answers(path, OWN, before, missing_are_wrong=True).covers is None


def test_answers_to_prefix_questions_are_taken_or_told() -> None:
    ids = ("question-1", "first-1", "nobody's", "first-1")
    rows = [replace(row(one), place=f"answers.jsonl:{line}") for line, one in enumerate(ids, start=1)]
    firsts = [{"id": f"first-{n}", "given_id": "", "text": f"First {n}?"} for n in (1, 2)]
    given = match_answers(rows, QUESTIONS)
    left = sort_prefixes(given, rows, firsts, taken=False)
    assert [one.place for one in left.set_aside if one.reason == UNWANTED_PREFIX] == ["answers.jsonl:2"]
    assert not left.to_prefixes
    taken = sort_prefixes(given, rows, firsts, taken=True)
    assert set(taken.to_prefixes) == {"first-1"}
    assert taken.prefixes_missing == ("first-2",)
    assert [one.place for one in taken.set_aside] == ["answers.jsonl:3", "answers.jsonl:4"]
    path = Path("ours.jsonl")
    before, after = external_answers(path, OWN, left), external_answers(path, OWN, taken)
    assert before.source == after.source, "the run's own answers are the same"
    assert after.prefix_source != before.prefix_source == ""
    assert after.covers == frozenset({"question-1", "first-1"})


def test_what_steps_tell_is_part_of_the_source_only_where_they_tell_it() -> None:
    def source(*steps: OwnStep) -> str:
        one = AnswerRow("question-1", "", OwnAnswer("x", steps=steps), "answers.jsonl:1")
        return external_answers(Path("ours.jsonl"), OWN, match_answers([one], QUESTIONS)).source

    assert repr(OwnStep("search", "q")) == "OwnStep(action='search', query='q', observation='')"
    assert source(OwnStep("search")) != source(OwnStep("search", thought="why"))
    assert source(OwnStep("search", top_k=3)) != source(OwnStep("search", top_k=4))


def test_a_format_or_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'xlsx' is not a format"):
        answer_reader("xlsx")
    with pytest.raises(InputError):
        list(answer_reader(OWN)(tmp_path / "none.jsonl"))
