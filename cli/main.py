"""The command tree."""

from typing import Annotated

import typer

from cli import articles, ask, corpus, doctor, job, matrix, questions, server, status
from cli.console import one_sentence_errors
from kg import __version__

app = typer.Typer(
    name="kg",
    help="Hopgrade: turn articles into a knowledge graph in Neo4j, ask multi-hop questions of a RAG system, "
    "and see where it fails.",
    epilog="Begin with: kg demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    """Hopgrade: graph-native evaluation of multi-hop RAG."""
    if version:
        typer.echo(f"hopgrade {__version__}")
        raise typer.Exit


job.register(app)
articles.register(app)
ask.register(app)
status.register(app)
matrix.register(app)
app.add_typer(questions.app)
app.add_typer(corpus.app)
app.add_typer(server.app)
app.command(epilog="Example: kg doctor --json")(doctor.doctor)


def main() -> None:
    """The entry point of `kg`."""
    with one_sentence_errors():
        app()
