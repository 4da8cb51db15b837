"""The command tree, and how every command ends."""

import sys
from typing import Annotated, Any

import typer

from cli.commands import COMMANDS
from cli.console import one_sentence_errors, print_error, remark, write_in_any_encoding
from cli.on_demand import OnDemandGroup
from kg import __version__


class _Root(OnDemandGroup):
    """`kg` itself, as Typer makes it, with the commands of the table."""

    def __init__(self, **shell: Any) -> None:  # noqa: ANN401
        super().__init__(COMMANDS, **shell)


app = typer.Typer(
    name="kg",
    cls=_Root,
    help="Hopgrade: turn articles into a knowledge graph in Neo4j, ask multi-hop questions of a RAG system, "
    "and see where it fails.",
    epilog="Begin with: kg demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hopgrade {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """Hopgrade: graph-native evaluation of multi-hop RAG."""


STOPPED = 130
"""What Typer returns after Ctrl-C when it is not to end the process itself; shells use the same number."""


def main() -> None:
    """The entry point of `kg`: runs a command and ends the process with its exit code."""
    write_in_any_encoding()
    code = 0
    try:
        with one_sentence_errors():
            # Typer's own ending would hide Ctrl-C behind a bare exit code, and print usage before an error.
            code = app(prog_name="kg", standalone_mode=False) or 0
    except typer.TyperException as error:
        code = error.exit_code
        _print_usage_error(error)
    except typer.Abort:
        code = 1
        remark("stopped: nothing was changed.")
    if code == STOPPED:
        remark("stopped. Nothing is lost: the same command goes on where it was.")
    sys.exit(code)


def _print_usage_error(error: typer.TyperException) -> None:
    # What a check of a value adds in front tells a reader nothing.
    message = error.format_message().replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    if context is not None and message == context.get_help():
        typer.echo(message)
    else:
        where = context.command_path if context is not None else "kg COMMAND"
        print_error(f"{message.rstrip('.')}. See: {where} --help")
