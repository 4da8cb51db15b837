"""The examples of the page on systems of one's own are what Hopgrade reads."""

import re
from pathlib import Path

from kg.own_system import OwnAnswer
from services.systems.answer_files import ANSWER_FORMATS, read_own
from services.systems.answer_rows import AnswerRow
from services.systems.endpoint_map import mapped, read_map
from services.systems.replies import read_reply
from tests.cli.command_tree import find

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-system.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_rows_are_read_as_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(blocks("jsonl")), encoding="utf-8")
    first, second, third = (row for row in read_own(path) if isinstance(row, AnswerRow))
    assert first.question_id
    assert first.answer.retrieved[0].chunk
    assert second.answer.retrieved[0].score == 0.8
    assert third.answer.error == "time-out"


def test_the_map_is_one(tmp_path: Path) -> None:
    path = tmp_path / "rag.yaml"
    path.write_text("".join(blocks("yaml")), encoding="utf-8")
    reply = {
        "data": {"answer": "Oda", "sources": [{"content": "a text", "title": "Pier", "score": 1}]},
        "trace": [{"tool": "search", "input": "pier", "output": "1 text"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    answer = mapped(read_map(path).response, reply)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("Oda", 3, 2)
    assert (answer.retrieved[0].title, answer.steps[0].action) == ("Pier", "search")


def test_the_function_answers() -> None:
    names: dict[str, object] = {}
    exec("".join(blocks("python")), names)
    answer = names["answer"]
    assert callable(answer)
    assert isinstance(read_reply(answer("Who bought the pier?")), OwnAnswer)


def test_the_commands_and_their_options_exist() -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line]
    assert len(commands) == 6
    for command in commands:
        called, arguments = find(command)
        called.command.make_context("kg", arguments).close()
    for form in ANSWER_FORMATS:
        assert form in TEXT
