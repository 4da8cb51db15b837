"""Which searches look for what an earlier one looked for."""

import pytest

from services.evaluate.hop_aware.traces import Trace, TraceStep
from services.evaluate.hop_aware.tracks import REPEATED, near_same, searches_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who owns the Ostby Rovers?", "owner of Ostby Rovers"),
        ("Ostby Rovers owner", "Owners of the OSTBY ROVERS"),
        ("the of", "the of"),
    ],
)
def test_the_same_search_in_other_words(one: str, other: str) -> None:
    assert near_same(one, other)
    assert near_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Where was Greta Lindqvist born?", "When was Greta Lindqvist born?"),
        ("Who founded Halden Shipping?", "Who owns Halden Shipping?"),
        ("Who founded Halden Shipping?", "Who founded Verrin University?"),
        ("the of", "of the"),
    ],
)
def test_another_search(one: str, other: str) -> None:
    assert not near_same(one, other)


def test_searches_are_counted_with_what_they_asked_for() -> None:
    steps = (
        TraceStep(1, "plan", "first", "so and so"),
        TraceStep(2, "search", "Who founded Halden Shipping?", retrieves=True, top_k=5, seen=("a", "b")),
        TraceStep(3, "search", "founder of Halden Shipping", retrieves=True, top_k=10, seen=("a",)),
        TraceStep(4, "search", "Who founded Halden Shipping?", fault=REPEATED),
        TraceStep(5, "search", "founder of Halden Shipping", retrieves=True, filters='{"since": "2020"}'),
        TraceStep(6, "answer", "", "Greta Lindqvist"),
    )
    found = searches_of(trace(steps))
    assert found is not None
    assert (found.run, found.top_k, found.seen) == (3, (5, 10, None), (2, 1, 0))
    assert (found.wanted, found.redundant) == (4, 2)


def test_a_system_that_tells_no_step_has_no_searches() -> None:
    assert searches_of(trace(())) is None
    assert searches_of(trace((TraceStep(1, "answer", "", "x"),), told=False)) is None
    nothing_looked_up = searches_of(trace((TraceStep(1, "answer", "", "x"),)))
    assert nothing_looked_up is not None
    assert nothing_looked_up.run == 0


def trace(steps: tuple[TraceStep, ...], told: bool = True) -> Trace:
    return Trace(
        answer="a", question="q", asked="?", kind="chain", query_type="inference", hops=2, bin=1, cluster="c",
        given="x", gold="y", accepted=(), correct=False, exact=False, f1=0.0, score=None,
        judged_by="exact match", abstained=False, error="", told=told, steps=steps, chain=(), prefixes=(),
    )  # fmt: skip
