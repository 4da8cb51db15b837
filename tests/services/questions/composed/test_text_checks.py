"""What the words of a composed question give away, and what is only put together."""

import pytest

from services.questions.composed.protocol import Atom, Composed, Hop, Topology
from services.questions.composed.stage import NothingGivenAway, NotPutTogether


def atom(question: str, answer: str) -> Atom:
    return Atom(
        id=question,
        question=question,
        answer=answer,
        accepted=(answer,),
        answer_type="ORG",
        chunk=f"chunk of {answer}",
        article="",
        sentence="",
        about=(),
    )


OWNER = atom("Which company owns the Ostby Rovers?", "Halden Shipping")
FOUNDER = atom("Who founded Halden Shipping?", "Greta Lindqvist")
ROVERS = atom("When were the Ostby Rovers founded?", "1904")
BEARS = atom("When were the Vell Bears founded?", "1931")


def joined(text: str, first: Atom, second: Atom, topology: Topology, answer: str) -> Composed:
    one = Hop(1, first, None, first.question, first.answer, first.accepted)
    return Composed((one, Hop(2, second, topology, text, answer, (answer,))), "a test")


def asked_on(text: str) -> Composed:
    return joined(text, OWNER, FOUNDER, "inference", "Greta Lindqvist")


def compared(text: str) -> Composed:
    return joined(text, ROVERS, BEARS, "comparison", "Ostby Rovers")


@pytest.mark.parametrize(
    ("question", "passed"),
    [
        (asked_on("Who founded the company that owns the Ostby Rovers?"), True),
        (asked_on("Who founded Halden Shipping, which owns the Ostby Rovers?"), False),
        (asked_on("Did Greta Lindqvist found the company that owns the Ostby Rovers?"), False),
        (compared("Which of the Ostby Rovers and the Vell Bears was founded earlier?"), True),
        (compared("Which was founded earlier, the Ostby Rovers of 1904 or the Vell Bears?"), False),
    ],
)
def test_no_answer_of_a_hop_stands_in_the_question(question: Composed, passed: bool) -> None:
    (check,) = NothingGivenAway().check([question])
    assert check.passed == passed
    assert passed or "to be found" in check.reason


@pytest.mark.parametrize(
    ("question", "passed"),
    [
        (asked_on("Who founded the company that owns the Ostby Rovers?"), True),
        (asked_on("Which company owns the Ostby Rovers? Who founded it?"), False),
        (asked_on("Which company owns the Rovers of Ostby, and who is its founder?"), False),
        (asked_on("Who founded the Ostby Rovers' owner?"), False),
        (compared("Which of the Ostby Rovers and the Vell Bears was founded earlier?"), True),
        (compared("Are they older?"), True),
    ],
)
def test_a_question_is_more_than_its_parts(question: Composed, passed: bool) -> None:
    (check,) = NotPutTogether().check([question])
    assert check.passed == passed, check.reason
