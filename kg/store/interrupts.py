"""What stops work on the graph: Ctrl-C while the driver talks to Neo4j, and nobody waiting any more."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from kg.errors import AbandonedError

_abandoned: ContextVar[threading.Event | None] = ContextVar("abandoned", default=None)


@contextmanager
def interrupts_held() -> Iterator[None]:
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


def refuse_abandoned() -> None:
    """End work that nobody waits for any more.

    Raises:
        AbandonedError: the event of `abandoned_by` is set.
    """
    event = _abandoned.get()
    if event is not None and event.is_set():
        raise AbandonedError("nobody waits for this any more.")
