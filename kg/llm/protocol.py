"""What is asked of a language model, and what comes back: a reply, or a failure with its reason."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Role = Literal["extract", "generate", "answer", "judge"]
"""What a model is used for; each role may have a model and an endpoint of its own."""

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

FailureKind = Literal[
    "refusal", "invalid JSON", "empty", "cut off", "too long", "time-out", "rate limit", "server error",
    "connection",
]  # fmt: skip
"""`refusal`: the model declined; `cut off`: the answer or the stream ended early; `too long`: the request
does not fit the model; `connection`: no answer came. Those of the endpoint come after all retries only."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call; `parameters` is the JSON schema of its arguments, an object."""

    name: str
    about: str
    parameters: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model made. `arguments` is JSON text as it came, held against no schema.

    `id` is what the endpoint calls it by, empty for one that was written as text.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """A part of the conversation; a message with the role "tool" is the result of the call `answers`."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON schema that an answer must fit, with the name that endpoints ask for ("claims")."""

    name: str
    definition: Mapping[str, JsonValue]


def json_object(**properties: JsonValue) -> dict[str, JsonValue]:
    """The schema of an object that has just these members, all of them, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model; without a schema the answer is plain text.

    With `tools`, the model may call one of them, and there is no schema. `prompt` names the prompt and its
    version ("write-claims@1"); `temperature` is left out for models that know none. `max_output_tokens` is
    room for the answer alone: room for thinking is added when it is sent. `expected_output_tokens` is what an
    ordinary answer takes, for estimates (None: unknown). The answer ends behind the first of
    the texts in `stops`, with it or without, and goes on where the endpoint knows no such thing. With
    `with_thinking`, what a model thinks between tags of its text is part of the reply.
    """

    messages: tuple[Message, ...]
    prompt: str
    schema: Schema | None = None
    max_output_tokens: int = 2048
    temperature: float = 0.0
    seed: int = 0
    tools: tuple[ToolSpec, ...] = ()
    expected_output_tokens: int | None = None
    stops: tuple[str, ...] = ()
    with_thinking: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of all calls of a request, as the endpoint counted them; 0 for a reply from the cache.

    `cached_input_tokens` are those of the input that the endpoint had in its own cache of prompts;
    `reasoning_tokens` those of the output that went into thinking, 0 where the endpoint doesn't tell.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_input_tokens + other.cached_input_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its text, without thinking unless that was asked for, and what it says as JSON by a schema.

    `calls` are those of tools, also where the text may be empty.
    """

    text: str
    value: JsonValue
    usage: Usage
    cached: bool = False
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer."""

    kind: FailureKind
    detail: str
    usage: Usage = Usage()

    @property
    def message(self) -> str:
        """Kind and detail in one line: "time-out: no answer within 120 s"."""
        detail = " ".join(self.detail.split())
        return f"{self.kind}: {detail}" if detail else self.kind


ModelOutcome: TypeAlias = Reply | Failure


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a set of requests would take: calls, how many of them are in the cache, tokens and money.

    Tokens and money are those that ordinary answers take, and those that no call can pass; answers that must
    be asked for again come on top. Money is None where the model's price is not known.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = 0.0
    input_tokens_at_most: int = 0
    output_tokens_at_most: int = 0
    money_at_most: float | None = 0.0

    def __add__(self, other: "Estimate") -> "Estimate":
        """Both together; money is None where that of one is."""
        return Estimate(
            self.calls + other.calls,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            _both(self.money, other.money),
            self.input_tokens_at_most + other.input_tokens_at_most,
            self.output_tokens_at_most + other.output_tokens_at_most,
            _both(self.money_at_most, other.money_at_most),
        )

    def scale(self, factor: float) -> "Estimate":
        """What so many times as much would take, to whole calls and tokens."""
        return Estimate(
            round(self.calls * factor),
            round(self.cached * factor),
            round(self.input_tokens * factor),
            round(self.output_tokens * factor),
            None if self.money is None else self.money * factor,
            round(self.input_tokens_at_most * factor),
            round(self.output_tokens_at_most * factor),
            None if self.money_at_most is None else self.money_at_most * factor,
        )


def _both(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


class Model(Protocol):
    """A model for one role."""

    @property
    def name(self) -> str:
        """The model's name, as recorded with what it made."""
        ...

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """One outcome a request, in order, read lazily with a bounded number under way.

        Raises:
            ModelRefusedError: the endpoint refused for good (key, model name, address, request).
            ModelUnavailableError: several requests on end failed after all retries.
            BudgetReachedError: the budget is spent; what was under way is waited for and kept.
        """
        ...

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """What these requests would take; nothing is sent."""
        ...
