"""One request answered: in the endpoint's dialect, read strictly, mended at most once by asking again."""

import json
import threading
from dataclasses import dataclass, replace

from kg.llm.calls import ChatCalls
from kg.llm.dialect import Dialects, is_broken_call, is_filtered, is_too_long
from kg.llm.failed_tries import RejectedError
from kg.llm.json_reading import NotTheJsonError, read_json
from kg.llm.protocol import (
    Failure,
    JsonValue,
    Message,
    ModelOutcome,
    ModelRequest,
    Reply,
    Schema,
    ToolCall,
    Usage,
)
from kg.llm.thinking import without_thinking
from kg.llm.tokens import estimate_tokens
from kg.llm.tool_calls import written_calls
from kg.llm.wire import Answer

_FRAME_TOKENS = 8
"""What an endpoint adds to a message, at most."""

_LONGEST_DETAIL = 200


@dataclass(frozen=True, slots=True)
class _Unusable:
    """An answer that is not the JSON that was asked for, and why."""

    text: str
    reason: str
    usage: Usage


def answered(
    request: ModelRequest, calls: ChatCalls, dialects: Dialects, stopping: threading.Event
) -> ModelOutcome:
    """The outcome of one request.

    Raises:
        ModelRefusedError: the endpoint refused for good.
        ModelUnavailableError: it does not answer.
        BudgetReachedError: the budget has no room for a call.
    """
    first = _asked(request, (), calls, dialects, stopping)
    if not isinstance(first, _Unusable):
        return first
    again = (
        Message("assistant", first.text),
        Message(
            "user",
            f"That answer can't be used: {first.reason}. Give the whole answer again, as one JSON value that "
            "fits the schema, with nothing before or after it.",
        ),
    )
    second = _asked(request, again, calls, dialects, stopping)
    usage = Usage(
        first.usage.input_tokens + second.usage.input_tokens,
        first.usage.output_tokens + second.usage.output_tokens,
    )
    match second:
        case Reply():
            return replace(second, usage=usage, repaired=True)
        case Failure():
            return replace(second, usage=usage)
        case _Unusable():
            return Failure("invalid JSON", f"asked twice; the second time, {second.reason}", usage)


def kept_reply(text: str, request: ModelRequest) -> Reply | None:
    """The reply that a kept text is, none where it no longer fits what is asked."""
    if request.tools:
        return _kept_turn(text)
    value: JsonValue = None
    if request.schema is not None:
        try:
            value = read_json(text, request.schema.definition)
        except NotTheJsonError:
            return None
    return Reply(text, value, Usage(), cached=True)


def most_tokens(messages: tuple[Message, ...], request: ModelRequest) -> Usage:
    """An upper estimate of what a call takes; the schema counts as input."""
    schema = "" if request.schema is None else json.dumps(request.schema.definition)
    given = sum(_message_tokens(message) for message in messages)
    tools = sum(
        estimate_tokens(tool.name + tool.about + json.dumps(tool.parameters)) + _FRAME_TOKENS
        for tool in request.tools
    )
    return Usage(given + tools + estimate_tokens(schema), request.max_output_tokens)


def text_to_keep(reply: Reply, request: ModelRequest) -> str:
    """What is kept of a reply, so that `kept_reply` makes the same of it."""
    if not request.tools:
        return reply.text
    calls = [[call.id, call.name, call.arguments] for call in reply.calls]
    return json.dumps({"text": reply.text, "calls": calls})


def _kept_turn(text: str) -> Reply | None:
    try:
        kept = json.loads(text)
        calls = tuple(ToolCall(*map(str, call)) for call in kept["calls"])
        return Reply(str(kept["text"]), None, Usage(), cached=True, calls=calls)
    except (ValueError, TypeError, KeyError):
        return None


def _message_tokens(message: Message) -> int:
    calls = sum(estimate_tokens(call.name + call.arguments) + _FRAME_TOKENS for call in message.calls)
    return estimate_tokens(message.content) + _FRAME_TOKENS + calls


def _asked(
    request: ModelRequest,
    more: tuple[Message, ...],
    calls: ChatCalls,
    dialects: Dialects,
    stopping: threading.Event,
) -> Reply | Failure | _Unusable:
    """One call, said anew as long as the endpoint teaches something about its dialect."""
    while True:
        dialect = dialects.known
        messages = (*dialect.messages(request), *more)
        try:
            answer = calls.call(
                messages, dialect.parameters(request), most_tokens(messages, request), stopping
            )
        except RejectedError as error:
            if error.status == 413 or is_too_long(error.about):
                return Failure("too long", error.detail)
            if is_filtered(error.about):
                return Failure("refusal", error.detail)
            if is_broken_call(error.about):
                return Failure("invalid JSON", error.detail)
            if not dialects.learn(dialect, error.about):
                raise
            continue
        return answer if isinstance(answer, Failure) else _read(answer, request)


def _read(answer: Answer, request: ModelRequest) -> Reply | Failure | _Unusable:
    """What an answer says."""
    usage = answer.usage
    if answer.refusal is not None:
        return Failure("refusal", answer.refusal[:_LONGEST_DETAIL], usage)
    if answer.finish_reason == "content_filter":
        return Failure("refusal", "the endpoint's filter withheld the answer", usage)
    if answer.finish_reason in {"length", "max_tokens"}:
        return Failure("cut off", f"the answer reached {request.max_output_tokens:,} tokens", usage)
    text = without_thinking(answer.text)
    if request.tools:
        calls = answer.calls or written_calls(text, request.tools)
        return Reply(text, None, usage, calls=calls) if text or calls else _empty(answer)
    if request.schema is None:
        return Reply(text, None, usage) if text else _empty(answer)
    return _read_json(answer, text, request.schema)


def _read_json(answer: Answer, text: str, schema: Schema) -> Reply | Failure | _Unusable:
    # As it came first: a string in whole JSON may well speak of a <think> tag.
    for candidate in (answer.text.strip(), text):
        try:
            return Reply(candidate, read_json(candidate, schema.definition), answer.usage)
        except NotTheJsonError as error:
            reason = str(error)
    return _Unusable(text, reason, answer.usage) if text else _empty(answer)


def _empty(answer: Answer) -> Failure:
    thought = " but thinking" if answer.text.strip() else ""
    return Failure("empty", f"the answer holds nothing{thought}", answer.usage)
