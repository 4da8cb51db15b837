"""The entities of a corpus in the memory of graph data science, for an algorithm that runs in the server."""

from collections.abc import Iterator
from contextlib import contextmanager

from kg.errors import StoreTooOldError, command
from kg.ids import content_hash
from kg.queries import query
from kg.store.graph import Graph


def has_gds(graph: Graph) -> bool:
    """Whether the server has the graph data science plugin."""
    return bool(graph.rows(query("gds/is_installed"))[0]["installed"])


def require_gds(graph: Graph) -> None:
    """Make sure that the server has the graph data science plugin.

    Raises:
        StoreTooOldError: it has not.
    """
    if not has_gds(graph):
        raise StoreTooOldError(
            "this Neo4j has no graph data science plugin.",
            f"Start the managed server with it: {command('server stop')}, then "
            f"{command('server start --gds')}.",
        )


def project_entities(graph: Graph, corpus: str, mirrored: bool, directed: bool, use: str) -> str:
    """Project the entities anew; the name of the projection, one for each use and each choice of options.

    A relationship joins two entities between which there are facts; its weight is their number. With
    `mirrored`, edges that context alone implies count as facts; unless `directed`, it joins both ways.

    Raises:
        StoreTooOldError: the server has no graph data science.
    """
    require_gds(graph)
    name = f"hopgrade-entities-{content_hash((corpus, str(mirrored), str(directed), use))}"
    graph.rows(query("gds/drop_graph"), name=name)
    graph.rows(
        query("gds/project_entities"),
        name=name,
        corpus=corpus,
        mirrored=mirrored,
        undirected=[] if directed else ["*"],
    )
    return name


@contextmanager
def entity_projection(graph: Graph, corpus: str, mirrored: bool, use: str) -> Iterator[str]:
    """A projection whose relationships join both ways, by its name, dropped afterwards.

    Raises:
        StoreTooOldError: the server has no graph data science.
    """
    name = project_entities(graph, corpus, mirrored, directed=False, use=use)
    try:
        yield name
    finally:
        graph.rows(query("gds/drop_graph"), name=name)
