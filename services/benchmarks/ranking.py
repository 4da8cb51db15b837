"""How a benchmark sees a retriever: a question's text in, chunks out, whatever lies between.

The passages of a corpus as a benchmark sees them: each chunk with its text and its article.

One contender asked the questions of a set, one by one: what it ranked, how long it took, what it held.
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import psutil

from kg.embed.choose import Embedder
from kg.errors import StoreError, StoreUnavailableError
from kg.model import ChunkSource
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph
from services.rag.protocol import RagQuestion, Retriever


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
