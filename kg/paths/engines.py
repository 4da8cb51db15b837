"""Which engine a corpus gets: by name, or by its size.

The engine in Neo4j, in two phases: distances by a pruned search, and the paths of drawn pairs only.

Asking Neo4j for shortest paths to ends that are not given searches pair by pair and takes seconds a start; a
pruned breadth-first search for the distances takes milliseconds, and so does the search between two given
ends. Starts go in batches, over a few sessions at once.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

from kg.paths.protocol import (
    MAX_HOPS,
    NOTHING,
    Arc,
    ArticleMark,
    EdgeTable,
    Ints,
    Leaving,
    Pair,
    PathEngine,
    Reach,
    Walk,
    Web,
    Without,
    arc_order,
    entity_label,
    predicate_form,
    read_articles,
    read_edge_table,
    read_repeats,
)
from kg.queries import Query, query
from kg.store.graph import Graph, Row, batches

T = TypeVar("T")
R = TypeVar("R")

SESSIONS = 2
SOURCES_A_BATCH = 32
PAIRS_A_BATCH = 50
ENDS_A_BATCH = 500


class CypherEngine:
    """Paths in a corpus, searched by the database; only the names of entities and articles are held."""

    name = "cypher"

    def __init__(self, graph: Graph, corpus: str, walk: Walk | None = None, sessions: int = SESSIONS) -> None:
        self._graph = graph
        self._corpus = corpus
        self._walk = walk or Walk()
        self._sessions = sessions
        rows = sorted(
            graph.rows(query("entities/list_entities"), corpus=corpus), key=lambda row: str(row["id"])
        )
        self.entities: Sequence[str] = [row["id"] for row in rows]
        self.labels: Sequence[str] = [entity_label(row["name"], row["literal"]) for row in rows]
        self.types: Sequence[str] = [row["type"] for row in rows]
        self._place = {id_: number for number, id_ in enumerate(self.entities)}
        self._predicates: dict[str, list[str]] = {}
        self._sources = ArcSources(read_articles(graph, corpus), read_repeats(graph, corpus))

    def sources(self) -> Ints:
        """The entities that a path may start from, ascending."""
        rows = self._ask(query("paths/list_sources"), corpus=self._corpus)
        return np.array(sorted(self._place[row["id"]] for row in rows), np.int32)

    def count_edges(self) -> Sequence[int]:
        """At how many edges each entity stands."""
        counts = [0] * len(self.entities)
        for row in self._graph.stream(query("paths/count_entity_edges"), corpus=self._corpus):
            counts[self._place[row["id"]]] = row["edges"]
        return counts

    def count_ends(self, asked: Sequence[Leaving], *, backwards: bool = False) -> list[int]:
        """To how many other entities each of some entities leads by a predicate; backwards, from how many."""
        rows = [
            {"at": at, "id": self.entities[one.tail], "predicates": self._of_one_form(one.predicate),
             "mirrored": one.mirrored and self._walk.mirrored, "literals": self._walk.literals_inside}
            for at, one in enumerate(asked)
        ]  # fmt: skip
        counts = [0] * len(rows)
        found = self._graph.read_rows(
            query("paths/count_ends"),
            rows,
            ENDS_A_BATCH,
            undirected=self._walk.undirected,
            backwards=backwards,
        )
        for row in found:
            counts[row["at"]] = row["ends"]
        return counts

    def _of_one_form(self, predicate: str) -> list[str]:
        """The predicates of the corpus that have the form of this one."""
        if not self._predicates:
            for row in self._graph.stream(query("facts/list_path_predicates"), corpus=self._corpus):
                self._predicates.setdefault(predicate_form(row["predicate"]), []).append(row["predicate"])
        return self._predicates.get(predicate_form(predicate), [])

    def reach(self, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
        """Everybody within so many hops of the sources, a batch of sources after the other."""
        for found in self._in_sessions(self._reach_of, batches(sources.tolist(), SOURCES_A_BATCH)):
            yield from (reach for reach in found if reach.hops <= max_hops)

    def elsewhere(self) -> None:
        """The database searches, whoever asks it."""

    def webs(self, pairs: Sequence[Pair]) -> list[Web]:
        """All shortest paths of each pair."""
        return [
            web for found in self._in_sessions(self._webs_of, batches(pairs, PAIRS_A_BATCH)) for web in found
        ]

    def _in_sessions(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Work on the items in a few sessions, results in the items' order, at most one waiting for each."""
        with ThreadPoolExecutor(self._sessions) as pool:
            running = []
            for item in items:
                running.append(pool.submit(work, item))
                if len(running) > self._sessions:
                    yield running.pop(0).result()
            for future in running:
                yield future.result()

    def _ask(self, statement: Query, **params: object) -> list[Row]:
        return _run_walk(self._graph, statement, self._walk, **params)

    def _reach_of(self, sources: Sequence[int]) -> list[Reach]:
        undirected = self._walk.undirected
        statement = query("paths/read_distances_undirected" if undirected else "paths/read_distances")
        rows = self._ask(statement, ids=[self.entities[number] for number in sources])
        place, order = self._place, np.array(sources, np.int32)
        row_of = {number: row for row, number in enumerate(sources)}
        ends: list[list[Ints]] = [[np.empty(0, np.int32)] * len(sources) for _ in range(MAX_HOPS)]
        for row in rows:
            found = np.fromiter((place[id_] for id_ in row["ends"]), np.int32, len(row["ends"]))
            ends[row["hops"] - 1][row_of[place[row["from"]]]] = found
        return [
            Reach(hops, order, np.cumsum([0, *map(len, level)]), np.concatenate(level))
            for hops, level in enumerate(ends, start=1)
            if hops == 1 or any(map(len, level))
        ]

    def _webs_of(self, pairs: Sequence[Pair]) -> list[Web]:
        asked = [(self.entities[pair.start], self.entities[pair.end]) for pair in pairs]
        arcs = read_arcs(self._graph, self._walk, asked)
        return [web_of(arcs.get(ends, []), self._place, self.labels, self._sources) for ends in asked]


ArcRow = tuple[int, str, str, str, str, str, bool, str, int]
"""Step, edge, from, to, claim, article, whether mirrored, predicate and offset of an arc of a web."""


@dataclass(frozen=True, slots=True)
class ArcSources:
    """Where arcs come from: the articles by id, and for claims that repeat a sentence its first claim."""

    articles: Mapping[str, ArticleMark] = field(default_factory=dict)
    repeats: Mapping[str, str] = field(default_factory=dict)


def read_arcs(
    graph: Graph, walk: Walk, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], list[ArcRow]]:
    """The arcs of all shortest paths of pairs of entity ids; none for pairs more than five hops apart."""
    statement = query("paths/read_shortest_undirected" if walk.undirected else "paths/read_shortest")
    rows = _run_walk(graph, statement, walk, pairs=[list(pair) for pair in pairs])
    return {(row["from"], row["to"]): row["arcs"] for row in rows}


def web_of(
    arcs: Iterable[ArcRow], place: Mapping[str, int], labels: Sequence[str], sources: ArcSources
) -> Web:
    """A web from its arcs; `place` gives an entity's number, `labels` what it is sorted by."""
    steps: dict[int, list[Arc]] = defaultdict(list)
    for step, edge, tail, head, claim, article, mirrored, predicate, offset in arcs:
        mark = sources.articles.get(article, ArticleMark("", article))
        said = (mark.words, offset, predicate)
        first = sources.repeats.get(claim, claim)
        steps[step].append(Arc(edge, place[tail], place[head], first, article, mark.category, mirrored, said))
    return tuple(
        tuple(sorted(steps[step], key=lambda arc: arc_order(arc, labels))) for step in range(len(steps))
    )


def _run_walk(graph: Graph, statement: Query, walk: Walk, **params: object) -> list[Row]:
    chosen = {"literals": walk.literals_inside, "undirected": walk.undirected}
    params |= {name: value for name, value in chosen.items() if name in statement.params}
    return graph.rows(statement, mirrored=walk.mirrored, **params)


EngineName = Literal["auto", "sparse", "cypher"]

MOST_EDGES_IN_MEMORY = 5_000_000
"""Edges up to which `auto` searches in memory: some 2.5 GiB while they are read."""


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine's name, and why it was taken."""

    name: Literal["sparse", "cypher"]
    reason: str


@dataclass(frozen=True, slots=True)
class OpenedEngine:
    """An engine, the table that it searches where it has one, and why it was taken."""

    engine: PathEngine
    table: EdgeTable | None
    reason: str


def choose_engine(graph: Graph, corpus: str, name: EngineName = "auto") -> EngineChoice:
    """The engine of that name; `auto` takes the one in memory as long as the edges fit there."""
    if name != "auto":
        return EngineChoice(name, "as asked for")
    edges = int(graph.rows(query("paths/count_edges"), corpus=corpus)[0]["edges"])
    fits = edges <= MOST_EDGES_IN_MEMORY
    relation = "no more than" if fits else "more than"
    reason = f"chosen by size: {edges:,} edges, {relation} {MOST_EDGES_IN_MEMORY:,}"
    return EngineChoice("sparse" if fits else "cypher", reason)


def open_engine(
    graph: Graph, corpus: str, walk: Walk, name: EngineName = "auto", without: Without = NOTHING
) -> OpenedEngine:
    """The engine for a corpus, ready to search; the sparse one has read its edges.

    What is `without` is left out by the sparse engine; the one in Neo4j walks it all the same.
    """
    choice = choose_engine(graph, corpus, name)
    if choice.name == "cypher":
        return OpenedEngine(CypherEngine(graph, corpus, walk), None, choice.reason)
    # scipy takes a fifth of a second to import, which every command would pay.
    from kg.paths.sparse import SparseEngine  # noqa: PLC0415

    table = read_edge_table(graph, corpus)
    return OpenedEngine(SparseEngine(table, walk, without=without), table, choice.reason)
