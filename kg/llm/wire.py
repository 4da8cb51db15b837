"""Messages and answers as a chat completions endpoint writes them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg.endpoints import without_key
from kg.llm.failed_tries import PassingError, broken_off
from kg.llm.protocol import JsonValue, Message, ToolCall, Usage
from kg.llm.reading import made_id

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageFunctionToolCallParam, ChatCompletionMessageParam


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, as it came; `reasoning` is its thinking, where the endpoint keeps it apart."""

    text: str
    refusal: str | None
    finish_reason: str
    usage: Usage
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""


def written(messages: Sequence[Message]) -> "list[ChatCompletionMessageParam]":
    """The messages as the endpoint wants them, in letters that UTF-8 knows."""
    return [_written(message) for message in messages]


def _written(message: Message) -> "ChatCompletionMessageParam":
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
