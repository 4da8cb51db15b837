"""The entities that a question names, by whatever name of theirs, and how rare each is in the corpus."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from services.rag.graph_search.link import NameIndex, name_index, names_in, plain_name
from services.rag.graph_search.snapshot import Entities

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a question names: by which words, and its weight in (0, 1].

    The weight is 1 / the number of chunks that name the entity, shared where the words may mean several.
    """

    words: str
    entity: int
    weight: float


def naming_chunks(naming: csr_matrix) -> Counts:
    """How many chunks name each entity, shape (entities,)."""
    return np.bincount(naming.indices, minlength=naming.shape[1])


def entity_names(entities: Entities) -> NameIndex:
    """All names of all entities, for `entities_named`."""
    names: defaultdict[str, set[int]] = defaultdict(set)
    for spelling, found in entities.spellings.items():
        if name := plain_name(spelling):
            names[name].update(found)
    return name_index(names)


def entities_named(names: NameIndex, chunks: Counts, question: str) -> list[Named]:
    """What the question names, the rarest first; of names within names only the longest.

    `chunks` tells how many chunks name each entity; one that none names is left out.
    """
    return rarest(
        Named(found.words, entity, 1 / (int(chunks[entity]) * len(known)))
        for found in names_in(names, question)
        for known in [[entity for entity in found.nodes if chunks[entity]]]
        for entity in known
    )


def rarest(found: Iterable[Named]) -> list[Named]:
    """Each entity once, by the words that say most, the rarest first."""
    best: dict[int, Named] = {}
    for named in found:
        if named.entity not in best or best[named.entity].weight < named.weight:
            best[named.entity] = named
    return sorted(best.values(), key=lambda named: (-named.weight, named.entity))
