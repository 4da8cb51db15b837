"""The graph that a command works on: in the user's server, or in the managed one, started when down."""

from kg.errors import SettingsError
from kg.progress import Progress
from kg.queries import query
from kg.server import ensure_running
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.schema import migrate
from kg.store.version import refuse_old


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
    migrate(graph)
    return graph


def check_version(graph: Graph) -> str:
    """The version of a server that can do what is needed.

    Raises:
        StoreTooOldError: it is older than `LEAST_VERSION`, or not Neo4j.
    """
    kernel = next((row for row in graph.rows(query("server/read_version")) if "Kernel" in row["name"]), None)
    version = str(kernel["versions"][0]) if kernel else "unknown"
    refuse_old(version, graph.uri)
    return version
