"""Hop-path retrieval: the chunks that state the facts on shortest paths among what the question names.

It walks the facts of the snapshot: with both ends known, one breadth-first search from each entity tells for
every fact at once whether it lies on a shortest path of a pair, and at which hop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from kg.model import LITERAL_TYPES
from services.rag.graph_search.allowed import allowed_chunks
from services.rag.graph_search.explanation import Explanation, Reason, Way, fact_stop, linked_entities
from services.rag.graph_search.named import Named, entities_named
from services.rag.graph_search.ranking import best_first, shown
from services.rag.graph_search.snapshot import Facts, Snapshot
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.entities import EntityIndex, name_scores, prepare_entities
from services.rag.retrieval.from_snapshot import Embed

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
    snapshot: Snapshot, index: HopPathIndex, questions: Sequence[Asked], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks along the shortest paths of at most `MOST_HOPS` among each question's entities.

    The score has two parts, each in [0, 1] as a share of the best chunk's: "paths" for the facts stated, of
    which each hop of a pair shares 1 / the pair's hops, and `NAMES_SHARE` times "names", as in
    `search_entities`, which alone ranks the chunks where no path leads.
    """
    return [_search(snapshot, index, question, limit) for question in questions]


def explain_hop_paths(
    snapshot: Snapshot, index: HopPathIndex, question: Asked, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """Which facts of the shortest paths each chunk states."""
    named, of_facts = _scored(snapshot, index, question)
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
        own=shown(own),
        ways=tuple(Way(shown(of_facts[fact]), (fact_stop(snapshot, fact),)) for fact in order[:WAYS]),
        rest=shown(of_facts[order[WAYS:]].sum()),
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


def _search(snapshot: Snapshot, index: HopPathIndex, question: Asked, limit: int) -> list[Hit]:
    named, of_facts = _scored(snapshot, index, question)
    paths = _share(index.stated_in @ of_facts)
    names = NAMES_SHARE * _share(name_scores(index.entities, named))
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            score,
            (("paths", shown(paths[chunk])), ("names", shown(names[chunk]))),
        )
        for chunk, score in best_first(
            paths + names, allowed_chunks(snapshot.chunks, question.filters), limit
        )
    ]


def _scored(
    snapshot: Snapshot, index: HopPathIndex, question: Asked
) -> tuple[list[Named], NDArray[np.float64]]:
    """What a question names, and what each fact has of the paths among that."""
    named = entities_named(index.entities.names, index.entities.counts, question.text)
    return named, path_scores(snapshot.facts, index, [one.entity for one in named[:MOST_ENTITIES]])


def _share(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores / most if (most := scores.max(initial=0.0)) > 0 else scores
