"""Hop-path retrieval: the chunks that state the facts on shortest paths among what the question names.

It walks the facts of the snapshot: with both ends known, one breadth-first search from each entity tells for
every fact at once whether it lies on a shortest path of a pair, and at which hop.

Entity-linked retrieval: the chunks that name what the question names, rare names first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.csgraph import dijkstra

from kg.model import LITERAL_TYPES
from services.rag.graph_search.cache import Embed
from services.rag.graph_search.explanation import (
    Explanation,
    Reason,
    Way,
    entity_stop,
    fact_stop,
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
from services.rag.graph_search.snapshot import Facts, Snapshot, allowed_chunks, best_first, round_score
from services.rag.protocol import Hit, RagQuestion


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


def name_scores(index: EntityIndex, named: Sequence[QuestionEntity]) -> NDArray[np.float64]:
    """For each chunk the weights of those entities that it names, added up, shape (chunks,)."""
    scores = np.zeros(index.named_by.shape[0])
    for one in named:
        scores[_chunks_of(index, one.entity)] += one.weight
    return scores


def search_entities(
    snapshot: Snapshot, index: EntityIndex, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks that name most, and the rarest, of what each question names.

    The score is the sum of the entities' weights, 1 / the number of chunks that name one; its parts are the
    entities' names.
    """
    return [_search_by_names(snapshot, index, question, limit) for question in questions]


def explain_entities(
    snapshot: Snapshot, index: EntityIndex, question: RagQuestion, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """Which of the named entities each chunk names."""
    named = link_entities(index.names, index.counts, question.text)
    holders = [(one, set(_chunks_of(index, one.entity).tolist())) for one in named]
    reasons = (
        Reason(
            snapshot.chunks.ids[chunk],
            own=0.0,
            ways=tuple(
                Way(
                    round_score(one.weight),
                    (words_stop(named, one.entity), entity_stop(snapshot, one.entity)),
                )
                for one, holding in holders
                if chunk in holding
            ),
            rest=0.0,
        )
        for chunk in chunks
    )
    return Explanation(linked_entities(snapshot, named, index.counts.tolist()), tuple(reasons))


def _search_by_names(snapshot: Snapshot, index: EntityIndex, question: RagQuestion, limit: int) -> list[Hit]:
    named = link_entities(index.names, index.counts, question.text)
    scores = name_scores(index, named)
    holders = [(one, set(_chunks_of(index, one.entity).tolist())) for one in named]
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            score,
            tuple(
                (snapshot.entities.names[one.entity], round_score(one.weight))
                for one, holding in holders
                if chunk in holding
            ),
        )
        for chunk, score in best_first(scores, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def _chunks_of(index: EntityIndex, entity: int) -> NDArray[np.int32]:
    start, end = index.named_by.indptr[entity : entity + 2]
    return index.named_by.indices[start:end]


MOST_HOPS = 4
MOST_ENTITIES = 8
"""Entities of a question between which paths are looked for, the rarest ones."""
WAYS = 5
"""Facts that an explanation shows of a chunk."""
NAMES_SHARE = 0.5
"""What naming the question's entities counts beside stating a path's facts, which counts 1."""


@dataclass(frozen=True, slots=True)
class HopPathIndex:
    """The facts as edges, the chunks that state each, and which entities are dates or numbers.

    Edges are walked both ways, but none leads on from a date or a number: these join what has nothing to do
    with each other.
    """

    edges: csr_matrix
    backwards: csr_matrix
    literal: NDArray[np.bool_]
    stated_in: csr_matrix
    entities: EntityIndex


def prepare_hop_paths(snapshot: Snapshot) -> HopPathIndex:
    """What the search for paths needs of a snapshot."""
    facts, size = snapshot.facts, len(snapshot.entities.ids)
    literal = np.array([kind in LITERAL_TYPES for kind in snapshot.entities.types], dtype=np.bool_)
    starts = np.concatenate((facts.subjects, facts.objects))
    ends = np.concatenate((facts.objects, facts.subjects))
    on = ~literal[starts]
    edges = csr_matrix((np.ones(int(on.sum()), np.float32), (starts[on], ends[on])), shape=(size, size))
    edges.data[:] = 1.0
    return HopPathIndex(edges, edges.T.tocsr(), literal, facts.chunks.T.tocsr(), prepare_entities(snapshot))


def search_hop_paths(
    snapshot: Snapshot, index: HopPathIndex, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks along the shortest paths of at most `MOST_HOPS` among each question's entities.

    The score has two parts, each in [0, 1] as a share of the best chunk's: "paths" for the facts stated, of
    which each hop of a pair shares 1 / the pair's hops, and `NAMES_SHARE` times "names", as in
    `search_entities`, which alone ranks the chunks where no path leads.
    """
    return [_search(snapshot, index, question, limit) for question in questions]


def explain_hop_paths(
    snapshot: Snapshot, index: HopPathIndex, question: RagQuestion, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """Which facts of the shortest paths each chunk states."""
    named, of_facts = _score_facts(snapshot, index, question)
    names = NAMES_SHARE * _share(name_scores(index.entities, named))
    paths = index.stated_in @ of_facts
    scale = 1 / most if (most := paths.max(initial=0.0)) > 0 else 0.0
    return Explanation(
        linked_entities(snapshot, named, index.entities.counts.tolist()),
        tuple(_reason(snapshot, index, chunk, scale * of_facts, float(names[chunk])) for chunk in chunks),
    )


def _reason(
    snapshot: Snapshot, index: HopPathIndex, chunk: int, of_facts: NDArray[np.float64], own: float
) -> Reason:
    start, end = index.stated_in.indptr[chunk : chunk + 2]
    stated = index.stated_in.indices[start:end]
    order = [int(fact) for fact in stated[np.argsort(-of_facts[stated], kind="stable")] if of_facts[fact] > 0]
    return Reason(
        snapshot.chunks.ids[chunk],
        own=round_score(own),
        ways=tuple(Way(round_score(of_facts[fact]), (fact_stop(snapshot, fact),)) for fact in order[:WAYS]),
        rest=round_score(of_facts[order[WAYS:]].sum()),
    )


def path_scores(facts: Facts, index: HopPathIndex, entities: Sequence[int]) -> NDArray[np.float64]:
    """What each fact has of the shortest paths among some entities, shape (facts,).

    Each pair that a path joins has 1, in equal parts for its hops; the facts that can be taken for a hop
    share its part.
    """
    scores = np.zeros(len(facts.ids))
    for hops in _hops(facts, index, entities):
        length = int(hops.max()) + 1
        for hop in range(length):
            taken = hops == hop
            scores[taken] += 1 / (length * int(taken.sum()))
    return scores


def _hops(facts: Facts, index: HopPathIndex, entities: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """For each pair that a path joins, the hop at which each fact lies on a shortest one, or -1."""
    # A date can only be where a path ends.
    ordered = sorted(entities, key=lambda entity: bool(index.literal[entity]))
    if len(ordered) < 2:
        return
    starts, ends, literal = facts.subjects, facts.objects, index.literal
    away = _steps(index.edges, ordered)
    back = _steps(index.backwards, ordered)
    for (first, _), (second, end) in combinations(enumerate(ordered), 2):
        length = away[first, end]
        if np.isfinite(length):
            there, then = away[first], back[second]
            along = ~literal[starts] & (there[starts] + 1 + then[ends] == length)
            against = ~literal[ends] & (there[ends] + 1 + then[starts] == length)
            hop = np.where(along, there[starts], np.where(against, there[ends], -1))
            yield hop.astype(np.int64)


def _steps(edges: csr_matrix, starts: Sequence[int]) -> NDArray[np.float64]:
    """Steps from each start to every entity, infinite beyond `MOST_HOPS`, shape (starts, entities)."""
    steps: NDArray[np.float64] = dijkstra(
        edges, directed=True, indices=list(starts), unweighted=True, limit=MOST_HOPS
    )
    return steps


def _search(snapshot: Snapshot, index: HopPathIndex, question: RagQuestion, limit: int) -> list[Hit]:
    named, of_facts = _score_facts(snapshot, index, question)
    paths = _share(index.stated_in @ of_facts)
    names = NAMES_SHARE * _share(name_scores(index.entities, named))
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            score,
            (("paths", round_score(paths[chunk])), ("names", round_score(names[chunk]))),
        )
        for chunk, score in best_first(
            paths + names, allowed_chunks(snapshot.chunks, question.filters), limit
        )
    ]


def _score_facts(
    snapshot: Snapshot, index: HopPathIndex, question: RagQuestion
) -> tuple[list[QuestionEntity], NDArray[np.float64]]:
    """What a question names, and what each fact has of the paths among that."""
    named = link_entities(index.entities.names, index.entities.counts, question.text)
    return named, path_scores(snapshot.facts, index, [one.entity for one in named[:MOST_ENTITIES]])


def _share(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores / most if (most := scores.max(initial=0.0)) > 0 else scores
