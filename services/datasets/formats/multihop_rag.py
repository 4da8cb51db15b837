"""MultiHop-RAG's two files: MultiHopRAG.json with the queries, and corpus.json (Tang and Yang 2024)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from services.benchmarks.formats.multihop_rag import multihop_rag
from services.datasets.dataset_format import DatasetFormat, inside, write_array
from services.datasets.folder import Account, ExportWriter, Found
from services.datasets.formats.question_readers import by_rows, imported, ingested, table
from services.datasets.records import ArticleRecord
from services.datasets.source import Dataset, Evidenced, Piece, evidenced_questions

QUERIES = "MultiHopRAG.json"
CORPUS = "corpus.json"


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    for split in dataset.names:
        with writer.text(inside(split, QUERIES)) as file:
            write_array(file, _queries(dataset, split, account))
        with writer.text(inside(split, CORPUS)) as file:
            write_array(file, _articles(dataset, split, account))


def _queries(dataset: Dataset, split: str, account: Account) -> Iterator[dict[str, object]]:
    for one in evidenced_questions(dataset, split):
        question, pieces = one.question, one.evidence()
        if not question.answer:
            account.leave_out(split, "has no answer")
            continue
        facts = (text for piece in pieces for text in (piece.article.title, piece.article.url, piece.text))
        account.expect(
            table(split), question.id, question.text, question.answer, question.type or "inference", *facts
        )
        yield _query(one, pieces)


def _query(one: Evidenced, pieces: Sequence[Piece]) -> dict[str, object]:
    question = one.question
    return {
        "id": question.id,
        "query": question.text,
        "answer": question.answer,
        "question_type": f"{question.type or 'inference'}_query",
        "evidence_list": [
            {**_metadata(piece.article), "fact": piece.text, "hop": piece.hop} for piece in pieces
        ],
    }


def _articles(dataset: Dataset, split: str, account: Account) -> Iterator[dict[str, object]]:
    for article in dataset.articles(split):
        account.expect(table(split, "corpus"), article.id, article.title, article.body, article.url)
        yield {"id": article.id, **_metadata(article), "body": article.body}


def _metadata(article: ArticleRecord) -> dict[str, object]:
    return {
        "title": article.title,
        "author": article.author,
        "source": article.source,
        "published_at": article.published_at,
        "category": article.category,
        "url": article.url,
    }


def _read(folder: Path, splits: Sequence[str]) -> Iterator[Found]:
    for split in splits:
        for one in imported(folder / inside(split, QUERIES), by_rows(multihop_rag)):
            facts = (text for gold in one.gold for text in (gold.title, gold.url, gold.text))
            yield Found(table(split), one.id, (one.text, one.answer, one.type, *facts))
        for row in ingested(folder / inside(split, CORPUS)):
            yield Found(table(split, "corpus"), row.given_id, (row.title, row.body, row.url))


MULTIHOP_RAG = DatasetFormat(
    "multihop-rag", "Queries with a list of evidence, and the corpus, as MultiHop-RAG's files", _write, _read
)
