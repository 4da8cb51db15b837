"""The rules by which a failure is laid to a cause and a hop, one by one.

What follows on a miss, by hand.
The failures of a run one by one, and where most of them are.
"""

from dataclasses import replace

import pytest

from services.evaluate.causes import Attribution, Cause
from services.evaluate.diagnose import (
    Diagnosis,
    attribution_figures,
    cascade_by_evidence,
    cascade_by_prefixes,
    diagnose,
    failures_of,
    frequent_places,
)
from services.evaluate.hop_aware import Figure
from services.evaluate.hop_traces import Trace, TraceStep
from tests.services.evaluate.made_traces import QUESTION, TRACE, made, reading, search

FIRST = search("Which club does Mira Tolland play for?", "c1", "x")
SECOND = search("Who owns the Ostby Rovers?", "c2b")
THIRD = search("Who founded Halden Shipping?", "c3")


def failure(trace: Trace) -> tuple[str, int | None]:
    found = diagnose(trace).failure
    assert isinstance(found, Attribution)
    assert found.why
    return found.cause, found.hop


@pytest.mark.parametrize(
    ("steps", "given", "expected"),
    [
        ((reading("", "Otto Pelham"),), "Otto Pelham", ("planning", 1)),
        ((), "Otto Pelham", ("retrieval", 1)),
        ((search("Which club does Mira Tolland play for?", "x"),), "", ("retrieval", 1)),
        ((search(QUESTION, "x"),), "", ("retrieval", 1)),
        ((search(QUESTION, "c1"),), "", ("retrieval", 2)),
        ((search(QUESTION, "c1", "c2", "c3"),), "", ("reasoning", 3)),
        ((FIRST,), "Ostby Rovers", ("planning", 2)),
        ((FIRST, SECOND, search("Who founded Halden Shipping?", "x")), "Otto Pelham", ("retrieval", 3)),
        ((FIRST, SECOND, THIRD), "Otto Pelham", ("reasoning", 3)),
        ((FIRST, search("Who owns the Averell Mariners?", "x")), "Otto Pelham", ("reasoning", 1)),
        ((FIRST, FIRST), "", ("reasoning", 1)),
        ((FIRST, reading(FIRST.query, "Kaldmere"), search("Kaldmere", "x")), "", ("reasoning", 1)),
        # The answer of hop 1 came from elsewhere, and hop 2 is where it ends.
        ((search("Mira Tolland", "x"), search("Who owns the Ostby Rovers?", "x")), "", ("retrieval", 2)),
    ],
)
def test_the_first_hop_that_was_not_got_over_decides(
    steps: tuple[TraceStep, ...], given: str, expected: tuple[str, int]
) -> None:
    assert failure(made(*steps, given=given)) == expected


def test_who_gives_a_longer_name_of_the_right_thing_took_no_wrong_hop() -> None:
    wrong_turn = search("Who founded the Norholm Health Board?", "c9")
    lost = diagnose(made(search("the club of Mira Tolland", "c1"), wrong_turn, given="Anton Brask"))
    longer = diagnose(
        made(search("the club of Mira Tolland", "c1"), wrong_turn, given="the founder Greta Lindqvist")
    )
    assert lost.behaviours == ("takes a wrong hop",)
    assert (longer.behaviours, longer.failure and longer.failure.cause) == ((), "answer form")


def test_a_prefix_answer_tells_where_the_trace_is_silent() -> None:
    steps = search(QUESTION, "c1", "c2", "c3")
    assert failure(made(steps, prefixes=(True, False))) == ("reasoning", 2)
    assert failure(made(steps, prefixes=(True, True))) == ("reasoning", 3)


def test_what_the_question_names_is_not_taken_for_found() -> None:
    named = replace(made(FIRST, given="Otto Pelham"), question_text=f"{QUESTION} Not the Ostby Rovers?")
    # Its evidence was seen, nothing was said of it, and nothing was asked on: it was never got over.
    assert failure(replace(named, answer_text="Ostby Rovers")) == ("reasoning", 1)
    assert failure(named) == ("reasoning", 1)


def test_a_hop_that_was_extracted_is_got_over_and_the_next_was_not_planned() -> None:
    extracted = TraceStep(0, "extract_evidence", "", "The Post: Mira Tolland plays for Ostby Rovers.")
    assert failure(made(FIRST, extracted, given="Otto Pelham")) == ("planning", 2)
    listed = TraceStep(0, "expand", "", "Mira Tolland | plays for | Ostby Rovers")
    assert failure(made(FIRST, listed, given="Otto Pelham")) == ("reasoning", 1)


def test_a_name_inside_of_a_longer_one_is_not_said() -> None:
    assert failure(made(FIRST, reading(FIRST.query, "Ostby Rovers Stadium"))) == ("reasoning", 1)


@pytest.mark.parametrize(
    ("trace", "cause"),
    [
        (replace(TRACE, error="time-out: no answer"), "error"),
        (replace(TRACE, steps=(TraceStep(1, "fault", "", "", fault="refusal"),)), "error"),
        (replace(TRACE, kind="null", chain=(), answer_text="Otto Pelham", abstained=False), "reasoning"),
        (replace(TRACE, answer_text="Greta Lindqvist, I think", abstained=False), "answer form"),
        (replace(TRACE, retrieval_reported=False), "not told"),
    ],
)
def test_some_failures_have_nothing_to_do_with_hops(trace: Trace, cause: str) -> None:
    assert failure(trace) == (cause, None)


def test_what_was_asked_for_is_unknown_where_a_system_only_tells_what_it_retrieved() -> None:
    assert failure(made(search("", "c1"))) == ("retrieval", 2)


def test_a_right_answer_has_no_failure() -> None:
    for trace in (replace(TRACE, correct=True), replace(TRACE, kind="null", abstained=True, correct=True)):
        one = diagnose(trace)
        assert (one.right, one.failure, one.behaviours) == (True, None, ())


def test_a_fact_in_a_list_is_evidence_that_was_seen() -> None:
    bare = search("Which club does Mira Tolland play for?", "x")
    listed = TraceStep(
        0, "expand", "", "Mira Tolland | was born in | Verrin\nMira Tolland | plays for | Ostby Rovers"
    )
    other = TraceStep(0, "expand", "", "Mira Tolland | sued | Ostby Rovers")
    assert failure(made(bare, listed)) == ("reasoning", 1)
    assert failure(made(bare, other)) == ("retrieval", 1)


def test_who_gives_the_end_of_the_name_did_not_ignore_the_evidence() -> None:
    whole = (FIRST, SECOND, THIRD)
    assert diagnose(made(*whole, given="Otto Pelham")).behaviours == ("ignores evidence",)
    partly = diagnose(made(*whole, given="Lindqvist"))
    assert partly.failure is not None
    assert (partly.failure.cause, partly.behaviours) == ("answer form", ())


def one(name: str, *seen: str, right: bool = False) -> Diagnosis:
    return replace(diagnose(replace(made(search(QUESTION, *seen)), correct=right, cluster=name)), answer=name)


DIAGNOSES = [
    one("a", "c1", "c2", "c3", right=True),
    one("b", "c2", "c3", right=True),
    one("c", "c2"),
    one("d", "c1", "c3"),
    one("e"),
]


def shares(figures: list[Figure]) -> list[tuple[int, float | None]]:
    return [(figure.n, figure.value) for figure in figures]


def test_the_first_miss_is_followed_to_the_next_hop_and_to_the_end() -> None:
    first, second, third = cascade_by_evidence(DIAGNOSES)
    assert shares([first.missed, first.recovered, first.right]) == [(5, 3 / 5), (3, 2 / 3), (3, 1 / 3)]
    assert shares([first.next_after_hit, first.right_after_hit]) == [(2, 1 / 2), (2, 1 / 2)]
    # "b" and "c" missed hop 1 before.
    assert shares([second.missed, second.recovered, second.right]) == [(2, 1 / 2), (1, 1.0), (1, 0.0)]
    assert shares([third.missed, third.recovered, third.right]) == [(1, 0.0), (0, None), (0, None)]
    assert first.missed.interval is not None
    assert first.missed.interval.low < 3 / 5 < first.missed.interval.high


def test_prefix_answers_tell_of_misses_too() -> None:
    asked = [replace(DIAGNOSES[0], prefixes={1: True, 2: False}), replace(DIAGNOSES[2], prefixes={1: False})]
    first, second, third = cascade_by_prefixes(asked)
    assert shares([first.missed, second.missed]) == [(1, 0.0), (1, 1.0)]
    # Wrong after two hops, and right after all three.
    assert shares([second.recovered, second.right, third.missed]) == [(1, 1.0), (1, 1.0), (0, None)]


def test_hops_that_stand_beside_each_other_have_no_cascade() -> None:
    trace = replace(made(search(QUESTION, "c1")), kind="comparison")
    assert cascade_by_evidence([diagnose(trace)]) == ()


def test_every_failure_has_one_cause_and_the_groups_add_up() -> None:
    figures = attribution_figures("run", DIAGNOSES)
    assert figures.total.failures == 3
    assert sum(figure.value or 0.0 for figure in figures.total.causes.values()) == 1
    assert figures.total.first_hops == {1: {"retrieval": 2}, 2: {"retrieval": 1}}
    assert sum(group.failures for group in figures.groups) == figures.total.failures


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
