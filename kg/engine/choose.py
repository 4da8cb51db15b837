"""What an engine is, which maps independent work, and from its short name on the command line to it.

A stage hands over what is to be done to each item and a stream of items, and takes the outcomes in the same
order. It doesn't know where the work is done, so what comes of an item may depend on that item alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from typing import Generic, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from kg.errors import EngineError, HopgradeError, SettingsError, installation
from kg.settings import Settings

Item = TypeVar("Item")
Result = TypeVar("Result")

LOCAL = "local"
RAY = "ray"
CHOICES = (LOCAL, RAY, "ray://HOST:PORT")

GRACE = 4.0
"""A worker whose threads together take so many times an item's limit hangs in it, and is ended."""

_LONGEST_REASON = 200

FaultKind = Literal["item", "lost", "time"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no result of an item; the others have theirs all the same.

    "item": the work raised an error on it, `error` if it is one of ours or comes from this process. "lost":
    each worker that had it came to an end. "time": it held a worker far beyond its processor time.
    """

    kind: FaultKind
    reason: str
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Work(Generic[Item, Result]):
    """What is done to each of many items, by itself.

    `key` names it with everything it depends on: workers that have loaded what it needs are used again for
    work of the same key. `opener` loads that once in each worker and gives the function for an item; it is
    sent to workers, so it is a function of a module, or a `functools.partial` of one. It gets `shared`, large
    arrays that nobody writes to and that come to each machine once. `here` is the function for an item in
    this process, where that has it already.

    `seconds` are of processor time that an item may take. `cost` says how much there is to an item, and
    `alone_until` up to which sum of costs this process goes on alone, since to start others would take
    longer; with the default it always does where it is the machine's own.
    """

    key: str
    opener: Callable[..., Callable[[Item], Result]]
    here: Callable[[Item], Result] | None = None
    shared: Sequence[object] = ()
    seconds: float = inf
    cost: Callable[[Item], float] = lambda _: 1.0
    alone_until: float = inf

    def open_here(self) -> Callable[[Item], Result]:
        """The function for an item in this process."""
        return self.here or self.opener(*self.shared)


class Engine(Protocol):
    """Does independent work; what comes of it does not depend on the engine."""

    @property
    def name(self) -> str:
        """What chose it: "local", "ray", or the address of a cluster."""
        ...

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result | Fault]:
        """One outcome an item, in order, as soon as it is there; items are taken some ahead, not more.

        Whoever reads the outcomes can tell how far the work is. Closing the iterator, or any error in the
        stream of items, cancels what is under way.

        Raises:
            EngineError: there is no worker, and none can be started.
        """
        ...


def attempt(function: Callable[[Item], Result], item: Item) -> Result | Fault:
    """What the function gives, or the error that it raised as the fault of the item."""
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - no item may end the others
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return Fault("item", told[:_LONGEST_REASON], error)


def portable(outcome: Result | Fault) -> Result | Fault:
    """The outcome for another process, where only errors of ours are sure to be known."""
    if isinstance(outcome, Fault) and not isinstance(outcome.error, HopgradeError):
        return Fault(outcome.kind, outcome.reason)
    return outcome


def settled(outcome: Result | Fault) -> Result:
    """The result, for work in which no item may fail.

    Raises:
        HopgradeError: the item's own error, or that it has none and was lost.
    """
    if not isinstance(outcome, Fault):
        return outcome
    if outcome.error is not None:
        raise outcome.error
    raise EngineError(f"a part of the work failed: {outcome.reason}.", "Run the command again: it goes on.")


def make_engine(spec: str) -> Engine:
    """The engine for `spec`, one of `CHOICES`; a cluster is asked when there is work, not before.

    Raises:
        SettingsError: there is no such engine, or the package that it needs is not installed.
    """
    spec = check_engine(spec)
    if spec == LOCAL:
        from kg.engine.processes import LocalEngine  # noqa: PLC0415 - psutil and more, for those who map

        return LocalEngine()
    if find_spec(RAY) is None:
        raise SettingsError(
            f'the engine "{spec}" needs Ray, which is not installed.',
            f"Install it: {installation(RAY)}.",
        )
    from kg.engine.cluster import RayEngine  # noqa: PLC0415 - only with the extra

    return RayEngine(spec)


def engine_of(settings: Settings) -> Engine:
    """The engine that the settings name.

    Raises:
        SettingsError: there is no such engine, or the package that it needs is not installed.
    """
    return make_engine(settings.hopgrade_engine)


def check_engine(spec: str) -> str:
    """The name of an engine as it was given, without white space around it.

    Raises:
        SettingsError: there is no such engine.
    """
    spec = spec.strip()
    if spec in {LOCAL, RAY}:
        return spec
    try:
        parts = urlsplit(spec)
        whole = parts.scheme == RAY and bool(parts.hostname) and parts.port is not None
    except ValueError:
        whole = False
    if not whole:
        raise SettingsError(f'"{spec}" is not an engine.', f"Use one of: {', '.join(CHOICES)}.")
    return spec
