"""What a system of one's own looks like: a callable from a question to an answer.

Write a function that takes the question's text and returns an `OwnAnswer`, a mapping with its fields, or only
the answer's text; it may be a coroutine function. Then: `kg evaluate callable my_module:my_function`.
"""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RetrievedText:
    """Something that a system retrieved: its text, or the id of one of Hopgrade's chunks, or both.

    `title` and `url` name the article, where the system knows it. `step` counts from 1 the step of the system
    that retrieved it; `score` is the system's own, larger is better.
    """

    text: str = ""
    chunk: str = ""
    title: str = ""
    url: str = ""
    score: float | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class OwnStep:
    """A step of a system: what it did, with what query, and what came of it.

    `action` is "retrieve", "answer", or a word of the system's own.
    """

    action: str
    query: str = ""
    observation: str = ""


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """What a system of one's own gave for one question.

    `error` tells why there is no answer, which counts as wrong; an abstention is an answer. `cost` is in the
    currency of the system's own prices, None where nothing is known. `seconds` None stands for what was
    measured around the call.
    """

    text: str
    retrieved: tuple[RetrievedText, ...] = ()
    steps: tuple[OwnStep, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float | None = None
    error: str = ""


Reply = OwnAnswer | Mapping[str, object] | str
"""What a system may return; a mapping has the fields of `OwnAnswer`."""


class OwnSystem(Protocol):
    """A system of one's own."""

    def __call__(self, question: str, /) -> Reply | Awaitable[Reply]:
        """The answer to a question."""
        ...
