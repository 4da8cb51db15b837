"""The page that goes with an exported graph: what is in it, under which licence, and how to load it."""

from collections.abc import Mapping

from services.exports.folder import ExportWriter
from services.exports.graph_content import GraphContent
from services.exports.graph_vocabulary import EDGES, NODES

README = "README.md"
_LOAD: Mapping[str, str] = {
    "graphml": "Open `graph.graphml` in Gephi, Cytoscape or yEd, or in Python:\n\n"
    "    networkx.read_graphml('graph.graphml', force_multigraph=True)\n\n"
    "Lists are JSON, times are text of ISO 8601. `labels` of a node begins with its kind; `label` of an edge "
    "is its type.",
    "cypher": "In an empty Neo4j, 2026.01 or newer:\n\n"
    "    cypher-shell -u neo4j --file graph.cypher\n\n"
    "Then use it: NEO4J_URI=... NEO4J_PASSWORD=... kg corpus list. The indexes for search are made by the "
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
        file.write(f"## What is in it\n\n{_told(content)}\n\n")
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


def _told(content: GraphContent) -> str:
    parts = []
    if content.part == "knowledge":
        parts.append("What was read out of the articles; no questions, runs and answers.")
    if not content.texts:
        parts.append(
            "Without the sentences of articles, chunks and claims: offsets and the articles' SHA-256 point "
            "to them. Nothing more can be built on it."
        )
    if not content.vectors:
        parts.append("Without vectors: `kg corpus build` makes them anew, where the texts are there.")
    return " ".join(parts) or "Everything that the corpus holds."


def _as_code(text: str) -> str:
    fence = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    return f"{fence} {' '.join(text.split())} {fence}" if len(fence) > 1 else f"`{' '.join(text.split())}`"


def _runs(text: str) -> list[str]:
    return [run for run in "".join(char if char == "`" else " " for char in text).split(" ") if run]
