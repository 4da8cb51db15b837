"""What the scripted endpoint puts on the wire: chat completions, event streams, vectors, errors."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tests.scripted_faults import Fault, Status

DIMENSIONS = 64


@dataclass(frozen=True, slots=True)
class Said:
    """What the model says, where a text or a JSON value is not enough."""

    content: str | None
    refusal: str | None = None
    finish_reason: str = "stop"
    reasoning: str | None = None
    counted: bool = True
    """Whether the endpoint says how many tokens it took."""
    calls: tuple[tuple[str, str | dict[str, Any]], ...] = ()
    """Tools that the model calls natively: name, and arguments as JSON or as a text that is sent as it is."""
    usage: Mapping[str, Any] | None = None
    """What the endpoint counts, in place of words."""
    message: Mapping[str, Any] = field(default_factory=dict)
    """Fields that the message has on top, or others in their place."""


Answer: TypeAlias = str | Said | Mapping[str, Any] | list[Any]
"""A text is sent as it is, a JSON value as JSON."""


def said(answer: Answer) -> Said:
    """An answer as the message of a chat completion."""
    if isinstance(answer, Said):
        return answer
    return Said(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))


def spoilt(answer: Said, fault: Fault | None) -> Said:  # noqa: PLR0911 - a table
    """What becomes of an answer under a fault that spoils it."""
    content = answer.content or ""
    match fault:
        case "invalid json":
            return replace(answer, content=content.rstrip("}] \n") + ",")
        case "prose":
            return replace(answer, content="I would rather talk about something else.")
        case "wrong shape":
            return replace(answer, content='{"unheard_of": true}')
        case "fenced":
            return replace(answer, content=f"Here you are:\n```json\n{content}\n```\nAnything else?")
        case "two values":
            return replace(answer, content=f"{content}\nor perhaps\n{content}")
        case "refusal":
            return replace(answer, content=None, refusal="I can't help with that.", calls=())
        case "content filter":
            return replace(answer, content="", finish_reason="content_filter", calls=())
        case "length":
            return replace(answer, content=content[: len(content) // 2], finish_reason="length")
        case "empty":
            return replace(answer, content="", calls=())
        case "think":
            return replace(answer, content=f'<think>Perhaps {{"a": 1}}?\nNo.</think>\n\n{content}')
        case "open think":
            return replace(answer, content=f'<think>Perhaps {{"a": 1}}? Or {content}')
    return answer


def chat_body(answer: Said, model: str, prompt_words: int) -> dict[str, Any]:
    """A chat completion whose usage counts words."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.content, "refusal": answer.refusal}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{model}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given, ensure_ascii=False),
                },
            }
            for number, (name, given) in enumerate(answer.calls, start=1)
        ]
    message |= answer.message
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason, "logprobs": None}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage(answer, prompt_words),
    }


def usage(answer: Said, prompt_words: int) -> dict[str, Any] | None:
    """Words counted as tokens, where the answer says nothing else."""
    if not answer.counted:
        return None
    if answer.usage is not None:
        return dict(answer.usage)
    words = len((answer.content or answer.refusal or "").split())
    return {"prompt_tokens": prompt_words, "completion_tokens": words, "total_tokens": prompt_words + words}


def chat_events(answer: Said, model: str, prompt_words: int) -> Iterator[bytes]:
    """The same completion as server-sent events, its text in pieces of 16 letters."""
    content = answer.content or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": content[at : at + 16]} for at in range(0, len(content), 16)]
    if answer.refusal is not None:
        deltas.append({"refusal": answer.refusal})
    for delta in deltas:
        yield _event(model, [{"index": 0, "delta": delta, "finish_reason": None}])
    yield _event(model, [{"index": 0, "delta": {}, "finish_reason": answer.finish_reason}])
    yield _event(model, [], usage(answer, prompt_words))
    yield b"data: [DONE]\n\n"


def _event(model: str, choices: list[dict[str, Any]], used: dict[str, Any] | None = None) -> bytes:
    chunk = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": choices,
        "usage": used,
    }
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def error_body(status: Status, key: str) -> dict[str, Any]:
    """An error as endpoints write it; `{key}` in the message is the key that was sent."""
    message = status.message.replace("{key}", key)
    return {
        "error": {"message": message, "type": "scripted", "code": status.code, "param": status.param},
        "echo": key,
    }


def models_body(models: tuple[str, ...]) -> dict[str, Any]:
    """The list of models."""
    rows = [{"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in models]
    return {"object": "list", "data": rows}


def vector(text: str, dimensions: int) -> list[float]:
    """A bag of hashed words, not of unit length: texts that share words are near each other."""
    numbers = [0.0] * dimensions
    for word in text.lower().split():
        numbers[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % dimensions] += 2.0
    return numbers if any(numbers) else [1.0] * dimensions


def vectors_body(
    inputs: list[str], dimensions: int | None, model: str, fault: Fault | None
) -> dict[str, Any]:
    """The vectors of `inputs`, spoilt as `fault` says."""
    length = (dimensions or DIMENSIONS) - (1 if fault == "shorter vectors" else 0)
    rows = [
        {"object": "embedding", "index": index, "embedding": vector(text, length)}
        for index, text in enumerate(inputs)
    ]
    match fault:
        case "one vector less":
            rows.pop()
        case "uneven vectors":
            rows[-1]["embedding"] = [1.0]
        case "zero vectors":
            rows[-1]["embedding"] = [0.0] * length
        case "out of order":
            rows.reverse()
    return {
        "object": "list",
        "data": rows,
        "model": model,
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
