"""What the graph retriever knows of a corpus, as arrays: chunks, entities, facts, and which holds which.

Filters as masks over the chunks of a snapshot.

From scores of all chunks to the best of those that the filters let through.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.shelves import folded
from services.rag.protocol import Filters, check_dates

Floats = NDArray[np.float32]
Indexes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a corpus in the order of their ids; the article columns repeat their article's."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    titles: tuple[str, ...]
    articles: tuple[str, ...]
    sources: tuple[str, ...]
    categories: tuple[str, ...]
    authors: tuple[str, ...]
    published: tuple[str, ...]
    """ISO dates, empty where unknown."""
    vectors: Floats
    """Unit vectors of title and text, shape (chunks, dimensions)."""


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of a corpus in the order of their ids, and every name that stands for one."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    types: tuple[str, ...]
    spellings: Mapping[str, tuple[int, ...]]
    """Entities by each of their names and aliases, in lower case, words joined by single spaces."""
    vectors: Floats
    """Unit vectors of the names, shape (entities, dimensions)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The triples of a corpus in the order of their ids."""

    ids: tuple[str, ...]
    subjects: Indexes
    objects: Indexes
    """Indexes of entities."""
    predicates: tuple[str, ...]
    sentences: tuple[str, ...]
    chunks: csr_matrix
    """Which chunks state a fact, shape (facts, chunks), ones."""
    vectors: Floats
    """Unit vectors, shape (facts, dimensions)."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a corpus in the order of their ids."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    chunks: csr_matrix
    """Which chunks hold a claim, shape (claims, chunks), ones."""
    vectors: Floats
    """Unit vectors, shape (claims, dimensions)."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A corpus as the graph held it at `version`, which changes with every change of the graph.

    `naming` tells how often a chunk names an entity, shape (chunks, entities). `following` holds, for each
    chunk, the index of the next one of its article, or -1.
    """

    corpus: str
    version: str
    embedder: str
    chunks: Chunks
    entities: Entities
    facts: Facts
    claims: Claims
    naming: csr_matrix
    following: Indexes


Mask = NDArray[np.bool_]


def allowed_chunks(chunks: Chunks, filters: Filters) -> Mask:
    """Which chunks the filters let through, shape (chunks,); see `Filters` for what each field means.

    Raises:
        SettingsError: a date is none.
    """
    check_dates(filters)
    mask = np.ones(len(chunks.ids), dtype=np.bool_)
    for column, wanted in (
        (chunks.sources, filters.sources),
        (chunks.categories, filters.categories),
        (chunks.authors, filters.authors),
    ):
        if wanted:
            mask &= _among(column, wanted)
    if filters.since or filters.until:
        dates = np.array(chunks.published, dtype=np.str_)
        mask &= dates != ""
        if filters.since:
            mask &= dates >= filters.since
        if filters.until:
            mask &= dates <= filters.until
    return mask


def _among(column: Sequence[str], wanted: Sequence[str]) -> Mask:
    names = {folded(name) for name in wanted}
    fitting = {value for value in set(column) if folded(value) in names}
    return np.fromiter((value in fitting for value in column), dtype=np.bool_, count=len(column))


DIGITS = 6
"""Significant digits of a score; scores that agree in them are equal, and the chunk's id decides."""

Scores = NDArray[np.float64]


def best_first(scores: Scores, allowed: Mask, limit: int) -> list[tuple[int, float]]:
    """The `limit` best allowed chunks with their scores, best first, without those that have none."""
    found = np.flatnonzero(allowed & (scores > 0))
    rounded = significant(scores[found])
    # Chunks stand in the order of their ids, and a stable sort keeps it among equals.
    order = np.argsort(-rounded, kind="stable")[:limit]
    return [(int(found[at]), float(rounded[at])) for at in order]


def best_places(scores: Scores, count: int) -> NDArray[np.int64]:
    """Where the `count` greatest scores stand, the greatest first, equal ones in their order.

    As a stable sort of all, in a time that grows with their number alone.
    """
    places = np.arange(len(scores))
    if 0 < count < len(scores):
        places = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
    return places[np.argsort(-scores[places], kind="stable")[:count]]


def significant(scores: Scores) -> Scores:
    """Positive numbers to `DIGITS` significant digits: what the noise of an engine adds is gone."""
    unit = 10.0 ** (np.floor(np.log10(scores)) - (DIGITS - 1))
    return np.round(scores / unit) * unit


def shown(value: float) -> float:
    """A score's part to `DIGITS` significant digits."""
    return float(f"{value:.{DIGITS}g}")
