"""What the graph retriever knows of a corpus, as arrays: chunks, entities, facts, and which holds which."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

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
