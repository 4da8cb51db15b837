"""What every command shares in talking to a person: tables, JSON, progress, errors.

Write a file that a command was asked for: whole, or not at all.
"""

import gc
import io
import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from kg.errors import HopgradeError, SettingsError, StartError, command
from kg.files import whole_file
from kg.llm.budget import format_calls
from kg.text.words import write_out


@contextmanager
def fast_imports() -> Iterator[None]:
    """Import without Python looking for garbage meanwhile, which takes a quarter of the time and finds none.

    What was imported stays for good, so no later collection looks at it either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def check_place(path: Path, option: str) -> None:
    """Make sure that a file can be written there, before the work for it begins.

    Raises:
        SettingsError: it is a folder, or its folder is missing; the remedy names the option.
    """
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise SettingsError(
            f"no file can be written at {path}.", f"Give a file in a folder that exists: {option} FILE"
        )


def write_whole(path: Path, text: str, option: str) -> None:
    """Write a file so that at its name there is always the old one or the whole new one.

    Raises:
        SettingsError: it can't be written.
    """
    write_parts(path, (text,), option)


def write_parts(path: Path, parts: Iterable[str], option: str) -> int:
    """The same in parts, of which one is in memory at a time; how many there were.

    A link is followed. What is no file, such as a pipe or /dev/stdout, can't be replaced and is written to.

    Raises:
        SettingsError: it can't be written.
    """
    count = 0
    try:
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as stream:
                for part in parts:
                    stream.write(part)
                    count += 1
            return count
        with whole_file(path.resolve()) as unfinished:
            for part in parts:
                unfinished.write(part.encode("utf-8"))
                count += 1
    except OSError as error:
        raise SettingsError(
            f"{path} can't be written: {error.strerror}.", f"Give another file: {option} FILE"
        ) from error
    return count


out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

LONGEST_CODE = 32
"""A column of blankless cells up to this long (ids, numbers) is never folded or cut."""

_RAW_IN_JSON = re.compile(r"[\x7f-\x9f]")


def visible(text: str) -> str:
    """The text with what is not seen or turns it around, line ends and tabs aside, written out: ESC as \\x1b.

    What comes from an article or a model must neither steer the reader's terminal nor show him other words
    than are there.
    """
    return write_out(text).replace("\r", "\\x0d")


def say(text: str, style: str = "") -> None:
    """A line on standard output as it is: not wrapped, not read as markup."""
    out.print(visible(text), style=style, markup=False, soft_wrap=True)


def remark(text: str) -> None:
    """A line on standard error as it is."""
    err.print(visible(text), markup=False, soft_wrap=True)


def lead_on(purpose: str, words: str, *values: str) -> None:
    """The command that a reader may want next, in a line; words and values as `command` has them."""
    say(f"{purpose}: {command(words, *values)}", "dim")


def print_json(value: object) -> None:
    """One JSON document on standard output, for programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    document = json.dumps(value, ensure_ascii=not unicode, indent=2, default=str)
    sys.stdout.write(_RAW_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", document) + "\n")
    # A reader that went away is noticed here, where it is handled, and not when Python ends.
    sys.stdout.flush()


def write_in_any_encoding() -> None:
    """Make both streams escape what their encoding lacks, so that no name can end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], one_line: bool = False
) -> Table:
    """A table whose cells are shown as they are, never read as markup; numbers stand on the right.

    `one_line` cuts what does not fit instead of folding it. A cell of our own words may be coloured text.
    """
    shown = Table(
        title=escape(visible(title)), title_justify="left", header_style="bold", box=None, pad_edge=False
    )
    # Where no terminal bounds the line, what is cut would be lost to the program behind the pipe.
    cut = one_line and out.is_terminal
    cells = [[_cell(cell, cut) for cell in row] for row in rows]
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[index], int | float) for row in rows)
        shown.add_column(
            escape(visible(column)),
            justify="right" if numeric else "left",
            no_wrap=all(_is_code(text) for text in (column, *(row[index].plain for row in cells))),
        )
    for row in cells:
        shown.add_row(*row)
    return shown


def number_table(
    title: str, labels: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[object]]
) -> Table:
    """A table whose first columns are labels and whose others are numbers, with thousands apart."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    shown = table(title, (*labels, *numbers), cells)
    for column in shown.columns[len(labels) :]:
        column.justify = "right"
    return shown


def _cell(value: object, one_line: bool) -> Text:
    text = value.copy() if isinstance(value, Text) else Text("" if value is None else visible(str(value)))
    text.no_wrap, text.overflow = one_line, "ellipsis" if one_line else "fold"
    return text


LONGEST_NAME = 40


def shorten(text: str, longest: int = LONGEST_NAME) -> str:
    """A name as long as there is room for."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def p_text(value: float | None) -> str:
    """A p-value as a table shows it, or a dash where there was no test."""
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else f"{value:.3f}"


def _is_code(text: str) -> bool:
    return len(text) <= LONGEST_CODE and not any(character.isspace() for character in text)


FIRST_LINE_SECONDS, LINE_SECONDS = 5.0, 10.0
"""When a task is told of for the first time where no terminal shows a bar, and how often then."""
LOOK_SECONDS = 1.0
"""How often it is looked whether a line is due while nothing is counted."""


class ConsoleProgress:
    """Progress on standard error: a bar where there is a terminal, one line a finished task anywhere.

    Without a terminal a line tells after five seconds, then about every ten, how far a task is:
    "claims: 40/120 (6 s)", or "at work" where nothing is counted. Either shows how often a model was called
    for this part of it. As a context manager it takes the bar away however the work ends, and tells of a task
    that counts nothing meanwhile.
    `clock` gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._name = ""
        self._step = ""
        self._total: int | None = None
        self._done = self._calls = 0
        self._telling = threading.Lock()
        self._left = threading.Event()
        self._started = 0.0
        self._told = 0.0

    def __enter__(self) -> Self:
        if not err.is_terminal:
            threading.Thread(target=self._tell_meanwhile, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._stop_bar()

    def begin(self, task: str, total: int | None = None) -> None:
        """Show a bar for the task."""
        with self._telling:
            self._name, self._started = task, self._clock()
            self._told = self._started
        self.step(task, total)

    def step(self, name: str, total: int | None = None) -> None:
        """Show a bar for a part of the task."""
        self._stop_bar()
        with self._telling:
            self._step, self._total, self._done, self._calls = name, total, 0, 0
            self._tell()
        if err.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[calls]}"),
                console=err,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(escape(visible(name)), total=total, calls="")

    def advance(self, steps: int = 1) -> None:
        """Move the bar, or tell how far it is."""
        with self._telling:
            self._done += steps
            self._tell()
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, steps)

    def count_call(self) -> None:
        """A model was called once more, which is seen while no step ends; any thread may tell it."""
        with self._telling:
            self._calls += 1
            self._tell()
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, calls=format_calls(self._calls))

    def end(self, note: str = "") -> None:
        """Replace the bar by a line."""
        self._stop_bar()
        seconds = self._clock() - self._started
        with self._telling:
            line = escape(visible(f"{self._name}: {note}"))
            err.print(f"  {line} [dim]({seconds:.1f} s)[/dim]", soft_wrap=True)
            self._name = ""

    def _tell_meanwhile(self) -> None:
        while not self._left.wait(LOOK_SECONDS):
            with self._telling:
                self._tell()

    def _tell(self) -> None:
        """A line for whoever reads a log, where the last one was long ago."""
        now = self._clock()
        wait = FIRST_LINE_SECONDS if self._told == self._started else LINE_SECONDS
        if not self._name or err.is_terminal or now - self._told < wait:
            return
        self._told = now
        named = self._name if self._step in {"", self._name} else f"{self._name}, {self._step}"
        counted = f"{self._done:,}" if self._done else "at work"
        done = counted if self._total is None else f"{self._done:,}/{self._total:,}"
        called = f", {format_calls(self._calls)}" if self._calls else ""
        err.print(
            f"  {escape(visible(named))}: {done}{called} [dim]({now - self._started:.0f} s)[/dim]",
            soft_wrap=True,
        )

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
            err.print(escape(visible(error.log_tail)), style="dim", soft_wrap=True)
        print_error(f"{error.message} {error.remedy}")
        raise SystemExit(error.exit_code) from error


def print_error(sentence: str) -> None:
    """What went wrong, on standard error."""
    err.print(f"[red]error:[/red] {escape(visible(sentence.strip()))}", soft_wrap=True)
