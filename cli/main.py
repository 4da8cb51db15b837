"""The command tree."""

import typer

from cli.console import one_sentence_errors

app = typer.Typer(
    name="kg",
    help="Hopgrade: turn articles into a knowledge graph in Neo4j, ask multi-hop questions of a RAG system, "
    "and see where it fails.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def main() -> None:
    """The entry point of `kg`."""
    with one_sentence_errors():
        app()
