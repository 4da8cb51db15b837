"""Groups that import a command when it is called: a list of commands, or a wrong name, imports none."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from cli.commands import Command, Entry, Group

if TYPE_CHECKING:
    from typer._click import Command as AnyCommand
    from typer._click import Context, HelpFormatter


class OnDemandGroup(TyperGroup):
    """A group whose commands stand in a table and are imported from there one by one."""

    def __init__(self, listed: Mapping[str, Entry], **shell: Any) -> None:  # noqa: ANN401
        super().__init__(**shell)
        self.listed = listed
        # Typer would let commands be added; here the table is all there is.
        self.commands = cast("MutableMapping[str, AnyCommand]", _Imported(listed))

    def list_commands(self, ctx: "Context") -> list[str]:
        """The names in the order of the table."""
        return list(self.listed)

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the list of commands as Typer does, from the lines of the table."""
        lines: dict[str, AnyCommand] = {
            name: TyperCommand(name, help=entry.help) for name, entry in self.listed.items()
        }
        TyperGroup(commands=lines).format_commands(ctx, formatter)


class _Imported(Mapping[str, "AnyCommand"]):
    """Commands by name; one is imported when it is read, and kept."""

    def __init__(self, listed: Mapping[str, Entry]) -> None:
        self._listed = listed
        self._kept: dict[str, AnyCommand] = {}

    def __getitem__(self, name: str) -> "AnyCommand":
        if name not in self._kept:
            self._kept[name] = _command(name, self._listed[name])
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def _command(name: str, entry: Entry) -> "AnyCommand":
    match entry:
        case Group(about, commands):
            return OnDemandGroup(commands, name=name, help=about, no_args_is_help=True, rich_markup_mode=None)
        case Command(module):
            return commands_of(module)[name]


def commands_of(module: str) -> Mapping[str, "AnyCommand"]:
    """The commands that a module makes, by name: those of its `app`, or those that its `register` adds."""
    made = vars(import_module(module))
    app = made.get("app")
    if app is None:
        app = typer.Typer(rich_markup_mode=None)
        made["register"](app)
    return get_group(app).commands
