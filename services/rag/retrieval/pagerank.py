"""Retrieval by personalised PageRank over names and chunks, in memory: the default retriever's first walk.

It walks to the end, which the default does not, so that any engine comes to the same ranking.

The ways that walks took into chunks, told in names and titles.

Retrieval by personalised PageRank over facts, names and chunks, in memory.

The same personalised PageRank, walked by the graph data science plugin inside Neo4j.

The plugin keeps a projection of the graph in the server's memory. It is made once a version of the corpus, of
the edges that the engine in memory walks on, and the one before is dropped; seeds are the same as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kg.errors import StoreTooOldError, command
from kg.ids import content_hash
from kg.queries import query
from kg.store.graph import Graph
from services.rag.graph_search.cache import Embed, SnapshotIndex
from services.rag.graph_search.entity_graph import (
    Containment,
    EntityGraph,
    Mass,
    Seeds,
    WalkResult,
    entity_graph,
)
from services.rag.graph_search.explanation import (
    ChunkExplanation,
    Explanation,
    Flow,
    LinkedEntity,
    Reason,
    Source,
    Stop,
    Way,
    chunk_stop,
    entity_stop,
    explain,
    fact_stop,
    linked_entities,
    words_stop,
)
from services.rag.graph_search.fact_walk import (
    DEFAULT as FACT_SETTINGS,
)
from services.rag.graph_search.fact_walk import (
    NearFact,
    fact_masses,
    fact_seeds,
    nearest_facts,
    walk_facts,
    with_facts,
)
from services.rag.graph_search.link import QuestionEntity
from services.rag.graph_search.search import GraphIndex, begin, prepare_graph
from services.rag.graph_search.seeds import DEFAULT as GRAPH_SETTINGS
from services.rag.graph_search.seeds import question_names
from services.rag.graph_search.snapshot import Snapshot, allowed_chunks, best_first, round_score
from services.rag.protocol import Hit, RagQuestion

Origin = Callable[[int], Stop]
"""What gave a node its mass at the start of a walk."""


def linked_nodes(
    snapshot: Snapshot, graph: EntityGraph, named: Sequence[QuestionEntity]
) -> tuple[LinkedEntity, ...]:
    """What a question names of the graph, with the number of chunks where each stands."""
    return linked_entities(snapshot, named, graph.frequency.tolist(), graph.titles)


def walk_reasons(
    snapshot: Snapshot, graph: EntityGraph, walked: WalkResult, chunks: Sequence[int], origin: Origin
) -> list[Reason]:
    """Why a walk came to each of some chunks, its greatest ways first."""
    return [_reason(snapshot, graph, one, origin) for one in explain(walked, chunks)]


def merge_reasons(first: Reason, second: Reason) -> Reason:
    """The ways of two walks into one chunk, the greatest first; a way that both took has the mass of both."""
    masses: dict[tuple[Stop, ...], float] = {}
    for way in (*first.ways, *second.ways):
        masses[way.stops] = masses.get(way.stops, 0.0) + way.mass
    ways = sorted(
        (Way(round_score(mass), stops) for stops, mass in masses.items()), key=lambda way: -way.mass
    )
    return Reason(
        first.chunk, round_score(first.own + second.own), tuple(ways), round_score(first.rest + second.rest)
    )


def _reason(snapshot: Snapshot, graph: EntityGraph, told: ChunkExplanation, origin: Origin) -> Reason:
    ways = [
        Way(
            source.mass,
            (_start(snapshot, graph, flow, source, origin), entity_stop(snapshot, flow.entity, graph.titles)),
        )
        for flow in told.flows
        for source in flow.sources
    ]
    ways.sort(key=lambda way: -way.mass)
    rest = told.mass - told.own - sum(way.mass for way in ways)
    # What significant digits cut off is no way of its own.
    left = round_score(rest) if rest > told.mass / 10_000 else 0.0
    return Reason(snapshot.chunks.ids[told.chunk], told.own, tuple(ways), left)


def _start(snapshot: Snapshot, graph: EntityGraph, flow: Flow, source: Source, origin: Origin) -> Stop:
    match source.kind:
        case "question":
            return origin(flow.entity)
        case "chunk":
            return chunk_stop(snapshot, source.index)
        case "entity":
            return entity_stop(snapshot, source.index, graph.titles)


@dataclass(frozen=True, slots=True)
class _FactWalk:
    """A question after its walk: what it names, the facts near to it with what they gave, where mass went."""

    entities: Sequence[QuestionEntity]
    near: Sequence[NearFact]
    of_facts: Mass
    walk: WalkResult


def prepare_fact_pagerank(snapshot: Snapshot) -> EntityGraph:
    """The graph with its facts and synonyms; takes time in proportion to its text and names."""
    return with_facts(snapshot, entity_graph(snapshot, GRAPH_SETTINGS.title_weight))


def search_fact_pagerank(
    snapshot: Snapshot, graph: EntityGraph, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks where a walk from the nearest facts, and from what a question names, comes by most.

    The score is the chunk's mass: "graph" is what came over edges, "likeness" what it has as a seed.
    """
    return [
        _hits(snapshot, question, _walk_facts(snapshot, graph, question).walk, limit)
        for question in questions
    ]


def explain_fact_pagerank(
    snapshot: Snapshot, graph: EntityGraph, question: RagQuestion, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """The mass that the edges carried into each chunk, and where it came from."""
    gone = _walk_facts(snapshot, graph, question)
    reasons = walk_reasons(snapshot, graph, gone.walk, chunks, lambda node: _origin(snapshot, gone, node))
    return Explanation(linked_nodes(snapshot, graph, gone.entities), tuple(reasons))


def _walk_facts(snapshot: Snapshot, graph: EntityGraph, question: RagQuestion) -> _FactWalk:
    named = question_names(graph, question.text)
    near = nearest_facts(snapshot.facts, question.vector, FACT_SETTINGS.facts)
    of_facts = fact_masses(snapshot, graph, near)
    cosines = (snapshot.chunks.vectors @ question.vector).astype(np.float64)
    seeds = fact_seeds(of_facts, named, cosines, allowed_chunks(snapshot.chunks, question.filters))
    return _FactWalk(named, near, of_facts, walk_facts(graph.containment, seeds))


def _hits(snapshot: Snapshot, question: RagQuestion, walked: WalkResult, limit: int) -> list[Hit]:
    own = (1 - walked.damping) * walked.seeds.chunks
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            mass,
            (("graph", round_score(max(0.0, mass - own[chunk]))), ("likeness", round_score(own[chunk]))),
        )
        for chunk, mass in best_first(walked.chunks, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def _origin(snapshot: Snapshot, gone: _FactWalk, node: int) -> Stop:
    """What gave a node most at the start: the question's words, or the nearest fact about it."""
    by_words = sum(one.weight for one in gone.entities if one.entity == node)
    if by_words >= gone.of_facts[node]:
        return words_stop(gone.entities, node)
    facts = snapshot.facts
    about = (one.fact for one in gone.near if node in {facts.subjects[one.fact], facts.objects[one.fact]})
    return fact_stop(snapshot, next(about))


SETTINGS = replace(GRAPH_SETTINGS, rest=1e-12)
"""Beyond what ranks are decided by."""


def prepare_pagerank(snapshot: Snapshot) -> GraphIndex:
    """What the search needs of a snapshot."""
    return prepare_graph(snapshot, SETTINGS)


def search_pagerank(
    snapshot: Snapshot, index: GraphIndex, questions: Sequence[RagQuestion], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks where a walk from what a question names, and from what is like it, comes by most.

    The score is the chunk's mass: "graph" is what came over edges, "likeness" what it has as a seed.
    """
    return [
        hits_of(snapshot, begun.first_round.question, begun.walk.seeds, begun.walk.chunks, limit)
        for begun in begin(snapshot, index, questions, embed, limit)
    ]


def hits_of(snapshot: Snapshot, question: RagQuestion, seeds: Seeds, masses: Mass, limit: int) -> list[Hit]:
    """The best chunks by their masses after a walk, among those that the question's filters let through."""
    own = (1 - SETTINGS.damping) * seeds.chunks
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            mass,
            (("graph", round_score(max(0.0, mass - own[chunk]))), ("likeness", round_score(own[chunk]))),
        )
        for chunk, mass in best_first(masses, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def explain_pagerank(
    snapshot: Snapshot, index: GraphIndex, question: RagQuestion, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """The mass that the edges carried into each chunk, and where it came from."""
    (begun,) = begin(snapshot, index, [question], embed, len(chunks))
    named = begun.first_round.entities
    reasons = walk_reasons(snapshot, index.graph, begun.walk, chunks, lambda node: words_stop(named, node))
    return Explanation(linked_nodes(snapshot, index.graph, named), tuple(reasons))


ITERATIONS = 60
TOLERANCE = 1e-12
"""So many steps, or fewer once no mass changes by more: beyond what ranks are decided by."""


@dataclass(frozen=True, slots=True)
class GdsPageRank:
    """`search_pagerank` with the plugin as its engine: equal rankings, scores to six digits."""

    graph: Graph
    corpus: str
    index: SnapshotIndex[GraphIndex]
    embed: Embed
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"pagerank-gds-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question its hits, best first; one walk a question.

        Raises:
            NothingToDoError: the graph of the corpus is not built, or is being built.
        """
        if not questions:
            return []
        snapshot, index = self.index.current()
        graph = index.graph.containment
        projected = self._project(snapshot.version, graph) if graph.weights.nnz else ""
        found = []
        for begun in begin(snapshot, index, questions, self.embed, self.limit):
            seeds = begun.walk.seeds
            masses = self._walk(projected, graph, seeds)
            found.append(hits_of(snapshot, begun.first_round.question, seeds, masses, self.limit))
        return found

    def _project(self, version: str, graph: Containment) -> str:
        """The name of the projection of this version, which is made where it is not there."""
        prefix = f"hopgrade-{content_hash((self.corpus,))}-"
        name = prefix + version
        there = [row["name"] for row in self.graph.rows(query("gds/list_graphs"), prefix=prefix)]
        for old in there:
            if old != name:
                self.graph.rows(query("gds/drop_graph"), name=old)
        if name not in there:
            edges = graph.weights.tocoo()
            self.graph.rows(
                query("gds/project_edges"),
                name=name,
                starts=edges.row.tolist(),
                ends=(edges.col + graph.weights.shape[0]).tolist(),
                weights=edges.data.tolist(),
            )
        return name

    def _walk(self, projected: str, graph: Containment, seeds: Seeds) -> Mass:
        """The masses of the chunks after a walk; one without edges is in no projection and keeps its own."""
        masses = (1 - SETTINGS.damping) * seeds.chunks
        entities = seeds.entities * (np.diff(graph.weights.indptr) > 0)
        chunks = seeds.chunks * (np.diff(graph.transposed.indptr) > 0)
        # Chunks are numbered after the entities.
        everywhere = np.concatenate((entities, chunks))
        started = np.flatnonzero(everywhere)
        if not len(started):
            return masses
        found = self.graph.stream(
            query("gds/walk_from_seeds"),
            name=projected,
            seeds=[
                [node, mass]
                for node, mass in zip(started.tolist(), everywhere[started].tolist(), strict=True)
            ],
            first=len(entities),
            damping=SETTINGS.damping,
            iterations=ITERATIONS,
            tolerance=TOLERANCE,
        )
        for row in found:
            masses[row["node"] - len(entities)] = row["mass"]
        return masses


def require_plugin(graph: Graph) -> None:
    """Make sure that the server has the plugin.

    Raises:
        StoreTooOldError: it has not.
    """
    if not graph.rows(query("gds/is_installed"))[0]["installed"]:
        raise StoreTooOldError(
            "this Neo4j has no graph data science plugin, which pagerank-gds needs.",
            "Use pagerank, or start the managed server with it: "
            f"{command('server stop')}, then {command('server start --gds')}.",
        )
