"""CSV tables for spreadsheets and data frames: questions, their evidence, their facts, and the articles."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from services.datasets.dataset_format import DatasetFormat
from services.datasets.folder import Account, ExportWriter, Found
from services.datasets.records import QuestionRecord
from services.datasets.source import Dataset

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "articles": (
        "split", "id", "title", "source", "category", "author", "published_at", "url", "tokens", "body",
    ),
    "questions": (
        "split", "id", "question", "answer", "accepted", "answer_type", "kind", "type", "hops", "bin",
        "difficulty_min", "difficulty_mean", "difficulty_power", "generator", "path",
    ),
    "facts": ("question_id", "hop", "subject", "predicate", "object", "link", "article_id", "sentence"),
    "evidence": ("question_id", "hop", "chunk_id", "article_id", "start", "end", "similarity"),
}  # fmt: skip
"""The columns of each table; the texts of a list stand with " | " between them."""
_FIELD_BYTES = 1 << 27
"""The longest cell that is read back: no article is longer."""


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    with writer.text("articles.csv") as file:
        table = _Table(file, "articles", account)
        for split in dataset.names:
            for article in dataset.articles(split):
                table.add(split, *(getattr(article, name) for name in COLUMNS["articles"][1:]))
    with (
        writer.text("questions.csv") as first,
        writer.text("facts.csv") as second,
        writer.text("evidence.csv") as third,
    ):
        questions = _Table(first, "questions", account)
        facts, evidence = _Table(second, "facts", account), _Table(third, "evidence", account)
        for split in dataset.names:
            for question in dataset.questions(split):
                questions.add(*_question(split, question))
                for fact in question.facts:
                    told = (fact.subject, fact.predicate, fact.object, fact.link)
                    facts.add(question.id, fact.hop, *told, fact.article, fact.sentence)
                for gold in question.gold:
                    place = (gold.chunk, gold.article, gold.start, gold.end)
                    evidence.add(question.id, gold.hop, *place, gold.similarity)


def _question(split: str, question: QuestionRecord) -> tuple[object, ...]:
    return (
        split,
        question.id,
        question.text,
        question.answer,
        " | ".join(question.accepted),
        question.answer_type,
        question.kind,
        question.type,
        question.hops,
        question.bin,
        *(question.difficulty.get(name) for name in ("min", "mean", "power")),
        question.generator,
        " | ".join(stop.name for stop in question.stops),
    )


class _Table:
    """A CSV file with its header, whose rows are told to the account."""

    def __init__(self, file: TextIO, name: str, account: Account) -> None:
        self._csv = csv.writer(file, lineterminator="\n")
        self._name = name
        self._account = account
        self._csv.writerow(COLUMNS[name])

    def add(self, *cells: object) -> None:
        """Write a row; nothing is an empty cell."""
        row = ["" if cell is None else str(cell) for cell in cells]
        self._csv.writerow(row)
        self._account.expect(self._name, "", *row)


def _read(folder: Path, _: Sequence[str]) -> Iterator[Found]:
    before = csv.field_size_limit(_FIELD_BYTES)
    try:
        for name in COLUMNS:
            with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                rows = csv.reader(file)
                next(rows, None)
                for row in rows:
                    yield Found(name, "", tuple(row))
    finally:
        csv.field_size_limit(before)


CSV = DatasetFormat("csv", "Tables of questions, facts, evidence and articles, as CSV", _write, _read)
