"""Messages and answers as a chat completions endpoint writes them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openai.types.chat import ChatCompletionMessageParam

from kg.endpoint_errors import without_key
from kg.llm.failed_tries import PassingError, broken_off
from kg.llm.protocol import JsonValue, Message, Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, as it came."""

    text: str
    refusal: str | None
    finish_reason: str
    usage: Usage


def written(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    """The messages as the endpoint wants them, in letters that UTF-8 knows."""
    return [_written(message) for message in messages]


def _written(message: Message) -> ChatCompletionMessageParam:
    content = message.content.encode("utf-8", "replace").decode("utf-8")
    match message.role:
        case "system":
            return {"role": "system", "content": content}
        case "user":
            return {"role": "user", "content": content}
        case "assistant":
            return {"role": "assistant", "content": content}


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
    )


def _fields(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def _usage(value: JsonValue) -> Usage:
    counted = _fields(value)
    given, made = counted.get("prompt_tokens"), counted.get("completion_tokens")
    return Usage(given if isinstance(given, int) else 0, made if isinstance(made, int) else 0)
