"""What an extractor takes and what it promises."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from kg.model import Extraction, Span


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """An article to read: its text, and its sentences as spans of `body`."""

    body: str
    title: str
    published_at: datetime | None
    sentences: Sequence[Span]


class Extractor(Protocol):
    """Reads claims, triples and mentions out of articles.

    What an article gives depends on that article alone, never on the others beside it.
    """

    @property
    def name(self) -> str:
        """Which rules and which model, with versions; recorded in the graph."""
        ...

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily."""
        ...
