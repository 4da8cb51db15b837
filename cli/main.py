"""The command tree, and how every command ends.

Groups that import a command when it is called: a list of commands, or a wrong name, imports none.
"""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from cli.commands import ALIASES, COMMANDS, ELSEWHERE, Command, Entry, Group
from cli.console import fast_imports, one_sentence_errors, print_error, remark, write_in_any_encoding
from kg import __version__
from kg.errors import SettingsError
from kg.ingest.rows import path_text

if TYPE_CHECKING:
    from typer._click import Command as AnyCommand
    from typer._click import Context, HelpFormatter
    from typer._click.shell_completion import CompletionItem


class OnDemandGroup(TyperGroup):
    """A group whose commands stand in a table and are imported from there one by one."""

    def __init__(self, listed: Mapping[str, Entry], **shell: Any) -> None:  # noqa: ANN401
        super().__init__(**shell)
        self.listed = listed
        # Typer would let commands be added; here the table is all there is.
        self.commands = cast("MutableMapping[str, AnyCommand]", _LazyCommands(listed))

    def list_commands(self, ctx: "Context") -> list[str]:
        """The names in the order of the table."""
        return list(self.listed)

    def resolve_command(
        self, ctx: "Context", args: list[str]
    ) -> "tuple[str | None, AnyCommand | None, list[str]]":
        """The command that the first word names; of one that stands elsewhere the error says where."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            meant = ELSEWHERE.get(f"{self.name} {args[0]}")
            if meant is not None:
                error.message = f"No such command {args[0]!r}; what does that is {meant}."
            raise

    def shell_complete(self, ctx: "Context", incomplete: str) -> "list[CompletionItem]":
        """What a shell is offered after this group: its commands from the table, and its options."""
        from typer._click.core import Command as AnyCommand  # noqa: PLC0415
        from typer._click.shell_completion import CompletionItem  # noqa: PLC0415

        found = [
            CompletionItem(name, help=entry.help)
            for name, entry in self.listed.items()
            if name.startswith(incomplete)
        ]
        return found + AnyCommand.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the list of commands as Typer does, from the lines of the table."""
        lines: dict[str, AnyCommand] = {
            name: TyperCommand(name, help=entry.help) for name, entry in self.listed.items()
        }
        TyperGroup(commands=lines).format_commands(ctx, formatter)


class _LazyCommands(Mapping[str, "AnyCommand"]):
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
    """The commands that a module's `app` holds, by name."""
    with fast_imports(), _missing("pandas", "pyarrow"):
        return get_group(vars(import_module(module))["app"]).commands


@contextmanager
def _missing(*packages: str) -> Iterator[None]:
    """Let imports find these packages missing, unless they are loaded already.

    Neo4j's driver would load them, which takes long, for values that no command sends. What needs one later
    imports it then.
    """
    names = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


_HALF_A_LETTER = re.compile("[\ud800-\udfff]")
"""What Python makes of a byte that the encoding can't explain."""


class _Root(OnDemandGroup):
    """`kg` itself, as Typer makes it, with the commands of the table."""

    def __init__(self, **shell: Any) -> None:  # noqa: ANN401
        super().__init__(COMMANDS, **shell)

    def get_command(self, ctx: "Context", cmd_name: str) -> "AnyCommand | None":
        """The command of a name, or of what it is another name for."""
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))


app = typer.Typer(
    name="kg",
    cls=_Root,
    help="Hopgrade: turn articles into a knowledge graph in Neo4j, ask multi-hop questions of a RAG system, "
    "and see where it fails.",
    epilog="Begin with: kg demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
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


_signals: list[int] = []
"""The signals other than Ctrl-C's that ended this process, as they came."""

SECONDS_TO_LEAVE_A_CALLBACK = 0.05
_ANY_WIDTH = 10_000
STOPPED = 130
"""What Typer returns after Ctrl-C when it is not to end the process itself; shells use the same number."""


def main() -> None:
    """The entry point of `kg`: runs a command and ends the process with its exit code."""
    write_in_any_encoding()
    end_as_by_ctrl_c()
    completing = "_KG_COMPLETE" in os.environ
    if completing:
        from typer import rich_utils  # noqa: PLC0415

        # Typer breaks what it tells of a word into lines, of which fish takes each for a word.
        rich_utils.MAX_WIDTH = _ANY_WIDTH
    code = 0
    try:
        with one_sentence_errors():
            _refuse_other_encodings(sys.argv[1:])
            if not completing and {*sys.argv} & {"--install-completion", "--show-completion"}:
                from cli.completion import set_completion_up  # noqa: PLC0415

                if set_completion_up(sys.argv[1:]):
                    sys.exit()
            # Typer's own ending would hide Ctrl-C behind a bare exit code, and print usage before an error.
            code = app(prog_name="kg", standalone_mode=False) or 0
    except typer.TyperException as error:
        code = error.exit_code
        _print_usage_error(error)
    except typer.Abort:
        code = 1
        remark("stopped: nothing was changed.")
    except KeyboardInterrupt:
        # Typer minds Ctrl-C in commands, not yet where it answers a shell.
        code = STOPPED
    except OSError:
        # A display that ends can't write to a terminal that was closed.
        if not _signals:
            raise
        code = STOPPED
    if code == STOPPED and not completing:
        # Of a terminal that was closed nothing is left to write to.
        with suppress(OSError):
            remark("stopped. Nothing is lost: the same command goes on where it was.")
    if _signals and code in {STOPPED, 1}:
        code = 128 + _signals[0]
    sys.exit(code)


def end_as_by_ctrl_c() -> None:
    """Let SIGTERM and a closed terminal end a command as Ctrl-C does, where they would just kill it."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Whoever runs a command under nohup wants it to outlive his terminal.
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, _ignore_what_others_send)
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _interrupt_again


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Go the way of Ctrl-C, which statements under way may hold back."""
    _signals.append(number)
    signal.raise_signal(signal.SIGINT)


def _ignore_what_others_send(_number: int, _frame: FrameType | None) -> None:
    """Ctrl-C for a command in the background of a shell, which is not meant; SIGTERM, sent on by us, is."""
    if _signals:
        raise KeyboardInterrupt


def _interrupt_again(ignored: "sys.UnraisableHookArgs") -> None:
    """Send Ctrl-C once more where Python could only ignore it: in a callback of an import, say."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        again = threading.Timer(SECONDS_TO_LEAVE_A_CALLBACK, _send_ctrl_c)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(ignored)


def _send_ctrl_c() -> None:
    """Ctrl-C to the main thread, which wakes it up where it waits for the system."""
    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def _refuse_other_encodings(arguments: Sequence[str]) -> None:
    """Refuse arguments that are no text in the terminal's encoding, but for names of files that are there."""
    for argument in arguments:
        path = argument.split("=", 1)[1] if argument.startswith("--") and "=" in argument else argument
        if not argument.isascii() and _HALF_A_LETTER.search(argument) and not os.path.lexists(path):
            raise SettingsError(
                f'"{path_text(Path(argument))}" is not text in the encoding of this terminal '
                f"({sys.getfilesystemencoding()}), nor the name of a file that is there.",
                "Write it in UTF-8.",
            )


def _print_usage_error(error: typer.TyperException) -> None:
    # What a check of a value adds in front tells a reader nothing.
    message = error.format_message().replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    if context is not None and message == context.get_help():
        typer.echo(message)
    else:
        where = context.command_path if context is not None else "kg COMMAND"
        sentence = message if message.endswith("?") else f"{message.rstrip('.')}."
        print_error(f"{sentence} See: {where} --help")
