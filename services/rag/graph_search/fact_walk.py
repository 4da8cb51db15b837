"""A walk over facts, containment and synonyms, from the facts that are like the question.

Beside the edges of the entity graph, between names and chunks, there are edges among names: for what facts
say of two of them, and for two that mean nearly the same. The walk starts at the names in the nearest facts,
at what the question names, and, with little mass, at chunks by their likeness. After HippoRAG 2: Gutiérrez et
al., From RAG to Memory, 2025.

Names that mean nearly the same by their vectors, found in cells so that time grows with their number.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from kg.embed.choose import Vectors
from services.rag.graph_search.entity_graph import (
    Containment,
    EntityGraph,
    Mass,
    Seeds,
    WalkResult,
    from_weights,
)
from services.rag.graph_search.link import QuestionEntity
from services.rag.graph_search.seeds import scale_scores
from services.rag.graph_search.snapshot import Facts, Floats, Indexes, Mask, Snapshot

LEAST = 0.8
"""Cosine from which two names are synonyms, as in HippoRAG 2 (Gutiérrez et al., 2025)."""

MOST = 10
"""Synonyms that one name can have; two names are joined where each is among the nearest of the other."""

CELL = 512
"""Names that a cell holds on average."""

LARGEST_CELL = 32 * CELL
"""Names of a cell that are compared; where nearly all vectors are equal, the others go without."""

CELLS_SEARCHED = 8
"""Cells in which a name is looked for: its own and those beside it."""

_NUMBERS_AT_ONCE = 1 << 22

_Neighbours = tuple[Indexes, Indexes, Floats]


def synonyms(vectors: Floats, least: float = LEAST, most: int = MOST) -> csr_matrix:
    """Cosines of the names that are synonyms, symmetric, shape (names, names), nothing on the diagonal.

    Each name is compared with those of its nearest cells only, around names taken at even distances (an
    inverted file: Jégou et al., Product Quantization for Nearest Neighbor Search, 2011). Up to `CELL` names
    the result is exact; of some 20,000 names it has nineteen synonyms in twenty.
    """
    size = len(vectors)
    none = np.zeros(0, np.int32)
    found = [(none, none, np.zeros(0, np.float32)), *_in_cells(vectors, least, most)]
    rows, columns, cosines = (np.concatenate(parts) for parts in zip(*found, strict=True))
    # The nearest first within a row; equally near ones in their order.
    order = np.lexsort((columns, -cosines, rows))
    rows, columns, cosines = rows[order], columns[order], cosines[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = rank < most
    near = coo_matrix((cosines[kept], (rows[kept], columns[kept])), shape=(size, size)).tocsr()
    mutual: csr_matrix = near.minimum(near.T).tocsr()
    mutual.eliminate_zeros()
    mutual.sort_indices()
    return mutual


def _in_cells(vectors: Floats, least: float, most: int) -> Iterator[_Neighbours]:
    """For each name its nearest ones in each of its cells, at most `most` a cell."""
    if not len(vectors):
        return
    cells = max(1, len(vectors) // CELL)
    centres = vectors[np.linspace(0, len(vectors), cells, endpoint=False, dtype=np.int64)]
    nearest = _nearest_centres(vectors, centres)
    for cell in range(len(centres)):
        members = np.flatnonzero(nearest[:, 0] == cell)[:LARGEST_CELL]
        asking = np.flatnonzero((nearest == cell).any(axis=1))
        rows_at_once = max(1, _NUMBERS_AT_ONCE // max(1, len(members)))
        for start in range(0, len(asking), rows_at_once):
            rows = asking[start : start + rows_at_once]
            yield _near(vectors, rows, members, least, most)


def _nearest_centres(vectors: Floats, centres: Floats) -> NDArray[np.int64]:
    """The cells in which each name is looked for, its own first, shape (names, at most `CELLS_SEARCHED`)."""
    count = min(CELLS_SEARCHED, len(centres))
    nearest = np.zeros((len(vectors), count), dtype=np.int64)
    rows_at_once = max(1, _NUMBERS_AT_ONCE // max(1, len(centres)))
    for start in range(0, len(vectors), rows_at_once):
        cosines = vectors[start : start + rows_at_once] @ centres.T
        nearest[start : start + rows_at_once] = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return nearest


def _near(
    vectors: Floats, rows: NDArray[np.int64], members: NDArray[np.int64], least: float, most: int
) -> _Neighbours:
    cosines = vectors[rows] @ vectors[members].T
    cosines[rows[:, None] == members[None, :]] = -1
    if len(members) > most:
        kept = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
    else:
        kept = np.broadcast_to(np.arange(len(members)), cosines.shape)
    values = np.take_along_axis(cosines, kept, axis=1)
    at, place = np.nonzero(values >= least)
    return (
        rows[at].astype(np.int32),
        members[kept[at, place]].astype(np.int32),
        np.minimum(values[at, place], 1).astype(np.float32),
    )


@dataclass(frozen=True, slots=True)
class FactSettings:
    """What the walk goes by; docs/decisions/0026-graph-retriever tells what was measured."""

    facts: int = 5
    """Facts nearest to the question whose names are seeds."""
    fact_power: float = 4.0
    """A fact counts by its cosine to this power: no model sorts out those that are like it by chance."""
    chunk_share: float = 0.05
    """Mass of the seeds that are chunks, beside 1 for those that are names."""
    chunk_power: float = 4.0
    """A chunk counts by its cosine, scaled to [0, 1], to this power."""
    damping: float = 0.5
    steps: int = 30
    """After so many steps less than a thousand millionth of the mass has not settled."""


DEFAULT = FactSettings()


@dataclass(frozen=True, slots=True)
class NearFact:
    """A fact that is like a question, by its index, with its cosine."""

    fact: int
    cosine: float


def with_facts(snapshot: Snapshot, graph: EntityGraph) -> EntityGraph:
    """The entity graph with edges among its nodes besides.

    An edge weighs the number of facts about both its ends and, where they are synonyms, their cosine. What
    no chunk holds has none: dates, numbers and concepts join what has nothing to do with each other.
    """
    weights = graph.containment.weights
    stands = np.diff(weights.indptr)[: graph.entities] > 0
    shape = (weights.shape[0], weights.shape[0])
    subjects, objects = snapshot.facts.subjects, snapshot.facts.objects
    kept = stands[subjects] & stands[objects] & (subjects != objects)
    ones = np.ones(int(kept.sum()))
    stated = coo_matrix((ones, (subjects[kept], objects[kept])), shape=shape).tocsr()
    standing = np.flatnonzero(stands)
    alike = synonyms(snapshot.entities.vectors[standing]).tocoo()
    meant = coo_matrix((alike.data, (standing[alike.row], standing[alike.col])), shape=shape).tocsr()
    among = csr_matrix(stated + stated.T + meant)
    among.sort_indices()
    return replace(graph, containment=from_weights(weights, among))


def nearest_facts(facts: Facts, vector: Vectors, most: int) -> list[NearFact]:
    """The facts most like a question, the nearest first, ties by id; none that points away from it."""
    cosines = facts.vectors @ vector
    best = np.argsort(-cosines, kind="stable")[:most]
    return [NearFact(int(fact), float(cosines[fact])) for fact in best if cosines[fact] > 0]


def fact_masses(
    snapshot: Snapshot, graph: EntityGraph, near: Sequence[NearFact], settings: FactSettings = DEFAULT
) -> Mass:
    """What facts give to the nodes that they are about, shape (nodes,).

    A fact gives its cosine to the power `fact_power`, divided by the number of facts and of the chunks that
    hold the node: all facts together count as one name that the question has.
    """
    masses = np.zeros(len(graph.frequency))
    facts = snapshot.facts
    for one in near:
        for node in {int(facts.subjects[one.fact]), int(facts.objects[one.fact])}:
            if graph.stands(node):
                masses[node] += one.cosine**settings.fact_power / (graph.frequency[node] * len(near))
    return masses


def fact_seeds(
    of_facts: Mass,
    named: Iterable[QuestionEntity],
    cosines: Mass,
    allowed: Mask,
    settings: FactSettings = DEFAULT,
) -> Seeds:
    """Where the walk starts, masses adding up to 1.

    Names have 1 together, by the facts and by what the question names; allowed chunks `chunk_share`, by their
    cosines.
    """
    nodes = of_facts.copy()
    for one in named:
        nodes[one.entity] += one.weight
    nodes = _adding_up(nodes)
    chunks = settings.chunk_share * _adding_up(scale_scores(cosines) ** settings.chunk_power * allowed)
    whole = float(nodes.sum() + chunks.sum())
    return Seeds(nodes / whole, chunks / whole) if whole > 0 else Seeds(nodes, chunks)


def walk_facts(graph: Containment, seeds: Seeds, settings: FactSettings = DEFAULT) -> WalkResult:
    """The masses to which a walk comes that goes on with the probability `damping` or starts again.

    As `search.walk`, but nodes give to nodes as well, and all of the graph takes part in each step: power
    iteration of Haveliwala, Topic-Sensitive PageRank, 2002.
    """
    damping = settings.damping
    nodes, chunks = seeds.entities, seeds.chunks
    for _ in range(settings.steps):
        given = nodes / graph.of_nodes
        came = graph.transposed.T @ (chunks / graph.of_chunks)
        if graph.among is not None:
            came += graph.among @ given
        nodes, chunks = (
            (1 - damping) * seeds.entities + damping * came,
            (1 - damping) * seeds.chunks + damping * (graph.transposed @ given),
        )
    return WalkResult(graph, seeds, nodes, chunks, damping)


def _adding_up(masses: Mass) -> Mass:
    total = float(masses.sum())
    return masses / total if total > 0 else masses
