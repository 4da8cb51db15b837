"""What every command shares in talking to a person: tables, JSON, progress, errors."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from kg.errors import HopgradeError, StartError

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(text: str, style: str = "") -> None:
    """A line on standard output as it is: not wrapped, not read as markup."""
    out.print(text, style=style, markup=False, soft_wrap=True)


def remark(text: str) -> None:
    """A line on standard error as it is."""
    err.print(text, markup=False, soft_wrap=True)


def print_json(value: object) -> None:
    """One JSON document on standard output, for programs."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], one_line: bool = False
) -> Table:
    """A table whose cells are shown as they are, never read as markup; numbers stand on the right.

    `one_line` cuts what does not fit instead of folding it.
    """
    shown = Table(title=escape(title), title_justify="left", header_style="bold", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[index], int | float) for row in rows)
        shown.add_column(
            escape(column),
            justify="right" if numeric else "left",
            no_wrap=one_line,
            overflow="ellipsis" if one_line else "fold",
        )
    for row in rows:
        shown.add_row(*(escape("" if cell is None else str(cell)) for cell in row))
    return shown


class ConsoleProgress:
    """Progress on standard error: a bar where there is a terminal, one line a finished task anywhere."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._name = ""
        self._started = 0.0

    def begin(self, task: str, total: int | None = None) -> None:
        """Show a bar for the task."""
        self._name, self._started = task, monotonic()
        self.step(task, total)

    def step(self, name: str, total: int | None = None) -> None:
        """Show a bar for a part of the task."""
        self._stop_bar()
        if err.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=err,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(escape(name), total=total)

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, steps)

    def end(self, note: str = "") -> None:
        """Replace the bar by a line."""
        self._stop_bar()
        seconds = monotonic() - self._started
        err.print(f"  {escape(self._name)}: {escape(note)} [dim]({seconds:.1f} s)[/dim]", soft_wrap=True)

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


@contextmanager
def one_sentence_errors() -> Iterator[None]:
    """Turn an error that Hopgrade raises on purpose into one sentence and an exit code, no traceback."""
    try:
        yield
    except HopgradeError as error:
        if isinstance(error, StartError) and error.log_tail:
            err.print(escape(error.log_tail), style="dim", soft_wrap=True)
        err.print(
            f"[red]error:[/red] {escape(error.message)} {escape(error.remedy)}".rstrip(), soft_wrap=True
        )
        raise SystemExit(error.exit_code) from error
    except KeyboardInterrupt as error:
        err.print("stopped. Nothing is lost: the same command goes on where it was.")
        raise SystemExit(130) from error
