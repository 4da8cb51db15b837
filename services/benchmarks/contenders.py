"""What a benchmark measures, by name: libraries that people use today, and our own retrievers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from kg.embed.choose import Embedder
from kg.errors import SettingsError, installation
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.benchmarks.ranking import BenchmarkPassage, Rank, ranked_by
from services.rag.retrieval.choose import RETRIEVERS, open_retriever

LIBRARIES: Mapping[str, str] = {
    "bm25s": "bm25s",
    "graphrag-vector": "neo4j_graphrag",
    "graphrag-hybrid": "neo4j_graphrag",
}
"""Contenders that are libraries of others, with the module that each needs."""

CONTENDERS = (*LIBRARIES, *RETRIEVERS)

ON_REQUEST = ("pagerank-gds",)
"""Contenders that are measured only when they are named: the server needs a plugin for them."""

INSTALL = installation("benchmark")


@dataclass(frozen=True, slots=True)
class Ground:
    """What every contender works on: a corpus in the graph, its passages, and one embedder."""

    graph: Graph
    settings: Settings
    corpus: str
    passages: Sequence[BenchmarkPassage]
    embedder: Embedder
    limit: int


def choose_contenders(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """The contenders that were asked for, all where none was, and those of them that are not installed.

    Raises:
        SettingsError: a name means none, or none of those asked for is installed.
    """
    for name in given:
        if name not in CONTENDERS:
            raise SettingsError(f"{name!r} is not a retriever.", f"Use some of: {', '.join(CONTENDERS)}.")
    wanted = list(dict.fromkeys(given)) or [name for name in CONTENDERS if name not in ON_REQUEST]
    missing = [name for name in wanted if name in LIBRARIES and find_spec(LIBRARIES[name]) is None]
    present = [name for name in wanted if name not in missing]
    if not present:
        raise SettingsError(f"{', '.join(missing)} can't be measured: not installed.", f"Install: {INSTALL}")
    return present, missing


@contextmanager
def ground_for(ground: Ground, names: Sequence[str]) -> Iterator[None]:
    """Whatever these contenders need in the database besides the corpus, for as long as this lasts."""
    with ExitStack() as stack:
        if any(name.startswith("graphrag-") for name in names):
            from services.benchmarks.graphrag import LIBRARY, passage_copies  # noqa: PLC0415

            stack.enter_context(writing_to(ground.graph, f"copies of chunks for {LIBRARY}"))
            stack.enter_context(passage_copies(ground.graph, ground.corpus))
        yield


def open_contender(name: str, ground: Ground) -> Rank:
    """A contender, ready to be asked; those of libraries want `ground_for` around them.

    Raises:
        StoreTooOldError: the server lacks the plugin that it needs.
    """
    # Libraries of the optional extra are imported only where one is measured.
    match name:
        case "bm25s":
            return bm25_ranker(ground.passages, ground.limit)
        case "graphrag-vector":
            from services.benchmarks.graphrag import graphrag_vector  # noqa: PLC0415

            return graphrag_vector(ground.graph, ground.embedder, ground.limit)
        case "graphrag-hybrid":
            from services.benchmarks.graphrag import graphrag_hybrid  # noqa: PLC0415

            return graphrag_hybrid(ground.graph, ground.embedder, ground.limit)
    own = open_retriever(name, ground.graph, ground.corpus, ground.embedder, ground.limit)
    return ranked_by(own, ground.embedder)


def bm25_ranker(passages: Sequence[BenchmarkPassage], limit: int) -> Rank:
    """Ranks chunks by BM25 with the library's defaults (k1 1.5, b .75, English stop words, no stemming).

    A chunk that has no word of the question is not retrieved; equal scores are ordered by chunk id.
    """
    import bm25s  # noqa: PLC0415

    def words(texts: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = bm25s.tokenize(list(texts), return_ids=False, show_progress=False)
        return found

    ordered = sorted(passages, key=lambda passage: passage.chunk)
    index = bm25s.BM25()
    index.index(words([passage.whole for passage in ordered]), show_progress=False)

    def rank(question: str) -> list[str]:
        scores: np.ndarray[tuple[int], np.dtype[np.float32]] = index.get_scores(words([question])[0])
        best = np.argsort(-scores, kind="stable")[:limit]
        return [ordered[place].chunk for place in best if scores[place] > 0]

    return rank
