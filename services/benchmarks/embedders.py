"""MultiHop-RAG's table of embedders and rerankers, over any corpus (Tang and Yang 2024, section 4.1).

For each embedder the articles are cut and embedded anew in memory; the corpus stays as it is. The nearest
chunks of a question, 20 by default, are then put in order by each reranker.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kg.corpus import CorpusSettings
from kg.embed.protocol import Embedder
from kg.errors import NothingToDoError
from kg.model import Chunk
from kg.progress import Progress
from kg.queries import query
from kg.stages.embedding import embedded_text
from kg.store.graph import Graph, batches, vector_of
from kg.text.chunks import ChunkSize, chunk
from services.benchmarks.evidence import Evidence, Supported
from services.benchmarks.measures import MEASURES, Official, found_at, multihop_rag_official
from services.benchmarks.statistics import Mean, mean_of, question_clusters
from services.questions.rating import holding
from services.rag.protocol import Passage, Reranker

SHOWN = ("MRR@10", "MAP@10", "Hits@10", "Hits@4", "Recall@10", "Recall@4")
TEXTS_A_BATCH = 200
NO_RERANKER = "none"

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pool:
    """Every chunk of a corpus under one chunking, with its vector; an id is "article:position"."""

    embedder: str
    chunking: str
    passages: tuple[Passage, ...]
    chunks: Mapping[str, Sequence[Chunk]]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Cell:
    """One embedder with one reranker: the standard measures, and the official ones over `official_n`
    questions, those whose facts are known word by word."""

    embedder: str
    reranker: str
    means: Mapping[str, Mean]
    official: Official | None
    official_n: int


def make_pool(
    graph: Graph, corpus: str, own: CorpusSettings, embedder: Embedder, size: ChunkSize, progress: Progress
) -> Pool:
    """Cut and embed every article of a corpus; its own vectors are taken where they are of this kind.

    Raises:
        NothingToDoError: the corpus has no text.
    """
    passages: list[Passage] = []
    chunks: dict[str, list[Chunk]] = {}
    ids = [row["id"] for row in graph.rows(query("articles/read_known"), corpus=corpus)]
    for row in graph.read_in_batches(query("articles/read_bodies"), sorted(ids), TEXTS_A_BATCH):
        chunks[row["id"]] = chunk(row["body"], size)
        passages += (
            Passage(f"{row['id']}:{one.position}", one.text, row["title"], "") for one in chunks[row["id"]]
        )
    if not passages:
        raise NothingToDoError(f"corpus {corpus!r} has no text.", "Add articles: kg corpus ingest FILE.")
    stored = own.vectors == embedder.name and own.chunking == str(size)
    vectors = _stored_vectors(graph, ids, passages) if stored else None
    if vectors is None:
        vectors = _embedded(passages, embedder, progress)
    return Pool(embedder.name, str(size), tuple(passages), chunks, vectors)


def measure_pool(
    pool: Pool,
    embedder: Embedder,
    rerankers: Mapping[str, Reranker | None],
    questions: Sequence[Supported],
    top: int,
    seed: int,
    progress: Progress,
) -> list[Cell]:
    """A row of the table: the embedder with each reranker, over the questions that have evidence."""
    gold = [[_group(pool, piece) for piece in question.evidence] for question in questions]
    clusters = question_clusters([sorted({id_ for group in groups for id_ in group}) for groups in gold])
    progress.step(f"{pool.embedder}: questions", len(questions))
    nearest = _nearest(pool, embedder, questions, top, progress)
    cells = []
    for name, reranker in rerankers.items():
        progress.step(f"{pool.embedder}: reranker {name}", len(questions))
        ranked = [
            _reranked(reranker, question.text, found, progress)
            for question, found in zip(questions, nearest, strict=True)
        ]
        cells.append(_cell(pool, name, ranked, questions, gold, clusters, seed))
    return cells


def _cell(
    pool: Pool,
    reranker: str,
    ranked: Sequence[Sequence[Passage]],
    questions: Sequence[Supported],
    gold: Sequence[Sequence[Sequence[str]]],
    clusters: Sequence[str],
    seed: int,
) -> Cell:
    found = [
        found_at([passage.chunk for passage in ranking], groups)
        for ranking, groups in zip(ranked, gold, strict=True)
    ]
    means = {
        name: mean_of([MEASURES[name](ranks) for ranks in found], clusters, np.random.default_rng(seed))
        for name in SHOWN
    }
    counted = [
        multihop_rag_official(
            [passage.text for passage in ranking], [piece.fact for piece in question.evidence]
        )
        for ranking, question in zip(ranked, questions, strict=True)
        if all(piece.fact for piece in question.evidence)
    ]
    return Cell(
        embedder=pool.embedder,
        reranker=reranker,
        means={name: mean for name, mean in means.items() if mean is not None},
        official=_mean_official(counted) if counted else None,
        official_n=len(counted),
    )


def _mean_official(counted: Sequence[Official]) -> Official:
    def mean(of: Callable[[Official], float]) -> float:
        return float(np.mean([of(one) for one in counted]))

    return Official(
        hits_at_4=mean(lambda one: one.hits_at_4),
        hits_at_10=mean(lambda one: one.hits_at_10),
        mrr_at_10=mean(lambda one: one.mrr_at_10),
        map_at_10=mean(lambda one: one.map_at_10),
    )


def _group(pool: Pool, piece: Evidence) -> list[str]:
    """The chunks that hold a piece of evidence at any of its places."""
    found = (
        f"{place.article}:{position}"
        for place in piece.places
        for position in holding(pool.chunks.get(place.article, ()), place.span)
    )
    return list(dict.fromkeys(found))


def _nearest(
    pool: Pool, embedder: Embedder, questions: Sequence[Supported], top: int, progress: Progress
) -> list[list[Passage]]:
    """The `top` nearest chunks of each question, by exact search."""
    found: list[list[Passage]] = []
    for some in batches(questions, TEXTS_A_BATCH):
        cosines = embedder.embed([question.text for question in some]) @ pool.vectors.T
        for row in cosines:
            best = np.argsort(-row, kind="stable")[:top]
            found.append([pool.passages[place] for place in best])
        progress.advance(len(some))
    return found


def _reranked(
    reranker: Reranker | None, question: str, found: Sequence[Passage], progress: Progress
) -> list[Passage]:
    progress.advance()
    if reranker is None:
        return list(found)
    by_chunk = {passage.chunk: passage for passage in found}
    return [by_chunk[hit.chunk] for hit in reranker.rerank(question, found)]


def _embedded(passages: Sequence[Passage], embedder: Embedder, progress: Progress) -> Vectors:
    progress.step(f"{embedder.name}: chunks", len(passages))
    parts = []
    for some in batches(passages, TEXTS_A_BATCH):
        parts.append(embedder.embed([embedded_text(one.title, one.text) for one in some]))
        progress.advance(len(some))
    return np.concatenate(parts)


def _stored_vectors(graph: Graph, articles: Sequence[str], passages: Sequence[Passage]) -> Vectors | None:
    """The vectors that the graph has, None unless it has one for every chunk."""
    places = {
        chunk_["id"]: f"{row['id']}:{position}"
        for row in graph.read_in_batches(query("articles/read_bodies"), articles, TEXTS_A_BATCH)
        for position, chunk_ in enumerate(row["chunks"])
    }
    found = {
        places[row["id"]]: vector_of(row["vector"])
        for row in graph.read_in_batches(query("chunks/read_vectors"), sorted(places))
        if row["vector"] is not None
    }
    if any(passage.chunk not in found for passage in passages):
        return None
    return np.stack([found[passage.chunk] for passage in passages])
