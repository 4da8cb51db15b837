"""BEIR: corpus.jsonl with the chunks, queries.jsonl, and qrels/SPLIT.tsv (Thakur et al. 2021).

A dataset that is not split is the split `test`. Questions without evidence have no judgement: they are left
out.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from services.benchmarks.formats.beir import beir_questions
from services.datasets.dataset_format import DatasetFormat, json_line
from services.datasets.folder import Account, ExportWriter, Found
from services.datasets.formats.question_readers import imported, ingested, table
from services.datasets.records import QuestionRecord
from services.datasets.source import Dataset

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"
UNSPLIT = "test"


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    with writer.text(CORPUS) as file:
        for article in dataset.articles():
            for chunk in article.chunks:
                text = article.body[chunk.start : chunk.end]
                file.write(json_line({"_id": chunk.id, "title": article.title, "text": text, "metadata": {}}))
                account.expect("corpus", chunk.id, article.title, text)
    with writer.text(QUERIES) as file:
        for split in dataset.names:
            for question in dataset.questions(split):
                if question.gold:
                    file.write(json_line(_query(question)))
                else:
                    account.leave_out(split, "has no evidence in the articles")
    for split in dataset.names:
        with writer.text(_qrels(split)) as file:
            file.write("query-id\tcorpus-id\tscore\n")
            for question in dataset.questions(split):
                chunks = list(dict.fromkeys(one.chunk for one in question.gold))
                file.writelines(f"{question.id}\t{chunk}\t1\n" for chunk in chunks)
                if chunks:
                    account.expect(table(split), question.id, question.text, question.answer, *chunks)


def _query(question: QuestionRecord) -> dict[str, object]:
    told = {
        "answer": question.answer,
        "type": question.type,
        "hops": question.hops,
        "bin": question.bin,
        "difficulty": question.difficulty.get("min"),
    }
    return {"_id": question.id, "text": question.text, "metadata": told}


def _qrels(split: str) -> str:
    return f"qrels/{split or UNSPLIT}.tsv"


def _read(folder: Path, splits: Sequence[str]) -> Iterator[Found]:
    for row in ingested(folder / CORPUS):
        yield Found("corpus", row.given_id, (row.title, row.body))
    for split in splits:
        for one in imported(folder / _qrels(split), beir_questions):
            yield Found(table(split), one.id, (one.text, one.answer, *(gold.given_id for gold in one.gold)))


BEIR = DatasetFormat(
    "beir", "Chunks, queries and relevance judgements, as the BEIR collection's folders", _write, _read
)
