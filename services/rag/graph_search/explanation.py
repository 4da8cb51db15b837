"""Why chunks were found, in a form that every graph retriever can give: ways from the question to a chunk.

Why a walk came to a chunk: the mass that each edge carried into it, and where that mass came from.

At the end of a walk the mass of a node is what it has as a seed, (1 - damping) x seed, and what flows in over
each edge, damping x mass of the other end x share of that end's edges that this one has. Both add up to the
node's mass, so every chunk can be taken apart without a rest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from services.rag.graph_search.entity_graph import Mass, WalkResult
from services.rag.graph_search.link import QuestionEntity
from services.rag.graph_search.snapshot import Snapshot, round_score

Kind = Literal["question", "chunk", "entity"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the mass of an entity came from: the question, a chunk that names it, or another entity.

    `index` is the chunk's or the entity's, -1 for the question; `mass` is the part that went on to the
    explained chunk.
    """

    kind: Kind
    index: int
    mass: float


@dataclass(frozen=True, slots=True)
class Flow:
    """What one edge carried from an entity into a chunk, and the greatest sources of it."""

    entity: int
    mass: float
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ChunkExplanation:
    """A chunk's mass: what it has as a seed, the greatest flows into it, and the rest of them together."""

    chunk: int
    mass: float
    own: float
    flows: tuple[Flow, ...]
    rest: float


def explain(
    walked: WalkResult, chunks: Sequence[int], edges: int = 3, sources: int = 2
) -> list[ChunkExplanation]:
    """The `edges` greatest flows into each of some chunks, each with its `sources` greatest sources."""
    return [_explain_chunk(walked, chunk, edges, sources) for chunk in chunks]


def _explain_chunk(walked: WalkResult, chunk: int, edges: int, sources: int) -> ChunkExplanation:
    graph = walked.graph
    ends, flows = _inflow(graph.transposed, chunk, walked.entities, graph.of_nodes, walked.damping)
    order = _greatest(flows)
    return ChunkExplanation(
        chunk=chunk,
        mass=round_score(walked.chunks[chunk]),
        own=round_score((1 - walked.damping) * walked.seeds.chunks[chunk]),
        flows=tuple(
            Flow(
                int(ends[at]),
                round_score(flows[at]),
                tuple(_sources(walked, int(ends[at]), float(flows[at]), sources)),
            )
            for at in order[:edges]
        ),
        rest=round_score(flows[order[edges:]].sum()),
    )


def _sources(walked: WalkResult, entity: int, mass: float, most: int) -> Iterator[Source]:
    """The greatest parts of what an entity gave away, by where the entity had it from."""
    graph = walked.graph
    asked = (1 - walked.damping) * walked.seeds.entities[entity]
    chunks, flows = _inflow(graph.weights, entity, walked.chunks, graph.of_chunks, walked.damping)
    givers: list[tuple[Kind, int]] = [("question", -1), *(("chunk", int(chunk)) for chunk in chunks)]
    masses = [np.array([asked]), flows]
    if graph.among is not None:
        others, more = _inflow(graph.among, entity, walked.entities, graph.of_nodes, walked.damping)
        givers += [("entity", int(other)) for other in others]
        masses.append(more)
    parts = np.concatenate(masses) * (mass / walked.entities[entity])
    for at in _greatest(parts)[:most]:
        kind, index = givers[at]
        yield Source(kind, index, round_score(parts[at]))


def _inflow(
    edges: csr_matrix, node: int, masses: Mass, totals: Mass, damping: float
) -> tuple[NDArray[np.int32], Mass]:
    """Who gives mass to a node over the edges of its row, and how much."""
    start, end = edges.indptr[node : node + 2]
    givers = edges.indices[start:end]
    return givers, damping * masses[givers] / totals[givers] * edges.data[start:end]


def _greatest(values: Mass) -> NDArray[np.int64]:
    """Where positive values stand, the greatest first."""
    order = np.argsort(-values, kind="stable")
    kept: NDArray[np.int64] = order[values[order] > 0]
    return kept


@dataclass(frozen=True, slots=True)
class LinkedEntity:
    """An entity that the question names: the words that name it, its own name, and how many chunks name it.

    `weight` is what it counts for the retriever.
    """

    words: str
    entity: str
    name: str
    type: str
    chunks: int
    weight: float


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of a way: words of the question, an entity, a fact or a chunk; `id` is empty for words."""

    kind: Literal["words", "entity", "fact", "chunk"]
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """A way into a chunk, from its first stop to the last one before the chunk, and what it brought."""

    mass: float
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a chunk was found: the ways that brought it most, best first, and what is not shown of them.

    `own` is what the chunk has by itself, by its likeness to the question.
    """

    chunk: str
    own: float
    ways: tuple[Way, ...]
    rest: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a question was linked to, and the reason for each hit."""

    linked: tuple[LinkedEntity, ...]
    reasons: tuple[Reason, ...]


def linked_entities(
    snapshot: Snapshot, named: Iterable[QuestionEntity], chunks: Sequence[float], titles: Sequence[str] = ()
) -> tuple[LinkedEntity, ...]:
    """What a question names, for people; `chunks` tells how many chunks name each node.

    Nodes beyond the entities of the snapshot are `titles`.
    """
    return tuple(
        LinkedEntity(
            one.words,
            (stop := entity_stop(snapshot, one.entity, titles)).id,
            stop.text,
            snapshot.entities.types[one.entity] if stop.id else "TITLE",
            int(chunks[one.entity]),
            round_score(one.weight),
        )
        for one in named
    )


def words_stop(named: Iterable[QuestionEntity], entity: int) -> Stop:
    """The words of the question that name an entity."""
    return Stop("words", next(one.words for one in named if one.entity == entity))


def entity_stop(snapshot: Snapshot, node: int, titles: Sequence[str] = ()) -> Stop:
    """An entity as a stop, or one of the `titles` that are no entity, which has no id."""
    beyond = node - len(snapshot.entities.ids)
    if beyond >= 0:
        return Stop("entity", titles[beyond])
    return Stop("entity", snapshot.entities.names[node], snapshot.entities.ids[node])


def chunk_stop(snapshot: Snapshot, chunk: int) -> Stop:
    """A chunk as a stop, by the title of its article."""
    return Stop(
        "chunk", snapshot.chunks.titles[chunk] or snapshot.chunks.ids[chunk], snapshot.chunks.ids[chunk]
    )


def fact_stop(snapshot: Snapshot, fact: int) -> Stop:
    """A fact as a stop: subject, predicate, object."""
    facts, names = snapshot.facts, snapshot.entities.names
    ends = names[facts.subjects[fact]], names[facts.objects[fact]]
    return Stop("fact", f"{ends[0]} | {facts.predicates[fact]} | {ends[1]}", facts.ids[fact])
