"""The graph that a command works on: in the user's server, or in the managed one, started when down."""

import re

from kg.errors import SettingsError, StoreTooOldError
from kg.progress import Progress
from kg.queries import query
from kg.server import ensure_running
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.schema import migrate

LEAST_VERSION = (2026, 1)
"""Vector search with filters (SEARCH ... WHERE in Cypher 25) came with it."""


def open_graph(settings: Settings, progress: Progress) -> Graph:
    """A connection to a graph whose schema is up to date.

    Raises:
        SettingsError: NEO4J_URI is given without a password.
        StoreUnavailableError: the given server does not answer.
        StoreTooOldError: the given server lacks what the statements need.
        ServerError: the managed server can't be fetched or started.
    """
    if settings.neo4j_uri is None:
        server = ensure_running(settings, progress)
        graph = Graph.connect(server.uri, server.username, server.password)
    else:
        if settings.neo4j_password is None:
            raise SettingsError("NEO4J_URI is set without NEO4J_PASSWORD.", "Set it, or unset NEO4J_URI.")
        graph = Graph.connect(
            settings.neo4j_uri,
            settings.neo4j_username,
            settings.neo4j_password.get_secret_value(),
            settings.neo4j_database,
        )
        try:
            check_version(graph)
        except StoreTooOldError:
            graph.close()
            raise
    migrate(graph)
    return graph


def check_version(graph: Graph) -> str:
    """The version of a server that can do what is needed.

    Raises:
        StoreTooOldError: it is older than `LEAST_VERSION`, or not Neo4j.
    """
    kernel = next((row for row in graph.rows(query("server/read_version")) if "Kernel" in row["name"]), None)
    version = str(kernel["versions"][0]) if kernel else "unknown"
    if version_numbers(version) < LEAST_VERSION:
        least = ".".join(f"{part:02}" for part in LEAST_VERSION)
        raise StoreTooOldError(
            f"Neo4j at {graph.uri} is version {version}, and filtered vector search needs {least} or newer.",
            "Use a newer server, or unset NEO4J_URI to let Hopgrade start its own.",
        )
    return version


def version_numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: "2026.08.1-SNAPSHOT" -> (2026, 8, 1)."""
    return tuple(int(part) for part in re.findall(r"\d+", version.split("-", maxsplit=1)[0]))
