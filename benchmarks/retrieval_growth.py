"""What retrieval takes on made corpora, by their size: in memory from a snapshot's file, and in Neo4j."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import psutil

from benchmarks.made_corpus import MadeQuestion, made_questions, made_snapshot
from kg.corpus import CorpusSettings, drop_corpus, open_corpus
from kg.embed.choose import Embedder
from kg.embed.local import BuiltinEmbedder
from kg.progress import Silent
from kg.queries import query
from kg.stages.articles import chunk_articles, chunk_id
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize
from services.rag.graph_search.cache import read_snapshot, write_snapshot
from services.rag.graph_search.search import prepare_graph, search_graph
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Hit, RagQuestion
from services.rag.retrieval.choose import open_retriever
from services.rag.retrieval.pagerank import SETTINGS as TO_THE_END
from services.rag.retrieval.pagerank import search_pagerank

SIZES = (3_350, 10_000, 33_500, 100_000)
NEO4J_SIZES = (3_350, 20_000)
IN_NEO4J = ("vector", "words", "hybrid")
SEED, QUESTIONS, WARM_UP, LIMIT = 0, 30, 3, 10
CORPUS = "bench-retrieval-growth"
WHOLE = ChunkSize(1, 4096, 0)
_MIB = 2**20

Figures = dict[str, float]


def make_file(size: str, file: str) -> Figures:
    """Write the snapshot of a made corpus."""
    write_snapshot(Path(file), made_snapshot(int(size), SEED))
    return {}


def grow_in_memory(file: str) -> Figures:
    """A snapshot read from its file, prepared, and asked by the default retriever and by the plain walk."""
    embedder = BuiltinEmbedder()
    embedder.embed(["warm"])
    before = psutil.Process().memory_info().rss
    started = perf_counter()
    snapshot = read_snapshot(Path(file))
    if snapshot is None:
        raise SystemExit(f"{file} can't be read.")
    read = perf_counter()
    index = prepare_graph(snapshot)
    prepared = perf_counter()
    questions = made_questions(snapshot, WARM_UP + QUESTIONS, SEED)
    graph = _times(
        questions, embedder, lambda question: search_graph(snapshot, index, question, embedder.embed, LIMIT)
    )
    # Both go by the same index, and differ in their steps.
    walking = replace(index, settings=TO_THE_END)
    pagerank = _times(
        questions,
        embedder,
        lambda question: search_pagerank(snapshot, walking, question, embedder.embed, LIMIT),
    )
    return {
        "file MiB": sum(path.stat().st_size for path in Path(file).parent.iterdir()) / _MIB,
        "read s": read - started,
        "prepare s": prepared - read,
        "MiB": (psutil.Process().memory_info().rss - before) / _MIB,
        "graph ms": graph["median ms"],
        "graph p95": graph["p95 ms"],
        "graph CPU": graph["CPU ms"],
        "pagerank ms": pagerank["median ms"],
    }


def grow_in_neo4j(graph: Graph, embedder: Embedder, size: int) -> Iterator[tuple[str, Figures]]:
    """Chunks of a made corpus in a corpus of its own, asked, and dropped."""
    snapshot = made_snapshot(size, SEED)
    drop_corpus(graph, CORPUS)
    settings = CorpusSettings("builtin", embedder.name, embedder.dimensions, str(WHOLE), "none")
    open_corpus(graph, CORPUS, settings)
    try:
        started = perf_counter()
        _write_chunks(graph, snapshot)
        written = perf_counter() - started
        questions = made_questions(snapshot, WARM_UP + QUESTIONS, SEED)
        for name in IN_NEO4J:
            retriever = open_retriever(name, graph, CORPUS, embedder, LIMIT)
            yield name, {"write s": written} | _times(questions, embedder, retriever.retrieve)
    finally:
        drop_corpus(graph, CORPUS)


def _times(
    questions: Sequence[MadeQuestion],
    embedder: Embedder,
    search: Callable[[Sequence[RagQuestion]], Sequence[Sequence[Hit]]],
) -> Figures:
    """Milliseconds of single questions; each is embedded, and then asked with its made vector."""
    seconds, busy = list[float](), list[float]()
    for one in questions:
        started, at_work = perf_counter(), process_time()
        embedder.embed([one.text])
        if not search([RagQuestion("made", one.text, one.vector)])[0]:
            raise SystemExit(f"nothing was found for {one.text!r}.")
        seconds.append(perf_counter() - started)
        busy.append(process_time() - at_work)
    median, p95 = np.quantile(seconds[WARM_UP:], (0.5, 0.95))
    return {
        "median ms": 1000 * float(median),
        "p95 ms": 1000 * float(p95),
        "CPU ms": 1000 * float(np.median(busy[WARM_UP:])),
    }


def _write_chunks(graph: Graph, snapshot: Snapshot) -> None:
    chunks = snapshot.chunks
    articles: Iterator[Mapping[str, object]] = (
        {"id": f"{CORPUS}-{article}", "title": title, "body": text, "tokens": 100}
        for article, title, text in zip(chunks.articles, chunks.titles, chunks.texts, strict=True)
    )
    graph.write_rows(query("articles/write_articles"), articles, corpus=CORPUS)
    chunk_articles(graph, CORPUS, WHOLE, Silent())
    vectors: Iterator[Mapping[str, object]] = (
        {"id": chunk_id(CORPUS, f"{CORPUS}-{article}", 0), "vector": vector}
        for article, vector in zip(chunks.articles, chunks.vectors, strict=True)
    )
    graph.write_rows(query("search/write_embeddings"), vectors, target="chunks")
