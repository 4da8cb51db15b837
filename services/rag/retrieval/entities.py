"""Entity-linked retrieval: the chunks that name what the question names, rare names first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from services.rag.graph_search.allowed import allowed_chunks
from services.rag.graph_search.explanation import (
    Explanation,
    Reason,
    Way,
    entity_stop,
    linked_entities,
    words_stop,
)
from services.rag.graph_search.link import NameIndex
from services.rag.graph_search.named import Named, entities_named, entity_names, naming_chunks
from services.rag.graph_search.ranking import best_first, shown
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.from_snapshot import Embed


@dataclass(frozen=True, slots=True)
class EntityIndex:
    """The names of the entities, which chunks name an entity, by column, and how many do."""

    names: NameIndex
    named_by: csc_matrix
    counts: NDArray[np.int64]


def prepare_entities(snapshot: Snapshot) -> EntityIndex:
    """What the search for entities needs of a snapshot."""
    named_by = snapshot.naming.tocsc(copy=True)
    named_by.data[:] = 1.0
    return EntityIndex(entity_names(snapshot.entities), named_by, naming_chunks(snapshot.naming))


def name_scores(index: EntityIndex, named: Sequence[Named]) -> NDArray[np.float64]:
    """For each chunk the weights of those entities that it names, added up, shape (chunks,)."""
    scores = np.zeros(index.named_by.shape[0])
    for one in named:
        scores[_chunks_of(index, one.entity)] += one.weight
    return scores


def search_entities(
    snapshot: Snapshot, index: EntityIndex, questions: Sequence[Asked], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks that name most, and the rarest, of what each question names.

    The score is the sum of the entities' weights, 1 / the number of chunks that name one; its parts are the
    entities' names.
    """
    return [_search(snapshot, index, question, limit) for question in questions]


def explain_entities(
    snapshot: Snapshot, index: EntityIndex, question: Asked, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """Which of the named entities each chunk names."""
    named = entities_named(index.names, index.counts, question.text)
    holders = [(one, set(_chunks_of(index, one.entity).tolist())) for one in named]
    reasons = (
        Reason(
            snapshot.chunks.ids[chunk],
            own=0.0,
            ways=tuple(
                Way(shown(one.weight), (words_stop(named, one.entity), entity_stop(snapshot, one.entity)))
                for one, holding in holders
                if chunk in holding
            ),
            rest=0.0,
        )
        for chunk in chunks
    )
    return Explanation(linked_entities(snapshot, named, index.counts.tolist()), tuple(reasons))


def _search(snapshot: Snapshot, index: EntityIndex, question: Asked, limit: int) -> list[Hit]:
    named = entities_named(index.names, index.counts, question.text)
    scores = name_scores(index, named)
    holders = [(one, set(_chunks_of(index, one.entity).tolist())) for one in named]
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            score,
            tuple(
                (snapshot.entities.names[one.entity], shown(one.weight))
                for one, holding in holders
                if chunk in holding
            ),
        )
        for chunk, score in best_first(scores, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def _chunks_of(index: EntityIndex, entity: int) -> NDArray[np.int32]:
    start, end = index.named_by.indptr[entity : entity + 2]
    return index.named_by.indices[start:end]
