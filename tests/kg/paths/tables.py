"""Random small tables of edges, and what networkx says about the same edges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
from hypothesis import strategies as st

from kg.paths.protocol import Arc, EdgeTable, EntityEdges, OutEdge, Walk, Web, edge_table

ARTICLES, CLAIMS = 3, 6


@dataclass(frozen=True, slots=True)
class Fact:
    """An edge of a random graph, by the numbers of its ends."""

    number: int
    start: int
    end: int
    article: int = 0
    claim: int = 0
    mirrored: bool = False
    predicate: str = "knows"

    @property
    def id(self) -> str:
        return f"edge-{self.number:03}"


@dataclass(frozen=True, slots=True)
class World:
    """Entities by number, of which the last few are literals or hubs, and the facts between them."""

    size: int
    literals: frozenset[int]
    hubs: frozenset[int]
    facts: tuple[Fact, ...]

    def entity(self, number: int) -> str:
        return f"entity-{number:02}"

    def rows(self) -> list[EntityEdges]:
        return [
            EntityEdges(
                self.entity(i),
                f"Entity {i}",
                "DATE" if i in self.literals else "PERSON",
                i in self.literals,
                [
                    OutEdge(
                        fact.id,
                        self.entity(fact.end),
                        f"claim-{fact.claim}",
                        f"article-{fact.article}",
                        f"category-{fact.article % 2}",
                        fact.mirrored,
                        fact.predicate,
                        fact.claim,
                    )
                    for fact in self.facts
                    if fact.start == i
                ],
                i in self.hubs,
            )
            for i in range(self.size)
        ]

    def table(self) -> EdgeTable:
        return edge_table(self.rows())

    def networkx(self, walk: Walk) -> "nx.MultiDiGraph[str]":
        """The steps that a walk allows, as a graph with parallel edges."""
        found: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        found.add_nodes_from(map(self.entity, range(self.size)))
        stops = self.hubs | (frozenset() if walk.literals_inside else self.literals)
        for fact in self.facts:
            if fact.mirrored and not walk.mirrored:
                continue
            steps = [(fact.start, fact.end), *([(fact.end, fact.start)] if walk.undirected else [])]
            for tail, head in steps:
                if not (walk.undirected and tail in stops):
                    found.add_edge(self.entity(tail), self.entity(head), key=fact.id)
        return found


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Small graphs with parallel and opposite edges, dead ends, literals and hubs, which no edge leaves."""
    size = draw(st.integers(2, 12))
    ends = draw(st.integers(0, min(3, size - 2)))
    closed = frozenset(range(size - ends, size))
    hubs = frozenset(number for number in closed if draw(st.booleans()))
    pairs = draw(st.lists(st.tuples(st.integers(0, size - ends - 1), st.integers(0, size - 1)), max_size=30))
    facts = [
        Fact(
            number,
            start,
            end,
            draw(st.integers(0, ARTICLES - 1)),
            draw(st.integers(0, CLAIMS - 1)),
            draw(st.booleans()),
        )
        for number, (start, end) in enumerate(pairs)
        if start != end
    ]
    return World(size, closed - hubs, hubs, tuple(facts))


WALKS = st.builds(Walk, st.booleans(), st.booleans(), st.booleans())


def shortest_paths(graph: "nx.MultiDiGraph[str]", start: str, end: str) -> set[tuple[str, ...]]:
    """All shortest paths by networkx, as the ids of their edges; parallel edges make paths of their own."""
    found: set[tuple[str, ...]] = set()
    for stops in nx.all_shortest_paths(graph, start, end):
        ways: list[tuple[str, ...]] = [()]
        for tail, head in pairwise(stops):
            ways = [(*way, key) for way in ways for key in graph[tail][head]]
        found |= set(ways)
    return found


def distances(graph: "nx.MultiDiGraph[str]", at_most: int) -> dict[tuple[str, str], int]:
    """Hops between all pairs that are so near to each other, by networkx."""
    return {
        (start, end): hops
        for start, reached in nx.all_pairs_shortest_path_length(graph, cutoff=at_most)
        for end, hops in reached.items()
        if hops
    }


def chain(*articles: int, parallel: Sequence[int] = ()) -> World:
    """Entities 0, 1, 2, ... one after the other; each edge in its article, doubled by one in `parallel`."""
    facts = [Fact(i, i, i + 1, article, i) for i, article in enumerate(articles)]
    facts += [Fact(len(articles) + i, i, i + 1, article, 10 + i) for i, article in enumerate(parallel)]
    return World(len(articles) + 1, frozenset(), frozenset(), tuple(facts))


def list_paths(web: Web) -> Iterator[tuple[Arc, ...]]:
    """The paths of a web one by one, in the order of their arcs."""

    def go_on(step: int, tail: int) -> Iterator[tuple[Arc, ...]]:
        if step == len(web):
            yield ()
            return
        for arc in web[step]:
            if arc.tail == tail:
                for rest in go_on(step + 1, arc.head):
                    yield (arc, *rest)

    if web and web[0]:
        yield from go_on(0, web[0][0].tail)
