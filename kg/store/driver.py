"""The driver behind a graph, for libraries that talk to Neo4j with statements of their own."""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import Driver
from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable

from kg.errors import StoreError, StoreUnavailableError
from kg.store.graph import Graph


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
    except ServiceUnavailable as error:
        raise StoreUnavailableError(
            f"Neo4j at {graph.uri} went away while {library} used it.", "Run the same command again."
        ) from error
    except (Neo4jError, DriverError) as error:
        raise StoreError(f"Neo4j refused a statement of {library}: {error}") from error
