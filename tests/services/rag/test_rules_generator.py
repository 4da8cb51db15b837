"""The reader as a generator: what it makes of sub-questions and their answers."""

import pytest

from services.rag.protocol import ReadTask
from services.rag.reader import NO_ANSWER, RulesGenerator
from tests.services.rag.passages import passage

PASSAGES = (
    passage(
        "Greta Lindqvist founded Halden Shipping.",
        1,
        facts=[("Greta Lindqvist", "founded", "Halden Shipping")],
    ),
    passage("Halden Shipping owns the Ostby Rovers.", 2, facts=[("Halden Shipping", "owns", "Ostby Rovers")]),
)
QUESTION = "Who founded the company that owns the Ostby Rovers?"
FIRST = "Which company owns the Ostby Rovers?: Halden Shipping"


def answered(question: str, *notes: str) -> str:
    (found,) = RulesGenerator().answer([ReadTask(question, PASSAGES, notes)])
    return found.text


def test_the_last_sub_question_is_read_when_every_part_has_an_answer() -> None:
    assert answered(QUESTION, FIRST, "Who founded Halden Shipping?: Greta Lindqvist") == "Greta Lindqvist"


def test_a_chain_with_an_unsupported_part_has_no_answer() -> None:
    assert answered(QUESTION, FIRST) == NO_ANSWER


def test_an_intermediate_answer_does_not_stand_in_for_the_question() -> None:
    assert answered(QUESTION, f"{QUESTION}: Halden Shipping") == "Greta Lindqvist"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (QUESTION, ("Which company owns the Ostby Rovers?", "Who founded #1?")),
        (
            "Who coached the Ostby Rovers and wrote The Grey Rope?",
            ("Who coached the Ostby Rovers?", "Who wrote The Grey Rope?"),
        ),
        (
            'Which person do "A" in The Post and "B" both tell of?',
            ('What does "A" in The Post tell of?', 'What does "B" tell of?'),
        ),
        ("Who leads Halden Shipping?", ("Who leads Halden Shipping?",)),
    ],
)
def test_parts_that_do_not_wait_for_each_other_are_asked_side_by_side(
    question: str, parts: tuple[str, ...]
) -> None:
    ((found, _),) = RulesGenerator().decompose([question])
    assert found == parts
