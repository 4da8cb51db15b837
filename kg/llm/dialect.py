"""What an endpoint understands: learnt from what it refuses or ignores, and remembered."""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kg.llm.protocol import JsonValue, Message, ModelRequest, Schema, ToolSpec
from kg.llm.reading import tools_as_text
from kg.settings import ReasoningEffort

AnswerFormat = Literal["schema", "object", "text"]
ThinkingForm = Literal["budget", "adaptive", "none"]

_FORMAT = re.compile(
    r"response_format|response format|json_schema|json_object|json mode|json schema|structured output"
    r"|guided|grammar|output format|requested parameters"
)
_TOOLS = re.compile(r"\btools?\b|tool[_ -](?:choice|call)|function[_ -]?call|--jinja")
_BROKEN_CALL = re.compile(r"tool_use_failed|failed to call a function")
_TOO_LONG = re.compile(
    r"context_length|context length|context window|maximum context|context size|too long|too many tokens"
    r"|prompt is too large|exceeds? the (?:model's )?(?:maximum|available|context)"
)
_CONTEXT = re.compile(r"context (?:length|size|window)(?: is| of|:)? ?\(?(\d[\d,]*)")
_FILTERED = re.compile(
    r"content_filter|content filter|content policy|content management policy|responsibleaipolicy"
    r"|moderation|safety"
)
_TOO_MUCH_ROOM = re.compile(
    r"max_(?:completion_)?tokens\b.{0,80}(?:too large|at most|less than or equal|valid range|maximum)"
    r"|maximum allowed number of output tokens",
    re.DOTALL,
)
_CUT_OFF = re.compile(r"could not finish the message|model output limit was reached")
_NUMBER = re.compile(r"\d[\d,]*")
_REASONING = re.compile(r"reasoning|\bthink")
_THINKING = re.compile(r"\bthinking\b|budget_tokens")
_TEMPLATE = "chat_template_kwargs"

_EFFORTS: Mapping[ReasoningEffort, tuple[str, ...]] = {
    "off": ("none", "minimal", "low"),
    "minimal": ("minimal", "low"),
    "low": ("low", "default"),
    "medium": ("medium", "default"),
    "high": ("high", "default"),
}
"""What `reasoning_effort` is called, best first: the later ones are for endpoints that know no better one."""

_LEAST_BUDGET = 1_024
"""The smallest budget for thinking that Anthropic takes, in tokens."""

MOST_DOUBLINGS = 2
"""How often the room is doubled for good, after answers that were whole only in twice the room."""

_FEW = 2
_ONE_IN = 10
"""So many answers that don't fit their schema, and one in so many, say that the endpoint ignores schemas."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a request is written; the first of each choice is tried first.

    `effort`, `template` and `thinking` are three ways to say how much the model is to think; all of them
    are sent, since an endpoint passes over those that it doesn't know or refuses them by name.
    `most_output` is the most tokens that the endpoint lets a model write, `context` those of input and output
    together, where that was learnt.
    """

    answer_format: AnswerFormat = "schema"
    schema_in_message: bool = False
    length_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    seed: bool = True
    stops: bool = True
    tools: Literal["native", "text"] = "native"
    reasoning: ReasoningEffort | None = None
    effort: str | None = None
    template: bool = False
    thinking: ThinkingForm = "none"
    most_output: int | None = None
    context: int | None = None
    doublings: int = 0

    @property
    def _thinks(self) -> bool:
        return self.reasoning not in {"off", "minimal"}

    def room(self, wanted: int, answer: int, given: int) -> int:
        """The tokens that may be written: `wanted`, as far as the endpoint allows, but room for the answer.

        `given` are the tokens of the input at most.
        """
        wanted *= 2**self.doublings
        if self.thinking == "budget" and self._thinks:
            wanted = max(wanted, answer + _LEAST_BUDGET)
        if self.context is not None:
            wanted = max(answer, min(wanted, self.context - given))
        return wanted if self.most_output is None else min(wanted, self.most_output)

    def parameters(self, request: ModelRequest, room: int) -> dict[str, JsonValue]:
        """The fields of the request beside the model and the messages."""
        fields: dict[str, JsonValue] = {self.length_parameter: room}
        if self.temperature:
            fields["temperature"] = request.temperature
        if self.seed:
            fields["seed"] = request.seed
        if self.stops and request.stops:
            fields["stop"] = list(request.stops)
        if request.schema is not None and self.answer_format != "text":
            fields["response_format"] = _response_format(request.schema, self.answer_format)
        if request.tools and self.tools == "native":
            fields["tools"] = [_function(tool) for tool in request.tools]
        if self.effort is not None:
            fields["reasoning_effort"] = self.effort
        if self.template:
            # Qwen's templates know the first name, those of Granite and DeepSeek the second.
            fields[_TEMPLATE] = {"enable_thinking": self._thinks, "thinking": self._thinks}
        if self.thinking != "none":
            fields["thinking"] = self._thinking(room - request.max_output_tokens)
        return fields

    def _thinking(self, spare: int) -> JsonValue:
        """Anthropic's switch, and DeepSeek's, which takes no budget and passes over it."""
        if not self._thinks:
            return {"type": "disabled"}
        if self.thinking == "adaptive":
            return {"type": "adaptive"}
        shares = {"low": 0.0, "medium": 0.5, "high": 1.0}
        budget = max(_LEAST_BUDGET, int(spare * shares.get(self.reasoning or "", 0.0)))
        return {"type": "enabled", "budget_tokens": budget}

    def messages(self, request: ModelRequest) -> tuple[Message, ...]:
        """The messages; where the endpoint takes no schema or no tools, they say what these are."""
        messages = request.messages
        if self.tools == "text":
            messages = tools_as_text(messages, request.tools)
        if request.schema is None or (self.answer_format == "schema" and not self.schema_in_message):
            return messages
        return with_schema(messages, request.schema)


class Dialects:
    """The dialect of one model at one endpoint, as far as it is known; several threads may share it."""

    def __init__(self, reasoning: ReasoningEffort | None = None) -> None:
        self._lock = threading.Lock()
        self._answers = 0
        self._misfits = 0
        self._known = Dialect()
        if reasoning is not None:
            self._known = Dialect(
                reasoning=reasoning, effort=_EFFORTS[reasoning][0], template=True, thinking="budget"
            )

    @property
    def current(self) -> Dialect:
        """The dialect to use now."""
        with self._lock:
            return self._known

    def learn(self, refused: Dialect, about: str, room: int) -> bool:
        """Whether another try makes sense, after `refused` was refused with the words `about`.

        `room` are the tokens that were asked for.
        """
        with self._lock:
            if self._known != refused:
                return True
            self._known = _next(refused, about, room)
            return self._known != refused

    def learn_context(self, about: str) -> None:
        """Note how many tokens fit the model, where a refusal names them."""
        found = _CONTEXT.search(about)
        if found is not None:
            with self._lock:
                self._known = replace(self._known, context=_int(found[1]))

    def note_room(self, used: Dialect) -> None:
        """An answer was cut off, and whole in twice the room: from now on all have as much."""
        with self._lock:
            if self._known.doublings == used.doublings < MOST_DOUBLINGS:
                self._known = replace(self._known, doublings=used.doublings + 1)

    def note_fit(self, fits: bool) -> None:
        """Whether an answer fitted the schema that was sent; after a few misfits messages say it too."""
        with self._lock:
            self._answers += 1
            self._misfits += not fits
            if self._misfits >= _FEW and self._misfits * _ONE_IN >= self._answers:
                self._known = replace(self._known, schema_in_message=True)


def is_too_long(about: str) -> bool:
    """Whether a refusal says that the request does not fit the model."""
    return _TOO_LONG.search(about) is not None


def is_cut_off(about: str) -> bool:
    """Whether a refusal says that the answer didn't fit its room (OpenAI, of models that think)."""
    return _CUT_OFF.search(about) is not None


def is_broken_call(about: str) -> bool:
    """Whether a refusal says that the model wrote a call of a tool that can't be read (Groq)."""
    return _BROKEN_CALL.search(about) is not None


def is_filtered(about: str) -> bool:
    """Whether a refusal says that the request's contents are not wanted."""
    return _FILTERED.search(about) is not None


def _next(refused: Dialect, about: str, room: int) -> Dialect:
    """The dialect without what the endpoint's words name."""
    if _TOO_MUCH_ROOM.search(about):
        return _with_less_room(refused, about, room)
    for changed in (_in_other_fields(refused, about), _thinking_otherwise(refused, about)):
        if changed is not None:
            return changed
    if refused.tools == "native" and _TOOLS.search(about):
        return replace(refused, tools="text")
    if refused.answer_format != "text" and _FORMAT.search(about):
        return replace(refused, answer_format="object" if refused.answer_format == "schema" else "text")
    return refused


def _in_other_fields(refused: Dialect, about: str) -> Dialect | None:
    """With the length by its other name, or without temperature, seed or stops, if the words name it."""
    if refused.length_parameter == "max_tokens" and "max_tokens" in about and "budget_tokens" not in about:
        return replace(refused, length_parameter="max_completion_tokens")
    if refused.temperature and "temperature" in about:
        return replace(refused, temperature=False)
    if refused.seed and re.search(r"\bseed\b", about):
        return replace(refused, seed=False)
    if refused.stops and re.search(r"\bstop\b", about):
        return replace(refused, stops=False)
    return None


def _thinking_otherwise(refused: Dialect, about: str) -> Dialect | None:
    """With another way to say how much to think, or without one, where the words name one of them."""
    if refused.template and _TEMPLATE in about:
        return replace(refused, template=False)
    if refused.thinking != "none" and _THINKING.search(about) and "reasoning_effort" not in about:
        adapts = "adaptive" in about and refused.thinking == "budget"
        return replace(refused, thinking="adaptive" if adapts else "none")
    if refused.effort is not None and _REASONING.search(about):
        return replace(refused, effort=_other_effort(refused, about))
    return None


def _with_less_room(refused: Dialect, about: str, room: int) -> Dialect:
    """The most that the endpoint names as allowed, or half of what was asked for."""
    allowed = [number for number in map(_int, _NUMBER.findall(about)) if 1 < number < room]
    return replace(refused, most_output=max(allowed, default=max(1, room // 2)))


def _other_effort(refused: Dialect, about: str) -> str | None:
    """The next best effort that the endpoint names as one that it knows, if any."""
    ladder = _EFFORTS[refused.reasoning] if refused.reasoning is not None else ()
    later = ladder[ladder.index(refused.effort) + 1 :] if refused.effort in ladder else ()
    return next((one for one in later if re.search(rf"\b{one}\b", about)), None)


def _int(digits: str) -> int:
    return int(digits.replace(",", ""))


def schema_rule(schema: Schema) -> str:
    """What a model is told of a schema where its endpoint does not hold it to one."""
    definition = json.dumps(schema.definition, ensure_ascii=False)
    return f"Answer with one JSON value and nothing else. It must fit this JSON schema:\n{definition}"


def with_schema(messages: Sequence[Message], schema: Schema) -> tuple[Message, ...]:
    """The messages with the schema at the end of the last user message.

    The system message stays as it is for all requests of a prompt, so that endpoints find it in their caches.
    """
    at = max((place for place, one in enumerate(messages) if one.role == "user"), default=len(messages) - 1)
    said = replace(messages[at], content=f"{messages[at].content}\n\n{schema_rule(schema)}")
    return (*messages[:at], said, *messages[at + 1 :])


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
