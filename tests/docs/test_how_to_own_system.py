"""The examples of the page on systems of one's own are what Hopgrade reads."""

import re
from dataclasses import fields
from pathlib import Path

from kg.own_system import OwnAnswer, OwnStep
from services.external.endpoint import map_response, read_map
from services.external.given_answers import ANSWER_FORMATS, read_own
from services.external.replies import AnswerRow, read_reply
from tests.cli.command_tree import find

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-system.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_rows_are_read_as_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(blocks("jsonl")), encoding="utf-8")
    first, second, third, fourth = (row for row in read_own(path) if isinstance(row, AnswerRow))
    assert first.question_id
    assert first.answer.retrieved[0].chunk
    assert second.answer.retrieved[0].score == 0.8
    assert third.answer.error == "time-out"
    steps = fourth.answer.steps
    assert [(step.action, step.top_k) for step in steps if step.retrieves] == [("search", 5), ("search", 5)]
    assert {steps[text.step - 1].action for text in fourth.answer.retrieved} == {"search"}
    assert (steps[0].thought, steps[1].seconds) == ("First the buyer, then the goat.", 0.4)
    assert (steps[2].input_tokens, steps[2].output_tokens, steps[3].fault) == (210, 12, "unknown tool")
    rows = [field.split("`")[1::2] for field in re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE)]
    assert {name for row in rows for name in row} == {one.name for one in fields(OwnStep)} - {"action"}


def test_the_table_is_read_as_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("".join(blocks("csv")), encoding="utf-8")
    (row,) = (row for row in read_own(path) if isinstance(row, AnswerRow))
    assert (row.question, row.answer.text) == ("Who bought the pier?", "Oda Wexler")
    assert [text.text[:13] for text in row.answer.retrieved] == ["Oda Wexler bo", "Ida Brandvold"]


def test_the_map_is_one(tmp_path: Path) -> None:
    path = tmp_path / "rag.yaml"
    path.write_text("".join(blocks("yaml")), encoding="utf-8")
    reply = {
        "data": {"answer": "Oda", "sources": [{"content": "a text", "title": "Pier", "score": 1}]},
        "trace": [
            {"tool": "search", "input": "pier", "output": "1 text", "reason": "the buyer", "k": 5, "took": 1},
            {"tool": "fly", "error": "unknown tool"},
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    answer = map_response(read_map(path).response, reply)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("Oda", 3, 2)
    assert answer.retrieved[0].title == "Pier"
    searched = OwnStep("search", "pier", "1 text", thought="the buyer", top_k=5, seconds=1.0)
    assert answer.steps == (searched, OwnStep("fly", fault="unknown tool"))


def test_the_function_answers() -> None:
    names: dict[str, object] = {}
    exec("".join(blocks("python")), names)
    answer = names["answer"]
    assert callable(answer)
    assert isinstance(read_reply(answer("Who bought the pier?")), OwnAnswer)
    in_steps = names["answer_in_steps"]
    assert callable(in_steps)
    assert [step.top_k for step in read_reply(in_steps("Who?")).steps] == [None, 5, None]


def test_the_commands_and_their_options_exist() -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line]
    assert len(commands) == 13
    for command in commands:
        called, arguments = find(command)
        called.command.make_context("kg", arguments).close()
    for form in ANSWER_FORMATS:
        assert form in TEXT
