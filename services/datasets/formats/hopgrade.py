"""Hopgrade's own format, which loses nothing and can be imported: articles.jsonl and questions.jsonl."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from kg.errors import InputError, command
from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.records import ArticleRecord, QuestionRecord
from services.datasets.source import ALL, Dataset, DatasetFormat, json_line

ARTICLES = "articles.jsonl"
QUESTIONS = "questions.jsonl"

MOST_LINE_CHARACTERS = 64 << 20
"""A row may be so long: an article of the longest body has at most a fifth of it."""

_REMEDY = "Export the dataset anew, with --verify."

Record = TypeVar("Record", ArticleRecord, QuestionRecord)


def read_articles(folder: Path) -> Iterator[ArticleRecord]:
    """The articles of a dataset.

    Raises:
        InputError: the file can't be read, or a row of it is no article.
    """
    return _records(folder / ARTICLES, TypeAdapter(ArticleRecord))


def read_questions(folder: Path) -> Iterator[QuestionRecord]:
    """The questions of a dataset.

    Raises:
        InputError: the file can't be read, or a row of it is no question.
    """
    return _records(folder / QUESTIONS, TypeAdapter(QuestionRecord))


def _write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
    """Every article and question as the record that it is, with the name of its split where there are any."""
    with writer.text(ARTICLES) as file:
        for split in dataset.names:
            for article in dataset.articles(split):
                file.write(json_line(_row(article, split)))
                account.expect("articles", article.id, json_line(asdict(article)))
    with writer.text(QUESTIONS) as file:
        for split in dataset.names:
            for question in dataset.questions(split):
                file.write(json_line(_row(question, split)))
                account.expect("questions", question.id, json_line(asdict(question)))


def _row(record: ArticleRecord | QuestionRecord, split: str) -> dict[str, object]:
    return asdict(record) if split == ALL else {"split": split} | asdict(record)


def _read_records(folder: Path, _: Sequence[str]) -> Iterator[FoundRecord]:
    for article in read_articles(folder):
        yield FoundRecord("articles", article.id, (json_line(asdict(article)),))
    for question in read_questions(folder):
        yield FoundRecord("questions", question.id, (json_line(asdict(question)),))


def _records(path: Path, adapter: TypeAdapter[Record]) -> Iterator[Record]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            # A line is not asked for whole: one that never ends would fill the memory.
            lines = iter(partial(file.readline, MOST_LINE_CHARACTERS + 1), "")
            for number, line in enumerate(lines, start=1):
                if len(line) > MOST_LINE_CHARACTERS:
                    raise InputError(
                        f"{path}:{number}: the row has over {MOST_LINE_CHARACTERS:,} characters.", _REMEDY
                    )
                try:
                    yield adapter.validate_json(line)
                except ValidationError as error:
                    first = error.errors()[0]
                    where = ".".join(map(str, first["loc"])) or "the row"
                    raise InputError(f"{path}:{number}: {where}: {first['msg']}.", _REMEDY) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}.", _REMEDY) from error


HOPGRADE = DatasetFormat(
    "hopgrade",
    f"Articles and questions with all that is known of them; {command('dataset import')} reads it",
    _write,
    _read_records,
)
