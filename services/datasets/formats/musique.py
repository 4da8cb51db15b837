"""MuSiQue: each question brings twenty paragraphs and its decomposition (Trivedi et al. 2022, section 5).

A step asks "SUBJECT >> PREDICATE", as MuSiQue's own steps from triples do; "#1" stands for the answer of the
first step. Where the path goes against a fact, it asks "PREDICATE >> OBJECT".

MuSiQue: each question brings twenty paragraphs, of which the supporting ones are marked.

Trivedi et al. 2022, section 5.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from services.answers import INSUFFICIENT
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.passages import Passage, QuestionPassages, questions_with_passages
from services.datasets.question import (
    BenchmarkQuestion,
    Cells,
    Gold,
    by_rows,
    objects,
    questions_to_import,
    require_text,
    table,
    text,
    texts,
)
from services.datasets.records import FactRecord
from services.datasets.source import Dataset, DatasetFormat, inside, json_line

_HOPS = re.compile(r"(\d)hop")


def musique(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A question of MuSiQue; one that is marked as not answerable is a null question."""
    id_ = text(cells, "id", "_id") or str(row)
    steps = [
        text(step, "paragraph_support_idx")
        for step in objects(cells.get("question_decomposition"), "question_decomposition")
    ]
    gold = []
    for at, paragraph in enumerate(objects(cells.get("paragraphs"), "paragraphs")):
        if paragraph.get("is_supporting") is True:
            index = text(paragraph, "idx") or str(at)
            hop = steps.index(index) + 1 if index in steps else 0
            gold.append(
                Gold(title=text(paragraph, "title"), text=require_text(paragraph, "paragraph_text"), hop=hop)
            )
    named = _HOPS.match(id_)
    answerable = cells.get("answerable") is not False
    return BenchmarkQuestion(
        id=id_,
        text=require_text(cells, "question"),
        answer=text(cells, "answer") if answerable else INSUFFICIENT,
        accepted=texts(cells.get("answer_aliases")) if answerable else (),
        type=id_.partition("__")[0] if answerable and named else "" if answerable else "null",
        hops=int(named[1]) if named else len(steps),
        gold=tuple(sorted(gold, key=lambda one: one.hop)) if answerable else (),
        place=place,
    )


PARAGRAPHS = 20
QUESTIONS = "questions.jsonl"


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    for split in dataset.names:
        with writer.text(inside(split, QUESTIONS)) as file:
            for shown in questions_with_passages(dataset, split, PARAGRAPHS):
                question, _ = shown
                if question.answerable and not all(fact.predicate for fact in question.facts):
                    account.leave_out(split, "follows no hop path")
                elif question.answerable and not question.facts:
                    account.leave_out(split, "was imported without a decomposition")
                else:
                    file.write(json_line(_row(shown)))
                    account.add(_expected_record(shown, split))


def _row(shown: QuestionPassages) -> dict[str, object]:
    question, passages = shown
    return {
        "id": question.id,
        "paragraphs": [
            {
                "idx": at,
                "title": passage.title,
                "paragraph_text": passage.text,
                "is_supporting": bool(passage.hops),
            }
            for at, passage in enumerate(passages)
        ],
        "question": question.text,
        "question_decomposition": [
            {
                "id": f"{question.id}-{number}",
                "question": _step(question.facts, number),
                "answer": fact.entity_after,
                "paragraph_support_idx": _paragraph(passages, fact.hop),
            }
            for number, fact in enumerate(question.facts)
        ]
        if question.answerable
        else [],
        "answer": question.answer,
        "answer_aliases": list(question.aliases),
        "answerable": question.answerable,
    }


def _step(facts: Sequence[FactRecord], number: int) -> str:
    fact = facts[number]
    known = f"#{number}" if number else (fact.object if fact.reversed else fact.subject)
    return f"{fact.predicate} >> {known}" if fact.reversed else f"{known} >> {fact.predicate}"


def _paragraph(passages: Sequence[Passage], hop: int) -> int | None:
    return next((at for at, passage in enumerate(passages) if hop in passage.hops), None)


def _expected_record(shown: QuestionPassages, split: str) -> FoundRecord:
    question, passages = shown
    if not question.answerable:
        return FoundRecord(table(split), question.id, (question.text, INSUFFICIENT))
    steps = [_paragraph(passages, fact.hop) for fact in question.facts]
    golden = [at for at, passage in enumerate(passages) if passage.hops]
    golden.sort(key=lambda at: steps.index(at) if at in steps else -1)
    told = (text for at in golden for text in (passages[at].title, passages[at].text))
    return FoundRecord(table(split), question.id, (question.text, question.answer, *question.aliases, *told))


def _read_records(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for one in questions_to_import(folder / inside(split, QUESTIONS), by_rows(musique)):
            told = (text for gold in one.gold for text in (gold.title, gold.text))
            yield FoundRecord(table(split), one.id, (one.text, one.answer, *one.accepted, *told))


MUSIQUE = DatasetFormat(
    "musique",
    "Chain and null questions with twenty paragraphs and their decomposition, as MuSiQue's files",
    _write,
    _read_records,
)
