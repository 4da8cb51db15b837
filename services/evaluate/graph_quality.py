"""How good a corpus' graph is for multi-hop questions: spread, reach, links, hubs, and what is left out.

Which pairs of entities need a missing link: they have no shortest path without it (GRADE, table 4).

GRADE counts its questions; this counts all pairs. Two steps of a path join without an exact link where both
triples use names of one normal form for the entity between them; a mirrored edge is a contextual link, and
joins by any name at the end where context put another entity.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from kg.paths.protocol import MAX_HOPS, EdgeTable, EntityEdges, Ints, OutEdge, Reach, edge_table
from kg.paths.sparse import Census, SparseEngine, boolean_matrix, census
from kg.progress import Progress, Silent
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.stages.build import require_built
from kg.stages.resolution import count_gates, read_resolution_choice
from kg.store.graph import Graph, Row


@dataclass(frozen=True, slots=True)
class NeedOfLinks:
    """Of the pairs at so many hops, how many have no path of that length without links of a kind."""

    hops: int
    pairs: int
    exact: int
    context: int
    either: int


Forms = tuple[str | None, str | None]
"""The normal forms of an edge's own subject and object; None at the end where context put another entity."""


def need_of_links(table: EdgeTable, forms: Mapping[str, Forms]) -> list[NeedOfLinks]:
    """The need of links at 1 to 5 hops; `forms` has those of an edge by its id.

    Of the pairs at a depth, how many have no path of that length without exact links, contextual links, and
    either. GRADE's table 4 (section 4.3) counts questions in place of pairs. A mirrored edge has no form at
    the end where context put another entity; there it joins with any name.
    """
    engine = SparseEngine(table)
    plain = np.flatnonzero(~table.mirrored).astype(np.int32)
    every = np.arange(table.size, dtype=np.int32)
    restricted = (
        _Walks(table, every, lambda edge: forms[table.ids[edge]]),
        _Walks(table, plain, lambda _: ("", "")),
        _Walks(table, plain, lambda edge: forms[table.ids[edge]]),
    )
    counts = np.zeros((MAX_HOPS, 4), np.int64)
    for reach in engine.reach(engine.sources()):
        kept = [walks.count_pairs(reach) for walks in restricted]
        total = len(reach.ends)
        counts[reach.hops - 1] += (total, *(total - one for one in kept))
    return [NeedOfLinks(hops, *row) for hops, row in enumerate(counts.tolist(), start=1)]


class _Walks:
    """Walks over some edges that keep an entity's name from step to step, beside the search of an engine.

    A place is an entity under one normal form of its names, or under None, which joins with all of them.
    """

    def __init__(self, table: EdgeTable, edges: Ints, forms_of: Callable[[int], Forms]) -> None:
        places: dict[tuple[int, str | None], int] = {}
        joined: list[tuple[int, int, Forms]] = []
        for edge in edges.tolist():
            subject, target = forms_of(edge)
            ends = ((int(table.start[edge]), subject), (int(table.end[edge]), target))
            tail, head = (places.setdefault(end, len(places)) for end in ends)
            joined.append((tail, head, (subject, target)))
        entity_of = np.fromiter((entity for entity, _ in places), np.int32, len(places))
        tails, heads = _with_all_names(joined, entity_of)
        here, shape = np.arange(len(places), dtype=np.int32), (len(places), len(table.entities))
        self._shape = shape
        self._steps = boolean_matrix(tails, heads, (len(places), len(places)))
        self._entity_of = boolean_matrix(here, entity_of, shape)
        self._places_of = boolean_matrix(entity_of, here, shape[::-1])
        self._frontier = self._steps

    def count_pairs(self, reach: Reach) -> int:
        """How many of these pairs such a walk joins in as many hops; levels must come in their order."""
        if reach.hops == 1:
            self._frontier = self._places_of[reach.sources]
        level = csr_array(
            (np.ones(len(reach.ends), np.bool_), reach.ends, reach.offsets),
            shape=(len(reach.sources), self._shape[1]),
        )
        # What is not on a shortest path by now never will be, so the frontier stays as small as the level.
        self._frontier = (self._frontier @ self._steps).multiply(level @ self._places_of).tocsr()
        return int((self._frontier @ self._entity_of).nnz)


def _with_all_names(joined: list[tuple[int, int, Forms]], entity_of: Ints) -> tuple[Ints, Ints]:
    """Steps between places; an end without a form is left or entered under all names of its entity."""
    names: dict[int, list[int]] = {}
    for place, entity in enumerate(entity_of.tolist()):
        names.setdefault(entity, []).append(place)
    steps: set[tuple[int, int]] = set()
    for tail, head, (subject, target) in joined:
        tails = [tail] if subject is not None else names[int(entity_of[tail])]
        heads = [head] if target is not None else names[int(entity_of[head])]
        steps.update((one, other) for one in tails for other in heads)
    array = np.array(sorted(steps), np.int32).reshape(-1, 2)
    return array[:, 0], array[:, 1]


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
    gates: Sequence[Row]
    failures: Mapping[str, int]


def read_graph_quality(graph: Graph, corpus: str, progress: Progress) -> GraphQuality:
    """Measure the graph of a corpus as it is."""
    progress.step("graph quality: edges")
    table, with_hubs, forms = path_edges(graph.stream(query("entities/read_path_edges"), corpus=corpus))
    spread = graph.rows(query("entities/count_spread"), corpus=corpus)
    used = read_degrees(graph, corpus)
    failures = graph.rows(query("articles/count_rejects"), corpus=corpus)
    progress.step("graph quality: pairs")
    return GraphQuality(
        named_entities=sum(row["entities"] for row in spread),
        in_two_articles=sum(row["entities"] for row in spread if row["articles"] > 1),
        pairs=census(table),
        pairs_with_hubs=census(with_hubs),
        path_edges=table.size,
        path_edges_with_hubs=with_hubs.size,
        need=need_of_links(table, forms),
        drawn=graph.rows(query("paths/count_paths"), corpus=corpus, first=False),
        degrees=degree_tail([row["degree"] for row in used]),
        hubs=[row for row in used if row["hub"]],
        components=components(table),
        edges=graph.rows(query("facts/count_kept_out"), corpus=corpus),
        gates=count_gates(graph, corpus, read_resolution_choice(graph, corpus).edges),
        failures={row["kind"]: row["count"] for row in failures},
    )


def read_degrees(graph: Graph, corpus: str) -> list[Row]:
    """The named entities that take part in facts, those with most first: name, type, degree, hub, reason."""
    rows = graph.rows(query("entities/list_entities"), corpus=corpus)
    used = (row for row in rows if row["named"] and row["degree"])
    told = ("name", "type", "degree", "hub", "reason")
    return [
        {name: row[name] for name in told}
        for row in sorted(used, key=lambda row: (-row["degree"], row["name"]))
    ]


def measure_built(graph: Graph, corpus: str) -> GraphQuality:
    """The same without telling how far it is, of a corpus whose graph must be built.

    Raises:
        NothingToDoError: it is not, or is being built anew.
    """
    require_built(graph, corpus)
    return read_graph_quality(graph, corpus, Silent())


def path_edges(rows: Iterable[Row]) -> tuple[EdgeTable, EdgeTable, dict[str, Forms]]:
    """The edges for paths, those with what the policy on hubs keeps out, and the forms of each edge.

    `rows` are those of `entities/read_path_edges`.
    """
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
    return edge_table(kept), edge_table(every), forms


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


T = TypeVar("T")

SENTENCES = 2
"""Sentences shown for each name."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Merged entities and pairs linked by context that were drawn, of how many, and all groups kept apart.

    The rows are those of `links/read_merged`, `links/read_pairs` and `links/list_split_groups`.
    """

    seed: int
    merged: Sequence[Row]
    merged_total: int
    links: Sequence[Row]
    links_total: int
    kept_apart: Sequence[Row]


def draw_audit(graph: Graph, corpus: str, groups: int, seed: int) -> Audit:
    """Draw so many merged entities and so many linked pairs, each kind uniformly; all where fewer are.

    A pair counts once, in however many clusters it is linked.
    """
    generator = np.random.default_rng(seed)
    merged = [row["id"] for row in graph.rows(query("links/list_merged"), corpus=corpus)]
    links = graph.rows(query("links/count_contexts"), corpus=corpus)
    return Audit(
        seed=seed,
        merged=list(
            graph.read_in_batches(
                query("links/read_merged"), _sample(merged, groups, generator), sentences=SENTENCES
            )
        ),
        merged_total=len(merged),
        links=graph.rows(
            query("links/read_pairs"), rows=_sample(links, groups, generator), sentences=SENTENCES
        ),
        links_total=len(links),
        kept_apart=graph.rows(query("links/list_split_groups"), corpus=corpus),
    )


def read_named_statements(
    graph: Graph, entity: str, name: str, clusters: Sequence[str], limit: int
) -> list[Row]:
    """Some statements that mention the entity with this id by a name, or by any where the name is empty;
    those of some clusters where any are given. Keys: statement, sentence, article (its title)."""
    return graph.rows(query("claims/read_naming"), id=entity, name=name, clusters=list(clusters), limit=limit)


def _sample(items: Sequence[T], size: int, generator: np.random.Generator) -> list[T]:
    return [items[place] for place in generator.permutation(len(items))[:size].tolist()]
