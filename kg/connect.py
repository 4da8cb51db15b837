"""The graph that a command works on: in the user's server, or in the managed one, started when down.

Constraints and indexes: the migrations in cypher/schema, recorded in the graph once they can be used.

Also the asynchronous connection of a process that serves requests.
"""

import asyncio

from neo4j.exceptions import Neo4jError

from kg.errors import SettingsError, StoreError, StoreTooNewError, StoreTooOldError, shown_address
from kg.progress import Progress, Silent
from kg.queries import Query, area_queries, query
from kg.server import ensure_running
from kg.server.layout import server_home, store_disk
from kg.server.ports import browser_address
from kg.server.process import describe, living_state
from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph


def migrate(graph: Graph) -> list[str]:
    """Run the migrations that this database has not seen, in order; which ones ran.

    Each statement says IF NOT EXISTS, so migrations that ran but were not recorded run again unharmed.

    Raises:
        StoreTooNewError: a newer Hopgrade made or migrated it.
    """
    applied = {row["name"] for row in graph.rows(query("store/read_migrations"))}
    known = {found.name.removeprefix("schema/"): found for found in area_queries("schema")}
    # Names begin with their number. An older one that we don't know was taken back since then.
    newest = max(known)
    if newer := [name for name in applied - known.keys() if name > newest]:
        raise StoreTooNewError(
            f"A newer Hopgrade has used the store at {shown_address(graph.uri)}: its schema is at "
            f"{max(newer)}, this version's at {newest}.",
            "Use the newer version, or set HOPGRADE_HOME to another folder for a store of this one's.",
        )
    pending = {name: migration for name, migration in known.items() if name not in applied}
    if pending:
        for migration in pending.values():
            graph.rows(migration)
        graph.rows(query("store/await_indexes"))
        graph.rows(query("store/record_migrations"), names=list(pending))
    return list(pending)


LEAST_VERSION = "2026.01"
"""Vector search with filters (SEARCH ... WHERE in Cypher 25) came with it."""


def open_graph(settings: Settings, progress: Progress) -> Graph:
    """A connection to a graph whose schema is up to date.

    Raises:
        SettingsError: NEO4J_URI is given without a password.
        StoreUnavailableError: the given server does not answer.
        StoreTooOldError: the given server lacks what the statements need.
        StoreTooNewError: a newer Hopgrade made or migrated the store.
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


def browser_of(settings: Settings) -> str:
    """The address of Neo4j Browser on the managed server; empty for a server of the user's."""
    state = living_state(server_home(settings)) if settings.neo4j_uri is None else None
    return browser_address(state.http_port) if state else ""


def settings_elsewhere(settings: Settings) -> dict[str, object]:
    """The settings by which a process elsewhere finds the same graph; they hold no other secret.

    Raises:
        ServerError: the managed server can't be fetched or started.
    """
    given = {"neo4j_uri", "neo4j_username", "neo4j_password", "neo4j_database"}
    if settings.neo4j_uri is not None:
        return {name: getattr(settings, name) for name in given}
    server = ensure_running(settings, Silent())
    found = {"uri": server.uri, "username": server.username, "password": server.password}
    return {f"neo4j_{name}": value for name, value in found.items()}


def connect_if_running(settings: Settings) -> Graph | None:
    """A connection to a server that answers now; it starts none, waits for none and migrates nothing.

    None where the managed server does not run, or the given one has no password.

    Raises:
        StoreUnavailableError: nothing answers at the given address.
    """
    if settings.neo4j_uri is None:
        home = server_home(settings)
        state = living_state(home)
        if state is None:
            return None
        server = describe(home, state)
        return Graph.connect(server.uri, server.username, server.password, patience_seconds=0)
    if settings.neo4j_password is None:
        return None
    return Graph.connect(
        settings.neo4j_uri,
        settings.neo4j_username,
        settings.neo4j_password.get_secret_value(),
        settings.neo4j_database,
        patience_seconds=0,
    )


def refuse_old(graph: Graph, needed: Query | None = None) -> None:
    """Make sure that a server understands `needed`, a filtered vector search; its version decides nothing.

    Raises:
        StoreTooOldError: it does not.
    """
    try:
        graph.explain(needed or query("search/search_chunks"))
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


async def open_async_graph(settings: Settings) -> AsyncGraph:
    """A connection for reading; the schema must be up to date (`kg.store.connect.open_graph`).

    Raises:
        SettingsError: NEO4J_URI is given without a password.
        StoreUnavailableError: the given server does not answer.
        ServerError: the managed server can't be fetched or started.
    """
    if settings.neo4j_uri is None:
        server = await asyncio.to_thread(ensure_running, settings, Silent())
        return await AsyncGraph.connect(server.uri, server.username, server.password)
    if settings.neo4j_password is None:
        raise SettingsError("NEO4J_URI is set without NEO4J_PASSWORD.", "Set it, or unset NEO4J_URI.")
    return await AsyncGraph.connect(
        settings.neo4j_uri,
        settings.neo4j_username,
        settings.neo4j_password.get_secret_value(),
        settings.neo4j_database,
    )
