"""From a retriever's short name, as on the command line, to the retriever.

Retrieval by vectors and by words, in one ranking; and that ranking spread over clusters of claims.

From several rankings of chunks to one; neither the order of rankings nor that of their hits matters.

Why the default retriever (`graph_search.search`) finds a chunk: the ways of both its walks.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import Literal, TypeVar

from kg.corpus import require_own_vectors
from kg.embed.choose import Embedder
from kg.errors import SettingsError
from kg.queries import query
from kg.settings import Settings
from kg.stages.vectors import Searched, embed_for_search
from kg.store.graph import Graph
from services.rag.graph_search.cache import (
    Embed,
    Explain,
    Search,
    SnapshotCache,
    SnapshotIndex,
    SnapshotRetriever,
)
from services.rag.graph_search.evidence import anchors_of, first_scores
from services.rag.graph_search.explanation import Explanation, Stop, chunk_stop, words_stop
from services.rag.graph_search.search import (
    GraphIndex,
    SecondWalk,
    begin,
    follow,
    prepare_graph,
    search_graph,
)
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Hit, RagQuestion, Retriever
from services.rag.retrieval.graph_embedding import explain_places, prepare_places, search_places
from services.rag.retrieval.hop_path import (
    explain_entities,
    explain_hop_paths,
    prepare_entities,
    prepare_hop_paths,
    search_entities,
    search_hop_paths,
)
from services.rag.retrieval.index_search import NearestRetriever, WordRetriever
from services.rag.retrieval.metadata import MetadataRetriever, read_metadata
from services.rag.retrieval.pagerank import (
    GdsPageRank,
    explain_fact_pagerank,
    explain_pagerank,
    linked_nodes,
    merge_reasons,
    prepare_fact_pagerank,
    prepare_pagerank,
    require_plugin,
    search_fact_pagerank,
    search_pagerank,
    walk_reasons,
)

SMOOTHING = 60
"""The k of reciprocal rank fusion in the paper that brought it."""


def reciprocal_rank_fusion(rankings: Mapping[str, Sequence[Hit]], smoothing: int = SMOOTHING) -> list[Hit]:
    """Chunks by the sum of 1 / (k + rank) over the rankings that have them, best first, ties by id.

    Equal scores of a ranking share the rank of the first of them. `parts` are the summands by ranking.
    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009.
    """
    return _sum_parts({name: _reciprocal_ranks(hits, smoothing) for name, hits in rankings.items()})


def min_max_fusion(rankings: Mapping[str, Sequence[Hit]], weights: Mapping[str, float]) -> list[Hit]:
    """Chunks by the weighted sum of scores that are scaled to [0, 1] a ranking, best first, ties by id.

    The lowest score of a ranking becomes 0, as if it did not have the chunk; where all are equal they become
    1. `parts` are the summands by ranking.
    """
    return _sum_parts({name: _scale_hits(hits, weights[name]) for name, hits in rankings.items()})


def _reciprocal_ranks(hits: Sequence[Hit], smoothing: int) -> dict[str, float]:
    scores = sorted(-hit.score for hit in hits)
    return {hit.chunk: 1 / (smoothing + 1 + bisect_left(scores, -hit.score)) for hit in hits}


def _scale_hits(hits: Sequence[Hit], weight: float) -> dict[str, float]:
    scores = [hit.score for hit in hits]
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    if lowest == highest:
        return {hit.chunk: weight for hit in hits}
    return {hit.chunk: weight * (hit.score - lowest) / (highest - lowest) for hit in hits}


def _sum_parts(summands: Mapping[str, Mapping[str, float]]) -> list[Hit]:
    parts: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for name in sorted(summands):
        for chunk, value in summands[name].items():
            parts[chunk].append((name, round(value, 6)))
    hits = [
        Hit(chunk, round(fsum(value for _, value in found), 6), tuple(found))
        for chunk, found in parts.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk))


Fusion = Literal["min-max", "reciprocal-rank"]

DEPTH = 100
"""Chunks that each side gives at least, so that one may lift what the other ranks low."""

WEIGHTS = {"vector": 0.6, "words": 0.4}
"""Measured on three development sets: docs/decisions/0022-retrievers.md."""


@dataclass(frozen=True, slots=True)
class HybridRetriever:
    """The `limit` chunks that are best in vector search and full text together."""

    graph: Graph
    corpus: str
    limit: int = 10
    fusion: Fusion = "min-max"

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"hybrid-{self.limit}" if self.fusion == "min-max" else f"hybrid-rrf-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """Both searches, then one ranking a question."""
        depth = max(DEPTH, self.limit)
        near = NearestRetriever(self.graph, self.corpus, depth).retrieve(questions)
        worded = WordRetriever(self.graph, self.corpus, depth).retrieve(questions)
        return [self._fuse(vector, words)[: self.limit] for vector, words in zip(near, worded, strict=True)]

    def _fuse(self, vector: Sequence[Hit], words: Sequence[Hit]) -> list[Hit]:
        rankings = {"vector": vector, "words": words}
        if self.fusion == "min-max":
            return min_max_fusion(rankings, WEIGHTS)
        return reciprocal_rank_fusion(rankings)


def explain_graph(
    snapshot: Snapshot, index: GraphIndex, question: RagQuestion, embed: Embed, chunks: Sequence[int]
) -> Explanation:
    """What the question names, and what either walk carried into each chunk over which edges.

    The first walk starts from the question's words, the second one from the chunks that were best then.
    """
    (begun,) = begin(snapshot, index, [question], embed, len(chunks))
    named = begun.first_round.entities
    scores = first_scores(index.library, begun.sought, begun.candidates)
    followed = follow(index, begun, anchors_of(begun.candidates, scores))
    first = walk_reasons(snapshot, index.graph, begun.walk, chunks, lambda node: words_stop(named, node))
    second = walk_reasons(
        snapshot, index.graph, followed.walk, chunks, lambda node: _anchor(snapshot, index, followed, node)
    )
    return Explanation(
        linked_nodes(snapshot, index.graph, named),
        tuple(merge_reasons(one, other) for one, other in zip(first, second, strict=True)),
    )


def _anchor(snapshot: Snapshot, index: GraphIndex, followed: SecondWalk, node: int) -> Stop:
    """The strongest anchor that names a node."""
    held = index.graph.containment.transposed
    anchors = sorted(
        zip(followed.anchors.strengths.tolist(), followed.anchors.chunks.tolist(), strict=True), reverse=True
    )
    chunk = next(
        chunk for _, chunk in anchors if node in held.indices[held.indptr[chunk] : held.indptr[chunk + 1]]
    )
    return chunk_stop(snapshot, chunk)


REPEATED = 0.5
"""What each chunk of a cluster that is found already leaves of the score of another one of it."""


@dataclass(frozen=True, slots=True)
class ClusterSpreadRetriever:
    """The `limit` chunks that are best in `HybridRetriever`, spread over clusters of claims.

    Each is the one of most s · `discount`^k among those that are left, with s its hybrid score and k the
    number of chunks chosen before from its cluster, the most probable one over its claims: a second passage
    on the same matter counts less, as in maximal marginal relevance (Carbonell and Goldstein 1998) with
    clusters for likeness. A chunk without claims is a cluster of its own. With `discount` 1 it is the hybrid
    ranking.
    """

    graph: Graph
    corpus: str
    limit: int = 10
    discount: float = REPEATED

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"clustered-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """Both searches of the hybrid ranking, then the clusters of all that they found in one statement."""
        ranked = HybridRetriever(self.graph, self.corpus, max(DEPTH, self.limit)).retrieve(questions)
        chunks = sorted({hit.chunk for hits in ranked for hit in hits})
        rows = self.graph.read_in_batches(query("claims/read_clusters"), chunks)
        clusters = {row["chunk"]: row["cluster"] for row in rows}
        return [spread_clusters(hits, clusters, self.discount)[: self.limit] for hits in ranked]


def spread_clusters(
    hits: Sequence[Hit], clusters: Mapping[str, str], discount: float = REPEATED
) -> list[Hit]:
    """Hits in the order of score times `discount` for each chunk before of the same cluster, ties by id.

    `clusters` holds that of each chunk; one that it leaves out is a cluster of its own. The last part of a
    hit is the factor.
    """
    # Within a cluster the order stays, so that each hit's factor is known beforehand.
    seen: defaultdict[str, int] = defaultdict(int)
    found = []
    for hit in sorted(hits, key=lambda one: (-one.score, one.chunk)):
        cluster = clusters.get(hit.chunk, hit.chunk)
        factor = discount ** seen[cluster]
        seen[cluster] += 1
        found.append(Hit(hit.chunk, round(hit.score * factor, 6), (*hit.parts, ("cluster", factor))))
    return sorted(found, key=lambda hit: (-hit.score, hit.chunk))


T = TypeVar("T")

NAMED = "-named"
"""Behind a retriever's name: the sources, categories and days that a question names are looked at first."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a retriever looks, and how much it is to find."""

    graph: Graph
    corpus: str
    snapshots: SnapshotCache
    embedder: Embedder
    limit: int

    def complete(self, wanted: Collection[Searched]) -> Callable[[], None]:
        """What gives entities or facts their vectors, where a search is to read them and they have none."""
        progress = self.snapshots.progress
        return partial(embed_for_search, self.graph, self.corpus, wanted, self.embedder, progress)


SEARCHES: Mapping[str, tuple[Searched, ...]] = {"facts": ("facts",), "fact-pagerank": ("entities", "facts")}
"""The retrievers that read vectors which a build leaves out, and of what."""


def vector_kinds(name: str) -> tuple[Searched, ...]:
    """Of what a retriever reads vectors, beside chunks and claims, which always have some."""
    return SEARCHES.get(name.removesuffix(NAMED), ())


def open_retriever(
    name: str,
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    limit: int = 10,
    snapshots: SnapshotCache | None = None,
) -> Retriever:
    """The retriever `name`, one of `RETRIEVERS`, which finds at most `limit` chunks a question.

    With `NAMED` behind the name, it looks first where the question says: "graph-named".
    Retrievers that search the snapshot of the graph share it where they are given the same `snapshots`;
    otherwise each has its own, with its file under HOPGRADE_CACHE.

    Raises:
        SettingsError: no such retriever.
        CorpusError: the vectors of the corpus are another embedder's.
        StoreTooOldError: the server lacks the plugin that it needs.
    """
    check_retriever(name)
    require_own_vectors(graph, corpus, embedder.name)
    plain = name.removesuffix(NAMED)
    make = _MAKERS[plain]
    kept = snapshots or SnapshotCache(graph, corpus, Settings().hopgrade_cache)
    chosen = make(_Place(graph, corpus, kept, embedder, limit))
    return chosen if plain == name else MetadataRetriever(chosen, read_metadata(graph, corpus), limit)


def check_retriever(name: str) -> None:
    """Make sure that a retriever has this name.

    Raises:
        SettingsError: none has it.
    """
    if name.removesuffix(NAMED) not in _MAKERS:
        raise SettingsError(f"{name!r} is not a retriever.", f"Use one of: {', '.join(RETRIEVERS)}.")


def _searching(
    kind: str, prepare: Callable[[Snapshot], T], search: Search[T], why: Explain[T]
) -> Callable[[_Place], Retriever]:
    def make(place: _Place) -> Retriever:
        prepared = SnapshotIndex(place.snapshots, prepare, place.complete(vector_kinds(kind)))
        return SnapshotRetriever(kind, prepared, search, why, place.embedder.embed_queries, place.limit)

    return make


def _gds(place: _Place) -> Retriever:
    require_plugin(place.graph)
    return GdsPageRank(
        place.graph,
        place.corpus,
        SnapshotIndex(place.snapshots, prepare_pagerank),
        place.embedder.embed_queries,
        place.limit,
    )


_MAKERS: Mapping[str, Callable[[_Place], Retriever]] = {
    "vector": lambda place: NearestRetriever(place.graph, place.corpus, place.limit),
    "claims": lambda place: NearestRetriever(place.graph, place.corpus, place.limit, "claims"),
    "words": lambda place: WordRetriever(place.graph, place.corpus, place.limit),
    "hybrid": lambda place: HybridRetriever(place.graph, place.corpus, place.limit),
    "hybrid-rrf": lambda place: HybridRetriever(place.graph, place.corpus, place.limit, "reciprocal-rank"),
    "clustered": lambda place: ClusterSpreadRetriever(place.graph, place.corpus, place.limit),
    "facts": lambda place: NearestRetriever(
        place.graph, place.corpus, place.limit, "facts", place.complete(vector_kinds("facts"))
    ),
    "entities": _searching("entities", prepare_entities, search_entities, explain_entities),
    "paths": _searching("paths", prepare_hop_paths, search_hop_paths, explain_hop_paths),
    "pagerank": _searching("pagerank", prepare_pagerank, search_pagerank, explain_pagerank),
    "pagerank-gds": _gds,
    "fact-pagerank": _searching(
        "fact-pagerank", prepare_fact_pagerank, search_fact_pagerank, explain_fact_pagerank
    ),
    "graph-embedding": _searching("graph-embedding", prepare_places, search_places, explain_places),
    "graph": _searching("graph", prepare_graph, search_graph, explain_graph),
}

RETRIEVERS = tuple(_MAKERS)
"""The names of all retrievers."""

DEFAULT = "graph"
"""The retriever of whoever names none."""
