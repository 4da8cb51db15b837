"""A hop path as a networkx graph."""

from typing import TYPE_CHECKING

from kg.errors import NothingToDoError
from kg.queries import query
from kg.store.graph import Graph, Row
from services.notebook.extras import require_extra

if TYPE_CHECKING:
    import networkx as nx

_OF_AN_EDGE = ("link", "predicate", "subject", "object", "claim", "sentence", "article", "title", "source")


def read_path_graph(graph: Graph, corpus: str, path: str) -> "nx.DiGraph[str]":
    """A path as a directed graph whose nodes are entity ids, in the path's order.

    A node has `name`, `type` and `index`, from 0. An edge goes the way of its fact, which `reversed` tells to
    be against the path's, and has `hop`, from 1, `link` (how it joins the hop before), the fact's `subject`,
    `predicate` and `object`, and the `claim`, `sentence`, `article`, `title` and `source` that it rests on.

    Raises:
        NothingToDoError: the corpus has no such path.
        SettingsError: networkx is not installed.
    """
    require_extra("networkx", "notebook")
    import networkx as nx  # noqa: PLC0415

    found = graph.rows(query("paths/read_path"), id=path)
    if not found or found[0]["path"]["corpus"] != corpus:
        raise NothingToDoError(f"corpus {corpus!r} has no path {path!r}.", "See them: kg graph paths list")
    row = found[0]
    stops = [entity["id"] for entity in row["entities"]]
    drawn: nx.DiGraph[str] = nx.DiGraph(id=path, corpus=corpus, hops=row["path"]["hops"])
    for index, entity in enumerate(row["entities"]):
        drawn.add_node(entity["id"], name=entity["name"], type=entity["type"], index=index)
    for hop in row["hops"]:
        ends = (stops[hop["index"] - 1], stops[hop["index"]])
        start, end = ends[::-1] if hop["reversed"] else ends
        drawn.add_edge(start, end, **_edge(hop))
    return drawn


def _edge(hop: Row) -> dict[str, object]:
    return {"hop": hop["index"], "reversed": hop["reversed"], **{key: hop[key] for key in _OF_AN_EDGE}}
