"""Asks a system of one's own: many questions at once, each with a deadline and tried again for a while.

A call that is late is left to itself: Python can't end a thread, so a system that hangs for good keeps one
for each try until the command ends. Coroutines are cancelled. All of them run in one event loop, since
clients of asynchronous libraries belong to the loop in which they were first used.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from inspect import isawaitable
from time import monotonic

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from kg.errors import HopgradeError
from kg.llm.client import Workers
from kg.own_system import OwnAnswer, OwnSystem
from services.external.replies import BadReplyError, read_reply

LONGEST_PAUSE_SECONDS = 60.0
HAND_OVER_SECONDS = 2.0
"""How long after the first of some answers the others that come are handed over with it."""

_BACK_OFF = wait_random_exponential(multiplier=0.5, max=20)
_LONGEST_ERROR = 300
_SHUTDOWN_SECONDS = 2.0


class TryAgainError(Exception):
    """A try that may go better soon; `pause` is what the other side asked for, in seconds."""

    def __init__(self, detail: str, pause: float | None = None) -> None:
        super().__init__(detail)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Patience:
    """How a system is asked: so many questions at once, each try so long, and so many tries more.

    `stops` ends a run where a whole batch failed, as when the system is down; not where only what failed
    before is asked again, of which all may fail for good.
    """

    concurrency: int = 8
    timeout_seconds: float = 120.0
    retries: int = 3
    stops: bool = True


NumberedAnswers = Sequence[tuple[int, OwnAnswer]]
"""Answers, each with the place of its question among those that were asked, from 0."""


@dataclass(frozen=True, slots=True)
class Calls:
    """A system that can be asked; see `open_calls`. `hand_over_seconds` as `HAND_OVER_SECONDS`."""

    system: OwnSystem
    patience: Patience
    loop: asyncio.AbstractEventLoop
    hand_over_seconds: float = HAND_OVER_SECONDS

    def ask(self, questions: Sequence[str]) -> list[OwnAnswer]:
        """An answer for each question, in order; what failed is told in its `error`.

        Raises:
            HopgradeError: the system raised one, because no other question would fare better.
        """
        answers: dict[int, OwnAnswer] = {}
        self.stream(questions, answers.update)
        return [answers[number] for number in range(len(questions))]

    def stream(self, questions: Sequence[str], take: Callable[[NumberedAnswers], None]) -> None:
        """Hand each answer to `take` soon after it came, with others that came by then.

        A fast system's go over all at once, so that `take` may be slow. What has come when Ctrl-C or an error
        of the system ends the asking goes over before; `take` may then be given again what it was interrupted
        at. After such an error no further question is begun.

        Raises:
            HopgradeError: the system raised one, because no other question would fare better.
        """
        workers: Workers[OwnAnswer] = Workers(self.patience.concurrency)
        waiting: dict[Future[OwnAnswer], int] = {}
        answer = _UntilOneEndsAll(self._answer_with_retries)
        try:
            for number, question in enumerate(questions):
                waiting[workers.submit(partial(answer, question))] = number
            while waiting:
                wait(waiting, return_when=FIRST_COMPLETED)
                wait(waiting, self.hand_over_seconds, FIRST_EXCEPTION)
                for ended in _hand_over(waiting, take):
                    ended.result()
        except KeyboardInterrupt:
            _hand_over(waiting, take)
            raise
        finally:
            workers.finish(0)

    def _answer_with_retries(self, question: str) -> OwnAnswer:
        retrying = Retrying(
            stop=stop_after_attempt(self.patience.retries + 1),
            wait=_pause,
            retry=retry_if_exception_type(TryAgainError),
            reraise=True,
        )
        try:
            return retrying(self._try, question)
        except TryAgainError as error:
            tries = self.patience.retries + 1
            return OwnAnswer("", error=f"{error} ({tries} tries)" if tries > 1 else str(error))

    def _try(self, question: str) -> OwnAnswer:
        started = monotonic()
        reply = self._reply(question, started + self.patience.timeout_seconds)
        if isinstance(reply, BaseException):
            return OwnAnswer("", error=_error_line(reply), seconds=monotonic() - started)
        try:
            answer = read_reply(reply)
        except BadReplyError as error:
            return OwnAnswer("", error=_error_line(error), seconds=monotonic() - started)
        return answer if answer.seconds is not None else replace(answer, seconds=monotonic() - started)

    def _reply(self, question: str, deadline: float) -> object:
        """What the system returned, or an error that stands for no answer.

        Raises:
            TryAgainError: it may go better.
            HopgradeError: it will not.
        """
        worker: Workers[object] = Workers(1)
        called = worker.submit(lambda: self.system(question))
        try:
            reply = self._result(called, deadline)
            if isawaitable(reply):
                begun = asyncio.run_coroutine_threadsafe(_await(reply), self.loop)
                try:
                    return self._result(begun, deadline)
                finally:
                    begun.cancel()
            return reply
        finally:
            worker.finish(0)

    def _result(self, future: Future[object], deadline: float) -> object:
        try:
            error = future.exception(max(0.0, deadline - monotonic()))
        except TimeoutError:
            raise TryAgainError(f"no answer within {self.patience.timeout_seconds:g} s") from None
        match error:
            case None:
                return future.result()
            case HopgradeError() | TryAgainError():
                raise error
            case ConnectionError() | TimeoutError():
                raise TryAgainError(_error_line(error))
            case _:
                return error


class _UntilOneEndsAll:
    """Answers questions of several threads until one raises what ends all: then the others raise it too.

    The thread itself takes note, before it goes to its next question; whoever waits for it would be too late.
    """

    def __init__(self, answer: Callable[[str], OwnAnswer]) -> None:
        self._answer = answer
        self._error: HopgradeError | None = None

    def __call__(self, question: str) -> OwnAnswer:
        if self._error is not None:
            raise self._error
        try:
            return self._answer(question)
        except HopgradeError as error:
            self._error = error
            raise


@contextmanager
def open_calls(system: OwnSystem, patience: Patience) -> Iterator[Calls]:
    """A system ready to be asked, with the event loop for its coroutines."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="own-system", daemon=True)
    thread.start()
    try:
        yield Calls(system, patience, loop)
    finally:
        ending = asyncio.run_coroutine_threadsafe(_cancel_all(), loop)
        # Not waited for without end: a coroutine may block the loop, whose thread dies with the process.
        _wait(ending)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_SHUTDOWN_SECONDS)
        if not thread.is_alive():
            loop.close()


def _hand_over(
    waiting: dict[Future[OwnAnswer], int], take: Callable[[NumberedAnswers], None]
) -> Sequence[Future[OwnAnswer]]:
    """Give `take` the answers that have come, in the order of their questions, and wait for them no more; all
    futures that ended."""
    ended = [future for future in waiting if future.done()]
    answers = [(waiting[future], future.result()) for future in ended if future.exception() is None]
    if answers:
        take(answers)
    for future in ended:
        del waiting[future]
    return ended


def _wait(ending: Future[None]) -> None:
    try:
        ending.result(_SHUTDOWN_SECONDS)
    except TimeoutError:
        ending.cancel()


async def _await(reply: Awaitable[object]) -> object:
    return await reply


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _error_line(error: BaseException) -> str:
    """An error in one line."""
    said = " ".join(str(error).split())
    name = "unreadable reply" if isinstance(error, BadReplyError) else type(error).__name__
    return (f"{name}: {said}" if said else name)[:_LONGEST_ERROR]


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.pause if isinstance(error, TryAgainError) else None
    back_off = _BACK_OFF(state)
    return back_off if asked is None else min(asked, LONGEST_PAUSE_SECONDS)
