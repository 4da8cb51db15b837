"""The asynchronous connection of a process that serves requests, to the server that the settings mean."""

import asyncio

from kg.errors import SettingsError
from kg.progress import Silent
from kg.server import ensure_running
from kg.settings import Settings
from kg.store.async_graph import AsyncGraph


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
