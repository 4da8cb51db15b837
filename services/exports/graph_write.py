"""A corpus' graph in the files of one of the known formats."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kg.corpus import require_corpus
from kg.errors import SettingsError
from kg.progress import Progress
from kg.store.graph import Graph
from services.exports.folder import ExportedFile, ExportWriter, export_folder
from services.exports.graph_columns import GraphData, read_columns
from services.exports.graph_content import Edge, GraphContent, Node, read_edges, read_nodes
from services.exports.graph_csv import write_import_csv
from services.exports.graph_cypher import write_cypher
from services.exports.graph_graphml import write_graphml
from services.exports.graph_nquads import write_nquads
from services.exports.graph_readme import write_readme

Write = Callable[[ExportWriter, GraphData], None]
T = TypeVar("T", Node, Edge)


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A format: what it is for, how it is written, and whether Neo4j makes the graph anew from it."""

    name: str
    purpose: str
    write: Write
    restores: bool


@dataclass(frozen=True, slots=True)
class GraphExport:
    """What was written: nodes and edges by kind, and the files."""

    folder: Path
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    files: tuple[ExportedFile, ...]


GRAPH_FORMATS: Mapping[str, GraphFormat] = {
    one.name: one
    for one in (
        GraphFormat(
            "graphml", "GraphML, for Gephi, Cytoscape, yEd and networkx", write_graphml, restores=False
        ),
        GraphFormat("cypher", "a script that makes the graph in an empty Neo4j", write_cypher, restores=True),
        GraphFormat("nquads", "RDF, for triple stores and rdflib", write_nquads, restores=False),
        GraphFormat(
            "neo4j-csv", "CSV files for neo4j-admin database import", write_import_csv, restores=True
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
) -> GraphExport:
    """Write the graph of a corpus into a folder, which appears whole or not at all.

    Memory holds a page of nodes with their edges at a time. The same graph gives the same bytes.

    Raises:
        CorpusError: there is no such corpus.
        SettingsError: the folder is taken, or can't be written.
    """
    require_corpus(graph, corpus)
    nodes, edges = Counter[str](), Counter[str]()
    with export_folder(out, force) as writer:
        progress.begin(f"export as {format_.name}")
        columns = read_columns(graph, corpus, content)
        found = _counted(read_nodes(graph, corpus, content), lambda node: node.kind, nodes, progress)
        joined = _counted(read_edges(graph, corpus, content), lambda edge: edge.type, edges, progress)
        format_.write(writer, GraphData(corpus, columns, found, joined))
        write_readme(writer, corpus, format_.name, content, licence, nodes, edges)
        writer.describe(
            {
                "format": format_.name,
                "corpus": corpus,
                "part": content.part,
                "texts": content.texts,
                "vectors": content.vectors,
                "licence": licence or None,
                "nodes": dict(sorted(nodes.items())),
                "edges": dict(sorted(edges.items())),
            }
        )
        progress.end(f"{nodes.total():,} nodes, {edges.total():,} edges")
    return GraphExport(out, nodes, edges, tuple(writer.files[name] for name in sorted(writer.files)))


def _counted(
    found: Iterator[T], kind: Callable[[T], str], counts: Counter[str], progress: Progress
) -> Iterator[T]:
    for one in found:
        counts[kind(one)] += 1
        progress.advance()
        yield one
