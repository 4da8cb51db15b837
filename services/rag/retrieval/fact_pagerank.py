"""Retrieval by personalised PageRank over facts, names and chunks, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.rag.graph_search.entity_graph import EntityGraph, Mass, Walked, entity_graph
from services.rag.graph_search.explanation import Explanation, Stop, fact_stop, words_stop
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
from services.rag.graph_search.link import Named
from services.rag.graph_search.seeds import question_names
from services.rag.graph_search.settings import DEFAULT as GRAPH_SETTINGS
from services.rag.graph_search.snapshot import Snapshot, allowed_chunks, best_first, shown
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.from_snapshot import Embed
from services.rag.retrieval.walk_reasons import linked_nodes, walk_reasons


@dataclass(frozen=True, slots=True)
class _Gone:
    """A question after its walk: what it names, the facts near to it with what they gave, where mass went."""

    named: Sequence[Named]
    near: Sequence[NearFact]
    of_facts: Mass
    walked: Walked


def prepare_fact_pagerank(snapshot: Snapshot) -> EntityGraph:
    """The graph with its facts and synonyms; takes time in proportion to its text and names."""
    return with_facts(snapshot, entity_graph(snapshot, GRAPH_SETTINGS.title_weight))


def search_fact_pagerank(
    snapshot: Snapshot, graph: EntityGraph, questions: Sequence[Asked], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks where a walk from the nearest facts, and from what a question names, comes by most.

    The score is the chunk's mass: "graph" is what came over edges, "likeness" what it has as a seed.
    """
    return [
        _hits(snapshot, question, _gone(snapshot, graph, question).walked, limit) for question in questions
    ]


def explain_fact_pagerank(
    snapshot: Snapshot, graph: EntityGraph, question: Asked, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """The mass that the edges carried into each chunk, and where it came from."""
    gone = _gone(snapshot, graph, question)
    reasons = walk_reasons(snapshot, graph, gone.walked, chunks, lambda node: _origin(snapshot, gone, node))
    return Explanation(linked_nodes(snapshot, graph, gone.named), tuple(reasons))


def _gone(snapshot: Snapshot, graph: EntityGraph, question: Asked) -> _Gone:
    named = question_names(graph, question.text)
    near = nearest_facts(snapshot.facts, question.vector, FACT_SETTINGS.facts)
    of_facts = fact_masses(snapshot, graph, near)
    cosines = (snapshot.chunks.vectors @ question.vector).astype(np.float64)
    seeds = fact_seeds(of_facts, named, cosines, allowed_chunks(snapshot.chunks, question.filters))
    return _Gone(named, near, of_facts, walk_facts(graph.containment, seeds))


def _hits(snapshot: Snapshot, question: Asked, walked: Walked, limit: int) -> list[Hit]:
    own = (1 - walked.damping) * walked.seeds.chunks
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            mass,
            (("graph", shown(max(0.0, mass - own[chunk]))), ("likeness", shown(own[chunk]))),
        )
        for chunk, mass in best_first(walked.chunks, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def _origin(snapshot: Snapshot, gone: _Gone, node: int) -> Stop:
    """What gave a node most at the start: the question's words, or the nearest fact about it."""
    by_words = sum(one.weight for one in gone.named if one.entity == node)
    if by_words >= gone.of_facts[node]:
        return words_stop(gone.named, node)
    facts = snapshot.facts
    about = (one.fact for one in gone.near if node in {facts.subjects[one.fact], facts.objects[one.fact]})
    return fact_stop(snapshot, next(about))
