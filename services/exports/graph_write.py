"""A corpus' graph in the files of one of the known formats."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kg.corpus import require_corpus
from kg.errors import HopgradeError, SettingsError
from kg.progress import Progress
from kg.store.graph import Graph
from services.exports.account import Comparison, compare
from services.exports.folder import ExportedFile, ExportWriter, Json, export_folder
from services.exports.graph_account import GraphAccount, Item, read_graph_account
from services.exports.graph_columns import GraphData, read_columns
from services.exports.graph_content import Edge, GraphContent, Node, read_edges, read_nodes
from services.exports.graph_csv import write_import_csv
from services.exports.graph_cypher import write_cypher
from services.exports.graph_graphml import write_graphml
from services.exports.graph_nquads import write_nquads
from services.exports.graph_read_csv import expect_csv, read_csv
from services.exports.graph_read_cypher import expect_cypher, read_cypher
from services.exports.graph_read_graphml import expect_graphml, read_graphml
from services.exports.graph_read_nquads import expect_nquads, read_nquads
from services.exports.graph_readme import write_readme

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
            _told(format_, read, lambda node: node.kind, nodes, account, progress),
            _told(format_, joined, lambda edge: edge.type, edges, account, progress),
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


def _told(
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
