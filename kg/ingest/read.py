"""Articles out of files of every kind that is read: the entry to this package."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from kg.errors import InputError
from kg.ingest.columns import check_columns
from kg.ingest.csv_rows import csv_columns, csv_rows
from kg.ingest.fields import to_article
from kg.ingest.json_array import json_array_rows
from kg.ingest.json_lines import json_line_rows
from kg.ingest.json_object import json_object_rows
from kg.ingest.notes import Note
from kg.ingest.passages import brings_passages, passage_rows
from kg.ingest.rows import RawRow, path_text
from kg.ingest.sniff import FORMATS_REMEDY, Source, Trouble, identify, text_encoding
from kg.ingest.text_files import TEXT_SUFFIXES, folder_texts, text_row
from kg.model import ArticleRow, Reject

_ROWS_LOOKED_AT = 200
"""How many rows of a file are read before the first one is handed out, to see its columns."""


def read_articles(paths: Sequence[Path], mapping: Mapping[str, str]) -> Iterator[ArticleRow | Reject | Note]:
    """The articles of all files in order, row by row, in memory that does not grow with the files.

    A row that can't be used comes as a Reject in its place. Where something in an article was
    changed or left out, Notes with the same place follow the article. The files are checked before
    this returns. `mapping` is {"title": "headline"}: our field, their column.

    Raises:
        InputError: see `check_files`; or a file went away while it was read.
    """
    return _read(check_files(paths, mapping), dict(mapping))


def check_files(paths: Sequence[Path], mapping: Mapping[str, str]) -> tuple[Source, ...]:
    """What each path leads to, after looking at the start of every file.

    Raises:
        InputError: a path leads nowhere; a file is empty, binary, of unknown kind, or without a
            column for the body or for a mapped field; a folder holds no text files.
    """
    if not paths:
        raise InputError("No files were given.", FORMATS_REMEDY)
    sources = tuple(identify(Path(path)) for path in paths)
    for source in sources:
        if source.format == "folder":
            _check_folder(source.path)
        elif source.format != "text":
            _check_columns(source, mapping)
    return sources


def _read(sources: Sequence[Source], mapping: dict[str, str]) -> Iterator[ArticleRow | Reject | Note]:
    for source in sources:
        # Text files come with their front matter already under our names.
        columns = {} if source.format in {"text", "folder"} else mapping
        for row in _rows(source, mapping):
            if isinstance(row, Reject):
                yield row
            else:
                yield from to_article(row, columns)


def _rows(source: Source, mapping: Mapping[str, str]) -> Iterator[RawRow | Reject]:
    """The rows of a source; a question that brings passages counts as these, unless a body is mapped."""
    for row in _rows_as_they_stand(source, mapping):
        if isinstance(row, RawRow) and "body" not in mapping and brings_passages(row):
            yield from passage_rows(row)
        else:
            yield row


def _rows_as_they_stand(source: Source, mapping: Mapping[str, str]) -> Iterator[RawRow | Reject]:
    path, encoding = source.path, source.encoding
    if source.format == "json lines":
        yield from json_line_rows(path, encoding)
    elif source.format == "json array":
        yield from json_array_rows(path, encoding)
    elif source.format == "json object":
        yield from json_object_rows(path, encoding)
    elif source.format == "table":
        yield from csv_rows(path, encoding)
    elif source.format == "text":
        yield text_row(path, encoding, mapping)
    else:
        yield from _folder_rows(path, mapping)


def _folder_rows(folder: Path, mapping: Mapping[str, str]) -> Iterator[RawRow | Reject]:
    for path in folder_texts(folder):
        encoding = text_encoding(path)
        if isinstance(encoding, Trouble):
            yield Reject(path_text(path), encoding.reason)
        else:
            yield text_row(path, encoding, mapping)


def _check_folder(folder: Path) -> None:
    if not folder_texts(folder):
        suffixes = ", ".join(sorted(TEXT_SUFFIXES))
        raise InputError(
            f"{folder}: the folder holds no text files ({suffixes}).",
            "Name files of other kinds one by one.",
        )


def _check_columns(source: Source, mapping: Mapping[str, str]) -> None:
    """Make sure that the first rows have the columns that are needed."""
    lengths: dict[str, int] = {}
    looked_at = readable = 0
    for row in islice(_rows(source, mapping), _ROWS_LOOKED_AT):
        looked_at += 1
        if isinstance(row, RawRow):
            readable += 1
            for name, value in row.cells.items():
                lengths[name] = lengths.get(name, 0) + (len(value) if isinstance(value, str) else 0)
    found = csv_columns(source.path, source.encoding) if source.format == "table" else tuple(lengths)
    if readable or source.format == "table":
        check_columns(source.path, found, mapping, max(lengths, key=lengths.__getitem__, default=""))
    if not looked_at:
        raise InputError(f"{source.path}: the file holds no articles.", "Leave it out, or fill it.")
    if not readable and looked_at == _ROWS_LOOKED_AT:
        raise InputError(
            f"{source.path}: none of the first {looked_at} rows can be read as {source.format}.",
            FORMATS_REMEDY,
        )
