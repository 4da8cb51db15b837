"""What a corpus holds in the graph, as nodes and edges in a fixed order, a bounded page at a time.

Which properties the nodes and edges of a corpus have, and of which types: formats declare them first.

What the kinds of node and edge mean, a sentence each, for formats that carry their own vocabulary.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import groupby
from typing import Literal

from kg.ids import content_hash
from kg.ledger import ASIDE, LATER
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
            rows = graph.rows(query("corpus/read_nodes"), ids=page, vectors=content.vectors)
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
                query("corpus/read_edges"),
                ids=page,
                labels=list(content.labels),
                vectors=content.vectors,
            )
            yield from _edges(kind, rows, content)


def _pages(graph: Graph, corpus: str, kind: str) -> Iterator[list[str]]:
    rows = graph.stream(query("corpus/list_nodes"), corpus=corpus, label=kind)
    for page in batches(rows, NODES_A_PAGE):
        yield [row["place"] for row in page]


def _is_exported(stage: Mapping[str, object], content: GraphContent) -> bool:
    """Whether a line of the ledger is true of the export: what it says was made must be in it."""
    first = str(stage["name"]).split(" ", maxsplit=1)[0]
    missing = {"vectors", *LATER} if not content.vectors else set()
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


Kind = Literal["string", "integer", "float", "boolean", "datetime", "date"]

_KINDS: Mapping[str, Kind] = {
    "STRING": "string",
    "INTEGER": "integer",
    "FLOAT": "float",
    "BOOLEAN": "boolean",
    "ZONED DATETIME": "datetime",
    "DATE": "date",
}
_LIST = re.compile(r"^(?:LIST|VECTOR)<(.+?)(?: NOT NULL)?>")


@dataclass(frozen=True, slots=True)
class Column:
    """A property: its name, what its values are, and whether they are lists of that."""

    name: str
    kind: Kind
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The properties by kind of node and by kind of edge, each in the order of names."""

    nodes: Mapping[str, tuple[Column, ...]]
    edges: Mapping[str, tuple[Column, ...]]


@dataclass(frozen=True, slots=True)
class GraphData:
    """What a writer of a format gets; nodes and edges can be gone through once, nodes first."""

    corpus: str
    columns: Columns
    nodes: Iterable[Node]
    edges: Iterable[Edge]


def read_columns(graph: Graph, corpus: str, content: GraphContent) -> Columns:
    """The properties that an export of this content has; kinds without a node or an edge are left out."""
    nodes: dict[str, tuple[Column, ...]] = {}
    types: dict[str, dict[str, set[str]]] = {}
    for label in content.labels:
        rows = graph.rows(query("corpus/list_node_properties"), corpus=corpus, label=label)
        left_out = content.left_out(label)
        if rows:
            nodes[label] = tuple(
                column_of(row["name"], row["types"]) for row in rows if row["name"] not in left_out
            )
        found = graph.rows(
            query("corpus/list_edge_properties"),
            corpus=corpus,
            label=label,
            labels=list(content.labels),
        )
        for row in found:
            names = types.setdefault(row["type"], {})
            if row["name"] is not None and row["name"] not in content.left_out():
                names.setdefault(row["name"], set()).update(row["types"])
    edges = {
        type_: tuple(column_of(name, names[name]) for name in sorted(names))
        for type_, names in sorted(types.items())
    }
    return Columns(nodes, edges)


def column_of(name: str, types: Iterable[str]) -> Column:
    """A column for values of these types, as Neo4j names them; where they are of several, it holds text."""
    plain, listed = set[str](), set[str]()
    for type_ in types:
        inner = _LIST.match(type_)
        if inner:
            listed.add(inner[1])
        else:
            plain.add(type_.removesuffix(" NOT NULL"))
    listed.discard("NOTHING")
    is_list = not plain
    kinds = {_KINDS.get(type_, "string") for type_ in plain | listed}
    if kinds == {"integer", "float"}:
        kinds = {"float"}
    mixed = len(kinds) != 1 or (bool(plain) and bool(listed))
    return Column(name, "string" if mixed else kinds.pop(), is_list)


NODES: Mapping[str, str] = {
    "Corpus": "A set of articles with all that was made of them.",
    "Article": "A text that was read, with its title, source, author and date.",
    "Chunk": "A stretch of whole sentences of an article, the unit of retrieval.",
    "Claim": "A sentence as a statement that stands alone.",
    "Entity": "A thing that claims are about; its names were merged into it.",
    "Alias": "A name that was merged into an entity.",
    "Cluster": "A group of claims on similar matters; a claim may be in several.",
    "SplitGroup": "Names that alike spelling would have merged, kept apart.",
    "Correction": "What a person decided about entities, by hand.",
    "Path": "Facts in a row, each beginning at the entity where the last one ended.",
    "Reject": "A row of the input that was set aside, with the reason.",
    "Stage": "A stage of the work, its state and what came of it.",
    "Question": "A question with its answer, made of a path or of several facts.",
    "Review": "A person's judgement of a question.",
    "Rating": "How hard a question is under another embedder or other chunks.",
    "Run": "A system that answered the questions, with its settings and cost.",
    "Answer": "What a run answered to a question.",
    "Step": "A step that a system took on the way to an answer.",
    "Verdict": "A judge's word on an answer.",
    "Cell": "Answers of one depth and one difficulty together, with their error rate.",
    "Finding": "What a report found in a run.",
    "Standard": "A judged comparison by a protocol that was locked before it, and what came of it.",
}
EDGES: Mapping[str, str] = {
    "HAS_CHUNK": "The article holds the chunk.",
    "NEXT": "The chunk is followed by the other one in its article.",
    "HAS_CLAIM": "The chunk holds the sentence of the claim.",
    "MENTIONS": "The claim's triples name the entity.",
    "NAMES": "The chunk names the entity, in a triple or not.",
    "RELATES": "A fact of a claim: subject, predicate, object.",
    "MIRRORED": "A fact carried over to an entity that means the same within a cluster.",
    "EXACT_EQUIVALENT": "The name was merged into the entity.",
    "CONTEXT_EQUIVALENT": "The two entities are the same within one cluster of claims.",
    "IN_CLUSTER": "The claim belongs to the cluster, with a probability.",
    "KEPT_APART": "The entity is one of the names that were kept apart.",
    "HOP": "A fact of the path, in its place.",
    "VISITS": "An entity on the path, in its place.",
    "ASKS_ABOUT": "The question begins at the entity.",
    "ANSWERED_BY": "The entity is the question's answer.",
    "FOLLOWS": "The question was made of the path.",
    "HAS_PREFIX": "The question goes on from a shorter one.",
    "HAS_HOP_QUESTION": "The composed question was put together from the atomic one.",
    "RESTS_ON": "The question's answer rests on the claim.",
    "SUPPORTED_BY": "The chunk is gold evidence for the question.",
    "GAVE": "The run gave the answer.",
    "GAVE_PREFIX": "The run gave the answer to a prefix question.",
    "TO": "The answer is to the question.",
    "RETRIEVED": "The answer's system retrieved the chunk, at a rank.",
    "HAS_REVIEW": "The question was judged in the review.",
    "RATES": "The rating is of the question.",
    "HAS_VERDICT": "The answer was judged by the verdict.",
    "HAS_CELL": "The run has the cell in its difficulty matrix.",
    "HAS_FINDING": "A report of the run found it.",
    "TOOK": "The answer's system took the step.",
    "COMPARES": "The standard compares the run with others.",
    "SAW": "The step showed the system the chunk, at a rank.",
}
