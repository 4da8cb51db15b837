"""`kg graph export`: the graph of a corpus for the tools of others."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from cli.console import out, print_json, remark, say, table
from cli.export_tables import tell_compared
from cli.options import AsJson, Corpus
from cli.session import existing_corpus, open_session
from kg.errors import SettingsError
from kg.store.leases import reading_whole
from services.exports.graph_content import GraphContent, Part
from services.exports.graph_write import (
    GRAPH_FORMATS,
    GraphExport,
    GraphFormat,
    choose_graph_format,
    export_graph,
)


def export(
    format_: Annotated[
        str, typer.Argument(metavar="FORMAT", help=f"One of: {', '.join(GRAPH_FORMATS)}.", show_default=False)
    ],
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder to write.", show_default=False)
    ],
    corpus: Corpus = None,
    part: Annotated[
        str, typer.Option(help="all, or knowledge: without questions, runs and what hangs on them.")
    ] = "all",
    texts: Annotated[
        bool, typer.Option("--texts/--no-texts", help="With the sentences of the articles, or without.")
    ] = True,
    vectors: Annotated[
        bool | None,
        typer.Option(
            "--vectors/--no-vectors",
            help="With embeddings, or without. Default: with, for cypher and neo4j-csv with texts.",
            show_default=False,
        ),
    ] = None,
    licence: Annotated[
        str, typer.Option(help="Licence of the articles, to be stated in the export.", show_default=False)
    ] = "",
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Read everything back and compare it with the graph before it appears."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an older export in this folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the graph of a corpus as GraphML, a Cypher script, RDF, or CSV files for Neo4j's import.

    The folder appears whole or not at all, and the same graph gives the same bytes. Its README.md says how to
    load it, manifest.json has counts and checksums; kg dataset verify checks it later.
    """
    chosen = choose_graph_format(format_)
    content = _content(chosen, part, texts, vectors)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        with reading_whole(session.graph, name) as graph:
            done = export_graph(
                graph, name, chosen, content, folder, session.progress, licence, force, verify
            )
    if as_json:
        print_json(
            {
                "folder": str(done.folder),
                "format": chosen.name,
                "corpus": name,
                "nodes": dict(done.nodes),
                "edges": dict(done.edges),
                "files": [asdict(one) for one in done.files],
                "compared": [asdict(one) for one in done.compared],
            }
        )
        return
    _show(done)
    if texts and not licence:
        remark(
            "note: the texts of the articles are in it, and no licence. State it with --licence, or leave "
            "them out with --no-texts."
        )


def _content(chosen: GraphFormat, part: str, texts: bool, vectors: bool | None) -> GraphContent:
    if part not in get_args(Part):
        raise SettingsError(f"{part!r} is no part of a graph.", f"Give one of: {', '.join(get_args(Part))}.")
    wanted = chosen.restores and texts if vectors is None else vectors
    return GraphContent(cast(Part, part), texts, wanted)


def _show(done: GraphExport) -> None:
    rows = [[one.name, f"{one.bytes:,}", one.sha256[:12]] for one in done.files]
    out.print(table(f"Written to {done.folder}", ("file", "bytes", "sha256"), rows))
    say(f"{sum(done.nodes.values()):,} nodes, {sum(done.edges.values()):,} edges.")
    tell_compared(done.compared)


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command(epilog="Example: kg graph export graphml --out exported/graph --corpus news")(export)
