"""A corpus' graph in the files of one of the known formats.

A GraphML export read back, an element at a time.

The page that goes with an exported graph: what is in it, under which licence, and how to load it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from xml.etree.ElementTree import Element, ParseError, iterparse

from kg.corpus import require_corpus
from kg.errors import HopgradeError, InputError, SettingsError, command
from kg.progress import Progress
from kg.store.graph import Graph
from services.datasets.folder import (
    Comparison,
    ExportedFile,
    ExportWriter,
    GraphAccount,
    Item,
    Json,
    compare,
    edges_table,
    export_folder,
    nodes_table,
    read_graph_account,
)
from services.datasets.graph_content import (
    EDGES,
    NODES,
    Edge,
    GraphContent,
    GraphData,
    Node,
    read_columns,
    read_edges,
    read_nodes,
)
from services.datasets.graph_csv import expect_csv, read_csv, write_import_csv
from services.datasets.graph_cypher import expect_cypher, read_cypher, write_cypher
from services.datasets.graph_graphml import FILE, plain_text, write_graphml, xml_characters
from services.datasets.graph_nquads import expect_nquads, read_nquads, write_nquads

README = "README.md"
_LOAD: Mapping[str, str] = {
    "graphml": "Open `graph.graphml` in Gephi, Cytoscape or yEd, or in Python:\n\n"
    "    networkx.read_graphml('graph.graphml', force_multigraph=True)\n\n"
    "Lists are JSON, times are text of ISO 8601. `labels` of a node begins with its kind; `label` of an edge "
    "is its type.",
    "cypher": "In an empty Neo4j, 2026.01 or newer:\n\n"
    "    cypher-shell -u neo4j --file graph.cypher\n\n"
    f"Then use it: NEO4J_URI=... NEO4J_PASSWORD=... {command('corpus list')}. The indexes "
    "for search are made by the "
    "first command. A script that runs twice ends at its first node.",
    "nquads": "Load `graph.nq` into a triple store, or in Python:\n\n"
    "    rdflib.Dataset().parse('graph.nq', format='nquads')\n\n"
    "All quads are in one named graph. Nodes are `urn:hopgrade:node:ID`, terms `urn:hopgrade:vocab:NAME`: "
    "classes, edges and properties, explained in `vocabulary.nt`. An edge that holds something is a "
    "`rdf:Statement` as well. Lists are JSON literals (`rdf:JSON`).",
    "neo4j-csv": "With the server stopped, in this folder:\n\n"
    "    neo4j-admin database import full neo4j --overwrite-destination @import.args\n\n"
    "This replaces the database. Start the server, and make the empty lists, which the import leaves out:\n\n"
    "    cypher-shell -u neo4j --file after-import.cypher\n\n"
    'Lists are separated by U+001F. An empty field is a missing value, `""` an empty string.',
}


def write_readme(
    writer: ExportWriter,
    corpus: str,
    format_: str,
    content: GraphContent,
    licence: str,
    nodes: Mapping[str, int],
    edges: Mapping[str, int],
) -> None:
    """Write `README.md`; the corpus' name and the licence stand in it as code, never as markup."""
    with writer.text(README) as file:
        file.write(f"# A knowledge graph\n\nCorpus: {_as_code(corpus)}, exported by Hopgrade.\n\n")
        file.write(f"## Licence\n\n{_licence(content, licence)}\n\n")
        file.write(f"## Load it\n\n{_LOAD[format_]}\n\n")
        file.write(f"## What is in it\n\n{_counts_in_words(content)}\n\n")
        for title, counts, meanings in (("nodes", nodes, NODES), ("edges", edges, EDGES)):
            file.write(f"| {title} | number | what it is |\n| --- | --- | --- |\n")
            file.writelines(
                f"| {kind} | {counts[kind]:,} | {meanings.get(kind, '')} |\n" for kind in sorted(counts)
            )
            file.write("\n")


def _licence(content: GraphContent, licence: str) -> str:
    if licence:
        return f"The articles: {_as_code(licence)}."
    if content.texts:
        return "Not stated. It holds the articles' texts: pass it on only where their licence allows."
    return "Not stated. The texts of the articles are left out."


def _counts_in_words(content: GraphContent) -> str:
    parts = []
    if content.part == "knowledge":
        parts.append("What was read out of the articles; no questions, runs and answers.")
    if not content.texts:
        parts.append(
            "Without the sentences of articles, chunks and claims: offsets and the articles' SHA-256 point "
            "to them. Nothing more can be built on it."
        )
    if not content.vectors:
        parts.append(
            f"Without vectors: {command('corpus build')} makes them anew, where the texts are there."
        )
    return " ".join(parts) or "Everything that the corpus holds."


def _as_code(text: str) -> str:
    fence = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    return f"{fence} {' '.join(text.split())} {fence}" if len(fence) > 1 else f"`{' '.join(text.split())}`"


def _runs(text: str) -> list[str]:
    return [run for run in "".join(char if char == "`" else " " for char in text).split(" ") if run]


_SPACE = "{http://graphml.graphdrawing.org/xmlns}"
_LABELS, _LABEL = "labels", "label"
_PARSED: Mapping[str, Callable[[str], object]] = {
    "long": int,
    "double": float,
    "boolean": {"true": True, "false": False}.__getitem__,
    "string": str,
}
"""How the text of each type is read; what can't be read raises."""


def expect_graphml(one: Node | Edge) -> Iterator[Item]:
    """What a reader must find of a node or an edge."""
    told = {name: xml_characters(plain_text(value)) for name, value in one.properties.items()}
    if isinstance(one, Node):
        yield Item(nodes_table(one.kind), (one.id, *one.labels), told)
    else:
        yield Item(edges_table(one.type), (one.id, one.start, one.end), told)


def read_graphml(folder: Path) -> Iterator[Item]:
    """The nodes and edges of `graph.graphml`; memory holds one of them.

    Raises:
        InputError: it is no GraphML, or a value is not of the type that its key declares.
    """
    path = folder / FILE
    keys: dict[str, tuple[str, str]] = {}
    try:
        graph: Element | None = None
        # Entities that grow without end are refused by expat itself.
        for event, element in iterparse(path, ("start", "end")):  # noqa: S314
            name = element.tag.removeprefix(_SPACE)
            if event == "start":
                graph = element if name == "graph" else graph
            elif name == "key":
                keys[element.attrib["id"]] = (element.attrib["attr.name"], element.attrib["attr.type"])
            elif name in ("node", "edge"):
                yield _item(name, element, keys)
                if graph is not None:
                    graph.clear()
    except (OSError, ParseError, KeyError, ValueError) as error:
        raise InputError(f"{path} can't be read as GraphML: {error}.", "Export the graph anew.") from error


def _item(name: str, element: Element, keys: Mapping[str, tuple[str, str]]) -> Item:
    told: dict[str, str] = {}
    for data in element:
        key, type_ = keys[data.attrib["key"]]
        told[key] = data.text or ""
        _PARSED[type_](told[key])
    given = element.attrib
    if name == "node":
        labels = told.pop(_LABELS).split(":")[1:]
        return Item(nodes_table(labels[0]), (given["id"], *labels), told)
    return Item(edges_table(told.pop(_LABEL)), (given["id"], given["source"], given["target"]), told)


GRAPH = "graph"
"""What the manifest of an exported graph calls itself."""
T = TypeVar("T", Node, Edge)


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A format: what it is for, and how it is written and read back.

    `expect` tells what `read` must find of a node or an edge; `restores`, whether Neo4j makes the graph anew.
    """

    name: str
    purpose: str
    write: Callable[[ExportWriter, GraphData], None]
    expect: Callable[[Node | Edge], Iterable[Item]]
    read: Callable[[Path], Iterator[Item]]
    restores: bool


@dataclass(frozen=True, slots=True)
class GraphExport:
    """What was written: nodes and edges by kind, the files, and what was read back of them."""

    folder: Path
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    files: tuple[ExportedFile, ...]
    compared: tuple[Comparison, ...]


GRAPH_FORMATS: Mapping[str, GraphFormat] = {
    one.name: one
    for one in (
        GraphFormat(
            "graphml",
            "GraphML, for Gephi, Cytoscape, yEd and networkx",
            write_graphml,
            expect_graphml,
            read_graphml,
            restores=False,
        ),
        GraphFormat(
            "cypher",
            "a script that makes the graph in an empty Neo4j",
            write_cypher,
            expect_cypher,
            read_cypher,
            restores=True,
        ),
        GraphFormat(
            "nquads",
            "RDF, for triple stores and rdflib",
            write_nquads,
            expect_nquads,
            read_nquads,
            restores=False,
        ),
        GraphFormat(
            "neo4j-csv",
            "CSV files for neo4j-admin database import",
            write_import_csv,
            expect_csv,
            read_csv,
            restores=True,
        ),
    )
}


def choose_graph_format(name: str) -> GraphFormat:
    """The format of that name.

    Raises:
        SettingsError: there is none.
    """
    found = GRAPH_FORMATS.get(name)
    if found is None:
        raise SettingsError(f"{name!r} is no format of graphs.", f"Give one of: {', '.join(GRAPH_FORMATS)}.")
    return found


def export_graph(
    graph: Graph,
    corpus: str,
    format_: GraphFormat,
    content: GraphContent,
    out: Path,
    progress: Progress,
    licence: str = "",
    force: bool = False,
    verify: bool = False,
) -> GraphExport:
    """Write the graph of a corpus into a folder, which appears whole or not at all.

    Memory holds a page of nodes with their edges at a time. The same graph gives the same bytes. `verify`
    reads everything back and compares it with the graph before the folder appears.

    Raises:
        CorpusError: there is no such corpus.
        SettingsError: the folder is taken, or can't be written.
        HopgradeError: what was written can't be read back; nothing is left of it.
    """
    require_corpus(graph, corpus)
    nodes, edges, account = Counter[str](), Counter[str](), GraphAccount()
    with export_folder(out, force) as writer:
        progress.begin(f"export as {format_.name}")
        columns = read_columns(graph, corpus, content)
        read, joined = read_nodes(graph, corpus, content), read_edges(graph, corpus, content)
        data = GraphData(
            corpus,
            columns,
            _count_items(format_, read, lambda node: node.kind, nodes, account, progress),
            _count_items(format_, joined, lambda edge: edge.type, edges, account, progress),
        )
        format_.write(writer, data)
        write_readme(writer, corpus, format_.name, content, licence, nodes, edges)
        writer.describe(
            {
                "kind": GRAPH,
                "format": format_.name,
                "corpus": corpus,
                "part": content.part,
                "texts": content.texts,
                "vectors": content.vectors,
                "licence": licence or None,
                "nodes": dict(sorted(nodes.items())),
                "edges": dict(sorted(edges.items())),
                "tables": account.sums(),
            }
        )
        compared = _read_back(format_, writer.folder, account) if verify else ()
        progress.end(f"{nodes.total():,} nodes, {edges.total():,} edges")
    files = tuple(writer.files[name] for name in sorted(writer.files))
    return GraphExport(out, nodes, edges, files, compared)


def compare_graph(format_: GraphFormat, folder: Path, written: Mapping[str, Json]) -> tuple[Comparison, ...]:
    """What a manifest says of its tables beside what the format's reader finds in the folder.

    Raises:
        InputError: a file can't be read as the format.
    """
    return tuple(compare(written, read_graph_account(format_.read(folder)).sums()))


def _read_back(format_: GraphFormat, folder: Path, account: GraphAccount) -> tuple[Comparison, ...]:
    compared = compare_graph(format_, folder, account.sums())
    for one in compared:
        if not one.equal:
            raise HopgradeError(
                f"of {one.written:,} {one.table} {one.found:,} were read back, not as in the graph.",
                "Nothing was exported; please report this with the name of the format.",
            )
    return compared


def _count_items(
    format_: GraphFormat,
    found: Iterator[T],
    kind: Callable[[T], str],
    counts: Counter[str],
    account: GraphAccount,
    progress: Progress,
) -> Iterator[T]:
    for one in found:
        counts[kind(one)] += 1
        for item in format_.expect(one):
            account.add(item)
        progress.advance()
        yield one
