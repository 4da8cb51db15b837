"""The dataset of a corpus, read from the graph a bounded batch at a time.

Questions with the articles of their evidence, a bounded batch at a time.

What a format of datasets is: a writer, and a reader that finds again what was written.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from kg.errors import NothingToDoError, SettingsError, command
from kg.queries import query
from kg.store.graph import Graph, Row, batches
from services.answers import NULL, counted_kind
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.records import (
    ArticleRecord,
    ChunkPlace,
    FactRecord,
    GoldRecord,
    HopRecord,
    PrefixRecord,
    QuestionRecord,
    StopRecord,
)
from services.datasets.splits import Splits, split_questions
from services.questions.difficulty import AGGREGATES
from services.questions.spans.question_spans import spans_of_row

ALL = ""
"""The name of the only split of a dataset that is not split."""
RECORDS_A_BATCH = 100

IMPORTED_PATH = "imported_path"
IMPORTED_SIGNATURE = "imported_signature"
IMPORTED_STOPS = "imported_stops"
IMPORTED_FACTS = "imported_facts"
"""Properties of a question that came with a dataset, whose graph has neither its path nor its claims."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Articles and kept questions of a corpus by split; ids are in memory, what they stand for is not."""

    graph: Graph
    corpus: str
    splits: Splits
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The splits in their order; `ALL` alone where there are none."""
        return self.splits.names

    def article_ids(self, split: str | None = None) -> list[str]:
        """The ids of the articles of a split, or of all, in their order."""
        return _of_split(self.splits.articles, split)

    def question_ids(self, split: str | None = None) -> list[str]:
        """The ids of the questions of a split, or of all that are in one, in their order."""
        return _of_split(self.splits.questions, split)

    def articles(self, split: str | None = None) -> Iterator[ArticleRecord]:
        """The articles of a split, or of all."""
        statement = query("articles/read_exported")
        ids = self.article_ids(split)
        return map(article_record, self.graph.read_in_batches(statement, ids, RECORDS_A_BATCH))

    def questions(self, split: str | None = None) -> Iterator[QuestionRecord]:
        """The questions of a split, or of all that are in one."""
        return map(question_record, self.question_rows(split))

    def count_kinds(self, split: str | None = None) -> dict[tuple[str, int], int]:
        """How many questions of a split there are by kind and hops; those left out by a format included."""
        found: Counter[tuple[str, int]] = Counter()
        statement, ids = query("questions/count_kinds"), self.question_ids(split)
        for row in self.graph.read_in_batches(statement, ids):
            found[row["kind"], row["hops"]] += row["questions"]
        return dict(sorted(found.items()))

    def question_rows(self, split: str | None = None) -> Iterator[Row]:
        """The rows of `questions/read_exported` of a split."""
        statement = query("questions/read_exported")
        return self.graph.read_in_batches(statement, self.question_ids(split), RECORDS_A_BATCH)


def open_dataset(graph: Graph, corpus: str, shares: Mapping[str, float], seed: int) -> Dataset:
    """The dataset of a corpus, split into these shares; without any it is one.

    Raises:
        NothingToDoError: the corpus has no kept question.
        SettingsError: the questions are joined too closely to be split like this.
    """
    rows = graph.stream(query("questions/list_exported"), corpus=corpus)
    questions: dict[str, Sequence[str]] = {row["id"]: row["articles"] for row in rows}
    if not questions:
        raise NothingToDoError(
            f"corpus {corpus!r} has no kept question to export.", f"Make some: {command('questions make')}."
        )
    articles = [row["id"] for row in graph.stream(query("articles/list_articles"), corpus=corpus)]
    if shares:
        splits = split_questions(articles, questions, shares, seed)
        _refuse_empty(splits, questions)
        return Dataset(graph, corpus, splits, seed)
    whole = Splits((ALL,), dict.fromkeys(articles, ALL), dict.fromkeys(questions, ALL), {ALL: 0}, 0)
    return Dataset(graph, corpus, whole, seed)


def _of_split(places: Mapping[str, str], split: str | None) -> list[str]:
    return sorted(key for key, name in places.items() if split is None or name == split)


def article_record(row: Row) -> ArticleRecord:
    """A row of `articles/read_exported` as a record."""
    kept = {name: value for name, value in row["article"].items() if value is not None}
    texts = {name: kept.get(name, "") for name in ("source", "category", "author", "url", "given_id")}
    return ArticleRecord(
        id=kept["id"],
        title=kept.get("title", ""),
        body=kept["body"],
        published_at=row["published"] or "",
        tokens=kept["tokens"],
        sha256=kept["sha256"],
        other_ids=tuple(kept.get("other_ids", ())),
        chunks=tuple(ChunkPlace(**chunk) for chunk in row["chunks"]),
        **texts,
    )


def _refuse_empty(splits: Splits, questions: Mapping[str, Sequence[str]]) -> None:
    filled = {split for question, split in splits.questions.items() if questions[question]}
    for name in splits.names:
        if name not in filled:
            raise SettingsError(
                f"the split {name!r} would have no question with evidence: they share too many articles.",
                "Give other shares, fewer splits or another --seed, or export without --splits.",
            )


def question_record(row: Row) -> QuestionRecord:
    """A row of `questions/read_exported` as a record."""
    kept = {name: value for name, value in row["question"].items() if value is not None}
    path = row["path"] or {}
    spans = spans_of_row(kept)
    return QuestionRecord(
        id=kept["id"],
        text=kept["text"],
        answer=kept.get("answer", ""),
        accepted=tuple(kept.get("accepted", ())),
        answer_type=kept.get("answer_type", ""),
        kind=kept["kind"],
        type=kept.get("query_type", ""),
        hops=kept.get("hops", 0),
        bin=kept.get("bin"),
        difficulty={one: kept[f"difficulty_{one}"] for one in AGGREGATES if f"difficulty_{one}" in kept},
        generator=kept.get("generator", ""),
        sources=tuple(kept.get("sources", ())),
        dates=tuple(kept.get("dates", ())),
        absent=kept.get("absent", ""),
        given_id=kept.get("given_id", ""),
        path=path.get("id") or kept.get(IMPORTED_PATH, ""),
        signature=path.get("signature") or kept.get(IMPORTED_SIGNATURE, ""),
        stops=tuple(
            StopRecord(one["name"], one["type"] or "")
            for one in row["stops"] or map(json.loads, kept.get(IMPORTED_STOPS, ()))
        ),
        facts=tuple(map(_fact, row["facts"]))
        or tuple(FactRecord(**json.loads(one)) for one in kept.get(IMPORTED_FACTS, ())),
        gold=tuple(GoldRecord(**one) for one in row["gold"]),
        prefixes=tuple(
            PrefixRecord(**(one | {"accepted": tuple(one["accepted"] or ())})) for one in row["prefixes"]
        ),
        hop_questions=tuple(
            HopRecord(**(one | {"accepted": tuple(one["accepted"] or ())})) for one in row["hop_questions"]
        ),
        domain=kept.get("domain", ""),
        spans={facet: span.clusters for facet, span in spans.items()},
        crossings={facet: span.crossings for facet, span in spans.items()},
    )


def _fact(row: Row) -> FactRecord:
    given = {name: value for name, value in row.items() if value is not None and name != "index"}
    return FactRecord(hop=row["index"], **given)


QUESTIONS_A_BATCH = 50


@dataclass(frozen=True, slots=True)
class QuestionWithArticles:
    """A question with the articles that its gold chunks and facts stand in, by id."""

    question: QuestionRecord
    articles: Mapping[str, ArticleRecord]

    def text_of(self, gold: GoldRecord) -> str:
        """The text of a supporting chunk."""
        return self.articles[gold.article].body[gold.start : gold.end]

    def evidence(self) -> list["Piece"]:
        """One piece a hop: the sentence that states its fact, or where no fact is told its chunks.

        A null question has none, as in MultiHop-RAG: what it begins with does not lead to an answer.
        """
        if counted_kind(self.question.kind, self.question.type) == NULL:
            return []
        facts = {fact.hop: fact for fact in self.question.facts if fact.article in self.articles}
        pieces = []
        for hop, chunks in self.question.chunks_of_hops().items():
            fact = facts.get(hop)
            if fact is not None:
                pieces.append(Piece(hop, self.articles[fact.article], fact.sentence, fact))
            else:
                pieces += [Piece(hop, self.articles[one.article], self.text_of(one)) for one in chunks]
        return pieces


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence: a text of an article that supports a hop."""

    hop: int
    article: ArticleRecord
    text: str
    fact: FactRecord | None = None


def evidenced_questions(dataset: Dataset, split: str) -> Iterator[QuestionWithArticles]:
    """The questions of a split with their articles."""
    for batch in batches(dataset.questions(split), QUESTIONS_A_BATCH):
        needed = {article for question in batch for article in question.articles}
        rows = dataset.graph.read_in_batches(query("articles/read_exported"), sorted(needed))
        held = {article.id: article for article in map(article_record, rows)}
        for question in batch:
            own = sorted(question.articles & held.keys())
            yield QuestionWithArticles(question, {article: held[article] for article in own})


@dataclass(frozen=True, slots=True)
class DatasetFormat:
    """A format by its name; `extra` is the optional dependency that it takes, empty for none.

    `write` tells the account what a reader must find; `read` takes the folder and the names of its splits.
    `card` is the front matter that the format adds to the dataset card, by the names of the splits.
    """

    name: str
    summary: str
    write: Callable[[ExportWriter, Dataset, Account], None]
    read: Callable[[Path, Sequence[str]], Iterator[FoundRecord]]
    extra: str = ""
    card: Callable[[Sequence[str]], str] = lambda _: ""


def inside(split: str, name: str) -> str:
    """The path of a split's file: in a folder of its own where there are splits."""
    return f"{split}/{name}" if split else name


def json_line(value: object) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def write_array(file: TextIO, values: Iterable[object]) -> None:
    """Write a JSON array with one element a line, so that it is never whole in memory."""
    begins = "[\n"
    for value in values:
        file.write(begins + json.dumps(value, ensure_ascii=False))
        begins = ",\n"
    file.write("[]\n" if begins == "[\n" else "\n]\n")
