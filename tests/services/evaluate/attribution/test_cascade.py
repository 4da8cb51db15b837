"""What follows on a miss, by hand."""

from dataclasses import replace

from services.evaluate.attribution.diagnose import (
    Diagnosis,
    attribution_figures,
    cascade_by_evidence,
    cascade_by_prefixes,
    diagnose,
)
from services.evaluate.hop_aware.content import Figure
from tests.services.evaluate.attribution.made_traces import QUESTION, made, search


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
