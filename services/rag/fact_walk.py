"""Walks along the facts that passages state, from what a question names, led by the question's words."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.rag.protocol import Name, Passage, StatedFact
from services.rag.question_words import weight_of, words

MOST_FACTS = 5
"""As many hops as a path of the corpus can have."""

MOST_WALKS = 64
"""Walks of a length that are gone on with; those that cover most of the question."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A way to `end`: the question's words that its start, its facts and the names on it account for.

    `guessed` tells that it has a fact for which the question has no word, as in "the club of Mira Tolland";
    a walk may have one.
    """

    end: Name
    words: frozenset[str]
    facts: tuple[StatedFact, ...]
    chunk: str
    visited: frozenset[str]
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class _Edge:
    """A fact seen from one of its ends."""

    leads_to: Name
    fact: StatedFact
    words: frozenset[str]
    chunk: str


def walks(
    starts: Mapping[str, frozenset[str]], passages: Sequence[Passage], weights: Mapping[str, float]
) -> Iterator[Walk]:
    """Walks from entities (with the question's words that name them) in which every fact but one
    takes up further words of the question."""
    edges = _edges(passages)
    reached = [
        Walk(Name("", "", "MISC", start), named, (), "", frozenset({start}))
        for start, named in sorted(starts.items())
    ]
    for _ in range(MOST_FACTS):
        longer = [further for walk in reached for further in _further(walk, edges, weights)]
        longer.sort(
            key=lambda walk: (-_weight(walk.words, weights), walk.end.entity, walk.facts[-1].sentence)
        )
        reached = longer[:MOST_WALKS]
        yield from reached


def _further(
    walk: Walk, edges: Mapping[str, Sequence[_Edge]], weights: Mapping[str, float]
) -> Iterator[Walk]:
    for edge in edges.get(walk.end.entity, ()):
        if edge.leads_to.entity in walk.visited:
            continue
        taken = {word for word in edge.words if word in weights} - walk.words
        if taken or not walk.guessed:
            called = {word for word in _words_of(edge.leads_to.name) if word in weights}
            yield Walk(
                edge.leads_to,
                walk.words | taken | called,
                (*walk.facts, edge.fact),
                edge.chunk,
                walk.visited | {edge.leads_to.entity},
                walk.guessed or not taken,
            )


def _weight(found: Iterable[str], weights: Mapping[str, float]) -> float:
    return weight_of(weights.get(word, 0.0) for word in found)


def _edges(passages: Sequence[Passage]) -> dict[str, list[_Edge]]:
    """Each fact from both of its ends; of the same fact in two passages the better passage's."""
    edges: defaultdict[str, list[_Edge]] = defaultdict(list)
    seen: set[tuple[str, str, str]] = set()
    for passage in passages:
        for fact in passage.facts:
            key = (fact.subject.entity, fact.predicate, fact.object.entity)
            if key in seen:
                continue
            seen.add(key)
            found = _words_of(fact.predicate)
            edges[fact.subject.entity].append(_Edge(fact.object, fact, found, passage.chunk))
            edges[fact.object.entity].append(_Edge(fact.subject, fact, found, passage.chunk))
    return dict(edges)


@lru_cache(maxsize=16_384)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(words(text))
