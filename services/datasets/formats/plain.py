"""JSONL with the columns of GRADE's question tables: triples, claims and chunks beside question and answer.

GRADE publishes one table a depth, of chain questions only (Kwon et al. 2025); here a row tells its `hop`.

Plain rows: a question, its answer, and evidence as titles, texts, ids or objects that hold these.

kg_rag_multihop: questions over passages of 2WikiMultiHopQA, whose evidence is named by chunk ids.

CSV tables for spreadsheets and data frames: questions, their evidence, their facts, and the articles.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from services.answers import INSUFFICIENT
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.question import (
    BenchmarkQuestion,
    Cells,
    Gold,
    RowTroubleError,
    by_rows,
    number,
    questions_to_import,
    require_text,
    table,
    text,
    texts,
)
from services.datasets.records import GoldRecord, QuestionRecord
from services.datasets.source import (
    Dataset,
    DatasetFormat,
    QuestionWithArticles,
    evidenced_questions,
    inside,
    json_line,
)


def kg_rag(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A gold question; one whose support is absent from the corpus is a null question."""
    absent = "absent_support_titles" in cells and "gold_support_chunk_ids" not in cells
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=require_text(cells, "question"),
        answer=INSUFFICIENT if absent else text(cells, "answer"),
        type="null" if absent else text(cells, "hop_type"),
        hops=number(cells, "hop_count"),
        gold=tuple(
            Gold(given_id=id_, hop=hop)
            for hop, id_ in enumerate(texts(cells.get("gold_support_chunk_ids", [])), start=1)
        ),
        place=place,
    )


QUESTION_COLUMNS = ("question", "query", "text")
_TITLES = ("evidence_titles", "gold_titles", "titles")
_TEXTS = ("evidence_texts", "gold_texts", "facts")
_IDS = ("evidence_ids", "gold_ids", "gold_chunk_ids")


def plain(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question out of columns with plain names; a text that stands alone in `evidence` is a fact."""
    answers = texts(cells.get("answer"))
    gold = tuple(_evidence(cells.get("evidence")))
    gold += tuple(Gold(title=one) for name in _TITLES for one in texts(cells.get(name)))
    gold += tuple(Gold(text=one) for name in _TEXTS for one in texts(cells.get(name)))
    gold += tuple(Gold(given_id=one) for name in _IDS for one in texts(cells.get(name)))
    others = (one for name in ("accepted", "answer_aliases", "answers") for one in texts(cells.get(name)))
    accepted = tuple(dict.fromkeys((*answers[1:], *others)))
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=require_text(cells, *QUESTION_COLUMNS),
        answer=answers[0] if answers else accepted[0] if accepted else "",
        accepted=accepted,
        type=text(cells, "type", "question_type"),
        hops=number(cells, "hops"),
        gold=gold,
        place=place,
    )


def _evidence(value: object) -> Iterator[Gold]:
    if value is None:
        return
    for item in value if isinstance(value, list) else [value]:
        match item:
            case str() if item.strip():
                yield Gold(text=item.strip())
            case dict():
                gold = Gold(
                    given_id=text(item, "id", "_id", "chunk_id", "article_id"),
                    title=text(item, "title"),
                    url=text(item, "url"),
                    text=text(item, "text", "fact", "sentence"),
                    hop=number(item, "hop"),
                )
                if not (gold.given_id or gold.title or gold.url or gold.text):
                    raise RowTroubleError("one piece of its evidence has no id, title, url or text")
                yield gold
            case _:
                raise RowTroubleError("one piece of its evidence is neither text nor an object")


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
                for gold in question.evidence:
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


def _read_records(folder: Path, _: Sequence[str]) -> Iterator[FoundRecord]:
    before = csv.field_size_limit(_FIELD_BYTES)
    try:
        for name in COLUMNS:
            with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                rows = csv.reader(file)
                next(rows, None)
                for row in rows:
                    yield FoundRecord(name, "", tuple(row))
    finally:
        csv.field_size_limit(before)


CSV = DatasetFormat("csv", "Tables of questions, facts, evidence and articles, as CSV", _write, _read_records)


QUESTIONS = "questions.jsonl"


def _write_for_grade(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    for split in dataset.names:
        with writer.text(inside(split, QUESTIONS)) as file:
            for one in evidenced_questions(dataset, split):
                if not one.question.path and not one.question.signature:
                    account.leave_out(split, "follows no hop path")
                    continue
                row = _row(one)
                file.write(json_line(row))
                question = one.question
                account.expect(
                    table(split),
                    question.id,
                    question.text,
                    question.answer,
                    *question.accepted,
                    *hops_of_chunks(question.gold),
                )


def _row(one: QuestionWithArticles) -> dict[str, object]:
    question = one.question
    hops = hops_of_chunks(question.gold)
    texts = {gold.chunk: one.text_of(gold) for gold in question.gold}
    return {
        "id": question.id,
        "hop": question.hops,
        "hops": question.hops,
        "question": question.text,
        "answer": question.answer,
        "accepted": list(question.accepted),
        "triples": [[fact.subject, fact.predicate, fact.object] for fact in question.facts],
        "claims": [fact.statement for fact in question.facts],
        "sentences": [fact.sentence for fact in question.facts],
        "links": [fact.link for fact in question.facts],
        "path": [stop.name for stop in question.stops],
        "chunks": [texts[chunk] for chunk in hops],
        "gold_chunk_ids": list(hops),
        "chunk_hops": list(hops.values()),
        "retrieval_difficulty": question.difficulty.get("min"),
        "difficulty": dict(question.difficulty),
        "bin": question.bin,
    }


def hops_of_chunks(gold: Iterable[GoldRecord]) -> dict[str, list[int]]:
    """Each supporting chunk once, with the hops that it supports."""
    found: dict[str, list[int]] = {}
    for one in gold:
        found.setdefault(one.chunk, []).append(one.hop)
    return found


def _read_for_grade(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for one in questions_to_import(folder / inside(split, QUESTIONS), by_rows(plain)):
            chunks = (gold.given_id for gold in one.gold)
            yield FoundRecord(table(split), one.id, (one.text, one.answer, *one.accepted, *chunks))


GRADE = DatasetFormat(
    "grade",
    "Chain questions with triples, claims, chunks and difficulty, as GRADE's tables",
    _write_for_grade,
    _read_for_grade,
)
