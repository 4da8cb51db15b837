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
    version ("write-claims@1"); `temperature` is left out for models that know none.
    """

    messages: tuple[Message, ...]
    prompt: str
    schema: Schema | None = None
    max_output_tokens: int = 2048
    temperature: float = 0.0
    seed: int = 0
    tools: tuple[ToolSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call with its repairs, as the endpoint counted them; 0 for a reply from the cache."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its text without any thinking, and what it says as JSON where a schema was asked for.

    `calls` are those of tools, also where the text may be empty.
    """

    text: str
    value: JsonValue
    usage: Usage
    cached: bool = False
    repaired: bool = False
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer."""

    kind: FailureKind
    detail: str
    usage: Usage = Usage()

    @property
    def told(self) -> str:
        """Kind and detail in one line: "time-out: no answer within 120 s"."""
        detail = " ".join(self.detail.split())
        return f"{self.kind}: {detail}" if detail else self.kind


ModelOutcome: TypeAlias = Reply | Failure


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a set of requests would take: how many calls, how many of them from the cache, tokens at most, and
    money where the model's price is known."""

    calls: int
    cached: int
    input_tokens: int
    output_tokens_at_most: int
    money_at_most: float | None


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
