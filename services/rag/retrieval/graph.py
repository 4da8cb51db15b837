"""Why the default retriever (`graph_search.search`) finds a chunk: the ways of both its walks."""

from collections.abc import Sequence

from services.rag.graph_search.explanation import Explanation, Stop, chunk_stop, words_stop
from services.rag.graph_search.rerank import anchors_of, first_scores
from services.rag.graph_search.search import Followed, GraphIndex, begin, follow
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Asked
from services.rag.retrieval.from_snapshot import Embed
from services.rag.retrieval.walk_reasons import joined, linked_nodes, walk_reasons


def explain_graph(
    snapshot: Snapshot, index: GraphIndex, question: Asked, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """What the question names, and what either walk carried into each chunk over which edges.

    The first walk starts from the question's words, the second one from the chunks that were best then.
    """
    (begun,) = begin(snapshot, index, [question], embed, len(chunks))
    named = begun.opened.named
    scores = first_scores(index.library, begun.sought, begun.candidates)
    followed = follow(index, begun, anchors_of(begun.candidates, scores))
    first = walk_reasons(snapshot, index.graph, begun.walked, chunks, lambda node: words_stop(named, node))
    second = walk_reasons(
        snapshot, index.graph, followed.walked, chunks, lambda node: _anchor(snapshot, index, followed, node)
    )
    return Explanation(
        linked_nodes(snapshot, index.graph, named),
        tuple(joined(one, other) for one, other in zip(first, second, strict=True)),
    )


def _anchor(snapshot: Snapshot, index: GraphIndex, followed: Followed, node: int) -> Stop:
    """The strongest anchor that names a node."""
    held = index.graph.contained
    anchors = sorted(
        zip(followed.anchors.strengths.tolist(), followed.anchors.chunks.tolist(), strict=True), reverse=True
    )
    chunk = next(
        chunk for _, chunk in anchors if node in held.indices[held.indptr[chunk] : held.indptr[chunk + 1]]
    )
    return chunk_stop(snapshot, chunk)
