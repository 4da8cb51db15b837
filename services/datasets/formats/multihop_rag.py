"""MultiHop-RAG's two files: MultiHopRAG.json with the queries, and corpus.json (Tang and Yang 2024).

MultiHop-RAG: queries whose evidence is a list of facts with the metadata of their articles.

Tang and Yang 2024, section 3.

The sample of MultiHop-RAG that goes round as two files: the queries, and their answers with evidence.

Both are one JSON object, so they are read whole: 500 queries are under a megabyte. Larger ones are refused.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from kg.errors import InputError
from kg.ingest.rows import unreadable
from kg.model import Reject
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.question import (
    BenchmarkQuestion,
    Cells,
    Gold,
    RowTroubleError,
    articles_to_ingest,
    by_rows,
    objects,
    questions_to_import,
    require_text,
    table,
    text,
)
from services.datasets.records import ArticleRecord
from services.datasets.source import (
    Dataset,
    DatasetFormat,
    Piece,
    QuestionWithArticles,
    evidenced_questions,
    inside,
    write_array,
)


def multihop_rag(cells: Cells, place: str, row: int) -> BenchmarkQuestion:
    """A query with its evidence; null queries have none. The set gives no ids, so the row's number is it."""
    gold = tuple(
        Gold(
            title=text(evidence, "title"),
            url=text(evidence, "url"),
            text=require_text(evidence, "fact"),
            hop=hop,
        )
        for hop, evidence in enumerate(objects(cells.get("evidence_list"), "evidence_list"), start=1)
    )
    return BenchmarkQuestion(
        id=text(cells, "id", "_id") or str(row),
        text=require_text(cells, "query", "question"),
        answer=require_text(cells, "answer"),
        type=text(cells, "question_type").removesuffix("_query"),
        hops=len(gold),
        gold=gold,
        place=place,
    )


MOST_BYTES = 64 << 20
_QUERIES = "queries.json"
_TRUTH = "ground_truth.json"
_REMEDY = f"Give the folder with {_QUERIES} and {_TRUTH}, or one of these files."


def is_sample(path: Path) -> bool:
    """Whether a path leads to the sample: its folder, or one of its two files beside the other."""
    try:
        _pair(path)
    except InputError:
        return False
    return True


def sample_questions(path: Path) -> Iterator[BenchmarkQuestion | Reject]:
    """The queries of the sample in their order, with answers and evidence by id.

    Raises:
        InputError: one of the files is missing, or not of this form.
    """
    queries_path, truth_path = _pair(path)
    queries, truth = _load(queries_path).get("queries"), _load(truth_path)
    if not isinstance(queries, list):
        raise InputError(f"{queries_path}: there is no list under queries.", _REMEDY)
    for row, cells in enumerate(queries):
        place = f"{queries_path}:{row + 1}"
        known = truth.get(text(cells, "id")) if isinstance(cells, dict) else None
        if not isinstance(cells, dict) or not isinstance(known, dict):
            yield Reject(place, "it has no answer in the other file")
            continue
        try:
            yield multihop_rag({**known, **cells}, place, row)
        except RowTroubleError as error:
            yield Reject(place, str(error))


def _pair(path: Path) -> tuple[Path, Path]:
    """The files of queries and of answers; their names may have a beginning in common."""
    folder, begins = path, ""
    for ending in (_QUERIES, _TRUTH):
        if path.name.endswith(ending) and not path.is_dir():
            folder, begins = path.parent, path.name.removesuffix(ending)
            break
    else:
        found = sorted(folder.glob(f"*{_QUERIES}")) if folder.is_dir() else []
        if len(found) != 1:
            raise InputError(f"{path}: there is not exactly one {_QUERIES}.", _REMEDY)
        begins = found[0].name.removesuffix(_QUERIES)
    pair = folder / f"{begins}{_QUERIES}", folder / f"{begins}{_TRUTH}"
    for one in pair:
        if not one.is_file():
            raise InputError(f"{one}: there is no such file.", _REMEDY)
    return pair


def _load(path: Path) -> Cells:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} has more than the {MOST_BYTES:,} bytes that are read.", _REMEDY)
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: {unreadable(error)}.", _REMEDY) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: it is not JSON: {error}.", _REMEDY) from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: it is not a JSON object.", _REMEDY)
    return value


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


def _query(one: QuestionWithArticles, pieces: Sequence[Piece]) -> dict[str, object]:
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


def _read_records(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for split in splits:
        for one in questions_to_import(folder / inside(split, QUERIES), by_rows(multihop_rag)):
            facts = (text for gold in one.gold for text in (gold.title, gold.url, gold.text))
            yield FoundRecord(table(split), one.id, (one.text, one.answer, one.type, *facts))
        for row in articles_to_ingest(folder / inside(split, CORPUS)):
            yield FoundRecord(table(split, "corpus"), row.given_id, (row.title, row.body, row.url))


MULTIHOP_RAG = DatasetFormat(
    "multihop-rag",
    "Queries with a list of evidence, and the corpus, as MultiHop-RAG's files",
    _write,
    _read_records,
)
