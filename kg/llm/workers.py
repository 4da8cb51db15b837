"""A bounded number of threads that wait for answers."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Workers(Generic[Result]):
    """Threads that begin as they are needed, work in order of submission, and never keep Python from ending.

    The pool of the standard library would: at Ctrl-C it waits for every answer that is under way.
    """

    def __init__(self, at_most: int) -> None:
        self._at_most = at_most
        self._waiting: SimpleQueue[tuple[Future[Result], Callable[[], Result]] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def submit(self, call: Callable[[], Result]) -> Future[Result]:
        """The future result of `call`."""
        future: Future[Result] = Future()
        self._waiting.put((future, call))
        if len(self._threads) < self._at_most:
            thread = threading.Thread(target=self._work, name="model-call", daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def finish(self, seconds: float) -> None:
        """Drop what has not begun, and wait this long at most for what has."""
        while True:
            try:
                task = self._waiting.get_nowait()
            except Empty:
                break
            if task is not None:
                task[0].cancel()
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            future, call = task
            with _ErrorInto(future):
                future.set_result(call())


class _ErrorInto(Generic[Result]):
    """Hands any error to the reader of the future."""

    def __init__(self, future: Future[Result]) -> None:
        self._future = future

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if error is not None:
            self._future.set_exception(error)
        return True
