"""BEIR: corpus.jsonl with the chunks, queries.jsonl, and qrels/SPLIT.tsv (Thakur et al. 2021).

A dataset that is not split is the split `test`. Questions without evidence have no judgement: they are left
out.

BEIR: a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv (Thakur et al. 2021).

The judgements of one split are held in memory, as one can't know where in the file a query's last one stands;
the queries are read one by one.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from kg.errors import InputError
from kg.ingest.json_rows import json_line_rows
from kg.ingest.rows import UNDECODABLE, Encoding, RowTooLongError, next_line, open_text
from kg.ingest.sniff import text_encoding
from kg.model import Reject
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.question import (
    BenchmarkQuestion,
    Gold,
    articles_to_ingest,
    questions_to_import,
    table,
    text,
)
from services.datasets.records import QuestionRecord
from services.datasets.source import Dataset, DatasetFormat, json_line

QUERIES = "queries.jsonl"
QRELS = "qrels"
MOST_JUDGEMENTS = 10_000_000
"""A split may have so many; the largest of BEIR has half a million."""
LONGEST_LINE = 100_000
"""Characters of a judgement: two ids and a number. The csv module's own limit is one for the whole process,
and other readers raise it."""

_SPLITS = ("test", "dev", "train")


def beir_questions(path: Path) -> Iterator[BenchmarkQuestion | Reject]:
    """The queries that are judged in a split: `path` is the folder, or the split's own file in it.

    Of a folder it is the split `test`, else `dev`, else `train`, else the first by name. A query is relevant
    to a document with a score above 0; queries without one are no part of the split.

    Raises:
        InputError: there is no judgement file, one of the files can't be read, or there are too many
            judgements to hold.
    """
    folder, judged = _places(path)
    relevant: defaultdict[str, list[str]] = defaultdict(list)
    for number, found in enumerate(_judgements(judged)):
        if number == MOST_JUDGEMENTS:
            raise InputError(
                f"{judged} has more than {MOST_JUDGEMENTS:,} judgements.", "Give the set in parts."
            )
        if isinstance(found, Reject):
            yield found
        elif found[2]:
            relevant[found[0]].append(found[1])
    met: set[str] = set()
    for row in json_line_rows(folder / QUERIES, _encoding(folder / QUERIES)):
        if isinstance(row, Reject):
            yield row
            continue
        id_, asked = text(row.cells, "_id", "id"), text(row.cells, "text", "query")
        if id_ not in relevant:
            continue
        met.add(id_)
        if asked:
            gold = tuple(Gold(given_id=one) for one in dict.fromkeys(relevant[id_]))
            answer, kind = _answer_and_type(row.cells.get("metadata"))
            yield BenchmarkQuestion(id_, asked, answer, type=kind, gold=gold, place=row.place)
        else:
            yield Reject(row.place, "there is no text")
    for id_ in relevant.keys() - met:
        yield Reject(str(judged), f"query {id_!r} is judged but not among the queries")


def _answer_and_type(metadata: object) -> tuple[str, str]:
    """Answer and type, where a set keeps them beside the query."""
    if not isinstance(metadata, Mapping):
        return "", ""
    return text(metadata, "answer"), text(metadata, "type")


def _places(path: Path) -> tuple[Path, Path]:
    """The set's folder, and its judgement file."""
    if path.is_file():
        return path.parent.parent if path.suffix == ".tsv" else path.parent, _split(path)
    return path, _split(path)


def _split(path: Path) -> Path:
    if path.suffix == ".tsv":
        return path
    folder = (path.parent if path.is_file() else path) / QRELS
    named = [folder / f"{split}.tsv" for split in _SPLITS]
    for found in (*named, *sorted(folder.glob("*.tsv"))):
        if found.is_file():
            return found
    raise InputError(f"{folder}: there is no file of judgements (test.tsv).", "Fetch the set whole.")


def _judgements(path: Path) -> Iterator[tuple[str, str, bool] | Reject]:
    try:
        yield from _judged_rows(path)
    except (csv.Error, RowTooLongError) as error:
        raise _too_long(path) from error


def _too_long(path: Path) -> InputError:
    return InputError(f"{path}: a line is too long for a judgement.", "Fetch the set whole.")


def _judged_rows(path: Path) -> Iterator[tuple[str, str, bool] | Reject]:
    with open_text(path, _encoding(path), newline="") as file:
        lines = iter(partial(next_line, file), "")
        for number, cells in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
            place = f"{path}:{number}"
            match cells:
                case [] | ["query-id", *_]:
                    pass
                case _ if sum(map(len, cells)) > LONGEST_LINE:
                    raise _too_long(path)
                case [query, document, score] if _is_number(score) and UNDECODABLE not in query + document:
                    yield query, document, float(score) > 0
                case _:
                    yield Reject(place, "it is not a query's id, a document's id and a score, with tabs")


def _is_number(score: str) -> bool:
    try:
        float(score)
    except ValueError:
        return False
    return True


def _encoding(path: Path) -> Encoding:
    found = text_encoding(path)
    if not isinstance(found, str):
        raise InputError(f"{path}: {found.reason}.", found.remedy)
    return found


CORPUS = "corpus.jsonl"
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
                if question.evidence:
                    file.write(json_line(_query(question)))
                else:
                    account.leave_out(split, "has no evidence in the articles")
    for split in dataset.names:
        with writer.text(_qrels(split)) as file:
            file.write("query-id\tcorpus-id\tscore\n")
            for question in dataset.questions(split):
                chunks = list(dict.fromkeys(one.chunk for one in question.evidence))
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


def _read_records(folder: Path, splits: Sequence[str]) -> Iterator[FoundRecord]:
    for row in articles_to_ingest(folder / CORPUS):
        yield FoundRecord("corpus", row.given_id, (row.title, row.body))
    for split in splits:
        for one in questions_to_import(folder / _qrels(split), beir_questions):
            yield FoundRecord(
                table(split), one.id, (one.text, one.answer, *(gold.given_id for gold in one.gold))
            )


BEIR = DatasetFormat(
    "beir",
    "Chunks, queries and relevance judgements, as the BEIR collection's folders",
    _write,
    _read_records,
)
