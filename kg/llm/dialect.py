"""What an endpoint understands: learnt from what it refuses, and remembered."""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kg.llm.protocol import JsonValue, Message, ModelRequest, Schema, ToolSpec
from kg.llm.tool_calls import told_in_text

AnswerFormat = Literal["schema", "object", "text"]

_FORMAT = re.compile(
    r"response_format|response format|json_schema|json_object|json mode|json schema|structured output"
    r"|guided|grammar|output format|requested parameters"
)
_TOOLS = re.compile(r"\btools?\b|tool[_ -](?:choice|call)|function[_ -]?call|--jinja")
_BROKEN_CALL = re.compile(r"tool_use_failed|failed to call a function")
_TOO_LONG = re.compile(
    r"context_length|context length|context window|maximum context|too long|too many tokens"
    r"|prompt is too large|exceeds? the (?:model's )?(?:maximum|available|context)"
)
_FILTERED = re.compile(
    r"content_filter|content filter|content policy|content management policy|moderation|safety"
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a request is written; the first of each choice is tried first."""

    answer_format: AnswerFormat = "schema"
    length_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    seed: bool = True
    tools: Literal["native", "text"] = "native"

    def parameters(self, request: ModelRequest) -> dict[str, JsonValue]:
        """The fields of the request beside the model and the messages."""
        fields: dict[str, JsonValue] = {self.length_parameter: request.max_output_tokens}
        if self.temperature:
            fields["temperature"] = request.temperature
        if self.seed:
            fields["seed"] = request.seed
        if request.schema is not None and self.answer_format != "text":
            fields["response_format"] = _response_format(request.schema, self.answer_format)
        if request.tools and self.tools == "native":
            fields["tools"] = [_function(tool) for tool in request.tools]
        return fields

    def messages(self, request: ModelRequest) -> tuple[Message, ...]:
        """The messages; where the endpoint takes no schema or no tools, the first one says what they are."""
        messages = request.messages
        if self.tools == "text":
            messages = told_in_text(messages, request.tools)
        if request.schema is None or self.answer_format == "schema":
            return messages
        return described(messages, request.schema)


class Dialects:
    """The dialect of one model at one endpoint, as far as it is known."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = Dialect()

    @property
    def known(self) -> Dialect:
        """The dialect to use now."""
        with self._lock:
            return self._known

    def learn(self, refused: Dialect, about: str) -> bool:
        """Whether another try makes sense, after `refused` was refused with the words `about`."""
        with self._lock:
            if self._known != refused:
                return True
            self._known = _next(refused, about)
            return self._known != refused


def is_too_long(about: str) -> bool:
    """Whether a refusal says that the request does not fit the model."""
    return _TOO_LONG.search(about) is not None


def is_broken_call(about: str) -> bool:
    """Whether a refusal says that the model wrote a call of a tool that can't be read (Groq)."""
    return _BROKEN_CALL.search(about) is not None


def is_filtered(about: str) -> bool:
    """Whether a refusal says that the request's contents are not wanted."""
    return _FILTERED.search(about) is not None


def _next(refused: Dialect, about: str) -> Dialect:
    """The dialect without what the endpoint's words name."""
    if refused.length_parameter == "max_tokens" and "max_tokens" in about:
        return replace(refused, length_parameter="max_completion_tokens")
    if refused.temperature and "temperature" in about:
        return replace(refused, temperature=False)
    if refused.seed and re.search(r"\bseed\b", about):
        return replace(refused, seed=False)
    if refused.tools == "native" and _TOOLS.search(about):
        return replace(refused, tools="text")
    if refused.answer_format != "text" and _FORMAT.search(about):
        return replace(refused, answer_format="object" if refused.answer_format == "schema" else "text")
    return refused


def described(messages: Sequence[Message], schema: Schema) -> tuple[Message, ...]:
    """The messages with the schema written into the first one."""
    definition = json.dumps(schema.definition, ensure_ascii=False)
    rule = f"Answer with one JSON value and nothing else. It must fit this JSON schema:\n{definition}"
    first, *rest = messages
    if first.role == "system":
        return (replace(first, content=f"{first.content}\n\n{rule}"), *rest)
    return (replace(first, content=f"{rule}\n\n{first.content}"), *rest)


def _function(tool: ToolSpec) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {
        "name": tool.name,
        "description": tool.about,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": told}


def _response_format(schema: Schema, answer_format: AnswerFormat) -> dict[str, JsonValue]:
    if answer_format == "object":
        return {"type": "json_object"}
    named: dict[str, JsonValue] = {
        "name": schema.name,
        "schema": schema.definition,
        "strict": _is_strict(schema.definition),
    }
    return {"type": "json_schema", "json_schema": named}


def _is_strict(value: JsonValue) -> bool:
    """Whether each object lists all that it may hold and wants all of it, as strict mode demands."""
    if isinstance(value, Mapping):
        properties = value.get("properties")
        if value.get("type") == "object" or isinstance(properties, Mapping):
            names = set(properties) if isinstance(properties, Mapping) else set()
            required = value.get("required")
            wanted = {str(name) for name in required} if isinstance(required, Sequence) else set()
            if value.get("additionalProperties") is not False or wanted != names:
                return False
        return all(_is_strict(part) for part in value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return all(_is_strict(part) for part in value)
    return True
