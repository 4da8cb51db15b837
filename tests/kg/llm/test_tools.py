"""Tool calls of models: native, as text where an endpoint has none, and read however they are written."""

import json
from dataclasses import replace

import pytest

from kg.llm.cache import ResponseCache
from kg.llm.protocol import Failure, Message, ModelRequest, ToolCall, ToolSpec, json_object
from kg.llm.reading import NotTheJsonError, read_arguments, written_calls
from tests.examples import examples
from tests.kg.llm.asking import failure, one, reply
from tests.kg.llm.conftest import Opened
from tests.scripted_endpoint import Endpoint, Said, Status

SEARCH = ToolSpec("search", "Find passages.", json_object(query={"type": "string"}))
TOOLS = (SEARCH, ToolSpec("answer", "End the work.", json_object(answer={"type": "string"})))
CALL = Said(None, calls=(("search", {"query": "lamp"}),), finish_reason="tool_calls")


def turn(*more: Message) -> ModelRequest:
    asked = (Message("system", "Be brief."), Message("user", "Who bought the lamp?"))
    return ModelRequest((*asked, *more), "test@1", max_output_tokens=100, tools=TOOLS)


def test_a_native_call_is_read_and_goes_back_as_it_came(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda asked: CALL if len(asked.messages) == 2 else "Final answer: Oda Wexler"
    model = opened()
    first = reply(one(model, turn()))
    (call,) = first.calls
    assert (call.name, read_arguments(call), first.text) == ("search", {"query": "lamp"}, "")
    assert endpoint.requests[0].tools == ["search", "answer"]
    then = turn(Message("assistant", "", first.calls), Message("tool", "Nothing.", answers=call.id))
    assert reply(one(model, then)).text == "Final answer: Oda Wexler"
    _, _, said, result = endpoint.requests[1].body["messages"]
    assert said["tool_calls"] == [
        {"id": call.id, "type": "function", "function": {"name": "search", "arguments": '{"query": "lamp"}'}}
    ]
    assert said["content"] is None
    assert result == {"role": "tool", "content": "Nothing.", "tool_call_id": call.id}


def test_a_kept_call_is_the_same_call(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda _: replace(CALL, content="I look for it.")
    model = opened()
    first, second = reply(one(model, turn())), reply(one(model, turn()))
    assert len(endpoint.requests) == 1
    assert second.cached
    assert (second.calls, second.text) == (first.calls, first.text) != ((), "")


@pytest.mark.parametrize(
    "refusal",
    [
        Status(400, '"auto" tool choice requires --enable-auto-tool-choice to be set'),
        Status(400, "registry/some-model does not support tools"),
        Status(422, "Extra inputs are not permitted", param="tools"),
        Status(500, "tools param requires --jinja flag"),
    ],
    ids=["no parser", "no template", "unknown field", "llama.cpp"],
)
def test_an_endpoint_without_tools_gets_them_as_text(
    endpoint: Endpoint, opened: Opened, refusal: Status
) -> None:
    endpoint.faults = [refusal]
    endpoint.responder = lambda _: 'I look.\n{"tool": "search", "arguments": {"query": "lamp"}}'
    model = opened()
    found = reply(one(model, turn()))
    assert found.calls == (ToolCall("", "search", '{"query": "lamp"}'),)
    native = (Message("assistant", "", (ToolCall("call_1", "search", '{"query": "x"}'),)),)
    assert reply(one(model, turn(*native, Message("tool", "Nothing.", answers="call_1")))).calls
    refused, again, later = endpoint.requests
    assert refused.tools
    assert not again.tools
    assert not later.tools
    assert '{"tool": "NAME", "arguments": {...}}' in again.system
    assert later.messages[2:] == [
        ("assistant", '{"tool": "search", "arguments": {"query": "x"}}'),
        ("user", "Nothing."),
    ]


@examples("text")
def test_calls_are_read_however_they_are_written(text: str) -> None:
    (call,) = written_calls(text, TOOLS)
    assert call.name == "search"
    assert read_arguments(call) == {"query": "lamp"}


def test_a_call_of_an_unknown_tool_is_kept_and_other_json_is_no_call() -> None:
    (call,) = written_calls('{"tool": "browse", "arguments": {"url": "x"}}', TOOLS)
    assert call.name == "browse"
    assert written_calls('{"answer": "Oda Wexler"}', TOOLS) == ()
    assert written_calls('{"name": "Oda Wexler", "born": 1901}', TOOLS) == ()
    assert written_calls("The lamp was bought by Oda Wexler.", TOOLS) == ()
    assert written_calls("{" * 5_000, TOOLS) == ()


def test_arguments_that_are_no_object_are_refused() -> None:
    for given in ("{", "[1]", '"lamp"', "{'query': 'lamp'}"):
        with pytest.raises(NotTheJsonError):
            read_arguments(ToolCall("", "search", given))
    assert read_arguments(ToolCall("", "search", "")) == {}


def test_a_refusal_or_nothing_at_all_is_a_failure(endpoint: Endpoint, opened: Opened) -> None:
    endpoint.responder = lambda _: CALL
    endpoint.faults = ["refusal", "empty"]
    model = opened()
    assert [failure(one(model, turn())).kind for _ in range(2)] == ["refusal", "empty"]
    assert not isinstance(one(model, turn()), Failure)


def test_a_call_that_the_endpoint_itself_can_not_read_ends_nothing(
    endpoint: Endpoint, opened: Opened
) -> None:
    endpoint.responder = lambda _: CALL
    endpoint.faults = [Status(400, "Failed to call a function. Please adjust.", code="tool_use_failed")]
    model = opened()
    assert failure(one(model, turn())).kind == "invalid JSON"
    assert reply(one(model, turn())).calls
    assert endpoint.requests[1].tools, "the endpoint knows tools; it was the model that failed"


def test_the_key_of_a_request_without_tools_knows_nothing_of_them() -> None:
    """A golden value: answers that were kept before there were tools are found again."""
    plain = replace(turn(), tools=())
    golden = "cf044be366d3e24f1b7b60f3961c85ee6a37207749e8a0a1ce345b82173bfc77"
    assert ResponseCache.key("https://models.example/v1", "m", plain) == golden
    keys = {
        ResponseCache.key("https://models.example/v1", "m", one_of)
        for one_of in (
            plain,
            turn(),
            turn(Message("assistant", "", (ToolCall("a", "search", "{}"),))),
            turn(Message("assistant", "", (ToolCall("a", "search", json.dumps({"query": "x"})),))),
        )
    }
    assert len(keys) == 4
