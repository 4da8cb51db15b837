"""What is retrieved and what a reader sees of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kg.model import EntityType


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk with its score; what the score means is the retriever's to say."""

    chunk: str
    score: float


@dataclass(frozen=True, slots=True)
class Name:
    """A name that stands in a passage: its surface form there, and the entity that it means."""

    surface: str
    name: str
    type: EntityType
    entity: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk as a reader sees it."""

    chunk: str
    text: str
    title: str
    source: str
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on its way through a system."""

    id: str
    text: str
    vector: NDArray[np.float32]


class Retriever(Protocol):
    """Finds chunks for questions."""

    @property
    def name(self) -> str:
        """What is recorded with a run."""
        ...

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """For each question its hits, best first."""
        ...
