"""Statements of the tests' own, which are no part of the product."""

import json
from typing import Any

from kg.queries import Mode, Query, parse_query, query
from kg.store.graph import Graph, Row


def statement(text: str, *params: str, mode: Mode = "read", name: str = "test") -> Query:
    """A statement as if it stood under `cypher/`."""
    declared = ", ".join(f"{param}: ANY" for param in params) or "none"
    return parse_query(
        name, f"// A test's.\n// params: {declared}\n// returns: none\n// mode: {mode}\n{text}"
    )


def read(graph: Graph, text: str, **params: object) -> list[Row]:
    """The records of a statement."""
    return graph.rows(statement(text, *params), **params)


def change(graph: Graph, text: str, **params: object) -> None:
    """Run a statement that writes."""
    graph.rows(statement(text, *params, mode="write"), **params)


def value(graph: Graph, text: str, **params: object) -> Any:  # noqa: ANN401
    """The only column of a statement's only record."""
    (row,) = read(graph, text, **params)
    (found,) = row.values()
    return found


def contents(graph: Graph, corpus: str) -> frozenset[str]:
    """What a corpus holds, a line for each node and edge, but for findings: reports renew them."""
    nodes = graph.stream(query("corpus/read_all_nodes"), corpus=corpus)
    edges = graph.stream(query("corpus/read_all_edges"), corpus=corpus)
    rows = [row for row in nodes if "Finding" not in row["labels"]]
    rows += [row for row in edges if row["type"] != "HAS_FINDING"]
    return frozenset(json.dumps(row, sort_keys=True, default=repr) for row in rows)
