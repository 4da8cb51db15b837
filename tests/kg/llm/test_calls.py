import logging
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from kg.errors import BudgetReachedError, ModelRefusedError, ModelUnavailableError
from kg.llm.protocol import FailureKind
from tests.examples import examples
from tests.kg.llm.asking import failure, numbered, one, reply, request, texts
from tests.kg.llm.conftest import Hours, Opened
from tests.scripted_endpoint import FOR_NOW, KEY, Endpoint, Fault, Said, Status, times


@pytest.mark.parametrize("fault", FOR_NOW)
def test_a_fault_that_passes_is_overcome(endpoint: Endpoint, opened: Opened, fault: Fault) -> None:
    endpoint.faults = [fault, fault]
    silent = {"hopgrade_model_timeout_seconds": 1.0} if fault == "silence" else {}
    assert reply(one(opened(**silent), request("one"))).text == "one"
    # On a busy machine the answer itself may come after the short time-out.
    assert len(endpoint.requests) == 3 or (silent and len(endpoint.requests) > 3)


def test_pauses_grow_and_are_drawn_by_lot(endpoint: Endpoint, opened: Opened, hours: Hours) -> None:
    endpoint.faults = ["503"] * 61
    failure(one(opened(hopgrade_model_retries=60), request("one")))
    assert len(set(hours.pauses)) == len(hours.pauses) == 60
    assert hours.pauses[0] <= 1.0
    assert hours.pauses[1] <= 2.0
    assert 10.0 < max(hours.pauses) <= 60.0


@pytest.mark.parametrize("status", [429, 503])
@examples("header, least, most")
def test_retry_after_names_the_pause(
    endpoint: Endpoint, opened: Opened, hours: Hours, status: int, header: str, least: float, most: float
) -> None:
    endpoint.faults = [Status(status, retry_after=header)]
    assert reply(one(opened(), request("one")))
    assert least <= hours.pauses[0] <= most


@pytest.mark.parametrize(("seconds", "least", "most"), [(120, 60.0, 121.0), (-20, 0.0, 1.0)])
def test_retry_after_names_the_hour(
    endpoint: Endpoint, opened: Opened, hours: Hours, seconds: int, least: float, most: float
) -> None:
    # The header is written here and not in the list above: that is made when tests are gathered, minutes ago.
    endpoint.faults = [Status(429, retry_after=formatdate(time() + seconds, usegmt=True))]
    assert reply(one(opened(), request("one")))
    assert least <= hours.pauses[0] <= most


def test_retry_after_holds_everybody_back(endpoint: Endpoint, opened: Opened, hours: Hours) -> None:
    endpoint.faults = [Status(429, retry_after="100")]
    model = opened(hopgrade_model_retries=0)
    assert failure(one(model, request("one"))).kind == "rate limit"
    assert hours.now == 0
    assert reply(one(model, request("two")))
    assert hours.now >= 100


def test_a_pause_of_an_hour_is_not_waited_for(endpoint: Endpoint, opened: Opened, hours: Hours) -> None:
    endpoint.faults = ["429 for an hour"]
    failed = failure(one(opened(), request("one")))
    assert failed.kind == "rate limit"
    assert "3600 seconds" in failed.detail
    assert len(endpoint.requests) == 1
    assert hours.now == 0


@examples("fault, kind, words")
def test_a_fault_that_stays_is_a_failure_with_its_reason(
    endpoint: Endpoint, opened: Opened, fault: Fault, kind: FailureKind, words: str
) -> None:
    endpoint.faults = [fault] * 2
    silent = {"hopgrade_model_timeout_seconds": 0.2} if fault in {"silence", "blanks"} else {}
    model = opened(hopgrade_model_retries=1, **silent)
    failed = failure(one(model, request("one")))
    assert failed.kind == kind
    assert words in failed.detail
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("fault", "words", "remedy"),
    [
        ("400", "HTTP 400", "HOPGRADE_MODEL"),
        ("401", "refused the key", "OPENAI_API_KEY"),
        ("403", "denies this key", "another key"),
        ("404", "does not know the model", "HOPGRADE_MODEL and OPENAI_BASE_URL"),
        ("no credit", "no more credit", "credit"),
        (Status(402, "Pay first, {key}."), "paid", "credit"),
        ("html", "web page", "/v1"),
    ],
)
def test_what_is_refused_for_good_ends_in_one_sentence_with_the_remedy(
    endpoint: Endpoint, opened: Opened, fault: Fault, words: str, remedy: str
) -> None:
    endpoint.faults = [fault]
    with pytest.raises(ModelRefusedError, match=words) as caught:
        one(opened(), request("one"))
    assert len(endpoint.requests) == 1
    assert remedy in caught.value.remedy
    assert '127.0.0.1 for the model "scripted"' in caught.value.message
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.campaign
def test_the_key_is_sent_and_told_to_nobody(
    endpoint: Endpoint, opened: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = []
    for status in (400, 401, 402, 403, 404, 418, 422):
        endpoint.faults = [Status(status, "No, {key}.")]
        with pytest.raises(ModelRefusedError) as caught:
            one(opened(), request(f"status {status}"))
        told += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
    for status in (429, 500):
        endpoint.faults = [Status(status, "No, {key}.")]
        told.append(repr(one(opened(hopgrade_model_retries=0), request(f"status {status}"))))
    model = opened()
    one(model, request("a good one"))
    told += [repr(model), str(vars(model)), caplog.text]
    assert {asked.key for asked in endpoint.requests} == {KEY}
    assert KEY not in "".join(told)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"a good one" in path.read_bytes() for path in kept)
    assert not any(KEY.encode() in path.read_bytes() for path in kept)


@pytest.mark.parametrize(
    ("fault", "kind"), [("context length", "too long"), (Status(413), "too long"), ("filtered", "refusal")]
)
def test_a_request_that_is_itself_at_fault_ends_nothing(
    endpoint: Endpoint, opened: Opened, fault: Fault, kind: FailureKind
) -> None:
    endpoint.faults = [fault]
    first, second = opened(hopgrade_model_concurrency=1).ask(numbered(2))
    assert failure(first).kind == kind
    assert reply(second).text == "question 1"


def test_an_error_in_a_body_with_status_200_is_tried_again(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.faults = [Status(200, "Upstream is overloaded."), Status(200, "Upstream is overloaded.")]
    failed = failure(one(opened(hopgrade_model_retries=0), request("one")))
    assert (failed.kind, failed.detail) == ("server error", "Upstream is overloaded")
    assert reply(one(opened(), request("one")))


def test_five_failures_on_end_end_the_asking(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.faults = ["500"] * 99
    outcomes = opened(hopgrade_model_retries=1, hopgrade_model_concurrency=1).ask(numbered(9))
    assert [failure(next(outcomes)).kind for _ in range(4)] == ["server error"] * 4
    with pytest.raises(ModelUnavailableError, match="5 requests on end") as caught:
        next(outcomes)
    assert "OPENAI_BASE_URL" in caught.value.remedy
    assert len(endpoint.requests) == 10


def test_an_answer_between_failures_starts_the_count_anew(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.faults = [*times(4, "500"), "think", *times(4, "500")]
    outcomes = opened(hopgrade_model_retries=0, hopgrade_model_concurrency=1).ask(numbered(10))
    assert texts([outcome for outcome in outcomes if not hasattr(outcome, "kind")]) == [
        "question 4",
        "question 9",
    ]


def test_an_endpoint_that_is_not_there(endpoint: Endpoint, opened: Opened) -> None:
    model = opened(openai_base_url="http://127.0.0.1:9/v1", hopgrade_model_retries=1)
    assert failure(one(model, request("one"))).kind == "connection"


def test_an_answer_lost_on_its_way_is_charged_to_the_budget(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.faults = ["cut"]
    with pytest.raises(BudgetReachedError):
        one(opened(hopgrade_budget_tokens=200), request("one", max_output_tokens=150))
    endpoint.faults = ["500", "reset"]
    assert reply(one(opened(hopgrade_budget_tokens=200), request("one", max_output_tokens=150)))


def test_what_the_endpoint_does_not_count_is_estimated_for_the_budget(
    endpoint: Endpoint, opened: Opened
) -> None:
    endpoint.responder = lambda asked: Said(asked.text, counted=False)
    with pytest.raises(BudgetReachedError):
        list(opened(hopgrade_budget_tokens=400).ask(numbered(100)))
    assert 5 <= endpoint.answered.total() <= 15
