"""MultiHop-RAG's table of embedders and rerankers, over any corpus (Tang and Yang 2024, section 4.1).

For each embedder the articles are cut and embedded anew in memory; the corpus stays as it is. The nearest
chunks of a question, 20 by default, are then put in order by each reranker.

Questions with the places of their evidence in the bodies of articles, whatever way these are cut.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kg.corpus import CorpusSettings
from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, command
from kg.model import Chunk, Span
from kg.progress import Progress
from kg.queries import query
from kg.stages.vectors import embedded_text
from kg.store.graph import Graph, Row, batches, vector_of
from kg.text.chunks import ChunkSize, chunk
from services.datasets.choose import read_questions
from services.datasets.match_gold import FoundGold, MatchedQuestion, match_gold
from services.datasets.question import BenchmarkQuestion
from services.questions.rating import holding
from services.rag.protocol import Passage, Reranker
from services.statistics.rankings import (
    MEASURES,
    Mean,
    Official,
    found_at,
    mean_of,
    multihop_rag_official,
    question_clusters,
)

QUESTIONS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of an article's body."""

    article: str
    span: Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of evidence: any of its places will do. `fact` is the set's own words, empty where unknown."""

    places: tuple[Place, ...]
    fact: str = ""


@dataclass(frozen=True, slots=True)
class SupportedQuestion:
    """A question with at least one piece of evidence in the corpus."""

    id: str
    text: str
    evidence: tuple[Evidence, ...]


def questions_of_corpus(graph: Graph, corpus: str) -> list[SupportedQuestion]:
    """The kept questions in the graph that have evidence, made or imported.

    Evidence of a made question are the sentences that state its facts; of an imported one, the chunks in
    which its evidence was found, whose words the graph does not keep.

    Raises:
        NothingToDoError: there is none.
    """
    kept = graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    rows = [row for row in kept if row["kind"] not in {"null", "prefix"}]
    ids = [row["id"] for row in rows]
    stated = _places(graph.read_in_batches(query("claims/read_of_hops"), ids, QUESTIONS_A_BATCH))
    rest = [id_ for id_ in ids if id_ not in stated]
    held = _places(graph.read_in_batches(query("questions/read_support_places"), rest, QUESTIONS_A_BATCH))
    places = {**held, **stated}
    found = [
        SupportedQuestion(
            row["id"], row["text"], tuple(Evidence(tuple(each)) for each in places[row["id"]].values())
        )
        for row in rows
        if row["id"] in places
    ]
    if not found:
        raise NothingToDoError(
            f"corpus {corpus!r} has no question with evidence.",
            f"Make some: {command('questions make --corpus', corpus)}, or name a file: --questions FILE.",
        )
    return with_facts(graph, found, stated)


def questions_of_file(
    graph: Graph, corpus: str, path: Path, form: str = ""
) -> tuple[list[SupportedQuestion], int]:
    """The questions of a set's own file, with evidence as far as the corpus holds it, and how many have none.

    Raises:
        InputError: the file can't be read.
        NothingToDoError: none of the questions has evidence in the corpus.
    """
    rows = read_questions(path, form)
    questions = [row for row in rows if isinstance(row, BenchmarkQuestion) and row.gold]
    supported = find_supported(graph, match_gold(graph, corpus, questions))
    if not supported:
        raise NothingToDoError(
            f"no question of {path} has evidence in corpus {corpus!r}.",
            "Give the questions that belong to the articles of the corpus.",
        )
    return supported, len(questions) - len(supported)


def find_supported(graph: Graph, questions: Sequence[MatchedQuestion]) -> list[SupportedQuestion]:
    """The questions some of whose evidence was found, with the places where it stands."""
    chunks = sorted({chunk for one in questions for found in one.gold_found for chunk in found.chunks})
    places = {
        row["id"]: Place(row["article"], Span(row["start"], row["end"]))
        for row in graph.read_in_batches(query("chunks/read_chunks"), chunks)
    }
    bodies = read_bodies(graph, {place.article for place in places.values()})
    return [
        SupportedQuestion(
            one.question.id,
            one.question.text,
            tuple(_evidence(found, places, bodies) for found in one.gold_found),
        )
        for one in questions
        if one.gold_found
    ]


def with_facts(
    graph: Graph, questions: Sequence[SupportedQuestion], stated: Iterable[str]
) -> list[SupportedQuestion]:
    """The questions, of which those `stated` get the sentences themselves as facts."""
    known = set(stated)
    articles = {one.places[0].article for each in questions if each.id in known for one in each.evidence}
    bodies = read_bodies(graph, articles)
    return [
        SupportedQuestion(
            each.id,
            each.text,
            tuple(Evidence(one.places, _words_at(one.places[0], bodies)) for one in each.evidence),
        )
        if each.id in known
        else each
        for each in questions
    ]


def read_bodies(graph: Graph, articles: Iterable[str]) -> dict[str, str]:
    """The bodies of some articles."""
    found = graph.read_in_batches(query("articles/read_bodies"), sorted(articles), 200)
    return {row["id"]: row["body"] for row in found}


def _evidence(found: FoundGold, places: Mapping[str, Place], bodies: Mapping[str, str]) -> Evidence:
    """The words themselves where an article has them as they are, else the chunks that were found to."""
    chunks = tuple(places[chunk] for chunk in found.chunks)
    fact = found.gold.text
    exact = tuple(
        Place(article, Span(start, start + len(fact)))
        for article in dict.fromkeys(place.article for place in chunks)
        if fact and (start := bodies[article].find(fact)) >= 0
    )
    return Evidence(exact or chunks, fact)


def _places(rows: Iterable[Row]) -> dict[str, dict[int, list[Place]]]:
    """Places by question and hop."""
    found: dict[str, dict[int, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        place = Place(row["article"], Span(row["start"], row["end"]))
        found[row["question"]][row["hop"]].append(place)
    return found


def _words_at(place: Place, bodies: Mapping[str, str]) -> str:
    return bodies[place.article][place.span.start : place.span.end]


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
    ids = [row["id"] for row in graph.rows(query("articles/list_articles"), corpus=corpus)]
    for row in graph.read_in_batches(query("articles/read_bodies"), sorted(ids), TEXTS_A_BATCH):
        chunks[row["id"]] = chunk(row["body"], size)
        passages += (
            Passage(f"{row['id']}:{one.position}", one.text, row["title"], "") for one in chunks[row["id"]]
        )
    if not passages:
        raise NothingToDoError(
            f"corpus {corpus!r} has no text.", f"Add articles: {command('corpus ingest FILE')}."
        )
    stored = own.vectors == embedder.name and own.chunking == str(size)
    vectors = _stored_vectors(graph, ids, passages) if stored else None
    if vectors is None:
        vectors = _embed_passages(passages, embedder, progress)
    return Pool(embedder.name, str(size), tuple(passages), chunks, vectors)


def measure_pool(
    pool: Pool,
    embedder: Embedder,
    rerankers: Mapping[str, Reranker | None],
    questions: Sequence[SupportedQuestion],
    top: int,
    seed: int,
    progress: Progress,
) -> list[Cell]:
    """A row of the table: the embedder with each reranker, over the questions that have evidence."""
    gold = [[_group(pool, piece) for piece in question.evidence] for question in questions]
    clusters = question_clusters([sorted({id_ for group in groups for id_ in group}) for groups in gold])
    texts = [question.text for question in questions]
    progress.step(f"{pool.embedder}: questions", len(texts))
    nearest = _nearest(pool, embedder, texts, top, progress)
    cells = []
    for name, reranker in rerankers.items():
        progress.step(f"{pool.embedder}: reranker {name}", len(questions))
        ranked = [
            _rerank(reranker, question.text, found, progress)
            for question, found in zip(questions, nearest, strict=True)
        ]
        cells.append(_cell(pool, name, ranked, questions, gold, clusters, seed))
    return cells


def rank_pool(
    pool: Pool,
    embedder: Embedder,
    reranker: Reranker | None,
    questions: Sequence[str],
    top: int,
    progress: Progress,
) -> list[list[Passage]]:
    """For each question the `top` nearest chunks, in the order of the reranker where there is one."""
    progress.step(f"{pool.embedder}: questions", len(questions))
    nearest = _nearest(pool, embedder, questions, top, progress)
    progress.step(f"{pool.embedder}: {'ranking' if reranker is None else reranker.name}", len(questions))
    return [
        _rerank(reranker, question, found, progress)
        for question, found in zip(questions, nearest, strict=True)
    ]


def _cell(
    pool: Pool,
    reranker: str,
    ranked: Sequence[Sequence[Passage]],
    questions: Sequence[SupportedQuestion],
    gold: Sequence[Sequence[Sequence[str]]],
    clusters: Sequence[str],
    seed: int,
) -> Cell:
    found = [
        found_at([passage.chunk for passage in ranking], groups)
        for ranking, groups in zip(ranked, gold, strict=True)
    ]
    means = {name: mean_of([MEASURES[name](ranks) for ranks in found], clusters) for name in SHOWN}
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
    pool: Pool, embedder: Embedder, questions: Sequence[str], top: int, progress: Progress
) -> list[list[Passage]]:
    """The `top` nearest chunks of each question, by exact search."""
    found: list[list[Passage]] = []
    for some in batches(questions, TEXTS_A_BATCH):
        cosines = embedder.embed_queries(some) @ pool.vectors.T
        for row in cosines:
            best = np.argsort(-row, kind="stable")[:top]
            found.append([pool.passages[place] for place in best])
        progress.advance(len(some))
    return found


def _rerank(
    reranker: Reranker | None, question: str, found: Sequence[Passage], progress: Progress
) -> list[Passage]:
    progress.advance()
    if reranker is None:
        return list(found)
    by_chunk = {passage.chunk: passage for passage in found}
    return [by_chunk[hit.chunk] for hit in reranker.rerank(question, found)]


def _embed_passages(passages: Sequence[Passage], embedder: Embedder, progress: Progress) -> Vectors:
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
