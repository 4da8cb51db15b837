"""The graph that a command works on: in the user's server, or in the managed one, started when down."""

from neo4j.exceptions import Neo4jError

from kg.addresses import shown_address
from kg.errors import SettingsError, StoreError, StoreTooOldError
from kg.progress import Progress
from kg.queries import Query, query
from kg.server import ensure_running
from kg.server.layout import store_disk
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.schema import migrate

LEAST_VERSION = "2026.01"
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
        graph.disk = store_disk(settings)
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
        if settings.neo4j_uri is not None:
            refuse_old(graph)
        migrate(graph)
    except StoreError:
        graph.close()
        raise
    return graph


def refuse_old(graph: Graph, needed: Query | None = None) -> None:
    """Make sure that a server understands `needed`, a filtered vector search; its version decides nothing.

    Raises:
        StoreTooOldError: it does not.
    """
    try:
        graph.explain(needed or query("retrieve/search_chunks"))
    except StoreError as error:
        code = (error.__cause__.code if isinstance(error.__cause__, Neo4jError) else None) or ""
        # Before the first migration there is no index to search, which is noticed only after the statement
        # was understood.
        if code == "Neo.ClientError.Schema.IndexNotFound":
            return
        if ".Statement." not in code:
            raise
        raise StoreTooOldError(
            f"Neo4j at {shown_address(graph.uri)} (version {graph.server_version()}) has no filtered vector "
            "search.",
            f"Use version {LEAST_VERSION} or newer, or unset NEO4J_URI to let Hopgrade start its own.",
        ) from error
