"""The edges of a corpus that a path may take, as arrays, read from Neo4j in one stream.

A million edges take about half a GiB while they are read. Entities and edges are in the order of their ids,
so that nothing depends on the order in which they were read.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.queries import query
from kg.store.graph import Graph

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


class OutEdge(NamedTuple):
    """An edge as it leaves its entity; `claim` and `article` are ids, "" where there is none."""

    id: str
    to: str
    claim: str = ""
    article: str = ""
    category: str = ""
    mirrored: bool = False


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

    `claim`, `article` and `category` are positions in `claims`, `articles` and `categories`. Parallel edges
    stand side by side, loops are left out.
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
    categories: tuple[str, ...]
    category: Ints

    @property
    def size(self) -> int:
        """How many edges there are."""
        return len(self.ids)


def read_edge_table(graph: Graph, corpus: str) -> EdgeTable:
    """The entities of a corpus and all edges that a path may take."""
    return edge_table(_read_rows(graph, corpus))


def edge_table(rows: Iterable[EntityEdges]) -> EdgeTable:
    """A table from entities with their edges, in any order, each entity once."""
    entities, claims, articles, categories = _Codes(), _Codes(), _Codes(), _Codes()
    about: dict[int, tuple[str, str, bool, bool]] = {}
    ids: list[str] = []
    columns: list[list[int]] = [[] for _ in range(6)]
    starts, ends, claim, article, category, mirrored = columns
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
        categories=tuple(categories.known),
        category=arrays[4],
        mirrored=arrays[5].astype(np.bool_),
    )


@dataclass(slots=True)
class _Codes:
    """A number for each text, in the order in which they came."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))


def _read_rows(graph: Graph, corpus: str) -> Iterator[EntityEdges]:
    categories = read_categories(graph, corpus)
    for row in graph.stream(query("paths/read_table"), corpus=corpus):
        edges = [
            OutEdge(id_, to, claim, article, categories.get(article, ""), mirrored)
            for id_, to, claim, article, mirrored in row["edges"]
        ]
        yield EntityEdges(row["id"], row["name"], row["type"], row["literal"], edges, row["hub"])


def read_categories(graph: Graph, corpus: str) -> dict[str, str]:
    """The category of every article of a corpus that has one, by the article's id."""
    return {row["id"]: row["category"] for row in graph.rows(query("paths/read_categories"), corpus=corpus)}
