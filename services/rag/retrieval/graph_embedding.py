"""Retrieval by text and by place in the graph: FastRP vectors of what a question and a chunk name.

Beside the vector of its text a chunk has one of the entities that it names, and the question one of those
that it names; likeness is the weighted mean of both cosines. No plugin is needed: the projection that
`hopgrade.write_graph_embeddings` hands to graph data science is multiplied here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, diags_array

from kg.model import LITERAL_TYPES
from services.rag.graph_search.cache import Embed
from services.rag.graph_search.explanation import (
    Explanation,
    Reason,
    Way,
    entity_stop,
    linked_entities,
    words_stop,
)
from services.rag.graph_search.link import (
    NameIndex,
    QuestionEntity,
    entity_names,
    link_entities,
    naming_chunks,
)
from services.rag.graph_search.snapshot import Floats, Snapshot, allowed_chunks, best_first, round_score
from services.rag.protocol import Hit, RagQuestion

DIMENSIONS = 128
ITERATION_WEIGHTS = (0.0, 1.0, 1.0)
"""What each further average over neighbours counts, from the first on: graph data science's defaults."""
SEED = 0
PLACE = 0.2
"""What the place counts, the text the rest: chosen on questions about the bundled corpus
(docs/evaluation/cluster-aware.md)."""
WAYS = 5
"""Pairs of entities that an explanation shows of a chunk."""


@dataclass(frozen=True, slots=True)
class PlaceIndex:
    """Places in the graph, unit vectors or zeros where there is no fact.

    `entities` has shape (entities, `DIMENSIONS`), `chunks` (chunks, `DIMENSIONS`). `parts` tells what each
    entity counts in a chunk's place, shape (chunks, entities): `chunks` is `parts` times `entities`. `counts`
    tells how many chunks name an entity.
    """

    names: NameIndex
    counts: np.ndarray[tuple[int], np.dtype[np.int64]]
    entities: Floats
    chunks: Floats
    parts: csr_matrix


def fast_rp(
    edges: csr_matrix,
    dimensions: int = DIMENSIONS,
    weights: Sequence[float] = ITERATION_WEIGHTS,
    seed: int = SEED,
) -> Floats:
    """A unit vector of each node of an undirected graph by what is near to it, shape (nodes, dimensions).

    `edges` are symmetric weights, shape (nodes, nodes). Very sparse random vectors are averaged over
    neighbours once for each of `weights`; the averages, each of length 1, are added up with these weights. A
    node without an edge has zeros. Chen et al., "Fast and Accurate Network Embeddings via Very Sparse Random
    Projection", CIKM 2019, with a normalisation strength of 0.
    """
    totals = np.asarray(edges.sum(axis=1), dtype=np.float64).ravel()
    scale = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
    averages = csr_matrix(diags_array(scale) @ edges).astype(np.float32)
    random = np.random.default_rng(seed)
    shape = (edges.shape[0], dimensions)
    vectors = random.choice(np.array([1, 0, -1], np.float32), size=shape, p=(1 / 6, 2 / 3, 1 / 6))
    summed = np.zeros(shape, np.float32)
    for weight in weights:
        vectors = averages @ vectors
        summed += np.float32(weight) * unit(vectors)
    return unit(summed)


def unit(vectors: Floats) -> Floats:
    """Each row at length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def prepare_places(snapshot: Snapshot) -> PlaceIndex:
    """The places of entities by the facts between them, and of chunks by what they name, rare names most.

    Facts count both ways, each as often as it stands; none leads over a date or a number, which join what has
    nothing to do with each other.
    """
    facts, size = snapshot.facts, len(snapshot.entities.ids)
    literal = np.array([kind in LITERAL_TYPES for kind in snapshot.entities.types], dtype=np.bool_)
    kept = ~literal[facts.subjects] & ~literal[facts.objects] & (facts.subjects != facts.objects)
    starts, ends = facts.subjects[kept], facts.objects[kept]
    edges = csr_matrix((np.ones(len(starts)), (starts, ends)), shape=(size, size))
    entities = fast_rp((edges + edges.T).tocsr())
    counts = naming_chunks(snapshot.naming)
    placed = np.any(entities, axis=1) / np.maximum(counts, 1)
    named = snapshot.naming.copy()
    named.data[:] = 1.0
    parts = csr_matrix(named @ diags_array(placed))
    lengths = np.linalg.norm(parts @ entities, axis=1)
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    parts = csr_matrix(diags_array(scale) @ parts).astype(np.float32)
    return PlaceIndex(entity_names(snapshot.entities), counts, entities, parts @ entities, parts)


def search_places(
    snapshot: Snapshot, index: PlaceIndex, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks that are likest to each question by text and place together.

    The score is the mean of both cosines by `PLACE`, "text" and "place" are the summands. A question that
    names nothing, or nothing with a fact, is looked for by its text alone.
    """
    return [_search(snapshot, index, question, limit) for question in questions]


def explain_places(
    snapshot: Snapshot, index: PlaceIndex, question: RagQuestion, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """Which of the chunk's entities are near to which of the question's."""
    named = link_entities(index.names, index.counts, question.text)
    place = _place(index, named)
    text = (1 - PLACE) * (snapshot.chunks.vectors @ question.vector)
    scale = PLACE / (float(np.linalg.norm(_sum_vectors(index, named))) or 1.0)
    reasons = []
    for chunk in chunks:
        start, end = index.parts.indptr[chunk : chunk + 2]
        ways = [
            Way(round_score(mass), (words_stop(named, one.entity), entity_stop(snapshot, entity)))
            for entity, part in zip(index.parts.indices[start:end], index.parts.data[start:end], strict=True)
            for one in named
            if (mass := scale * one.weight * part * (index.entities[entity] @ index.entities[one.entity]))
        ]
        ways.sort(key=lambda way: -way.mass)
        rest = PLACE * float(index.chunks[chunk] @ place) - sum(way.mass for way in ways[:WAYS])
        reasons.append(
            Reason(snapshot.chunks.ids[chunk], round_score(text[chunk]), tuple(ways[:WAYS]), round(rest, 6))
        )
    return Explanation(linked_entities(snapshot, named, index.counts.tolist()), tuple(reasons))


def _search(snapshot: Snapshot, index: PlaceIndex, question: RagQuestion, limit: int) -> list[Hit]:
    named = link_entities(index.names, index.counts, question.text)
    text = (1 - PLACE) * (snapshot.chunks.vectors @ question.vector).astype(np.float64)
    place = PLACE * (index.chunks @ _place(index, named)).astype(np.float64)
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            score,
            (("text", round_score(text[chunk])), ("place", round_score(place[chunk]))),
        )
        for chunk, score in best_first(text + place, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def _place(index: PlaceIndex, named: Sequence[QuestionEntity]) -> Floats:
    """The question's place, shape (`DIMENSIONS`,)."""
    return unit(_sum_vectors(index, named))


def _sum_vectors(index: PlaceIndex, named: Sequence[QuestionEntity]) -> Floats:
    weights = np.array([one.weight for one in named], np.float32)
    summed: Floats = weights @ index.entities[[one.entity for one in named]]
    return summed
