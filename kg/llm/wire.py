"""What goes over the wire to a chat completions endpoint, what comes back, and what a failed try means.

A failed try is repeated, gives up this request, or ends with a remedy. How long an endpoint asks to be left
alone is told by RFC 9110, section 10.2.3.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

from httpx2 import ConnectError, ConnectTimeout, HTTPError, TimeoutException

from kg.endpoints import EndpointNames, explain_error, without_key
from kg.errors import ModelRefusedError
from kg.llm.protocol import FailureKind, JsonValue, Message, ToolCall, Usage
from kg.llm.reading import made_id
from kg.llm.roles import RoleEndpoint

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError
    from openai.types.chat import ChatCompletionMessageFunctionToolCallParam, ChatCompletionMessageParam


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The pause that `Retry-After` names in seconds or as a date, or `retry-after-ms`, if any.

    A date is held against the endpoint's own clock (`Date`) where it tells it, since ours may differ.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after")
    seconds = _number(named)
    if seconds is not None:
        return seconds
    until = _date(named)
    if until is None:
        return None
    now = _date(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    # "-0000" and a missing zone give a date without one; HTTP dates are in UTC.
    return found if found.tzinfo else found.replace(tzinfo=UTC)


LONGEST_PAUSE_SECONDS = 300.0
"""An endpoint that asks for a longer pause is given up for this request."""

_REFUSED_REQUEST = {400, 404, 413, 422}
_PASSING = {408, 409, 429}
_WITHOUT_TOOLS = re.compile(r"tools? param requires|--jinja")
"""llama.cpp's server refuses tools with HTTP 500 where it was started without a template for them."""

_NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}


class PassingError(Exception):
    """A try that failed in a way that may pass.

    `pause` is what the endpoint asked for, in seconds; `soon`: it is worth waiting for; `charged`: the
    model has worked, and the endpoint may want its price.
    """

    def __init__(
        self,
        kind: FailureKind,
        detail: str,
        pause: float | None = None,
        soon: bool = True,
        charged: bool = False,
    ) -> None:
        super().__init__(detail)
        self.kind: FailureKind = kind
        self.detail = detail
        self.pause = pause
        self.soon = soon
        self.charged = charged


class RejectedError(ModelRefusedError):
    """The endpoint refused this request with 400, 404, 413 or 422; `about` is what it said, in lower case."""

    def __init__(self, message: str, remedy: str, status: int, about: str, detail: str) -> None:
        super().__init__(message, remedy)
        self.status = status
        self.about = about
        self.detail = detail


def refusal_error(endpoint: RoleEndpoint, what: str, remedy: str) -> ModelRefusedError:
    """The error for an endpoint that refused for good."""
    return ModelRefusedError(f"{endpoint.description} {what}.", remedy)


def broken_off() -> PassingError:
    """The error for an answer of which a part is missing."""
    return PassingError("cut off", "the answer broke off on its way", charged=True)


def late(timeout_seconds: float) -> PassingError:
    """The error for an answer that was not whole in time."""
    return PassingError("time-out", f"no whole answer within {timeout_seconds:g} seconds", charged=True)


def sorted_failure(
    error: "OpenAIError | HTTPError", endpoint: RoleEndpoint, timeout_seconds: float
) -> PassingError | ModelRefusedError:
    """A failed try as the error to raise; nothing in it holds the key."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 - heavy

    if isinstance(error, APIStatusError):
        return _sorted_status(error, endpoint)
    cause = error.__cause__
    if isinstance(cause, ConnectError | ConnectTimeout):
        return PassingError("connection", "no connection")
    if isinstance(error, APITimeoutError | TimeoutException):
        return late(timeout_seconds)
    if isinstance(error, APIConnectionError):
        return PassingError("connection", "the connection was lost before an answer came")
    if isinstance(error, HTTPError):
        return broken_off()
    return refusal_error(
        endpoint, *explain_error(error, endpoint.key.get_secret_value(), _endpoint_names(endpoint))
    )


def _sorted_status(error: "APIStatusError", endpoint: RoleEndpoint) -> PassingError | ModelRefusedError:
    status, body, key = error.status_code, error.body, endpoint.key.get_secret_value()
    fields = body if isinstance(body, Mapping) else {}
    detail = without_key(str(fields.get("message") or error), key)
    if status == 429 and _NO_CREDIT & {str(fields.get("code")), str(fields.get("type"))}:
        what = f"gives no more credit to this key (HTTP 429): {detail}"
        return refusal_error(endpoint, what, "Add credit or use another key.")
    if status == 402:
        what = f"wants to be paid first (HTTP 402): {detail}"
        return refusal_error(endpoint, what, "Add credit to the account.")
    if status in _PASSING or (status >= 500 and not _WITHOUT_TOOLS.search(detail)):
        return _passing(status, detail, retry_after_seconds(error.response.headers))
    what, remedy = explain_error(error, key, _endpoint_names(endpoint))
    if status in _REFUSED_REQUEST or status >= 500:
        about = " ".join(str(fields.get(name) or "") for name in ("message", "code", "param", "type"))
        about = (about if fields.get("message") else str(body or error)).lower()
        return RejectedError(f"{endpoint.description} {what}.", remedy, status, about, detail)
    return refusal_error(endpoint, what, remedy)


def _passing(status: int, detail: str, pause: float | None) -> PassingError:
    kinds: dict[int, FailureKind] = {429: "rate limit", 408: "time-out", 504: "time-out"}
    kind = kinds.get(status, "server error")
    said = f"HTTP {status}: {detail}"
    if pause is not None and pause > LONGEST_PAUSE_SECONDS:
        return PassingError(kind, f"{said}; it asks for a pause of {pause:.0f} seconds", soon=False)
    return PassingError(kind, said, pause)


def _endpoint_names(endpoint: RoleEndpoint) -> EndpointNames:
    return EndpointNames(
        endpoint.key_setting, endpoint.url_setting, endpoint.model_setting, endpoint.model_setting
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, as it came; `reasoning` is its thinking, where the endpoint keeps it apart."""

    text: str
    refusal: str | None
    finish_reason: str
    usage: Usage
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""


def format_messages(messages: Sequence[Message]) -> "list[ChatCompletionMessageParam]":
    """The messages as the endpoint wants them, in letters that UTF-8 knows."""
    return [_format_message(message) for message in messages]


def _format_message(message: Message) -> "ChatCompletionMessageParam":
    content = _clean(message.content)
    match message.role:
        case "system":
            return {"role": "system", "content": content}
        case "user":
            return {"role": "user", "content": content}
        case "tool":
            return {"role": "tool", "content": content, "tool_call_id": message.answers}
        case "assistant" if message.calls:
            # No content is null: some endpoints refuse an empty text.
            return {"role": "assistant", "content": content or None, "tool_calls": _calls(message.calls)}
        case "assistant":
            return {"role": "assistant", "content": content}


def _calls(calls: Sequence[ToolCall]) -> "list[ChatCompletionMessageFunctionToolCallParam]":
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": _clean(call.name), "arguments": _clean(call.arguments)},
        }
        for call in calls
    ]


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def read_answer(body: bytes, key: str) -> Answer:
    """The answer in the body of a response with status 200.

    Raises:
        PassingError: the body is not whole, or reports an error: routers send those of the endpoint behind
            them with status 200.
    """
    try:
        value: JsonValue = json.loads(body)
    except (ValueError, RecursionError):
        raise broken_off() from None
    fields = _fields(value)
    choices = fields.get("choices")
    choice = _fields(choices[0]) if isinstance(choices, list) and choices else {}
    message = _fields(choice.get("message"))
    if not message:
        said = _fields(fields.get("error")).get("message") or "the answer is no chat completion"
        raise PassingError("server error", without_key(str(said), key))
    if choice.get("finish_reason") == "error":
        raise PassingError("server error", "the model failed while it wrote the answer", charged=True)
    refusal = message.get("refusal")
    content, thought = _content(message.get("content"))
    apart = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return Answer(
        content,
        refusal if isinstance(refusal, str) and refusal else None,
        str(choice.get("finish_reason") or "stop"),
        _usage(fields.get("usage")),
        _read_calls(message),
        next((text for text in apart if isinstance(text, str) and text), thought),
    )


def _content(value: JsonValue) -> tuple[str, str]:
    """Answer and thinking of a message's content: a text, or a list of parts of several types (Mistral)."""
    if isinstance(value, str):
        return value, ""
    parts = [_fields(part) for part in value] if isinstance(value, list) else []
    texts = [(part.get("type") == "thinking", part.get("text") or part.get("thinking")) for part in parts]
    said = [(thinks, text) for thinks, text in texts if isinstance(text, str)]
    return (
        "".join(text for thinks, text in said if not thinks),
        "".join(text for thinks, text in said if thinks),
    )


def _read_calls(message: Mapping[str, JsonValue]) -> tuple[ToolCall, ...]:
    """The calls in a message, also in the older form with one call; what names no tool is left out."""
    listed = message.get("tool_calls")
    given = list(listed) if isinstance(listed, list) else [{"function": message.get("function_call")}]
    calls = []
    for place, one in enumerate(map(_fields, given)):
        function = _fields(one.get("function"))
        name, arguments, own = function.get("name"), function.get("arguments"), one.get("id")
        if isinstance(name, str) and name:
            text = (
                arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
            )
            known = own if isinstance(own, str) and own else made_id(name, text, place)
            calls.append(ToolCall(known, name, text))
    return tuple(calls)


def _fields(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def _usage(value: JsonValue) -> Usage:
    """The tokens that an endpoint counted, by the names of OpenAI, of DeepSeek and of Anthropic."""
    counted = _fields(value)
    details = _fields(counted.get("prompt_tokens_details"))
    of_cache = _count(counted, "prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens")
    cached = _count(details, "cached_tokens") or of_cache
    given, made = _count(counted, "prompt_tokens"), _count(counted, "completion_tokens", "output_tokens")
    if not given:
        # Anthropic's own count leaves out what its cache held or took in.
        given = sum(
            _count(counted, name)
            for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        )
    thought = _count(_fields(counted.get("completion_tokens_details")), "reasoning_tokens")
    thought = thought or _count(counted, "reasoning_tokens")
    if thought:
        # Some (xAI, Google) don't count thinking as part of the completion, but want its price.
        made = max(made, _count(counted, "total_tokens") - given)
    return Usage(given, made, min(cached, given), min(thought, made))


def _count(fields: Mapping[str, JsonValue], *names: str) -> int:
    """The first of these counts that is there and no nonsense, else 0."""
    found = (fields.get(name) for name in names)
    return next((number for number in found if isinstance(number, int) and number > 0), 0)
