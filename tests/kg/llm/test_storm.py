"""A long stage through a storm: every request answered, in order, none lost, none paid for twice."""

import pytest

from tests.kg.llm.asking import CLAIMS, claims, numbered, value
from tests.kg.llm.conftest import Opened
from tests.scripted_endpoint import FOR_NOW, Endpoint, Fault, Storm

REQUESTS = 300

# What silence needs is a short time-out, which a busy machine's answers would pass too: see test_calls.
KINDS = tuple(fault for fault in FOR_NOW if fault != "silence")


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_or_doubled(endpoint: Endpoint, opened: Opened, seed: int) -> None:
    storm = Storm(seed, kinds=KINDS)
    endpoint.responder, endpoint.storm = claims, storm
    outcomes = list(opened().ask(numbered(REQUESTS, CLAIMS)))
    assert [value(outcome)["claims"] for outcome in outcomes] == [[f"question {n}"] for n in range(REQUESTS)]
    assert endpoint.answered == {f"question {number}": 1 for number in range(REQUESTS)}
    assert set(storm.met) == set(KINDS)
    assert len(endpoint.requests) == REQUESTS + storm.met.total()


@pytest.mark.campaign
def test_answers_that_are_no_json_are_mended_in_the_storm(endpoint: Endpoint, opened: Opened) -> None:
    mended: tuple[Fault, ...] = ("invalid json", "prose", "wrong shape", "two values")
    storm = Storm(3, kinds=("429", "500", "cut", "reset", "fenced", "think", *mended))
    endpoint.responder, endpoint.storm = claims, storm
    outcomes = list(opened().ask(numbered(REQUESTS, CLAIMS)))
    assert [value(outcome)["claims"] for outcome in outcomes] == [[f"question {n}"] for n in range(REQUESTS)]
    repairs = sum(storm.met[str(fault)] for fault in mended)
    assert repairs > 0
    assert endpoint.answered.total() == REQUESTS + repairs
    sent = len(endpoint.requests)
    assert [value(outcome) for outcome in opened().ask(numbered(REQUESTS, CLAIMS))] == [
        value(outcome) for outcome in outcomes
    ]
    assert len(endpoint.requests) == sent
