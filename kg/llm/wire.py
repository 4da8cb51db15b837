"""Messages and answers as a chat completions endpoint writes them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openai.types.chat import ChatCompletionMessageFunctionToolCallParam, ChatCompletionMessageParam

from kg.endpoint_errors import without_key
from kg.llm.failed_tries import PassingError, broken_off
from kg.llm.protocol import JsonValue, Message, ToolCall, Usage
from kg.llm.tool_calls import made_id


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, as it came."""

    text: str
    refusal: str | None
    finish_reason: str
    usage: Usage
    calls: tuple[ToolCall, ...] = ()


def written(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    """The messages as the endpoint wants them, in letters that UTF-8 knows."""
    return [_written(message) for message in messages]


def _written(message: Message) -> ChatCompletionMessageParam:
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


def _calls(calls: Sequence[ToolCall]) -> list[ChatCompletionMessageFunctionToolCallParam]:
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
    content, refusal = message.get("content"), message.get("refusal")
    return Answer(
        content if isinstance(content, str) else "",
        refusal if isinstance(refusal, str) and refusal else None,
        str(choice.get("finish_reason") or "stop"),
        _usage(fields.get("usage")),
        _read_calls(message),
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
    counted = _fields(value)
    given, made = counted.get("prompt_tokens"), counted.get("completion_tokens")
    return Usage(given if isinstance(given, int) else 0, made if isinstance(made, int) else 0)
