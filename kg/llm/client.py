"""A model behind an endpoint: many requests at once, outcomes in order, nothing paid for twice."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Generic, TypeVar

from kg.errors import HopgradeError
from kg.llm.budget import Budget, Price, RateLimits, cost_of, estimate_tokens, likely_tokens
from kg.llm.cache import ResponseCache
from kg.llm.calls import ChatCalls
from kg.llm.dialect import Dialects
from kg.llm.protocol import Estimate, ModelOutcome, ModelRequest, Reply, Usage
from kg.llm.roles import RoleEndpoint
from kg.llm.structured import Exchange, cached_reply, input_tokens, text_to_keep

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


AHEAD = 4
"""Requests that are read ahead, for each that may be under way: one slow answer then holds up no other."""

SHARE_OF_ROOM = 0.2
"""What an answer takes of its room where nothing else is known: in the first run with a real model, 12,000 of
81,000 tokens for claims and triples, and less for links."""

MEASURED_FROM = 5
"""So many kept answers to a prompt tell what an answer to it takes."""

GRACE_SECONDS = 3.0
"""How long answers under way are waited for when the reader stops: they are paid for."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked. `sleep` waits between tries; by default a wait ends when the asking stops."""

    concurrency: int = 8
    timeout_seconds: float = 120.0
    retries: int = 6
    sleep: Callable[[float], None] | None = None


@dataclass(frozen=True, slots=True)
class _Pending:
    """An outcome to come; `shared`: it was asked for by an equal request before this one."""

    key: str
    future: Future[ModelOutcome]
    shared: bool = False


@dataclass
class _Round:
    """One reading of `ask`: its threads, what is under way, and the error that ends it."""

    workers: Workers[ModelOutcome]
    pending: deque[_Pending] = field(default_factory=deque)
    first_requests: dict[str, Future[ModelOutcome]] = field(default_factory=dict)
    stopping: threading.Event = field(default_factory=threading.Event)
    error: HopgradeError | None = None

    def next(self) -> ModelOutcome:
        """The oldest outcome, waited for."""
        pending = self.pending.popleft()
        outcome = pending.future.result()
        if self.first_requests.get(pending.key) is pending.future:
            del self.first_requests[pending.key]
        return _without_cost(outcome) if pending.shared else outcome

    def end(self, patience_seconds: float) -> None:
        """Begin nothing more, and wait for what has begun; a second call changes nothing."""
        if not self.stopping.is_set():
            self.stopping.set()
            self.workers.finish(patience_seconds)


class EndpointModel:
    """A model for one role."""

    def __init__(
        self,
        endpoint: RoleEndpoint,
        cache: ResponseCache,
        budget: Budget,
        limits: RateLimits,
        asking: Asking,
        price: Price | None,
    ) -> None:
        """Set up; nothing is sent yet."""
        self._name = endpoint.model
        self._endpoint = endpoint
        self._cache = cache
        self._price = price
        self._asking = asking
        self._calls = ChatCalls(
            endpoint, limits, budget, asking.timeout_seconds, asking.retries, asking.sleep, price
        )
        self._dialects = Dialects(endpoint.reasoning)
        self._rounds: list[_Round] = []

    @property
    def name(self) -> str:
        """The model's name, as recorded with what it made."""
        return self._name

    def close(self) -> None:
        """End what is under way, and close the connections."""
        for this in list(self._rounds):
            this.end(GRACE_SECONDS)
        self._calls.close()

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """One outcome a request, in order; see `kg.llm.protocol.Model`.

        A request that equals one before it, still under way or kept, is not sent.
        """
        this = _Round(Workers(self._asking.concurrency))
        self._rounds.append(this)
        patience = GRACE_SECONDS
        try:
            for request in requests:
                this.pending.append(self._begin(request, this))
                full = len(this.pending) >= AHEAD * self._asking.concurrency
                while this.pending and (full or this.pending[0].future.done()):
                    yield this.next()
                    full = False
                if this.error is not None:
                    break
            while this.pending:
                yield this.next()
        except HopgradeError:
            patience = self._asking.timeout_seconds + GRACE_SECONDS
            raise
        finally:
            this.end(patience)
            self._rounds.remove(this)

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """What these requests would take; nothing is sent. Equal ones count as kept after the first.

        What an answer takes is what kept answers of this model to the same prompt took, else what the request
        says, else a share of its room.
        """
        calls, kept = 0, 0
        likely, most = Usage(), Usage()
        seen: set[str] = set()
        measured = self._cache.output_by_prompt(self._name, MEASURED_FROM)
        dialect = self._dialects.current
        for request in requests:
            calls += 1
            key = self._key(request)
            if key in seen or self._read_cache(key, request) is not None:
                kept += 1
            else:
                messages = dialect.messages(request)
                given = input_tokens(messages, request, estimate_tokens)
                answer = request.max_output_tokens
                room = dialect.room(self._endpoint.room(answer), answer, given)
                most += Usage(given, room)
                written = measured.get(request.prompt) or _expected_tokens(request)
                likely += Usage(input_tokens(messages, request, likely_tokens), min(round(written), room))
            seen.add(key)
        return Estimate(
            calls,
            kept,
            likely.input_tokens,
            likely.output_tokens,
            cost_of(likely, self._price),
            most.input_tokens,
            most.output_tokens,
            cost_of(most, self._price),
        )

    def _begin(self, request: ModelRequest, this: _Round) -> _Pending:
        """A request's outcome to come: at hand already, that of an equal one, or asked for."""
        key = self._key(request)
        first = this.first_requests.get(key)
        if first is not None and not first.done():
            return _Pending(key, first, shared=True)
        kept = self._read_cache(key, request)
        if kept is not None:
            at_hand: Future[ModelOutcome] = Future()
            at_hand.set_result(kept)
            return _Pending(key, at_hand)
        asked = this.workers.submit(lambda: self._work(key, request, this))
        this.first_requests[key] = asked
        return _Pending(key, asked)

    def _work(self, key: str, request: ModelRequest, this: _Round) -> ModelOutcome:
        """Ask, and keep the answer; runs in a thread of its own."""
        if this.error is not None:
            raise this.error
        try:
            room = self._endpoint.room(request.max_output_tokens)
            outcome = Exchange(request, room, self._calls, self._dialects, this.stopping).outcome()
            if isinstance(outcome, Reply):
                text = text_to_keep(outcome, request)
                self._cache.store(key, text, outcome.usage, self._name, request.prompt)
        except HopgradeError as error:
            this.error = this.error or error
            raise
        return outcome

    def _read_cache(self, key: str, request: ModelRequest) -> Reply | None:
        found = self._cache.get(key)
        return None if found is None else cached_reply(found.text, request)

    def _key(self, request: ModelRequest) -> str:
        place = self._endpoint
        return self._cache.key(self._calls.url, self._name, request, place.reasoning, place.extra_body)


def _expected_tokens(request: ModelRequest) -> float:
    """The tokens of an ordinary answer, by what is known before any was asked for."""
    return request.expected_output_tokens or SHARE_OF_ROOM * request.max_output_tokens


def _without_cost(outcome: ModelOutcome) -> ModelOutcome:
    """The outcome of an equal request, whose tokens were counted there."""
    if isinstance(outcome, Reply):
        return replace(outcome, usage=Usage(), cached=True)
    return replace(outcome, usage=Usage())
