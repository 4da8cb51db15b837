"""A connection to one Neo4j database for an event loop: the statements of `cypher/` that read, awaited.

It keeps the promises of `kg.store.graph.Graph`: what failed for a moment is tried again, and errors are ours.
What writes stays with `Graph`.
"""

from types import TracebackType
from typing import Self

from neo4j import READ_ACCESS, AsyncDriver, AsyncGraphDatabase, NotificationMinimumSeverity
from neo4j import Query as DriverQuery
from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_random_exponential

from kg.errors import StoreError, StoreUnavailableError, shown_address
from kg.queries import Query
from kg.store.faults import check_address, no_answer, refusal
from kg.store.graph import Row, sendable

CONNECTIONS = 100
"""Statements that may be under way at once; more of them wait."""
ATTEMPTS = 4
"""Tries of a statement within about two seconds: whoever waits for a page would rather be told."""
_LATER = "Ask again in a moment."


class AsyncGraph:
    """A Neo4j database that is only read. Use as an async context manager, or await `close`."""

    def __init__(self, driver: AsyncDriver, database: str, uri: str) -> None:
        self._driver = driver
        self.database = database
        self.uri = uri

    @classmethod
    async def connect(
        cls,
        uri: str,
        username: str,
        password: str,
        database: str = "neo4j",
        *,
        connections: int = CONNECTIONS,
    ) -> Self:
        """Connect and make sure that the server answers.

        Raises:
            StoreUnavailableError: nothing answers there, or the credentials are refused.
        """
        check_address(uri)
        try:
            driver = AsyncGraphDatabase.driver(
                uri,
                auth=(username, password),
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                warn_notification_severity=NotificationMinimumSeverity.OFF,
                connection_acquisition_timeout=10,
                max_connection_pool_size=connections,
                user_agent="hopgrade",
            )
        except (DriverError, ValueError) as error:
            raise StoreUnavailableError(
                f"{shown_address(uri)} is not an address of a Neo4j: {error}"
            ) from error
        graph = cls(driver, database, uri)
        try:
            await graph.ping()
        except StoreError:
            await driver.close()
            raise
        return graph

    async def close(self) -> None:
        """Give the connections back."""
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def ping(self) -> None:
        """Ask for an empty transaction once, without the patience of a statement.

        Raises:
            StoreUnavailableError: nothing answers there, or the credentials are refused.
        """
        try:
            async with self._driver.session(database=self.database) as session:
                await (await session.begin_transaction()).close()
        except AuthError as error:
            raise StoreUnavailableError(
                f"Neo4j at {shown_address(self.uri)} refused the credentials.",
                "Check NEO4J_USERNAME and NEO4J_PASSWORD.",
            ) from error
        except (ServiceUnavailable, DriverError, Neo4jError, OSError) as error:
            raise no_answer(self.uri, self.database, error) from error

    async def rows(self, statement: Query, **params: object) -> list[Row]:
        """Run a reading statement in a transaction of its own and take all its records.

        Raises:
            StoreUnavailableError: the server went away.
            StoreError: the server refused it, with the statement's name and the server's words.
        """
        statement.check(params)
        if statement.mode != "read":
            raise StoreError(f"{statement.name} writes: an asynchronous connection only reads.")
        try:
            return await self._read(statement, sendable(params))
        except (Neo4jError, DriverError) as error:
            if isinstance(error, AuthError):
                raise StoreUnavailableError(
                    f"Neo4j at {shown_address(self.uri)} went away during {statement.name}.", _LATER
                ) from error
            raise refusal(error, self.uri, statement.name, _LATER) from error

    @retry(
        retry=retry_if_exception(
            lambda error: isinstance(error, Neo4jError | DriverError) and error.is_retryable()
        ),
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.1, max=1),
        reraise=True,
    )
    async def _read(self, statement: Query, params: Row) -> list[Row]:
        # A transaction that the server manages: one that the driver begins and commits takes twice the time.
        async with self._driver.session(database=self.database, default_access_mode=READ_ACCESS) as session:
            result = await session.run(DriverQuery(statement.text), params)
            # Statements return maps and values, no nodes, which `Record.data` would have to look for.
            return [dict(record) async for record in result]
