"""JSONL with the columns of GRADE's question tables: triples, claims and chunks beside question and answer.

GRADE publishes one table a depth, of chain questions only (Kwon et al. 2025); here a row tells its `hop`.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from services.benchmarks.formats.plain import plain
from services.datasets.dataset_format import DatasetFormat, inside, json_line
from services.datasets.folder import Account, ExportWriter, Found
from services.datasets.formats.question_readers import by_rows, imported, table
from services.datasets.records import GoldRecord
from services.datasets.source import Dataset, Evidenced, evidenced_questions

QUESTIONS = "questions.jsonl"


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
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


def _row(one: Evidenced) -> dict[str, object]:
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


def _read(folder: Path, splits: Sequence[str]) -> Iterator[Found]:
    for split in splits:
        for one in imported(folder / inside(split, QUESTIONS), by_rows(plain)):
            chunks = (gold.given_id for gold in one.gold)
            yield Found(table(split), one.id, (one.text, one.answer, *one.accepted, *chunks))


GRADE = DatasetFormat(
    "grade", "Chain questions with triples, claims, chunks and difficulty, as GRADE's tables", _write, _read
)
