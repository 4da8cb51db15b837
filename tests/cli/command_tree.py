"""The command tree of `kg`, as the tests and the reference read it."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from cli.main import app


@dataclass(frozen=True, slots=True)
class Leaf:
    """A command with the words that call it, without `kg`."""

    words: tuple[str, ...]
    command: TyperCommand

    @property
    def call(self) -> str:
        """What a user types to get there: "kg corpus list"."""
        return " ".join(("kg", *self.words))

    @property
    def example(self) -> str:
        """The example at the end of the help, "" where there is none."""
        return (self.command.epilog or "").partition("Example: ")[2]

    @property
    def arguments(self) -> list[TyperArgument]:
        """The positional arguments in order."""
        return [found for found in self.command.params if isinstance(found, TyperArgument)]

    @property
    def options(self) -> list[TyperOption]:
        """The options in order, without --help."""
        return [found for found in self.command.params if isinstance(found, TyperOption)]


@cache
def root() -> TyperGroup:
    """`kg` itself, with all its modules: it takes long to make."""
    found = get_command(app)
    assert isinstance(found, TyperGroup)
    return found


def leaves(group: TyperGroup | None = None, words: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Every command that does something, in the order of the help."""
    for name, command in (group or root()).commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, (*words, name))
        else:
            assert isinstance(command, TyperCommand)
            yield Leaf((*words, name), command)


def find(line: str) -> tuple[Leaf, list[str]]:
    """The command that a line like "kg corpus drop mine | cat" calls, and its arguments."""
    called, *arguments = shlex.split(line.partition(" | ")[0])
    assert called == "kg", line
    for leaf in leaves():
        if tuple(arguments[: len(leaf.words)]) == leaf.words:
            return leaf, arguments[len(leaf.words) :]
    raise AssertionError(f"no command is called by {line}")
