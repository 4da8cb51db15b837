"""The driver behind a graph, for libraries that talk to Neo4j with statements of their own."""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import Driver
from neo4j.exceptions import DriverError, Neo4jError

from kg.store.faults import refusal
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
    except (Neo4jError, DriverError) as error:
        raise refusal(error, graph.uri, f"a statement of {library}", "Run the same command again.") from error
