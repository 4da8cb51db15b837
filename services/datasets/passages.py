"""The passages that come with a question in formats such as HotpotQA's: its evidence among others.

A passage is the part of an article that some of its chunks hold, as sentences; no two passages of a question
are of one article or have one title, since these formats name sentences by title. What is beside the evidence
is of the same split: of up to 2,000 of its chunks, drawn by the seed, those most similar to the question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from kg.ids import bare_id, content_hash
from kg.model import Span
from kg.queries import query
from kg.store.graph import Graph, Row, vector_of
from kg.text.sentences import sentence_spans
from services.datasets.records import FactRecord, GoldRecord, QuestionRecord
from services.datasets.source import Dataset, question_record

POOL = 2_000
"""Chunks of a split among which those beside the evidence are looked for: 3 MB of vectors."""
QUESTIONS_A_BATCH = 50
_DIGITS = 6

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of an article: its sentences with where they begin in the body; `hops` are those it supports."""

    article: str
    title: str
    sentences: tuple[str, ...]
    starts: tuple[int, ...]
    hops: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def sentences_of(self, fact: FactRecord) -> list[int]:
        """The numbers, from 0, of the sentences in which a claim stands."""
        if fact.article != self.article:
            return []
        ends = (start + len(text) for start, text in zip(self.starts, self.sentences, strict=True))
        places = zip(self.starts, ends, strict=True)
        return [at for at, (start, end) in enumerate(places) if start < fact.end and fact.start < end]


QuestionPassages = tuple[QuestionRecord, tuple[Passage, ...]]
"""A question with its passages, the evidence at places that tell nothing."""


def main_gold(question: QuestionRecord) -> list[GoldRecord]:
    """One supporting chunk for each hop: where its claim stands, else the most similar one."""
    facts = {fact.hop: fact for fact in question.facts}
    chosen = []
    for hop, chunks in question.chunks_of_hops().items():
        fact = facts.get(hop)
        holding = [
            one
            for one in chunks
            if fact and one.article == fact.article and one.start <= fact.start and fact.end <= one.end
        ]
        chosen.append(min(holding or chunks, key=lambda one: (-(one.similarity or 0.0), one.chunk)))
    return chosen


def questions_with_passages(dataset: Dataset, split: str, passages: int) -> Iterator[QuestionPassages]:
    """The questions of a split, each with so many passages as far as the split has articles for them."""
    pool = _Pool.sample(dataset, split)
    batch: list[Row] = []
    for row in dataset.question_rows(split):
        batch.append(row)
        if len(batch) == QUESTIONS_A_BATCH:
            yield from _with_passages(dataset, batch, pool, passages)
            batch = []
    yield from _with_passages(dataset, batch, pool, passages)


def _with_passages(
    dataset: Dataset, rows: Sequence[Row], pool: "_Pool", passages: int
) -> Iterator[QuestionPassages]:
    records = [question_record(row) for row in rows]
    gold = [main_gold(one) for one in records]
    beside = [pool.nearest(row["vector"], one, passages) for row, one in zip(rows, records, strict=True)]
    wanted = {one.chunk for group in gold for one in group} | {chunk for group in beside for chunk in group}
    held = {
        row["id"]: row for row in dataset.graph.read_in_batches(query("chunks/read_shown"), sorted(wanted))
    }
    sentences: dict[str, list[Span]] = {}
    for row in held.values():
        if row["article"] not in sentences:
            sentences[row["article"]] = list(sentence_spans(row["body"]))
    for record, found, others in zip(records, gold, beside, strict=True):
        places: dict[str, list[Row]] = {}
        hops: dict[str, list[int]] = {}
        for one in found:
            places.setdefault(one.article, []).append(held[one.chunk])
            hops.setdefault(one.article, []).append(one.hop)
        for chunk in others:
            row = held[chunk]
            if len(places) < passages and row["article"] not in places:
                places[row["article"]] = [row]
        made = [
            _passage(article, rows, sentences[article], hops.get(article, ()))
            for article, rows in places.items()
        ]
        ordered = sorted(
            made, key=lambda one: content_hash((str(dataset.seed), bare_id(record.id), bare_id(one.article)))
        )
        yield record, tuple(_with_unique_titles(ordered, {a: r[0] for a, r in places.items()}))


def _passage(article: str, chunks: Sequence[Row], spans: Sequence[Span], hops: Sequence[int]) -> Passage:
    body = chunks[0]["body"]
    inside = [span for span in spans if any(c["start"] < span.end and span.start < c["end"] for c in chunks)]
    return Passage(
        article=article,
        title=chunks[0]["title"],
        sentences=tuple(body[span.start : span.end] for span in inside),
        starts=tuple(span.start for span in inside),
        hops=tuple(hops),
    )


def _with_unique_titles(passages: Sequence[Passage], rows: Mapping[str, Row]) -> Iterator[Passage]:
    """The passages with titles that differ: source or id stand behind one that another has, or none."""
    for passage in passages:
        title = " ".join(passage.title.split())
        same = [one for one in passages if " ".join(one.title.split()) == title]
        if not title or len(same) > 1:
            sources = [rows[one.article]["source"] for one in same]
            source = rows[passage.article]["source"]
            told = source if source and sources.count(source) == 1 else passage.article
            title = f"{title} ({told})" if title else told
        yield Passage(passage.article, title, passage.sentences, passage.starts, passage.hops)


@dataclass(frozen=True, slots=True)
class _Pool:
    """Chunks of a split with their vectors, one a row."""

    chunks: tuple[str, ...]
    articles: tuple[str, ...]
    vectors: Vector

    @classmethod
    def sample(cls, dataset: Dataset, split: str) -> "_Pool":
        """The chunks of a split whose hash with the seed is smallest."""
        rows = dataset.graph.read_in_batches(query("chunks/list_of_articles"), dataset.article_ids(split))
        keyed = nsmallest(
            POOL,
            (
                (content_hash((str(dataset.seed), bare_id(row["id"]))), row["id"], row["article"])
                for row in rows
            ),
        )
        vectors = _vectors(dataset.graph, [chunk for _, chunk, _ in keyed])
        kept = [(chunk, article) for _, chunk, article in keyed if chunk in vectors]
        return cls(
            tuple(chunk for chunk, _ in kept),
            tuple(article for _, article in kept),
            np.stack([vectors[chunk] for chunk, _ in kept]) if kept else np.zeros((0, 0), np.float32),
        )

    def nearest(self, vector: Sequence[float] | None, question: QuestionRecord, most: int) -> list[str]:
        """Chunks of up to `most` articles that hold no evidence of the question, the most similar first."""
        taken = question.articles
        order: Sequence[int] = range(len(self.chunks))
        if vector is not None and self.chunks:
            # Rounded, so that the last bit of a sum, which machines differ in, decides nothing.
            cosines = np.round(self.vectors @ vector_of(vector), _DIGITS)
            order = np.argsort(-cosines, kind="stable").tolist()
        found: dict[str, str] = {}
        for at in order:
            if len(found) == most:
                break
            if self.articles[at] not in taken:
                found.setdefault(self.articles[at], self.chunks[at])
        return list(found.values())


def _vectors(graph: Graph, chunks: Sequence[str]) -> dict[str, Vector]:
    rows = graph.read_in_batches(query("chunks/read_vectors"), chunks)
    return {row["id"]: vector_of(row["vector"]) for row in rows if row["vector"] is not None}
