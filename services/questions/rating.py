"""How hard questions are under another embedder or chunk size than their corpus' (GRADE, A.7 and A.8).

The corpus itself stays as it is: articles are cut anew in memory, and only the chunks that state a fact of a
question are embedded.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, command
from kg.ids import node_id
from kg.model import Chunk, Span
from kg.progress import Progress
from kg.queries import query
from kg.stages.vectors import embedded_text
from kg.store.graph import Graph, Row, batches
from kg.text.chunks import ChunkSize, chunk
from services.questions.choice import BinsOption
from services.questions.dataset import Difficulty, cut_bins
from services.questions.difficulty import difficulties
from services.statistics.trend import pearson

TEXTS_A_BATCH = 200
QUESTIONS_A_BATCH = 500
ARTICLES_A_BATCH = 50

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rated:
    """A question's difficulty by each aggregate, and its quartile by the weakest hop, 1 to 4."""

    question: str
    hops: int
    min: float
    mean: float
    power: float
    bin: int | None


@dataclass(frozen=True, slots=True)
class Rating:
    """The difficulties of kept chain questions under one embedder and chunking.

    `left_out` are those of which a hop's sentences could not be found any more, so that they have none.
    """

    embedder: str
    chunking: str
    bins: BinsOption
    rated: tuple[Rated, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """A kept chain question with its own difficulty; `sampled` ones decide where quartiles are cut."""

    id: str
    text: str
    own: Rated
    sampled: bool


@dataclass(frozen=True, slots=True)
class DifficultyShift:
    """How difficulties of a depth changed; None for `hops` stands for all depths.

    `rank_correlation` is Spearman's, None under three questions or where a side is constant; `changed` counts
    the questions that are in another quartile.
    """

    hops: int | None
    n: int
    rank_correlation: float | None
    changed: int


@dataclass(frozen=True, slots=True)
class StatedAt:
    """Where the fact of a question's hop is stated: the place in the article's body."""

    question: str
    hop: int
    place: Span


def read_asked(graph: Graph, corpus: str) -> list[RatedQuestion]:
    """The kept chain questions of a corpus.

    Raises:
        NothingToDoError: it has none.
    """
    kept = graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    rows = [row for row in kept if row["kind"] == "chain"]
    if not rows:
        raise NothingToDoError(
            f"corpus {corpus!r} has no kept chain question; those of other kinds and imported ones have no "
            "difficulty.",
            f"Make some: {command('questions make')}",
        )
    return [
        RatedQuestion(
            row["id"],
            row["text"],
            Rated(row["id"], row["hops"], row["min"], row["mean"], row["power"], row["bin"]),
            row["sampled"],
        )
        for row in rows
    ]


def own_rating(asked: Iterable[RatedQuestion], embedder: str, chunking: str, bins: BinsOption) -> Rating:
    """The difficulties that stand on the questions themselves, in their frozen quartiles."""
    return Rating(embedder, chunking, bins, tuple(one.own for one in asked))


def cut_anew(asked: Sequence[RatedQuestion], own: Rating, bins: BinsOption) -> Rating:
    """The same difficulties in quartiles that are cut another way."""
    return Rating(own.embedder, own.chunking, bins, _binned(asked, own.rated, bins))


def rate(
    graph: Graph,
    asked: Sequence[RatedQuestion],
    embedder: Embedder,
    size: ChunkSize,
    bins: BinsOption,
    progress: Progress,
) -> Rating:
    """Compute the difficulties under an embedder and a chunk size; nothing is written.

    Memory holds the questions' vectors and one batch of articles.
    """
    vectors = _question_vectors(asked, embedder, progress)
    sentences = read_stated_at(graph, [one.id for one in asked])
    nearest = _nearest(graph, sentences, vectors, embedder, size, progress)
    rated = [found for one in asked if (found := _rated(one, nearest[one.id])) is not None]
    return Rating(
        embedder.name, str(size), bins, _binned(asked, rated, bins), left_out=len(asked) - len(rated)
    )


def write_rating(graph: Graph, corpus: str, rating: Rating) -> None:
    """Write a rating in place of the one that the same embedder and chunking gave before."""
    id_ = node_id(corpus, "rating", rating.embedder, rating.chunking)
    properties = {
        "id": id_,
        "embedder": rating.embedder,
        "chunking": rating.chunking,
        "bins": rating.bins,
        "left_out": rating.left_out,
    }
    graph.rows(query("corpus/delete_by_ids"), ids=[id_])
    graph.write_rows(
        query("questions/write_rating"), map(_rating_row, rating.rated), corpus=corpus, rating=properties
    )


def movements(own: Rating, other: Rating) -> list[DifficultyShift]:
    """How difficulties moved at each depth that has questions, and last over all."""
    before = {one.question: one for one in own.rated}
    pairs = [(before[one.question], one) for one in other.rated if one.question in before]
    depths = sorted({one.hops for one, _ in pairs})
    return [
        *(_moved(depth, [pair for pair in pairs if pair[0].hops == depth]) for depth in depths),
        _moved(None, pairs),
    ]


def _moved(hops: int | None, pairs: Sequence[tuple[Rated, Rated]]) -> DifficultyShift:
    found = pearson(_ranks([one.min for one, _ in pairs]), _ranks([other.min for _, other in pairs]))
    return DifficultyShift(
        hops=hops,
        n=len(pairs),
        rank_correlation=found.r if found else None,
        changed=sum(one.bin != other.bin for one, other in pairs),
    )


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs, so that Pearson's r of ranks is Spearman's."""
    _, places, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: list[float] = (last - (counts - 1) / 2)[places].tolist()
    return ranks


def _question_vectors(
    asked: Sequence[RatedQuestion], embedder: Embedder, progress: Progress
) -> dict[str, Vector]:
    vectors: dict[str, Vector] = {}
    progress.step("embedding questions", len(asked))
    for some in batches(asked, TEXTS_A_BATCH):
        found = embedder.embed_queries([one.text for one in some])
        vectors |= zip((one.id for one in some), found, strict=True)
        progress.advance(len(some))
    return vectors


def read_stated_at(graph: Graph, questions: Sequence[str]) -> dict[str, list[StatedAt]]:
    """Where the facts of the questions are stated, by article."""
    found: dict[str, list[StatedAt]] = defaultdict(list)
    for row in graph.read_in_batches(query("claims/read_of_hops"), questions, QUESTIONS_A_BATCH):
        place = Span(row["start"], row["end"])
        found[row["article"]].append(StatedAt(row["question"], row["hop"], place))
    return found


def _nearest(
    graph: Graph,
    sentences: Mapping[str, Sequence[StatedAt]],
    vectors: Mapping[str, Vector],
    embedder: Embedder,
    size: ChunkSize,
    progress: Progress,
) -> dict[str, dict[int, float]]:
    """For each question, the largest cosine of each of its hops."""
    nearest: dict[str, dict[int, float]] = defaultdict(dict)
    progress.step("embedding chunks", len(sentences))
    for articles in batches(sorted(sentences), ARTICLES_A_BATCH):
        rows = graph.rows(query("articles/read_bodies"), ids=articles)
        stating = [pair for row in rows for pair in _stating(row, sentences[row["id"]], size)]
        texts = _text_vectors(sorted({text for _, text in stating}), embedder)
        for one, text in stating:
            cosine = round(float(vectors[one.question] @ texts[text]), 6)
            hops = nearest[one.question]
            hops[one.hop] = max(cosine, hops.get(one.hop, cosine))
        progress.advance(len(articles))
    return nearest


def _stating(article: Row, sentences: Sequence[StatedAt], size: ChunkSize) -> Iterator[tuple[StatedAt, str]]:
    """The sentences of an article, each with what is embedded of every chunk that states it."""
    chunks = chunk(article["body"], size)
    for one in sentences:
        for position in holding(chunks, one.place):
            yield one, embedded_text(article["title"], chunks[position].text)


def _text_vectors(texts: Sequence[str], embedder: Embedder) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for some in batches(texts, TEXTS_A_BATCH):
        found |= zip(some, embedder.embed(some), strict=True)
    return found


def holding(chunks: Sequence[Chunk], place: Span) -> list[int]:
    """The positions of the chunks that hold a sentence whole or, where it was cut, a part of it."""
    whole = [one.position for one in chunks if one.start <= place.start and place.end <= one.end]
    return whole or [one.position for one in chunks if one.start < place.end and place.start < one.end]


def _rated(one: RatedQuestion, nearest: Mapping[int, float]) -> Rated | None:
    """The question's difficulty, without a quartile yet; None where a hop is stated nowhere."""
    hops = range(1, one.own.hops + 1)
    if not all(hop in nearest for hop in hops):
        return None
    found = difficulties((hop, nearest[hop]) for hop in hops)
    return Rated(one.id, one.own.hops, found["min"], found["mean"], found["power"], bin=None)


def _binned(asked: Sequence[RatedQuestion], rated: Sequence[Rated], bins: BinsOption) -> tuple[Rated, ...]:
    """In quartiles of the sampled questions of a depth or of all depths; others follow these cuts."""
    sampled = {one.id for one in asked if one.sampled}
    placed = [Difficulty(one.question, one.hops, one.min) for one in rated]
    cuts = cut_bins(bins, (one for one in placed if one.question in sampled or not sampled))
    return tuple(replace(one, bin=cuts.bin(place)) for one, place in zip(rated, placed, strict=True))


def _rating_row(one: Rated) -> Row:
    return {"question": one.question, "min": one.min, "mean": one.mean, "power": one.power, "bin": one.bin}
