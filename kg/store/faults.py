"""Where nothing can be read or written: what the driver's errors mean, and a disk that is nearly full.

What stops work on the graph: Ctrl-C while the driver talks to Neo4j, and nobody waiting any more.
"""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable, SessionExpired

from kg.errors import (
    AbandonedError,
    DiskFullError,
    StoreError,
    StoreFailedError,
    StoreUnavailableError,
    command,
    shown_address,
)
from kg.files import free_bytes, to_disk

_abandoned: ContextVar[threading.Event | None] = ContextVar("abandoned", default=None)


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Hold back Ctrl-C until the block has ended; a second one goes through at once.

    Raised in the middle of a message, KeyboardInterrupt leaves the driver with half of it: giving the
    connection back then fails with errors that hide the interrupt, and the next statement gets the wrong
    answer. Statements take a batch at a time, so that the wait is short. Other threads get no signals.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    held: list[FrameType | None] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if held:
            before(number, frame)
        held.append(frame)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            before(signal.SIGINT, held[0])


@contextmanager
def abandoned_by(event: threading.Event) -> Iterator[None]:
    """Let the work of the block, in this thread, end before its next statement once the event is set."""
    before = _abandoned.set(event)
    try:
        yield
    finally:
        _abandoned.reset(before)


def stop_if_abandoned() -> None:
    """End work that nobody waits for any more.

    Raises:
        AbandonedError: the event of `abandoned_by` is set.
    """
    event = _abandoned.get()
    if event is not None and event.is_set():
        raise AbandonedError("nobody waits for this any more.")


SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_GAVE_UP = (
    "Neo.DatabaseError.Transaction.TransactionLogError",
    "Neo.DatabaseError.Transaction.TransactionCommitFailed",
    "Neo.DatabaseError.General.StorageDamageDetected",
)
"""How codes begin after which a database refuses all until it is restarted."""

_STACK_FRAME = re.compile(r"\n[ \t]+(?:at .*|\.\.\. \d+ more)")


@dataclass(frozen=True, slots=True)
class StoreDisk:
    """The folder of a store on this machine, and how many bytes of its disk are to stay free.

    `note` is a file of one byte, made while there is room: "1" in it says that the database gave up. Changed
    in place, it takes no room, which a log does that a full disk has no room for.
    """

    folder: Path
    least_free: int
    note: Path

    def require_room(self) -> None:
        """Refuse to go on where less is free.

        Raises:
            DiskFullError: less is free.
        """
        free = free_bytes(self.folder)
        if free < self.least_free:
            raise DiskFullError(
                f"only {free >> 20:,} MiB are free on the disk of {self.folder}, "
                f"and {self.least_free >> 20:,} MiB are to stay free.",
                "Free some space and run the same command again: it goes on where it was. "
                "HOPGRADE_LEAST_FREE_DISK sets the limit.",
            )

    def note_failure(self) -> None:
        """Note that the database gave up, as well as can be done."""
        with suppress(OSError), self.note.open("r+b") as file:
            file.write(b"1")
            to_disk(file)


def check_address(uri: str) -> None:
    """Refuse an address that can be none of a Neo4j, or that holds credentials.

    Raises:
        StoreUnavailableError: it is one of these.
    """
    scheme, _, rest = uri.partition("://")
    remedy = "Give NEO4J_URI as bolt://HOST:7687 or neo4j://HOST:7687."
    if "@" in rest:
        # Not shown: what stands before the @ is a password.
        raise StoreUnavailableError(
            f"the address of Neo4j holds credentials before {rest.rpartition('@')[2]!r}.",
            f"{remedy} Name and password belong in NEO4J_USERNAME and NEO4J_PASSWORD.",
        )
    if scheme not in SCHEMES:
        raise StoreUnavailableError(f"{shown_address(uri)!r} is not an address of a Neo4j.", remedy)


def no_answer(uri: str, database: str, error: Exception) -> StoreError:
    """What to raise where a first connection came to nothing."""
    if isinstance(error, Neo4jError) and gave_up(error):
        return refusal(error, uri, "the first transaction")
    return StoreUnavailableError(
        f"Neo4j at {shown_address(uri)} does not answer for database {database!r} ({type(error).__name__}).",
        "Check that it runs and NEO4J_URI and NEO4J_DATABASE are right, or unset NEO4J_URI.",
    )


def refusal(
    error: Neo4jError | DriverError,
    uri: str,
    work: str,
    remedy: str = "Run the same command again: what was committed stays.",
) -> StoreError:
    """What to raise for an error of the driver; `work` names the statement, `remedy` is for a lost server."""
    if isinstance(error, Neo4jError) and gave_up(error):
        return StoreFailedError(
            f"Neo4j at {shown_address(uri)} gave up its database during {work}, mostly because its disk "
            f"is full: {(error.message or error.code or '').rstrip('.')}.",
            f"Free some space and start it anew: {command('server stop')}, then "
            f"{command('server start')} (your own Neo4j as you "
            "start it). What was committed stays: the same command goes on where it was.",
        )
    if went_away(error):
        return StoreUnavailableError(f"Neo4j at {shown_address(uri)} went away during {work}.", remedy)
    return StoreError(f"Neo4j refused {work}: {_STACK_FRAME.sub('', str(error))}")


def gave_up(error: Neo4jError) -> bool:
    """Whether a database has stopped for good: after such an error it refuses all until it is restarted."""
    code, message = error.code or "", error.message or ""
    return code.startswith(_GAVE_UP) or "needs to be restarted" in message


def went_away(error: Neo4jError | DriverError) -> bool:
    """Whether nothing answers, or a server that stops or starts has no database yet."""
    return isinstance(error, ServiceUnavailable | SessionExpired) or (
        isinstance(error, Neo4jError) and (error.code or "").endswith(".DatabaseUnavailable")
    )
