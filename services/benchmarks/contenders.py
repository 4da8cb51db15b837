"""How a benchmark sees a retriever: a question's text in, chunks out, whatever lies between.

The passages of a corpus as a benchmark sees them: each chunk with its text and its article.

One contender asked the questions of a set, one by one: what it ranked, how long it took, what it held.

What a benchmark measures, by name: libraries that people use today, and our own retrievers.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter

import numpy as np
import psutil

from kg.embed.choose import Embedder
from kg.errors import SettingsError, StoreError, StoreUnavailableError, installation
from kg.model import ChunkSource
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.rag.protocol import RagQuestion, Retriever
from services.rag.retrieval.choose import RETRIEVERS, open_retriever


@dataclass(frozen=True, slots=True)
class BenchmarkPassage(ChunkSource):
    """A chunk; `text` is without the title."""

    text: str

    @property
    def whole(self) -> str:
        """Title and text, as every retriever is given them."""
        return f"{self.title}\n{self.text}"


def read_passages(graph: Graph, corpus: str) -> list[BenchmarkPassage]:
    """Every chunk of a corpus, in the order of their ids."""
    rows = graph.stream(query("chunks/read_passages"), corpus=corpus)
    return [BenchmarkPassage(row["chunk"], row["article"], row["title"], row["text"]) for row in rows]


Rank = Callable[[str], Sequence[str]]
"""The chunks for a question, best first, each once; a StoreError means that this question can't be asked."""


def ranked_by(retriever: Retriever, embedder: Embedder) -> Rank:
    """A retriever as a `Rank`: the question is embedded anew each time, as for a question that just came."""

    def rank(question: str) -> list[str]:
        asked = RagQuestion("question", question, embedder.embed_queries([question])[0])
        return [hit.chunk for hit in retriever.retrieve([asked])[0]]

    return rank


def article_ranking(chunks: Sequence[str], article_of: Mapping[str, str]) -> list[str]:
    """The articles of ranked chunks, each at the rank of its first chunk, counted in articles."""
    return list(dict.fromkeys(article_of[chunk] for chunk in chunks))


WARM_UP = 3
"""Questions asked before the clock counts, so that caches, plans and snapshots are there."""

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds for one question alone, its embedding included, after a warm-up."""

    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory of this process in MiB: the most while this contender was asked, and how much of it
    came since before it was opened. The server's own memory is not in it."""

    most: float
    grown: float


@dataclass(frozen=True, slots=True)
class Trial:
    """What a contender gave for each question; `failures` are by place, with the reason."""

    name: str
    rankings: tuple[tuple[str, ...], ...]
    failures: tuple[tuple[int, str], ...]
    opening_seconds: float
    latency: Latency
    memory: Memory


def run_trial(name: str, make: Callable[[], Rank], questions: Sequence[str], progress: Progress) -> Trial:
    """Open a contender and ask it every question, at least one.

    A question that it can't be asked counts as one for which it retrieved nothing.

    Raises:
        StoreUnavailableError: the server went away.
    """
    gc.collect()
    before = _resident()
    started = perf_counter()
    rank = make()
    for question in questions[:WARM_UP]:
        _rank_or_error(rank, question)
    opening = perf_counter() - started
    rankings: list[tuple[str, ...]] = []
    failures: list[tuple[int, str]] = []
    seconds: list[float] = []
    most = _resident()
    for place, question in enumerate(questions):
        started = perf_counter()
        found = _rank_or_error(rank, question)
        seconds.append(perf_counter() - started)
        most = max(most, _resident())
        if isinstance(found, StoreError):
            failures.append((place, found.message))
        rankings.append(() if isinstance(found, StoreError) else found)
        progress.advance()
    median, p95 = np.quantile(seconds, (0.5, 0.95))
    return Trial(
        name=name,
        rankings=tuple(rankings),
        failures=tuple(failures),
        opening_seconds=opening,
        latency=Latency(float(median), float(p95)),
        memory=Memory(round(most, 1), round(max(0.0, most - before), 1)),
    )


def _rank_or_error(rank: Rank, question: str) -> tuple[str, ...] | StoreError:
    try:
        return tuple(rank(question))
    except StoreUnavailableError:
        raise
    except StoreError as error:
        return error


def _resident() -> float:
    return psutil.Process().memory_info().rss / _MIB


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
