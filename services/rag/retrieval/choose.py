"""From a retriever's short name, as on the command line, to the retriever."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from kg.embed.protocol import Embedder
from kg.errors import SettingsError
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.graph_search.cache import Prepared, SnapshotCache
from services.rag.graph_search.search import prepare_graph, search_graph
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Retriever
from services.rag.retrieval.claims import ClaimRetriever
from services.rag.retrieval.entities import explain_entities, prepare_entities, search_entities
from services.rag.retrieval.fact_pagerank import (
    explain_fact_pagerank,
    prepare_fact_pagerank,
    search_fact_pagerank,
)
from services.rag.retrieval.facts import FactRetriever
from services.rag.retrieval.from_snapshot import Explain, Search, SnapshotRetriever
from services.rag.retrieval.gds import GdsPageRank, require_plugin
from services.rag.retrieval.graph import explain_graph
from services.rag.retrieval.hop_path import explain_hop_paths, prepare_hop_paths, search_hop_paths
from services.rag.retrieval.hybrid import HybridRetriever
from services.rag.retrieval.metadata import MetadataRetriever, read_metadata
from services.rag.retrieval.pagerank import explain_pagerank, prepare_pagerank, search_pagerank
from services.rag.retrieval.vector import VectorRetriever
from services.rag.retrieval.words import WordRetriever

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
        StoreTooOldError: the server lacks the plugin that it needs.
    """
    check_retriever(name)
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
        prepared = Prepared(place.snapshots, prepare)
        return SnapshotRetriever(kind, prepared, search, why, place.embedder.embed, place.limit)

    return make


def _gds(place: _Place) -> Retriever:
    require_plugin(place.graph)
    return GdsPageRank(
        place.graph,
        place.corpus,
        Prepared(place.snapshots, prepare_pagerank),
        place.embedder.embed,
        place.limit,
    )


_MAKERS: Mapping[str, Callable[[_Place], Retriever]] = {
    "vector": lambda place: VectorRetriever(place.graph, place.corpus, place.limit),
    "claims": lambda place: ClaimRetriever(place.graph, place.corpus, place.limit),
    "words": lambda place: WordRetriever(place.graph, place.corpus, place.limit),
    "hybrid": lambda place: HybridRetriever(place.graph, place.corpus, place.limit),
    "hybrid-rrf": lambda place: HybridRetriever(place.graph, place.corpus, place.limit, "reciprocal-rank"),
    "facts": lambda place: FactRetriever(place.graph, place.corpus, place.limit),
    "entities": _searching("entities", prepare_entities, search_entities, explain_entities),
    "paths": _searching("paths", prepare_hop_paths, search_hop_paths, explain_hop_paths),
    "pagerank": _searching("pagerank", prepare_pagerank, search_pagerank, explain_pagerank),
    "pagerank-gds": _gds,
    "fact-pagerank": _searching(
        "fact-pagerank", prepare_fact_pagerank, search_fact_pagerank, explain_fact_pagerank
    ),
    "graph": _searching("graph", prepare_graph, search_graph, explain_graph),
}

RETRIEVERS = tuple(_MAKERS)
"""The names of all retrievers."""

DEFAULT = "graph"
"""The retriever of whoever names none."""
