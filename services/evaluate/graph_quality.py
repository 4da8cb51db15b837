"""How good a corpus' graph is for multi-hop questions: spread, reach, links, hubs, and what is left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from kg.paths.census import Census, census
from kg.paths.edges import EdgeTable, EntityEdges, OutEdge, edge_table
from kg.paths.sparse import boolean_matrix
from kg.progress import Progress
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row
from kg.text.opinion import FACTUAL_FROM
from services.evaluate.missing_links import Forms, NeedOfLinks, need_of_links

TOP_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class DegreeTail:
    """Facts an entity takes part in, over named entities with any; `top_share` is what the top 1 % have."""

    entities: int
    median: float
    p95: float
    p99: float
    max: int
    top_share: float


@dataclass(frozen=True, slots=True)
class Components:
    """Parts of the graph that no edge for paths joins, directions aside."""

    count: int
    entities: int
    largest: int


@dataclass(frozen=True, slots=True)
class PathEdges:
    """The edges of a corpus for paths, without and with those that the policy on hubs keeps out."""

    table: EdgeTable
    with_hubs: EdgeTable
    forms: Mapping[str, Forms]


@dataclass(frozen=True, slots=True)
class GraphQuality:
    """The figures of one corpus; `drawn` are those of GRADE's table 4 for the paths that were drawn."""

    named_entities: int
    in_two_articles: int
    pairs: Census
    pairs_with_hubs: Census
    path_edges: int
    path_edges_with_hubs: int
    need: Sequence[NeedOfLinks]
    drawn: Sequence[Row]
    degrees: DegreeTail
    hubs: Sequence[Row]
    components: Components
    edges: Sequence[Row]
    doubts: Row
    failures: Mapping[str, int]


def read_graph_quality(graph: Graph, corpus: str, progress: Progress) -> GraphQuality:
    """Measure the graph of a corpus as it is."""
    progress.step("graph quality: edges")
    edges = path_edges(graph.stream(query("entities/read_path_edges"), corpus=corpus))
    spread = graph.rows(query("entities/count_spread"), corpus=corpus)
    used = graph.rows(query("entities/read_degrees"), corpus=corpus)
    failures = graph.rows(query("entities/count_failures"), corpus=corpus)
    progress.step("graph quality: pairs")
    return GraphQuality(
        named_entities=sum(row["entities"] for row in spread),
        in_two_articles=sum(row["entities"] for row in spread if row["articles"] > 1),
        pairs=census(edges.table),
        pairs_with_hubs=census(edges.with_hubs),
        path_edges=edges.table.size,
        path_edges_with_hubs=edges.with_hubs.size,
        need=need_of_links(edges.table, edges.forms),
        drawn=graph.rows(query("entities/count_path_links"), corpus=corpus),
        degrees=degree_tail([row["degree"] for row in used]),
        hubs=[row for row in used if row["hub"]],
        components=components(edges.table),
        edges=graph.rows(query("entities/count_kept_out"), corpus=corpus),
        doubts=graph.rows(query("entities/count_doubts"), corpus=corpus, factual_from=FACTUAL_FROM)[0],
        failures={row["kind"]: row["count"] for row in failures},
    )


def path_edges(rows: Iterable[Row]) -> PathEdges:
    """Both tables from the rows of `entities/read_path_edges`."""
    kept: list[EntityEdges] = []
    every: list[EntityEdges] = []
    forms: dict[str, Forms] = {}
    for row in rows:
        edges = []
        for edge, to, claim, article, replaced, subject, target, by_hub in row["edges"]:
            edges.append((OutEdge(edge, to, claim, article, "", bool(replaced)), by_hub))
            forms[edge] = (
                None if replaced == "subject" else normal_form(subject),
                None if replaced == "object" else normal_form(target),
            )
        about = (row["id"], row["name"], row["type"], row["literal"])
        kept.append(EntityEdges(*about, [edge for edge, by_hub in edges if not by_hub]))
        every.append(EntityEdges(*about, [edge for edge, _ in edges]))
    return PathEdges(edge_table(kept), edge_table(every), forms)


def degree_tail(degrees: Sequence[int]) -> DegreeTail:
    """Quantiles of the degrees, and the share of all edge ends that the top 1 % (at least one) hold."""
    if not degrees:
        return DegreeTail(0, 0.0, 0.0, 0.0, 0, 0.0)
    ordered = np.sort(np.array(degrees))[::-1]
    top = max(1, int(len(ordered) * TOP_SHARE))
    median, p95, p99 = np.quantile(ordered, (0.5, 0.95, 0.99)).tolist()
    return DegreeTail(
        len(ordered), median, p95, p99, int(ordered[0]), float(ordered[:top].sum() / ordered.sum())
    )


def components(table: EdgeTable) -> Components:
    """The weakly connected components of the entities that have an edge."""
    if not table.size:
        return Components(0, 0, 0)
    ends, place = np.unique(np.concatenate((table.start, table.end)), return_inverse=True)
    size = len(ends)
    steps = boolean_matrix(
        place[: table.size].astype(np.int32), place[table.size :].astype(np.int32), (size, size)
    )
    count, label = connected_components(steps, directed=False)
    return Components(int(count), size, int(np.bincount(label).max()))
