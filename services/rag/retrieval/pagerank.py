"""Retrieval by personalised PageRank over names and chunks, in memory: the default retriever's first walk.

It walks to the end, which the default does not, so that any engine comes to the same ranking.
"""

from collections.abc import Sequence
from dataclasses import replace

from services.rag.graph_search.entity_graph import Mass, Seeds
from services.rag.graph_search.explanation import Explanation, words_stop
from services.rag.graph_search.search import GraphIndex, begin, prepare_graph
from services.rag.graph_search.settings import DEFAULT as GRAPH_SETTINGS
from services.rag.graph_search.snapshot import Snapshot, allowed_chunks, best_first, shown
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.from_snapshot import Embed
from services.rag.retrieval.walk_reasons import linked_nodes, walk_reasons

SETTINGS = replace(GRAPH_SETTINGS, steps=30)
"""After so many steps less than a thousand millionth of the mass has not settled."""


def prepare_pagerank(snapshot: Snapshot) -> GraphIndex:
    """What the search needs of a snapshot."""
    return prepare_graph(snapshot, SETTINGS)


def search_pagerank(
    snapshot: Snapshot, index: GraphIndex, questions: Sequence[Asked], embed: Embed, limit: int
) -> list[list[Hit]]:
    """The chunks where a walk from what a question names, and from what is like it, comes by most.

    The score is the chunk's mass: "graph" is what came over edges, "likeness" what it has as a seed.
    """
    return [
        hits_of(snapshot, begun.opened.asked, begun.walked.seeds, begun.walked.chunks, limit)
        for begun in begin(snapshot, index, questions, embed, limit)
    ]


def hits_of(snapshot: Snapshot, question: Asked, seeds: Seeds, masses: Mass, limit: int) -> list[Hit]:
    """The best chunks by their masses after a walk, among those that the question's filters let through."""
    own = (1 - SETTINGS.damping) * seeds.chunks
    return [
        Hit(
            snapshot.chunks.ids[chunk],
            mass,
            (("graph", shown(max(0.0, mass - own[chunk]))), ("likeness", shown(own[chunk]))),
        )
        for chunk, mass in best_first(masses, allowed_chunks(snapshot.chunks, question.filters), limit)
    ]


def explain_pagerank(
    snapshot: Snapshot, index: GraphIndex, question: Asked, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """The mass that the edges carried into each chunk, and where it came from."""
    (begun,) = begin(snapshot, index, [question], embed, len(chunks))
    named = begun.opened.named
    reasons = walk_reasons(snapshot, index.graph, begun.walked, chunks, lambda node: words_stop(named, node))
    return Explanation(linked_nodes(snapshot, index.graph, named), tuple(reasons))
