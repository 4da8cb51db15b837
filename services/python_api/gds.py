"""The entity graph of a corpus in graph data science, for its client and for three recipes.

A recipe projects the entities, runs an algorithm inside Neo4j, writes a property onto every entity, drops its
projection, and reads the result back. A later build of the corpus makes the properties outdated; run it then.
"""

from typing import TYPE_CHECKING

from kg.errors import SettingsError
from kg.progress import Silent
from kg.queries import query
from kg.server import ensure_running
from kg.settings import Settings
from services.entity_projection import entity_projection, project_entities, require_gds
from services.python_api.corpus import Corpus
from services.python_api.plots import require_extra

if TYPE_CHECKING:
    import pandas as pd
    from graphdatascience import Graph as GdsGraph
    from graphdatascience import GraphDataScience

MAX_SEED = 2**31 - 1
USE = "recipe"


def gds_client(corpus: Corpus) -> "GraphDataScience":
    """A client of graph data science on the server of a corpus; close it after use.

    Raises:
        SettingsError: the library graphdatascience is not installed.
        StoreTooOldError: the server has no graph data science.

    >>> with hopgrade.gds_client(corpus) as client:
    ...     client.server_version().major
    2
    """
    require_extra("graphdatascience", "gds")
    from graphdatascience import GraphDataScience  # noqa: PLC0415

    require_gds(corpus.graph)
    user, password = _credentials(corpus.settings)
    return GraphDataScience(
        corpus.graph.uri,
        auth=(user, password),
        database=corpus.graph.database,
        aura_ds=False,
        arrow=False,
        show_progress=False,
    )


def gds(
    corpus: Corpus, client: "GraphDataScience | None" = None, mirrored: bool = False, directed: bool = False
) -> "GdsGraph":
    """Project the entities of a corpus, and hand back the graph object of graph data science's client.

    A relationship joins two entities between which there are facts; its property `weight` is their number.
    With `mirrored`, edges that context alone implies count as facts; unless `directed`, it joins both ways.
    The projection stays in the server's memory until its `drop()`; another call with the same options
    replaces it.

    Raises:
        SettingsError: the library graphdatascience is not installed.
        StoreTooOldError: the server has no graph data science.

    >>> with hopgrade.gds_client(corpus) as client, hopgrade.gds(corpus, client) as entities:
    ...     entities.node_count() == corpus.sizes()["entities"]
    True
    """
    opened = client or gds_client(corpus)
    name = project_entities(corpus.graph, corpus.name, mirrored, directed, "client")
    return opened.graph.get(name)


def write_pagerank(
    corpus: Corpus, damping: float = 0.85, iterations: int = 40, mirrored: bool = False
) -> "pd.DataFrame":
    """Write PageRank onto entities as `pagerank`; name, type, degree and rank of each, highest first.

    Facts are walked both ways (Page et al. 1999, on the undirected graph), as often as there are facts.

    Raises:
        StoreTooOldError: the server has no graph data science.

    >>> ranked = hopgrade.write_pagerank(corpus)
    >>> ranked["pagerank"].is_monotonic_decreasing
    True
    """
    with entity_projection(corpus.graph, corpus.name, mirrored, USE) as name:
        corpus.graph.rows(query("gds/write_pagerank"), name=name, damping=damping, iterations=iterations)
    return _read_column(corpus, "pagerank").sort_values("pagerank", ascending=False, kind="stable")


def write_communities(
    corpus: Corpus, gamma: float = 1.0, seed: int = 0, mirrored: bool = False
) -> "pd.DataFrame":
    """Write the community of entities as `community`, 0 for the largest, and hand them back by community.

    By the Leiden algorithm (Traag, Waltman and van Eck 2019); a larger `gamma` makes smaller communities.

    Raises:
        StoreTooOldError: the server has no graph data science.

    >>> communities = hopgrade.write_communities(corpus)
    >>> communities.groupby("community").size().is_monotonic_decreasing
    True
    """
    with entity_projection(corpus.graph, corpus.name, mirrored, USE) as name:
        corpus.graph.rows(query("gds/write_communities"), name=name, gamma=gamma, seed=seed)
    return _read_column(corpus, "community").sort_values("community", kind="stable")


def write_graph_embeddings(
    corpus: Corpus, dimensions: int = 128, seed: int = 0, mirrored: bool = False
) -> "pd.DataFrame":
    """Write an embedding by place in the graph onto entities as `graph_embedding`, and hand them back.

    By FastRP (Chen et al. 2019): entities with like neighbours get like vectors, whatever their names; those
    without a fact get zeros. The embedding of names, `embedding`, stays as it is.

    Raises:
        StoreTooOldError: the server has no graph data science.

    >>> vectors = hopgrade.write_graph_embeddings(corpus, dimensions=16)["graph_embedding"]
    >>> {len(vector) for vector in vectors}
    {16}
    """
    with entity_projection(corpus.graph, corpus.name, mirrored, USE) as name:
        statement = query("gds/write_graph_embeddings")
        corpus.graph.rows(statement, name=name, dimensions=dimensions, seed=seed)
    return _read_column(corpus, "graph_embedding")


def _read_column(corpus: Corpus, column: str) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415

    rows = corpus.graph.rows(query("gds/read_written"), corpus=corpus.name)
    return pd.DataFrame(rows, columns=["id", "name", "type", "degree", column]).set_index("id")


def _credentials(settings: Settings) -> tuple[str, str]:
    if settings.neo4j_uri is None:
        server = ensure_running(settings, Silent())
        return server.username, server.password
    if settings.neo4j_password is None:
        raise SettingsError("NEO4J_URI is set without NEO4J_PASSWORD.", "Set it, or unset NEO4J_URI.")
    return settings.neo4j_username, settings.neo4j_password.get_secret_value()
