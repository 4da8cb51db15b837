"""What a system of one's own looks like: a callable from a question to an answer.

Write a function that takes the question's text and returns an `OwnAnswer`, a mapping with its fields, or only
the answer's text; it may be a coroutine function. `evaluate callable my_module:my_function` asks it.
"""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RetrievedText:
    """Something that a system retrieved: its text, or the id of one of Hopgrade's chunks, or both.

    `title` and `url` name the article, where the system knows it. `step` is the number of the step that
    retrieved it, from 1; `score` is the system's own, larger is better.
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

    `action` is "retrieve", "answer", or a word of the system's own. `retrieves` tells whether the step looked
    for texts, also where none came; None stands for what its action "retrieve" or texts with its number say.
    `top_k` is how many texts it asked for, `thought` why it was taken, `fault` in a word what was wrong with
    it ("unknown tool"), empty where nothing was. `seconds` and the tokens are what it took by itself.
    """

    action: str
    query: str = ""
    observation: str = ""
    # Not in the text of the value, from which the hash of a file's answers is made: see `external_answers`.
    thought: str = field(default="", repr=False)
    top_k: int | None = field(default=None, repr=False)
    fault: str = field(default="", repr=False)
    retrieves: bool | None = field(default=None, repr=False)
    seconds: float | None = field(default=None, repr=False)
    input_tokens: int = field(default=0, repr=False)
    output_tokens: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """What a system of one's own gave for one question.

    `error` tells why there is no answer, which counts as wrong; an abstention is an answer. `cost` is in the
    currency of the system's own prices, None where nothing is known. `seconds` None stands for what was
    measured around the call. Without `steps` it is not known how often the system searched, nor for what.
    `confidence`, from 0 to 1, is how sure the system is of its answer, None where it doesn't tell.
    `tells_retrieved` is False where `retrieved` does not say what was found; a mapping
    without "retrieved" is read so.
    """

    text: str
    retrieved: tuple[RetrievedText, ...] = ()
    steps: tuple[OwnStep, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float | None = None
    error: str = ""
    tells_retrieved: bool = field(default=True, repr=False)
    confidence: float | None = field(default=None, repr=False)


Reply = OwnAnswer | Mapping[str, object] | str
"""What a system may return; a mapping has the fields of `OwnAnswer`."""


class OwnSystem(Protocol):
    """A system of one's own."""

    def __call__(self, question: str, /) -> Reply | Awaitable[Reply]:
        """The answer to a question."""
        ...
