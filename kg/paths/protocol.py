"""What counts as a step of a hop path, and how long a path may be.

The edges of a corpus that a path may take, as arrays, read from Neo4j in one stream.

A million edges take about half a GiB while they are read. Entities and edges are in the order of their ids,
so that nothing depends on the order in which they were read.

What an engine for paths does; entities go by their position in the sorted list of ids.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kg.queries import query
from kg.store.graph import Graph

MAX_HOPS = 5
"""The statements under cypher/paths hold it as a literal: Cypher takes no parameter as a bound."""
DEPTHS = (2, 3, 4, 5)
"""The lengths of hop paths (GRADE, section 3.2); a path of one hop is a fact."""
QUESTION_HOPS = (1, *DEPTHS)
"""How many hops a question may have; the first hop of a longer one, asked alone, has one."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Which edges may be walked, and in which direction.

    Only edges that resolution left in paths count at all. None of these leaves a literal or a hub, so a path
    along their direction has either at its end or nowhere. Undirected, that is a rule of the walk: no step
    leaves a hub, nor a date or a number unless `literals_inside` says so.
    """

    undirected: bool = False
    mirrored: bool = True
    literals_inside: bool = False


@dataclass(frozen=True, slots=True)
class Without:
    """The ids of edges that a draw leaves out: those not walked along their direction, and not against it."""

    forwards: Collection[str] = frozenset()
    backwards: Collection[str] = frozenset()


NOTHING = Without()


Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


class OutEdge(NamedTuple):
    """An edge as it leaves its entity; `claim` and `article` are ids, "" where there is none.

    Claims of the same sentence are one claim here, the first of them. `offset` is where the sentence begins
    in its article's body, in characters.
    """

    id: str
    to: str
    claim: str = ""
    article: str = ""
    category: str = ""
    mirrored: bool = False
    predicate: str = ""
    offset: int = 0


class ArticleMark(NamedTuple):
    """What the draw needs of an article: its category, "" for none, and a hash of its words."""

    category: str
    words: str


class EntityEdges(NamedTuple):
    """An entity with the edges that leave it."""

    id: str
    name: str
    type: str
    literal: bool
    edges: Sequence[OutEdge]
    hub: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """Edges between entities: entity `entities[start[i]]` to `entities[end[i]]` by edge `ids[i]`.

    `claim`, `article`, `category` and `predicate` are positions in `claims`, `articles`, `categories` and
    `predicates`; `words` has the hash of each article's words, its id where that is not known. Parallel
    edges stand side by side, loops are left out.
    """

    entities: tuple[str, ...]
    names: tuple[str, ...]
    types: tuple[str, ...]
    literal: Flags
    hub: Flags
    ids: tuple[str, ...]
    start: Ints
    end: Ints
    mirrored: Flags
    claims: tuple[str, ...]
    claim: Ints
    articles: tuple[str, ...]
    article: Ints
    words: tuple[str, ...]
    categories: tuple[str, ...]
    category: Ints
    predicates: tuple[str, ...]
    predicate: Ints
    offset: Ints

    @property
    def size(self) -> int:
        """How many edges there are."""
        return len(self.ids)


def read_edge_table(graph: Graph, corpus: str) -> EdgeTable:
    """The entities of a corpus and all edges that a path may take."""
    marks = read_articles(graph, corpus)
    words = {article: mark.words for article, mark in marks.items()}
    return edge_table(_read_rows(graph, corpus, marks), words)


def edge_table(rows: Iterable[EntityEdges], words: Mapping[str, str] | None = None) -> EdgeTable:
    """A table from entities with their edges, in any order, each entity once.

    `words` has a hash of the words of each article by its id.
    """
    entities, claims, articles, categories, predicates = (_Codes() for _ in range(5))
    about: dict[int, tuple[str, str, bool, bool]] = {}
    ids: list[str] = []
    columns: list[list[int]] = [[] for _ in range(8)]
    starts, ends, claim, article, category, mirrored, predicate, offset = columns
    for row in rows:
        start = entities.of(row.id)
        about[start] = (row.name, row.type, row.literal, row.hub)
        for edge in row.edges:
            if edge.to == row.id:
                continue
            ids.append(edge.id)
            starts.append(start)
            ends.append(entities.of(edge.to))
            claim.append(claims.of(edge.claim))
            article.append(articles.of(edge.article))
            category.append(categories.of(edge.category))
            mirrored.append(edge.mirrored)
            predicate.append(predicates.of(edge.predicate))
            offset.append(edge.offset)
    names = list(entities.known)
    by_id = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), np.int32)
    place[by_id] = np.arange(len(names), dtype=np.int32)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    unknown = ("", "", False, False)
    described = [about.get(number, unknown) for number in by_id]
    arrays = [np.array(column, np.int32)[order] for column in columns]
    return EdgeTable(
        entities=tuple(names[number] for number in by_id),
        names=tuple(name for name, *_ in described),
        types=tuple(kind for _, kind, *_ in described),
        literal=np.array([literal for *_, literal, _ in described], np.bool_),
        hub=np.array([hub for *_, hub in described], np.bool_),
        ids=tuple(ids[number] for number in order),
        start=place[arrays[0]],
        end=place[arrays[1]],
        claims=tuple(claims.known),
        claim=arrays[2],
        articles=tuple(articles.known),
        article=arrays[3],
        words=tuple((words or {}).get(id_, id_) for id_ in articles.known),
        categories=tuple(categories.known),
        category=arrays[4],
        mirrored=arrays[5].astype(np.bool_),
        predicates=tuple(predicates.known),
        predicate=arrays[6],
        offset=arrays[7],
    )


@dataclass(slots=True)
class _Codes:
    """A number for each text, in the order in which they came."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))


def _read_rows(graph: Graph, corpus: str, marks: Mapping[str, ArticleMark]) -> Iterator[EntityEdges]:
    repeats = read_repeats(graph, corpus)
    unknown = ArticleMark("", "")
    for row in graph.stream(query("paths/read_table"), corpus=corpus):
        edges = [
            OutEdge(
                id_,
                to,
                repeats.get(claim, claim),
                article,
                marks.get(article, unknown).category,
                mirrored,
                predicate,
                offset,
            )
            for id_, to, claim, article, mirrored, predicate, offset in row["edges"]
        ]
        yield EntityEdges(row["id"], row["name"], row["type"], row["literal"], edges, row["hub"])


def read_articles(graph: Graph, corpus: str) -> dict[str, ArticleMark]:
    """What the draw needs of every article of a corpus, by the article's id."""
    rows = graph.rows(query("articles/list_articles"), corpus=corpus)
    return {row["id"]: ArticleMark(row["category"], row["words"]) for row in rows}


def read_repeats(graph: Graph, corpus: str) -> dict[str, str]:
    """For claims whose sentence another one states as well, the first claim of that sentence."""
    rows = graph.rows(query("claims/read_repeats"), corpus=corpus)
    return {claim: row["claims"][0] for row in rows for claim in row["claims"]}


def entity_label(name: str, literal: bool) -> str:
    """What tells an entity from the others of its corpus, and is the same in a corpus of any name."""
    return f"{'literal' if literal else 'name'}\x1f{name}"


Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Who lies so many hops from some sources: `ends[offsets[i]:offsets[i + 1]]` from `sources[i]`."""

    hops: int
    sources: Ints
    offsets: Offsets
    ends: Ints

    def starts(self) -> Ints:
        """The source of each end, side by side with `ends`."""
        return np.repeat(self.sources, np.diff(self.offsets))


class Pair(NamedTuple):
    """A start and an end, and how many hops apart they are."""

    start: int
    end: int
    hops: int


class Leaving(NamedTuple):
    """Arcs that leave an entity by a predicate, mirrored ones among them or not."""

    tail: int
    predicate: str
    mirrored: bool


_HELPING = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "a", "an", "the"}
)


def predicate_form(predicate: str) -> str:
    """A predicate without its helping verbs and articles: "was defeated by" and "is defeated by" are one."""
    words = predicate.casefold().split()
    return " ".join(word for word in words if word not in _HELPING) or " ".join(words)


class Arc(NamedTuple):
    """An edge as a path walks it; walked against its direction, `tail` is the edge's end.

    `claim` is the first of those that have the same sentence. `origin` tells where the edge comes from in a
    corpus of any name: the hash of the article's words, where its sentence begins, and the predicate.
    """

    edge: str
    tail: int
    head: int
    claim: str
    article: str
    category: str
    mirrored: bool = False
    origin: tuple[str, int, str] = ("", 0, "")

    @property
    def predicate(self) -> str:
        """What it says of its two ends."""
        return self.origin[2]

    @property
    def leaving(self) -> Leaving:
        """How it leaves its tail."""
        return Leaving(self.tail, self.predicate, self.mirrored)

    @property
    def arriving(self) -> Leaving:
        """How it is left backwards, from its head."""
        return Leaving(self.head, self.predicate, self.mirrored)


Web = tuple[tuple[Arc, ...], ...]
"""All shortest paths of a pair: for each step the arcs that one of them takes there, in `arc_order`."""


def arc_order(arc: Arc, labels: Sequence[str]) -> tuple[str, str, tuple[str, int, str], bool, str]:
    """What arcs are sorted by: nothing in it but the last, which decides between equals, names the corpus."""
    return labels[arc.tail], labels[arc.head], arc.origin, arc.mirrored, arc.edge


Reaching = Callable[[Ints, int], Iterator[Reach]]
"""Everybody within so many hops of some sources, as `PathEngine.reach`."""


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """How another process searches as an engine does: `opener` is given the arrays, which may be large."""

    opener: Callable[..., Reaching]
    arrays: Sequence[NDArray[np.generic]]


class PathEngine(Protocol):
    """Finds distances and shortest paths; two engines on the same edges answer the same."""

    name: str
    entities: Sequence[str]
    """The ids of all entities, sorted."""
    labels: Sequence[str]
    """What the entities are called in a corpus of any name (`kg.paths.protocol.entity_label`)."""

    types: Sequence[str]
    """The types of the entities, "" where one has none."""

    def count_edges(self) -> Sequence[int]:
        """At how many edges that a path may take each entity stands, at either end."""
        ...

    def count_ends(self, asked: Sequence[Leaving], *, backwards: bool = False) -> list[int]:
        """To how many other entities each of some entities leads by a predicate; backwards, from how many.

        Predicates of one form count as one (`predicate_form`), edges of facts always, and mirrored ones where
        they are asked for.
        """
        ...

    def sources(self) -> Ints:
        """The entities that a path may start from, ascending."""
        ...

    def reach(self, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
        """Everybody within so many hops of the sources, each source in one block, memory bounded by it."""
        ...

    def elsewhere(self) -> Elsewhere | None:
        """How another process searches; None where all go to one place anyway."""
        ...

    def webs(self, pairs: Sequence[Pair]) -> list[Web]:
        """All shortest paths of each pair, which are so many hops apart; parallel edges are arcs apart."""
        ...
