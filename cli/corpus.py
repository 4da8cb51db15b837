"""`kg corpus`: the corpora in the graph."""

from typing import Annotated

import typer

from cli.completion import complete_corpora
from cli.console import lead_on, out, print_json, remark, table
from cli.options import AsJson, Corpus
from cli.session import Session, existing_corpus, open_session
from kg.corpus import has_nodes, list_corpora, require_corpus
from kg.errors import SettingsError, command
from kg.stages.articles import rejects
from services.rag.graph_search.cache import drop_whole

app = typer.Typer(rich_markup_mode=None)

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
Clear = Annotated[
    bool,
    typer.Option(
        "--clear",
        "--reinit",
        help="Delete the corpus with everything made from it first, as kg corpus drop does; asks before. "
        "Default: files are added to it.",
    ),
]
DiscardWork = Annotated[
    bool,
    typer.Option(
        "--discard-work",
        "--discard-reviews",
        help="Go on although verdicts by hand, or runs of outside systems, are deleted with their questions.",
    ),
]


@app.command("list", epilog="Example: kg corpus list --json")
def list_(as_json: AsJson = False) -> None:
    """List the corpora with their sizes."""
    with open_session() as session:
        found = list_corpora(session.graph)
    if as_json:
        print_json(found)
        return
    if not found:
        remark("there is no corpus yet. Make one: kg demo, or kg corpus ingest FILE --corpus NAME.")
        return
    columns = ("name", "articles", "chunks", "entities", "questions", "embedder")
    out.print(table("Corpora", columns, [[row[column] for column in columns] for row in found]))
    lead_on("How one was made, and what comes next", "corpus status --corpus", found[0]["name"])


@app.command(epilog="Example: kg corpus drop mine --yes")
def drop(
    name: Annotated[
        str | None,
        typer.Argument(
            help="The corpus to delete; --corpus NAME says the same.",
            show_default=False,
            autocompletion=complete_corpora,
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(help="The corpus to delete.", show_default=False, autocompletion=complete_corpora),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a corpus with everything made from it; asks first."""
    named = {one for one in (name, corpus) if one is not None}
    if len(named) != 1:
        raise SettingsError("one corpus is deleted at a time.", f"Name it: {command('corpus drop NAME')}")
    (name,) = named
    with open_session() as session:
        # Also where there is no corpus of the name, but something of one: what a drop that was cut off left.
        if not has_nodes(session.graph, name):
            require_corpus(session.graph, name, f"See all: {command('corpus list')}")
        _drop(session, name, yes)
    if as_json:
        print_json({"dropped": name})
        return
    remark(f"deleted corpus {name!r}.")


def clear_corpus(session: Session, name: str, yes: bool) -> None:
    """Delete what there is of a corpus, as `kg corpus drop` does; nothing where there is none.

    Raises:
        Exit: whoever was asked wants to keep it.
    """
    if has_nodes(session.graph, name):
        _drop(session, name, yes)


def _drop(session: Session, name: str, yes: bool) -> None:
    if not yes and not typer.confirm(f"Delete corpus {name!r} and everything made from it?", err=True):
        remark("kept.")
        raise typer.Exit(1)
    drop_whole(session.graph, name, session.settings.hopgrade_cache)


@app.command("rejects", epilog="Example: kg corpus rejects --corpus mine")
def rejects_(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """List the rows that were set aside, and notes on those that were kept, by file and line."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        found = list(rejects(session.graph, name))
    if as_json:
        print_json(found)
        return
    if not found:
        remark(f"nothing was set aside or noted in {name!r}.")
        return
    rows = [[row["place"], row["kind"], row["reason"]] for row in found]
    out.print(table(f"Set aside or noted in {name!r}", ("place", "kind", "reason"), rows))
