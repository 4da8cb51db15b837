"""Graphs to time paths on: a file of triples, or a synthetic graph; as a table and in Neo4j."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kg.corpus import CorpusSettings, drop_corpus, open_corpus
from kg.paths.protocol import EdgeTable, EntityEdges, OutEdge, edge_table
from kg.queries import query
from kg.store.graph import Graph

EDGES_AN_ENTITY = 8
START_SKEW, END_SKEW = 0.5, 0.8
"""Exponents of the synthetic degrees by rank: a few starts are busy, and a few ends very busy."""


def rows_of_file(path: Path, corpus: str) -> Iterator[EntityEdges]:
    """Entities with their edges from a tab-separated file of head, relation, tail; loops are left out."""
    heads: dict[str, list[OutEdge]] = defaultdict(list)
    names: dict[str, None] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 3:
                raise SystemExit(f"{path}:{number} has {len(columns)} columns, not head, relation, tail.")
            head, relation, tail = columns
            names |= {head: None, tail: None}
            if head != tail:
                heads[head].append(OutEdge(f"{corpus}|{head}|{relation}|{tail}", f"{corpus}|{tail}"))
    for name in names:
        yield EntityEdges(f"{corpus}|{name}", name, "MISC", False, heads[name])


def synthetic_rows(edges: int, seed: int) -> Iterator[EntityEdges]:
    """A seeded graph with the skew of real ones, in articles of 40 edges."""
    generator = np.random.default_rng(seed)
    entities = edges // EDGES_AN_ENTITY
    starts = _draw_skewed(generator, entities, edges, START_SKEW)
    ends = _draw_skewed(generator, entities, edges, END_SKEW)
    order = np.argsort(starts, kind="stable")
    offsets = np.searchsorted(starts[order], np.arange(entities + 1))
    for entity in range(entities):
        numbers = order[offsets[entity] : offsets[entity + 1]].tolist()
        found = [
            OutEdge(
                f"triple-{number:012}",
                f"entity-{ends[number]:012}",
                f"claim-{number // 2}",
                f"article-{number // 40}",
            )
            for number in numbers
        ]
        yield EntityEdges(f"entity-{entity:012}", f"Entity {entity}", "PERSON", False, found)


def table_of_file(path: Path, corpus: str) -> EdgeTable:
    """The file as a table."""
    return edge_table(rows_of_file(path, corpus))


def load_into_neo4j(graph: Graph, corpus: str, path: Path) -> None:
    """Put a file into a corpus of its own, in bounded batches; what an earlier run left there goes first."""
    drop_corpus(graph, corpus)
    open_corpus(graph, corpus, CorpusSettings("none", "none", 1, "none", "triples"))
    rows = list(rows_of_file(path, corpus))
    graph.write_rows(
        query("entities/write_resolved"),
        ({"id": row.id, "name": row.name, "type": row.type, "named": True, "literal": False} for row in rows),
        corpus=corpus,
    )
    graph.write_rows(
        query("facts/write_triples"),
        (
            {
                "from": row.id,
                "to": edge.to,
                "triple": {"id": edge.id, "in_paths": True, "claim": "", "article": ""},
            }
            for row in rows
            for edge in row.edges
        ),
        corpus=corpus,
    )


def _draw_skewed(
    generator: np.random.Generator, entities: int, edges: int, skew: float
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    weights = np.arange(1, entities + 1, dtype=np.float64) ** -skew
    ranks = np.searchsorted(np.cumsum(weights) / weights.sum(), generator.random(edges))
    return generator.permutation(entities)[np.minimum(ranks, entities - 1)]
