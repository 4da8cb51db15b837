"""Write the pages of docs/ that are made from the code: `python -m tests.docs.write_reference`."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic.fields import FieldInfo

from kg import errors
from kg.errors import HopgradeError, UserError
from kg.settings import Settings
from tests.cli.command_tree import Leaf, leaves, root
from tests.docs.markdown import WRITTEN, joined, page, table
from tests.docs.reference_code import decisions, formats, measures
from tests.docs.reference_graph import cypher_files, graph_schema
from tests.docs.reference_papers import papers
from tests.docs.reference_standard import standard_file

DOCS = Path(__file__).parents[2] / "docs"

_FOLDERS = {
    "HOPGRADE_HOME": "`hopgrade` in your data folder: `~/.local/share` on Linux, "
    "`~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows",
    "HOPGRADE_CACHE": "`hopgrade` in your cache folder: `~/.cache` on Linux, `~/Library/Caches` on macOS, "
    "`%LOCALAPPDATA%` on Windows",
}
"""Defaults that differ from machine to machine, in words."""


def commands() -> str:
    """Every command with its arguments, its options and its example."""
    lines = [
        "# Commands",
        WRITTEN,
        root().help or "",
        "`kg`, a group such as `kg corpus`, and any command with `--help` print what stands here; "
        "`kg --version` prints the version.",
        "With `--json` a command prints one JSON document on standard output and nothing else there; "
        "progress and errors go to standard error. Exit codes: 0 done, 1 failed or answered with no, "
        "2 something that you can mend, 130 stopped by Ctrl-C. See [errors](errors.md).",
        *table(("command", "what it does"), ((_link(leaf), _summary(leaf)) for leaf in leaves())),
    ]
    for leaf in leaves():
        lines += _command(leaf)
    return page(lines)


def settings() -> str:
    """Every setting with its variable, its default and its meaning."""
    fields = Settings.model_fields.items()
    rows = (
        (f"`{name.upper()}`", _default(name.upper(), field), field.description or "")
        for name, field in fields
    )
    return page(
        [
            "# Settings",
            WRITTEN,
            _meaning(Settings),
            "A value in the environment comes before one in `.env`. None of them is needed: without any, "
            "`kg` starts a Neo4j of its own and uses the built-in embedder. What a corpus depends on is not "
            "set here but by options, and kept with the corpus: see [commands](commands.md).",
            *table(("variable", "default", "meaning"), rows),
        ]
    )


def error_tree() -> str:
    """Every error with its exit code, indented under the one it is a kind of."""
    rows = [
        (f"{'&nbsp;' * 4 * depth}`{kind.__name__}`", str(kind.exit_code), _meaning(kind))
        for kind, depth in _kinds(HopgradeError)
    ]
    return page(
        [
            "# Errors",
            WRITTEN,
            "An error is one sentence on standard error that says what and where, and the next step. It has "
            f"no traceback. Exit code {UserError.exit_code} means that you can mend it; "
            f"{HopgradeError.exit_code} that something failed, and what was committed stays: the same "
            "command goes on where it was. A wrong command or option ends with 2 as well, Ctrl-C with 130.",
            "In Python every one is a `kg.errors.HopgradeError` with `message`, `remedy` and `exit_code`.",
            *table(("error", "exit code", "meaning"), rows),
        ]
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/settings.md": settings,
    "reference/errors.md": error_tree,
    "reference/graph-schema.md": graph_schema,
    "reference/cypher.md": cypher_files,
    "reference/measures.md": measures,
    "reference/formats.md": formats,
    "reference/standard-file.md": standard_file,
    "reference/papers.md": papers,
    "decisions/index.md": decisions,
}
"""The pages by their place in docs/."""


def _command(leaf: Leaf) -> Iterator[str]:
    context = leaf.command.make_context(leaf.call, [], resilient_parsing=True)
    arguments = [
        (argument.metavar or (argument.name or "").upper(), argument.help) for argument in leaf.arguments
    ]
    options = [record for option in leaf.options if (record := option.get_help_record(context))]
    yield f"## {leaf.call}"
    yield joined(leaf.command.help or "")
    yield f"```\n{' '.join((leaf.call, '[OPTIONS]', *(name for name, _ in arguments)))}\n```"
    rows = ((f"`{name}`", joined(meaning or "")) for name, meaning in (*arguments, *options))
    yield from table(("argument or option", "meaning"), rows)
    yield f"Example:\n\n```\n{leaf.example}\n```"


def _link(leaf: Leaf) -> str:
    return f"[`{leaf.call}`](#{leaf.call.replace(' ', '-')})"


def _summary(leaf: Leaf) -> str:
    return joined((leaf.command.help or "").split("\n\n")[0])


def _default(variable: str, field: FieldInfo) -> str:
    if words := _FOLDERS.get(variable):
        return words
    default = field.get_default(call_default_factory=True)
    return "" if default is None or default == {} else f"`{default}`"


def _kinds(kind: type[HopgradeError], depth: int = 0) -> Iterator[tuple[type[HopgradeError], int]]:
    yield kind, depth
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from _kinds(below, depth + 1)


def _meaning(kind: type) -> str:
    return joined((inspect.getdoc(kind) or "").split("\n\n")[0])


if __name__ == "__main__":
    for place, write in PAGES.items():
        (DOCS / place).write_text(write(), encoding="utf-8")
