import pytest

from kg.errors import BudgetReachedError, ModelRefusedError
from kg.llm.dialect import Dialects
from kg.llm.protocol import FailureKind, Message, ModelRequest, Schema, Usage
from tests.examples import examples
from tests.kg.llm.asking import CLAIMS, claims, failure, numbered, one, reply, request, value
from tests.kg.llm.conftest import Opened
from tests.scripted_endpoint import Answer, Asked, Endpoint, Fault, FaultName, Said, Status


@pytest.fixture(autouse=True)
def claiming(endpoint: Endpoint) -> None:
    endpoint.responder = claims


def test_a_schema_is_sent_and_its_value_comes_back(endpoint: Endpoint, opened: Opened) -> None:
    outcome = one(opened(), request("one", CLAIMS))
    assert value(outcome) == {"claims": ["one"]}
    assert len(endpoint.requests) == 1
    asked = endpoint.requests[0]
    assert asked.schema == CLAIMS.definition
    assert asked.body["response_format"]["json_schema"]["name"] == "claims"
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert (asked.body["temperature"], asked.body["seed"], asked.body["max_tokens"]) == (0.0, 0, 100)


def test_strict_mode_is_asked_for_only_where_the_schema_keeps_its_rules(
    endpoint: Endpoint, opened: Opened
) -> None:
    loose = Schema("claims", {**CLAIMS.definition, "additionalProperties": True})
    assert value(one(opened(), request("one", loose))) == {"claims": ["one"]}
    assert endpoint.requests[0].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize("status", [400, 404, 422])
@examples("unsupported, formats")
def test_an_endpoint_without_schemas_gets_json_mode_then_text(
    endpoint: Endpoint, opened: Opened, status: int, unsupported: set[str], formats: list[str]
) -> None:
    endpoint.unsupported, endpoint.unsupported_status = unsupported, status
    model = opened()
    assert value(one(model, request("one", CLAIMS))) == {"claims": ["one"]}
    assert [asked.answer_format for asked in endpoint.requests] == formats
    # What worked is remembered, and the schema is said in words.
    assert value(one(model, request("two", CLAIMS))) == {"claims": ["two"]}
    assert len(endpoint.requests) == len(formats) + 1
    last = endpoint.requests[-1]
    assert last.answer_format == formats[-1]
    assert last.said_schema == CLAIMS.definition
    # The system message is the same for every request of a prompt: endpoints keep it.
    assert {asked.system for asked in endpoint.requests} == {"Be brief."}


def test_many_at_once_learn_together(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.unsupported = {"json_schema", "json_object", "temperature", "seed", "max_tokens"}
    endpoint.latency_seconds = 0.01
    outcomes = list(opened().ask(numbered(30, CLAIMS)))
    assert [value(outcome)["claims"] for outcome in outcomes] == [[f"question {n}"] for n in range(30)]
    assert len(endpoint.requests) <= 30 + 5 * 8


def test_a_refusal_that_comes_late_unlearns_nothing() -> None:
    dialects = Dialects()
    first = dialects.current
    assert dialects.learn(first, "'temperature' is not supported", 100)
    assert dialects.learn(dialects.current, "unknown field: seed", 100)
    learnt = dialects.current
    assert dialects.learn(first, "'temperature' is not supported", 100)
    assert dialects.current == learnt
    assert (learnt.temperature, learnt.seed) == (False, False)
    assert not dialects.learn(learnt, "the messages are malformed", 100)


def test_without_a_system_message_the_first_one_says_the_schema(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.unsupported = {"json_schema", "json_object"}
    asked = ModelRequest((Message("user", "one"),), "test@1", CLAIMS)
    assert value(one(opened(), asked)) == {"claims": ["one"]}
    assert [role for role, _ in endpoint.requests[-1].messages] == ["user"]
    assert endpoint.requests[-1].said_schema == CLAIMS.definition


def test_a_reasoning_model_gets_no_temperature_and_its_own_name_for_the_length(
    endpoint: Endpoint, opened: Opened
) -> None:
    endpoint.unsupported = {"temperature", "max_tokens"}
    model = opened()
    assert reply(one(model, request("one")))
    assert reply(one(model, request("two")))
    assert len(endpoint.requests) == 4
    assert "temperature" not in endpoint.requests[-1].body
    assert "max_tokens" not in endpoint.requests[-1].body
    assert endpoint.requests[-1].body["max_completion_tokens"] == 100


def test_a_refusal_about_something_else_teaches_nothing(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.faults = [Status(400, "The field 'messages' is malformed.", param="messages")]
    with pytest.raises(ModelRefusedError, match="malformed"):
        one(opened(), request("one", CLAIMS))
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("fault", ["fenced", "think"])
def test_a_fence_or_thinking_around_the_json_is_no_fault(
    endpoint: Endpoint, opened: Opened, fault: Fault
) -> None:
    endpoint.faults = [fault]
    outcome = reply(one(opened(), request("one", CLAIMS)))
    assert outcome.value == {"claims": ["one"]}
    assert "think" not in outcome.text
    assert len(endpoint.requests) == 1
    again = reply(one(opened(), request("one", CLAIMS)))
    assert (again.value, again.text, again.cached) == (outcome.value, outcome.text, True)


@examples("fault, reason")
def test_what_does_not_fit_is_asked_for_once_more_with_the_reason(
    endpoint: Endpoint, opened: Opened, fault: FaultName, reason: str
) -> None:
    endpoint.faults = [fault]
    outcome = reply(one(opened(), request("one", CLAIMS)))
    assert outcome.value == {"claims": ["one"]}
    first, second = endpoint.requests
    assert second.messages[:2] == first.messages
    assert [role for role, _ in second.messages[2:]] == ["assistant", "user"]
    assert reason in second.text
    assert (first.said_schema, second.said_schema) == (None, CLAIMS.definition)
    words = sum(len(text.split()) for asked in (first, second) for _, text in asked.messages)
    assert outcome.usage.input_tokens == words


def test_what_does_not_fit_twice_is_a_failure_with_the_reason(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.faults = ["prose", "wrong shape"]
    failed = failure(one(opened(), request("one", CLAIMS)))
    assert failed.kind == "invalid JSON"
    assert "required property" in failed.detail
    assert failed.usage.output_tokens > 0
    assert len(endpoint.requests) == 2
    # A failure is not kept: the next run asks again.
    assert value(one(opened(), request("one", CLAIMS))) == {"claims": ["one"]}


@pytest.mark.parametrize("schema", [None, CLAIMS])
@examples("fault, kind, words")
def test_what_is_no_answer_is_a_failure_at_once(
    endpoint: Endpoint, opened: Opened, schema: Schema | None, fault: Fault, kind: FailureKind, words: str
) -> None:
    endpoint.faults = [fault]
    failed = failure(one(opened(), request("one", schema)))
    assert failed.kind == kind
    assert words in failed.detail
    assert failed.usage.input_tokens > 0
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("schema", [None, CLAIMS])
def test_what_is_cut_off_is_asked_for_once_more_in_twice_the_room(
    endpoint: Endpoint, opened: Opened, schema: Schema | None
) -> None:
    endpoint.faults = ["length"]
    failed = failure(one(opened(), request("one", schema)))
    assert (failed.kind, failed.detail) == ("cut off", "the answer reached 200 tokens")
    assert [asked.body["max_tokens"] for asked in endpoint.requests] == [100, 200]
    assert failed.usage.input_tokens == 2 * 3


def test_room_that_helped_is_given_at_once_from_then_on(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda asked: Said(
        asked.question, finish_reason="stop" if asked.body["max_tokens"] >= 200 else "length"
    )
    model = opened()
    found = reply(one(model, request("one")))
    assert (found.text, found.usage) == ("one", Usage(2 * 3, 2 * 1))
    assert reply(one(model, request("two"))).text == "two"
    assert [asked.body["max_tokens"] for asked in endpoint.requests] == [100, 200, 200]


def test_whole_json_that_fills_its_room_with_blanks_is_no_cut(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda asked: Said('{"claims": []}\n \n \n', finish_reason="length")
    assert value(one(opened(), request("one", CLAIMS))) == {"claims": []}
    assert len(endpoint.requests) == 1


def test_the_room_shrinks_to_what_is_left_of_the_budget(endpoint: Endpoint, opened: Opened) -> None:
    model = opened(hopgrade_model_output_room=4.0, hopgrade_budget_tokens=300)
    assert reply(one(model, request("one")))
    assert [asked.body["max_tokens"] for asked in endpoint.requests] == [100]
    endpoint.responder = lambda asked: Said(asked.question, finish_reason="length")
    with pytest.raises(BudgetReachedError, match="300 tokens"):
        one(model, request("two"))


def test_the_room_shrinks_to_what_the_model_can_hold(endpoint: Endpoint, opened: Opened) -> None:
    def small(asked: Asked) -> "Answer | Status":
        if asked.body["max_tokens"] > 1_190:
            return Status(400, "This model's maximum context length is 1,200 tokens. You asked for more.")
        return asked.question

    endpoint.responder = small
    model = opened(hopgrade_model_output_room=4.0)
    assert reply(one(model, request("one"))).text == "one"
    assert reply(one(model, request("two"))).text == "two"
    first, *others = [asked.body["max_tokens"] for asked in endpoint.requests]
    assert first == 2_000
    assert len(others) == 2
    assert all(1_000 < room <= 1_190 for room in others)


def test_twice_the_room_that_the_model_can_not_hold_is_no_new_answer(
    endpoint: Endpoint, opened: Opened
) -> None:
    def small(asked: Asked) -> "Answer | Status":
        if asked.body["max_tokens"] > 150:
            return Status(400, "The request exceeds the available context size.")
        return Said(asked.question, finish_reason="length")

    endpoint.responder = small
    failed = failure(one(opened(), request("one")))
    assert (failed.kind, failed.detail) == ("cut off", "the answer reached 100 tokens")
    assert len(endpoint.requests) == 2


def test_an_answer_that_a_server_takes_for_thinking_is_read(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda asked: Said("", message={"reasoning": '{"claims": ["one"]}'})
    assert value(one(opened(), request("one", CLAIMS))) == {"claims": ["one"]}
    endpoint.responder = lambda asked: Said("", message={"reasoning": 'Perhaps {"claims": ["one"]}?'})
    assert failure(one(opened(), request("two", CLAIMS))).kind == "empty"


def test_text_comes_without_thinking(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda asked: Said(f"<think>Hm.</think>\n{asked.text}!", reasoning="Hm.")
    assert reply(one(opened(), request("one"))).text == "one!"


def test_json_that_speaks_of_thinking_is_left_whole(endpoint: Endpoint, opened: Opened) -> None:
    told = {"claims": ["Models write <think> before </think> they answer."]}
    endpoint.responder = lambda asked: told
    assert value(one(opened(), request("one", CLAIMS))) == told


def test_half_a_letter_in_a_request_is_replaced(endpoint: Endpoint, opened: Opened) -> None:
    assert value(one(opened(), request("a \ud800 b", CLAIMS))) == {"claims": ["a ? b"]}
