"""A connection to one Neo4j database, on which the statements of `cypher/` are run.

Transactions are the driver's managed ones: transient errors (leader changes, deadlocks, lost connections)
are retried with back-off, everything else is raised at once. A connection that is lost while the server
commits leaves open whether it did: what only read is tried again, a write ends with an error, so that nothing
is written twice.
"""

import copy
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from neo4j import (
    Driver,
    GraphDatabase,
    ManagedTransaction,
    NotificationMinimumSeverity,
    Record,
    Result,
    Session,
    Transaction,
)
from neo4j import Query as DriverQuery
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
)
from neo4j.time import DateTime
from neo4j.vector import Vector
from numpy.typing import NDArray
from tenacity import (
    Retrying,
    retry,
    retry_if_exception,
    retry_if_exception_type,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential,
    wait_random,
    wait_random_exponential,
)

from kg.errors import CorpusError, StoreFailedError, StoreUnavailableError, shown_address
from kg.queries import Query
from kg.store.faults import StoreDisk, check_address, hold_interrupts, no_answer, refusal, stop_if_abandoned

T = TypeVar("T")

Row = dict[str, Any]
"""One record, by column."""

ATTEMPTS = 5
"""Tries of a statement that manages its own transactions, before a transient error is given up on."""
PATIENCE_SECONDS = 30.0
"""How long a server that went away is waited for: longer than a restart takes."""
ROWS_A_BATCH = 2_000
"""Rows that one transaction carries; with 384-dimensional vectors that is 3 MB."""
LONGEST_PAUSE_SECONDS = 8.0
_NODE_GONE = "Neo.ClientError.Statement.EntityNotFound"

# Without a handler Python prints what the driver warns of, such as a statement that is tried again; what
# comes of it in the end is said by our errors.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Fence:
    """What each transaction that writes proves first: a statement that gives no record where the right to
    write was lost, and the error that is raised then."""

    statement: Query
    params: Mapping[str, object]
    error: CorpusError

    def prove(self, transaction: ManagedTransaction | Transaction) -> None:
        """Prove the right to write, and keep it until the transaction has ended.

        Raises:
            CorpusError: it was lost.
        """
        try:
            found = transaction.run(self.statement.text, dict(self.params)).single()
        except ClientError as error:
            if error.code == _NODE_GONE:  # deleted while this waited for it
                raise self.error from error
            raise
        if found is None:
            raise self.error


class Graph:
    """A Neo4j database. Use as a context manager, or call `close`."""

    fence: Fence | None = None

    def __init__(
        self, driver: Driver, database: str, uri: str, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._driver = driver
        self._patience_seconds = patience_seconds
        self.database = database
        self.uri = uri
        self.disk: StoreDisk | None = None
        """Where the store lies, if that is on this machine and known."""

    @classmethod
    def connect(
        cls,
        uri: str,
        username: str,
        password: str,
        database: str = "neo4j",
        *,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> Self:
        """Connect and make sure that the server answers.

        A statement is tried again for `patience_seconds` where the server goes away later.

        Raises:
            StoreUnavailableError: nothing answers there, or the credentials are refused.
        """
        check_address(uri)
        try:
            driver = GraphDatabase.driver(
                uri,
                auth=(username, password),
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                warn_notification_severity=NotificationMinimumSeverity.OFF,
                connection_acquisition_timeout=30,
                # We try again ourselves, since Ctrl-C may end us between two tries.
                max_transaction_retry_time=0,
                user_agent="hopgrade",
            )
        except (DriverError, ValueError) as error:
            raise StoreUnavailableError(
                f"{shown_address(uri)} is not an address of a Neo4j: {error}"
            ) from error
        try:
            # An empty transaction: one try, while a statement would be tried for half a minute, and an old
            # server does not even know the language of our statements.
            with driver.session(database=database) as session:
                session.begin_transaction().close()
        except AuthError as error:
            driver.close()
            raise StoreUnavailableError(
                f"Neo4j at {shown_address(uri)} refused user {username!r}.",
                "Check NEO4J_USERNAME and NEO4J_PASSWORD.",
            ) from error
        except (ServiceUnavailable, DriverError, Neo4jError, OSError) as error:
            driver.close()
            raise no_answer(uri, database, error) from error
        return cls(driver, database, uri, patience_seconds)

    def with_fence(self, fence: Fence) -> Self:
        """This database by the same connections, where each transaction that writes proves `fence` first.

        What runs outside of transactions proves it before it begins.
        """
        other = copy.copy(self)
        other.fence = fence
        return other

    def close(self) -> None:
        """Give the connections back."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def server_version(self) -> str:
        """What the server calls its version, such as "2026.08.1"; it may be none of Neo4j's."""
        return self._driver.get_server_info().agent.removeprefix("Neo4j/")

    def require_room(self) -> None:
        """Refuse to begin what writes where the store's disk is nearly full.

        Raises:
            DiskFullError: less is free than is to stay free.
        """
        if self.disk is not None:
            self.disk.require_room()

    def try_writing(self, statement: Query, **params: object) -> None:
        """Run a writing statement once, without patience, and take it back: nothing of it stays.

        Raises:
            StoreError: the database can't be written.
        """
        with self._talking(statement), self._driver.session(database=self.database) as session:
            transaction = session.begin_transaction()
            try:
                transaction.run(statement.text, sendable(params)).consume()
            finally:
                transaction.close()

    def rows(self, statement: Query, **params: object) -> list[Row]:
        """Run a statement in a transaction of its own and take all its records.

        Raises:
            StoreError: the server refused it, with the statement's name and the server's words.
        """
        statement.check(params)

        def work(transaction: ManagedTransaction) -> list[Row]:
            return [_row(record) for record in transaction.run(statement.text, sendable(params))]

        def fenced_work(transaction: ManagedTransaction) -> list[Row]:
            if self.fence is not None:
                self.fence.prove(transaction)
            return work(transaction)

        def run() -> list[Row]:
            with hold_interrupts(), self._driver.session(database=self.database) as session:
                if statement.mode == "read":
                    return _read(session, work)
                if statement.mode == "write":
                    return session.execute_write(fenced_work)
                if self.fence is not None:
                    session.execute_write(self.fence.prove)
                return _outside_a_transaction(session, statement, params)

        with self._errors_of(statement):
            return self._patiently(run)

    def _patiently(self, run: Callable[[], list[Row]]) -> list[Row]:
        """Run again what may go well the next time, until patience is at an end."""
        again = Retrying(
            retry=retry_if_exception(_is_retryable),
            stop=stop_after_delay(self._patience_seconds),
            wait=wait_exponential(multiplier=0.5, max=LONGEST_PAUSE_SECONDS) + wait_random(0, 0.5),
            before=lambda _: stop_if_abandoned(),
            reraise=True,
        )
        return again(run)

    def stream(self, statement: Query, **params: object) -> Iterator[Row]:
        """The records of a reading statement one by one, so that memory doesn't grow with them.

        It is begun again where the connection turns out to be lost; once there are records it is not.

        Raises:
            StoreUnavailableError: the server went away.
        """
        statement.check(params)
        with self._errors_of(statement), self._driver.session(database=self.database) as session:
            with hold_interrupts():
                result, records = _begin(session, statement, params)
            while records:
                stop_if_abandoned()
                yield from map(_row, records)
                with hold_interrupts():
                    records = result.fetch(ROWS_A_BATCH)

    def write_rows(
        self,
        statement: Query,
        rows: Iterable[Mapping[str, object]],
        size: int = ROWS_A_BATCH,
        **params: object,
    ) -> int:
        """Run a statement that takes `rows`, a bounded batch a transaction; how many rows were sent.

        Raises:
            DiskFullError: before one of the batches the store's disk is nearly full.
        """
        sent = 0
        for batch in batches(rows, size):
            self.require_room()
            self.rows(statement, rows=batch, **params)
            sent += len(batch)
        return sent

    def read_in_batches(
        self, statement: Query, ids: Sequence[str], size: int = ROWS_A_BATCH, **params: object
    ) -> Iterator[Row]:
        """The records of a statement that takes `ids`, asked for a bounded batch at a time."""
        for batch in batches(ids, size):
            yield from self.rows(statement, ids=batch, **params)

    def read_rows(
        self,
        statement: Query,
        rows: Iterable[Mapping[str, object]],
        size: int = ROWS_A_BATCH,
        **params: object,
    ) -> Iterator[Row]:
        """The records of a reading statement that takes `rows`, asked for a bounded batch at a time."""
        for batch in batches(rows, size):
            yield from self.rows(statement, rows=batch, **params)

    def explain(self, statement: Query) -> tuple[list[str], list[str]]:
        """The columns of a statement and what its plan says is deprecated, without running it.

        It is planned for parameters of the declared types, so that a call finds the plan made.
        """
        with (
            self._talking(statement),
            self._driver.session(
                database=self.database, notifications_min_severity=NotificationMinimumSeverity.INFORMATION
            ) as session,
        ):
            text, params = f"EXPLAIN {statement.text}", statement.examples()
            if statement.text.startswith("CYPHER 25"):
                text = "CYPHER 25 EXPLAIN " + statement.text.removeprefix("CYPHER 25")
            result = session.run(DriverQuery(text), params)
            columns = list(result.keys())
            status = result.consume().gql_status_objects
            return columns, [s.status_description for s in status if s.raw_classification == "DEPRECATION"]

    @contextmanager
    def _talking(self, statement: Query) -> Iterator[None]:
        with hold_interrupts(), self._errors_of(statement):
            yield

    @contextmanager
    def _errors_of(self, statement: Query) -> Iterator[None]:
        stop_if_abandoned()
        try:
            yield
        except (Neo4jError, DriverError) as error:
            mapped = refusal(error, self.uri, statement.name)
            if isinstance(mapped, StoreFailedError) and self.disk is not None:
                self.disk.note_failure()
            raise mapped from error


@retry(retry=retry_if_exception_type(IncompleteCommit), stop=stop_after_attempt(ATTEMPTS), reraise=True)
def _read(session: Session, work: Callable[[ManagedTransaction], list[Row]]) -> list[Row]:
    """Run a transaction that only reads; the driver itself never tries again after a commit was cut off."""
    return session.execute_read(work)


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, Neo4jError | DriverError) and error.is_retryable()


_again = retry(
    retry=retry_if_exception(_is_retryable),
    stop=stop_after_attempt(ATTEMPTS),
    wait=wait_random_exponential(multiplier=0.2, max=5),
    reraise=True,
)


@_again
def _begin(session: Session, statement: Query, params: Mapping[str, object]) -> tuple[Result, list[Record]]:
    """A statement under way, with its first records."""
    result = session.run(DriverQuery(statement.text), sendable(params))
    return result, result.fetch(ROWS_A_BATCH)


@_again
def _outside_a_transaction(session: Session, statement: Query, params: Mapping[str, object]) -> list[Row]:
    """Run a statement that manages its own transactions; what it did before an error stays done."""
    return [_row(record) for record in session.run(DriverQuery(statement.text), sendable(params))]


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def sendable(value: Any) -> Any:  # noqa: ANN401
    """A parameter as the driver sends it fastest: float32 arrays as the Vector type."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, np.ndarray):
        return Vector.from_numpy(value.astype(np.float32, copy=False))
    if isinstance(value, Mapping):
        return {key: sendable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    return value


def vector_of(value: Vector | Sequence[float]) -> NDArray[np.float32]:
    """A vector as the graph returns it, as an array; as a VECTOR it comes far quicker than as a list."""
    return np.asarray(value.to_numpy() if isinstance(value, Vector) else value, dtype=np.float32)


_AS_THEY_ARE = frozenset({type(None), bool, int, float, str, Vector, DateTime})


def _row(record: Record) -> Row:
    """The record by column, with maps and lists in place of nodes, edges and paths.

    The driver looks for these in each number of each list; most records have none.
    """
    values = record.values()
    return dict(zip(record.keys(), values, strict=True)) if all(map(_is_plain, values)) else record.data()


def _is_plain(value: object) -> bool:
    """Whether there is no node, edge or path in a value, nor anything else that is not known to be none."""
    if isinstance(value, list):
        return set(map(type, value)) <= _AS_THEY_ARE or all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return type(value) in _AS_THEY_ARE


@contextmanager
def lent_driver(graph: Graph, library: str) -> Iterator[Driver]:
    """The driver, whose errors become ours with the name of the library that caused them.

    Raises:
        StoreUnavailableError: the server went away meanwhile.
        StoreError: the server refused a statement of the library.
    """
    try:
        # The graph keeps it to itself so that nothing else runs statements that are not under cypher/.
        yield graph._driver
    except (Neo4jError, DriverError) as error:
        raise refusal(error, graph.uri, f"a statement of {library}", "Run the same command again.") from error
