"""Entities of which two articles or more tell: what joins claims (MultiHop-RAG, 3.1, step 3)."""

from collections.abc import Iterable
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.questions.kinds.spread import chance

MOST_BRIDGES = 2_000
"""More such entities than this are drawn by chance."""


@dataclass(frozen=True, slots=True)
class BridgeFact:
    """A fact about a bridge: the other end, and whether the bridge is its subject."""

    triple: str
    predicate: str
    article: str
    other: str
    other_name: str
    out: bool


@dataclass(frozen=True, slots=True)
class Bridge:
    """An entity with its facts, in the order of their triples."""

    entity: str
    name: str
    facts: tuple[BridgeFact, ...]


def read_bridges(graph: Graph, corpus: str, predicates: Iterable[str], seed: int) -> list[Bridge]:
    """The bridges of a corpus over some predicates, a bounded number, in an order by chance."""
    found: dict[str, Bridge] = {}
    for row in graph.stream(query("kinds/list_bridges"), corpus=corpus, predicates=sorted(predicates)):
        facts = tuple(
            BridgeFact(
                triple=fact["triple"],
                predicate=fact["predicate"],
                article=fact["article"],
                other=fact["other"],
                other_name=fact["name"],
                out=fact["out"],
            )
            for fact in row["facts"]
        )
        found[row["entity"]] = Bridge(row["entity"], row["name"], facts)
        if len(found) > 2 * MOST_BRIDGES:
            found = {entity: found[entity] for entity in _by_chance(found, seed)[:MOST_BRIDGES]}
    return [found[entity] for entity in _by_chance(found, seed)[:MOST_BRIDGES]]


def _by_chance(entities: Iterable[str], seed: int) -> list[str]:
    return sorted(entities, key=lambda entity: chance(seed, "bridge", entity))
