"""The failures of a run one by one, and where most of them are."""

from services.evaluate.attribution.causes import Attribution, Cause
from services.evaluate.attribution.diagnose import Diagnosis, failures_of, frequent_places


def diagnosis(question: str, cause: Cause | None = None, hop: int | None = None) -> Diagnosis:
    failure = Attribution(cause, hop, f"because of {cause}") if cause is not None else None
    return Diagnosis(
        f"answer-{question}", question, "chain", "inference", 3, question, failure is None, failure,
        ("loops",) if failure is not None else (), (), {},
    )  # fmt: skip


FAILURES = failures_of(
    "react",
    [
        diagnosis("q9", "retrieval", 2), diagnosis("q1"), diagnosis("q3", "retrieval", 2),
        diagnosis("q4", "planning", 1), diagnosis("q5", "error"), diagnosis("q6", "reasoning", 2),
        diagnosis("q7", "reasoning", 2), diagnosis("q8", "reasoning", 1), diagnosis("q2", "reasoning", 1),
    ],
)  # fmt: skip


def test_right_answers_are_no_failures() -> None:
    assert [one.question for one in FAILURES] == ["q9", "q3", "q4", "q5", "q6", "q7", "q8", "q2"]
    first = FAILURES[0]
    assert (first.run, first.answer, first.cause, first.hop) == ("react", "answer-q9", "retrieval", 2)
    assert (first.why, first.behaviours) == ("because of retrieval", ("loops",))


def test_the_most_frequent_come_first_and_of_equals_the_earlier_hop() -> None:
    places = frequent_places(FAILURES, 4)
    assert [(one.cause, one.hop, one.count, one.example.question) for one in places] == [
        ("reasoning", 1, 2, "q2"), ("reasoning", 2, 2, "q6"), ("retrieval", 2, 2, "q3"),
        ("planning", 1, 1, "q4"),
    ]  # fmt: skip
    assert frequent_places(FAILURES, 9)[-1].hop is None
    assert frequent_places((), 3) == ()
