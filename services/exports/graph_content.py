"""What a corpus holds in the graph, as nodes and edges in a fixed order, a bounded page at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import groupby
from typing import Literal

from kg.ids import content_hash
from kg.ledger import ASIDE
from kg.queries import query
from kg.store.graph import Graph, Row, batches

Scalar = bool | int | float | str | datetime | date
Value = Scalar | list[Scalar]
"""What a property holds; a list is of one kind."""

Part = Literal["all", "knowledge"]
"""Everything, or what was read out of the articles: no questions, runs, answers and what hangs on them."""

KNOWLEDGE = (
    "Corpus", "Article", "Chunk", "Claim", "Entity", "Alias", "Cluster", "SplitGroup", "Correction", "Path",
    "Reject", "Stage",
)  # fmt: skip
EVALUATION = (
    "Question", "Review", "Rating", "Run", "Answer", "Step", "Verdict", "Cell", "Finding", "Standard",
)  # fmt: skip
TEXTS: Mapping[str, frozenset[str]] = {
    "Article": frozenset({"body"}),
    "Chunk": frozenset({"text"}),
    "Claim": frozenset({"text", "sentence"}),
    "Step": frozenset({"query", "observation", "thought", "arguments"}),
}
"""The properties that hold sentences of articles. Titles, names and triples are not among them."""

VECTOR = "embedding"
NODES_A_PAGE = 1_000
"""With a vector of 384 numbers each, that is 3 MB from the server."""


@dataclass(frozen=True, slots=True)
class GraphContent:
    """Which part of a corpus to export, and whether with the articles' sentences and with vectors."""

    part: Part = "all"
    texts: bool = True
    vectors: bool = True

    @property
    def labels(self) -> tuple[str, ...]:
        """The kinds of node, in the order in which they are exported."""
        labels = KNOWLEDGE if self.part == "knowledge" else (*KNOWLEDGE, *EVALUATION)
        return tuple(label for label in labels if self.texts or label != "Stage")

    def left_out(self, kind: str = "") -> frozenset[str]:
        """The properties that a kind of node lacks in the export; without a kind, those that edges lack."""
        texts = frozenset() if self.texts else TEXTS.get(kind, frozenset())
        return texts if self.vectors else texts | {VECTOR}


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its kind, all its labels with the kind first, and what it holds, the id included."""

    kind: str
    labels: tuple[str, ...]
    id: str
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge with the kinds of its ends; `id` is its own, or made of what it joins and holds."""

    id: str
    type: str
    start_kind: str
    start: str
    end_kind: str
    end: str
    properties: Mapping[str, Value] = field(default_factory=dict)


def read_nodes(graph: Graph, corpus: str, content: GraphContent) -> Iterator[Node]:
    """Every node of the corpus, kind by kind, each in the order of ids."""
    for kind in content.labels:
        for page in _pages(graph, corpus, kind):
            rows = graph.rows(query("graph_export/read_nodes"), ids=page, vectors=content.vectors)
            for row in sorted(rows, key=lambda row: str(row["id"])):
                if kind == "Stage" and not _is_exported(row["properties"], content):
                    continue
                others = sorted(set(row["labels"]) - {kind})
                properties = _properties(row["properties"], content.left_out(kind))
                yield Node(kind, (kind, *others), row["id"], properties)


def read_edges(graph: Graph, corpus: str, content: GraphContent) -> Iterator[Edge]:
    """Every edge between these nodes, in the order of the nodes that they begin at."""
    for kind in content.labels:
        for page in _pages(graph, corpus, kind):
            rows = graph.rows(
                query("graph_export/read_edges"),
                ids=page,
                labels=list(content.labels),
                vectors=content.vectors,
            )
            yield from _edges(kind, rows, content)


def _pages(graph: Graph, corpus: str, kind: str) -> Iterator[list[str]]:
    rows = graph.stream(query("graph_export/list_nodes"), corpus=corpus, label=kind)
    for page in batches(rows, NODES_A_PAGE):
        yield [row["place"] for row in page]


def _is_exported(stage: Mapping[str, object], content: GraphContent) -> bool:
    """Whether a line of the ledger is true of the export: what it says was made must be in it."""
    first = str(stage["name"]).split(" ", maxsplit=1)[0]
    missing = {"vectors"} if not content.vectors else set()
    if content.part == "knowledge":
        missing |= {"questions", "run", "matrix", *ASIDE}
    return first not in missing


def _edges(kind: str, rows: Sequence[Row], content: GraphContent) -> Iterator[Edge]:
    found = []
    for row in rows:
        properties = _properties(row["properties"], content.left_out())
        told = (f"{name}={value!r}" for name, value in properties.items())
        order = (row["start"], row["type"], row["end"], content_hash(told))
        found.append((*order, row["end_label"], properties))
    found.sort(key=lambda edge: edge[:4])
    # Two edges that are alike in everything stay two.
    for (start, type_, end, digest), alike in groupby(found, key=lambda edge: edge[:4]):
        for number, (*_, end_kind, properties) in enumerate(alike):
            own = properties.get("id")
            made = f"edge-{content_hash((start, type_, end, digest, str(number)))}"
            yield Edge(own if isinstance(own, str) else made, type_, kind, start, end_kind, end, properties)


def _properties(found: Mapping[str, object], left_out: frozenset[str]) -> dict[str, Value]:
    return {
        name: _native(found[name])
        for name in sorted(found)
        if found[name] is not None and name not in left_out
    }


def _native(value: object) -> Value:
    """A value of the driver as Python has it; times of Neo4j keep microseconds."""
    to_native = getattr(value, "to_native", None)
    native = to_native() if to_native is not None else value
    if isinstance(native, list):
        return [_scalar(item) for item in native]
    return _scalar(native)


def _scalar(value: object) -> Scalar:
    native = value.to_native() if hasattr(value, "to_native") else value
    if not isinstance(native, bool | int | float | str | datetime | date):
        raise TypeError(f"a property holds a {type(native).__name__}, which no export knows")
    return native
