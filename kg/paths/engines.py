"""Which engine a corpus gets: by name, or by its size."""

from dataclasses import dataclass
from typing import Literal

from kg.paths.cypher import CypherEngine
from kg.paths.edges import EdgeTable, read_edge_table
from kg.paths.protocol import PathEngine
from kg.paths.walk import Walk
from kg.queries import query
from kg.store.graph import Graph

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


def open_engine(graph: Graph, corpus: str, walk: Walk, name: EngineName = "auto") -> OpenedEngine:
    """The engine for a corpus, ready to search; the sparse one has read its edges."""
    choice = choose_engine(graph, corpus, name)
    if choice.name == "cypher":
        return OpenedEngine(CypherEngine(graph, corpus, walk), None, choice.reason)
    # scipy takes a fifth of a second to import, which every command would pay.
    from kg.paths.sparse import SparseEngine  # noqa: PLC0415

    table = read_edge_table(graph, corpus)
    return OpenedEngine(SparseEngine(table, walk), table, choice.reason)
