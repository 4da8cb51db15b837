"""What people needn't type in full: names and ids that a shell completes, ids by their beginning.

A shell asks at each press of the tab key, so what completes asks a server that runs already, for a moment,
and says nothing where there is none.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from shlex import quote

import typer

from cli.console import say
from kg.connect import connect_if_running
from kg.corpus import list_corpora
from kg.errors import HopgradeError, NothingToDoError, SettingsError
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph

SHELLS = ("bash", "zsh", "fish")
COMPLETION_OPTIONS = ("--install-completion", "--show-completion")
SHOWN = 20
"""Ids that a shell is offered, or that an ambiguous one is told apart by, at most."""
LABELS = {
    "question": "Question",
    "path": "Path",
    "answer": "Answer",
    "correction": "Correction",
}


def whole_id(graph: Graph, kind: str, given: str, corpus: str = "") -> str:
    """The id that begins with what was given, with or without its kind; the same text where none does.

    `question-8613378d76ff236f`, `question-8613` and `8613` mean the same while no other question begins so.

    Raises:
        NothingToDoError: several ids begin with it.
    """
    prefix = given if given.startswith(f"{kind}-") else f"{kind}-{given}"
    found = _ids_from(graph, kind, prefix, corpus)
    if len(found) > 1 and prefix not in found:
        more = " ..." if len(found) == SHOWN else ""
        raise NothingToDoError(
            f"{len(found)}{' or more' if more else ''} ids begin with {given!r}: {', '.join(found[:4])}"
            f"{more if len(found) <= 4 else ' ...'}",
            "Give more of it.",
        )
    return prefix if prefix in found else found[0] if found else given


def set_completion_up(arguments: Sequence[str]) -> bool:
    """Let Typer's scripts call this program by its path, and do what a shell that is named asks for.

    Typer's scripts call a bare name, which no shell finds where the environment is not active, and its
    options take no shell: with one behind them this prints or installs its script. False where Typer is to
    go on.
    """
    if not {*COMPLETION_OPTIONS} & {*arguments}:
        return False
    from typer import _completion_shared as shared  # noqa: PLC0415 - no other command should pay

    program = quote(os.path.abspath(sys.argv[0])).replace("%", "%%")  # noqa: PTH100 - a link is not followed
    for shell in SHELLS:
        shared._completion_scripts[shell] = _CALL.sub(
            lambda call: call[1] + program, shared._completion_scripts[shell]
        )
    option, *named = arguments
    if option not in COMPLETION_OPTIONS or len(named) != 1:
        return False
    if named[0] not in SHELLS:
        raise SettingsError(
            f"there is no completion for the shell {named[0]!r}.", f"Name one of {', '.join(SHELLS)}."
        )
    if option == "--show-completion":
        typer.echo(shared.get_completion_script(prog_name="kg", complete_var="_KG_COMPLETE", shell=named[0]))
    else:
        _, path = shared.install(named[0], "kg")
        say(f"completion for {named[0]} installed in {path}; it works in the next terminal.")
    return True


_CALL = re.compile(r"(complete_bash |complete_zsh |\(commandline -cp\) )(?:\$1|%\(prog_name\)s)")
"""Where Typer's scripts call the program."""


def complete_from(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes one of a few words that are known without a server."""

    def complete(incomplete: str) -> list[str]:
        return _beginning(incomplete, choices)

    return complete


def complete_corpora(incomplete: str) -> list[str]:
    """Names of corpora."""
    with suppress(HopgradeError), _glance() as graph:
        if graph is not None:
            return _beginning(incomplete, (row["name"] for row in list_corpora(graph)))
    return []


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of runs, of the corpus that was named or of all."""
    with suppress(HopgradeError), _glance() as graph:
        if graph is not None:
            given = ctx.params.get("corpus")
            corpora = [given] if given else [row["name"] for row in list_corpora(graph)]
            found = (
                row["name"] for name in corpora for row in graph.rows(query("runs/list_runs"), corpus=name)
            )
            return _beginning(incomplete, sorted(set(found)))
    return []


def complete_questions(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of questions."""
    return _complete_ids("question", ctx, incomplete)


def complete_paths(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of hop paths."""
    return _complete_ids("path", ctx, incomplete)


def complete_corrections(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of corrections."""
    return _complete_ids("correction", ctx, incomplete)


def _complete_ids(kind: str, ctx: typer.Context, incomplete: str) -> list[str]:
    start = f"{kind}-"
    prefix = start if start.startswith(incomplete) else incomplete
    with suppress(HopgradeError), _glance() as graph:
        if graph is not None:
            return _ids_from(graph, kind, prefix, ctx.params.get("corpus") or "")
    return []


def _ids_from(graph: Graph, kind: str, prefix: str, corpus: str) -> list[str]:
    rows = graph.rows(query("corpus/find_ids"), label=LABELS[kind], prefix=prefix, corpus=corpus, limit=SHOWN)
    return [str(row["id"]) for row in rows]


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


@contextmanager
def _glance() -> Iterator[Graph | None]:
    """A connection to what runs already, or None; whatever goes wrong ends in no completion."""
    graph: Graph | None = None
    with suppress(HopgradeError, ValueError):
        graph = connect_if_running(Settings())
    try:
        yield graph
    finally:
        if graph is not None:
            graph.close()
