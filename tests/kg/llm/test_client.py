from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from time import monotonic

import pytest

from kg.errors import BudgetReachedError, ModelRefusedError
from kg.llm.client import AHEAD, SHARE_OF_ROOM
from kg.llm.protocol import Estimate, ModelRequest, Usage
from tests.kg.llm.asking import CLAIMS, claims, failure, numbered, one, reply, request, texts
from tests.kg.llm.conftest import Hours, Opened
from tests.scripted_endpoint import Answer, Asked, Endpoint, times


def test_outcomes_come_in_order_with_a_bounded_number_under_way(endpoint: Endpoint, opened: Opened) -> None:
    def when_five_are_there(asked: Asked) -> Answer:
        deadline = monotonic() + 600
        while endpoint.most_at_once < 5:
            assert monotonic() < deadline, "there are never five"
            endpoint.stopping.wait(0.01)
        return asked.question

    endpoint.responder = when_five_are_there
    endpoint.faults = ["500", "think", "500"]
    outcomes = list(opened(hopgrade_model_concurrency=5).ask(numbered(40)))
    assert texts(outcomes) == [f"question {number}" for number in range(40)]
    assert endpoint.most_at_once == 5


def test_one_slow_answer_holds_up_no_other(endpoint: Endpoint, opened: Opened) -> None:
    others = 3 * AHEAD

    def slow_first(asked: Asked) -> Answer:
        deadline = monotonic() + 600
        while asked.question == "question 0" and endpoint.answered.total() < others:
            assert monotonic() < deadline, "the others wait for the first"
            endpoint.stopping.wait(0.01)
        return asked.question

    endpoint.responder = slow_first
    model = opened(hopgrade_model_concurrency=4, hopgrade_model_timeout_seconds=600.0)
    assert texts(list(model.ask(numbered(40)))) == [f"question {number}" for number in range(40)]


def test_requests_are_read_lazily(opened: Opened) -> None:
    read = 0

    def endless() -> Iterator[ModelRequest]:
        nonlocal read
        for read in count(1):
            yield request(f"question {read}")

    outcomes = opened(hopgrade_model_concurrency=2).ask(endless())
    assert read == 0
    assert len(list(islice(outcomes, 10))) == 10
    assert read <= 10 + 2 * AHEAD


def test_no_requests_no_outcomes(endpoint: Endpoint, opened: Opened) -> None:
    assert list(opened().ask([])) == []
    assert endpoint.requests == []


def test_a_second_run_costs_nothing(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = claims
    first = [reply(outcome) for outcome in opened().ask(numbered(20, CLAIMS))]
    second = [reply(outcome) for outcome in opened().ask(numbered(20, CLAIMS))]
    assert [found.value for found in second] == [found.value for found in first]
    assert {found.cached for found in first} == {False}
    assert {(found.cached, found.usage) for found in second} == {(True, Usage())}
    assert len(endpoint.requests) == 20


def test_an_answer_kept_for_another_schema_is_not_used(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda asked: "Just text." if asked.schema is None else {"claims": []}
    model = opened()
    assert reply(one(model, request("one"))).value is None
    assert reply(one(model, request("one", CLAIMS))).value == {"claims": []}


def test_equal_requests_under_way_are_asked_once(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.latency_seconds = 0.05
    requests = [request(f"question {number % 3}") for number in range(30)]
    outcomes = [reply(outcome) for outcome in opened().ask(requests)]
    assert [found.text for found in outcomes] == [f"question {number % 3}" for number in range(30)]
    assert endpoint.answered == {f"question {number}": 1 for number in range(3)}
    assert [found.cached for found in outcomes] == [False] * 3 + [True] * 27
    assert sum(found.usage.input_tokens for found in outcomes) == 3 * 4


def test_equal_requests_share_a_failure_too(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.latency_seconds = 0.3
    endpoint.faults = ["refusal"]
    outcomes = [failure(outcome) for outcome in opened().ask([request("one")] * 5)]
    assert [found.kind for found in outcomes] == ["refusal"] * 5
    assert [found.usage.input_tokens > 0 for found in outcomes] == [True, False, False, False, False]
    assert len(endpoint.requests) == 1


def test_the_budget_stops_cleanly_and_the_next_run_goes_on(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.latency_seconds = 0.02
    first: list[str] = []
    model = opened(hopgrade_budget_tokens=150)
    outcomes = model.ask(numbered(40))
    with pytest.raises(BudgetReachedError, match="150 tokens"):
        first.extend(reply(outcome).text for outcome in outcomes)
    assert first == [f"question {number}" for number in range(len(first))]
    # A call takes 6 tokens and must have room for some 120 more, so that five fit one after the other.
    assert endpoint.answered.total() == 5
    assert texts(list(opened().ask(numbered(40)))) == [f"question {number}" for number in range(40)]
    assert endpoint.answered == {f"question {number}": 1 for number in range(40)}


def test_a_refusal_for_good_ends_the_asking_after_what_was_answered(
    endpoint: Endpoint, opened: Opened
) -> None:
    endpoint.latency_seconds = 0.02
    endpoint.faults = [*times(6, "think"), *times(40, "401")]
    got: list[str] = []
    with pytest.raises(ModelRefusedError, match="refused the key"):
        got.extend(reply(outcome).text for outcome in opened().ask(numbered(40)))
    assert got == [f"question {number}" for number in range(len(got))]
    assert len(endpoint.requests) <= 6 + 2 * 8


def test_a_reader_that_stops_early_leaves_nothing_running_and_keeps_what_was_paid_for(
    endpoint: Endpoint, opened: Opened
) -> None:
    endpoint.latency_seconds = 0.05
    outcomes = opened(hopgrade_model_concurrency=4).ask(numbered(100))
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    sent = len(endpoint.requests)
    assert sent <= 1 + 4 * (1 + AHEAD)
    endpoint.stopping.wait(0.15)
    assert len(endpoint.requests) == sent
    assert len(list(opened().ask(numbered(100)))) == 100
    assert set(endpoint.answered.values()) == {1}


def test_an_error_of_the_requests_own_comes_out(endpoint: Endpoint, opened: Opened) -> None:
    def broken() -> Iterator[ModelRequest]:
        yield request("one")
        raise LookupError("no such article")

    with pytest.raises(LookupError, match="no such article"):
        list(opened().ask(broken()))


def test_requests_a_minute_are_kept(endpoint: Endpoint, opened: Opened, hours: Hours) -> None:
    assert len(list(opened(hopgrade_model_requests_per_minute=10).ask(numbered(35)))) == 35
    assert 180 <= hours.now < 190


def test_an_estimate_sends_nothing_and_knows_what_is_kept(endpoint: Endpoint, opened: Opened) -> None:
    model = opened(hopgrade_model_prices={"scripted": [1.0, 10.0]})
    list(model.ask(numbered(3)))
    sent = len(endpoint.requests)
    found = model.estimate([*numbered(5), *numbered(5)])
    assert (found.calls, found.cached, found.output_tokens_at_most) == (10, 8, 200)
    assert found.money_at_most == pytest.approx((found.input_tokens_at_most + 2000) / 1e6)
    assert found.money == pytest.approx((found.input_tokens + 10 * found.output_tokens) / 1e6)
    assert 2 * 4 <= found.input_tokens <= found.input_tokens_at_most
    assert model.estimate([]) == Estimate()
    assert len(endpoint.requests) == sent


def test_an_estimate_goes_by_what_is_known_of_the_answers_to_a_prompt(
    endpoint: Endpoint, opened: Opened
) -> None:
    endpoint.responder = lambda asked: "so it is, they say"
    model = opened()
    assert model.estimate(numbered(10)).output_tokens == 10 * 100 * SHARE_OF_ROOM
    said = [replace(asked, expected_output_tokens=7) for asked in numbered(10)]
    assert model.estimate(said).output_tokens == 10 * 7
    list(model.ask(numbered(5)))
    assert model.estimate(said).output_tokens == 5 * 5
    with_room = opened(hopgrade_model_output_room=4.0)
    assert with_room.estimate(said).output_tokens_at_most == 5 * 2_000


def test_an_estimate_is_never_below_what_is_taken(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = claims
    model = opened()
    found = model.estimate(numbered(10, CLAIMS))
    taken = [reply(outcome).usage for outcome in model.ask(numbered(10, CLAIMS))]
    assert sum(usage.input_tokens for usage in taken) <= found.input_tokens_at_most
    assert sum(usage.output_tokens for usage in taken) <= found.output_tokens_at_most
