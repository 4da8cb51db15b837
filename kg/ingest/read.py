"""Articles out of files of every kind that is read: the entry to this package.

From a row's cells to an article.

Publication dates as newsrooms, feeds and exports write them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import islice
from pathlib import Path

from kg.errors import InputError
from kg.ingest.json_rows import (
    brings_passages,
    json_array_rows,
    json_line_rows,
    json_object_rows,
    passage_rows,
)
from kg.ingest.rows import (
    KNOWN_COLUMNS,
    MAX_BODY_CHARACTERS,
    MAX_FIELD_CHARACTERS,
    Note,
    RawRow,
    check_columns,
    choose_columns,
    path_text,
)
from kg.ingest.sniff import FORMATS_REMEDY, Source, Trouble, identify, text_encoding
from kg.ingest.text_rows import TEXT_SUFFIXES, csv_columns, csv_rows, folder_texts, text_row
from kg.model import ArticleRow, Reject
from kg.text.tokens import LONGEST_RUN, UNBROKEN

# `strptime` with %B would read month names in the language of the machine.
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_MONTH_FIRST = re.compile(
    _WEEKDAY + r"(?P<month>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})", re.I
)
_DAY_FIRST = re.compile(
    _WEEKDAY + r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<month>[a-z]{3,9})\.?,?\s+(?P<year>\d{4})", re.I
)
_NUMERIC = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:(?:T|\s+)(\d.*))?")
_MAIL = re.compile(r"(?:[a-z]{3},\s*)?\d{1,2}\s+[a-z]{3}\s+\d{4}\s+\d{1,2}:\d{2}.*", re.I)
_NUMBER = re.compile(r"\d{9,14}(?:\.\d{1,9})?")

_FIRST_MILLISECONDS = 1e11
"""As seconds this would be the year 5138, so a number from here on counts milliseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_date(text: str) -> datetime | None:
    """The moment that `text` names, with a time zone, or None when it can't be told.

    Read are ISO 8601, RFC 2822, 2019/01/04, "January 4, 2019", "Fri, 4 Jan 2019" and seconds (or
    milliseconds) since 1970 with at least nine digits. A date without a time is midnight, a time
    without a zone is UTC. "04/01/2019" is not read: it means two days.
    """
    text = text.strip()
    try:
        moment = _parse(text)
    except (ValueError, OverflowError):
        return None
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse(text: str) -> datetime | None:
    if _NUMBER.fullmatch(text):
        number = float(text)
        return _EPOCH + timedelta(seconds=number / 1000 if number >= _FIRST_MILLISECONDS else number)
    if match := _NUMERIC.fullmatch(text):
        year, month, day, time = match.groups()
        date = f"{year}-{int(month):02}-{int(day):02}"
        return datetime.fromisoformat(f"{date}T{_iso_time(time)}" if time else date)
    for pattern in (_MONTH_FIRST, _DAY_FIRST):
        if match := pattern.fullmatch(text):
            return datetime(int(match["year"]), _month(match["month"]), int(match["day"]))
    if _MAIL.fullmatch(text):
        return parsedate_to_datetime(text)
    return datetime.fromisoformat(text)


def _iso_time(time: str) -> str:
    """ "10:00:00 +0100" and "10:00 UTC" in the one form that the standard library reads."""
    time = re.sub(r"\s*(?:UTC|GMT)$", "+00:00", time.strip())
    return re.sub(r"\s+(?=[+-])", "", time)


def _month(name: str) -> int:
    """The number of a month by its English name or an abbreviation of it ("Sept")."""
    for number, month in enumerate(_MONTHS, start=1):
        if month.startswith(name.lower()):
            return number
    raise ValueError(name)


_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_PARTS = 1000
_NEVER_CUT = frozenset({"url", "id", "published_at"})
_TYPE_NAMES = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}

NUL_REASON = "NUL characters were removed"
SURROGATE_REASON = "characters that no encoding can hold were replaced by U+FFFD"


def to_article(row: RawRow, mapping: Mapping[str, str]) -> Iterator[ArticleRow | Reject | Note]:
    """The article of a row followed by the notes on it, or the reason why there is none.

    The body is kept as it is, blanks included, but for unbroken runs of letters that are no words; other
    fields lose blanks at their ends and what is beyond `MAX_FIELD_CHARACTERS`. A value of null counts as
    absent. Lists of names are joined by ", ".
    """
    columns = choose_columns({name: None for name, value in row.cells.items() if value is not None}, mapping)
    cells = {field: row.cells[column] for field, column in columns.items()}
    if reason := _body_trouble(cells, mapping):
        yield Reject(row.place, reason)
        return
    texts = {field: as_text(value) for field, value in cells.items()}
    notes = []
    if any("\0" in text for text in texts.values()):
        texts = {field: text.replace("\0", "") for field, text in texts.items()}
        notes.append(NUL_REASON)
    if any(_SURROGATE.search(text) for text in texts.values()):
        texts = {field: _SURROGATE.sub("\ufffd", text) for field, text in texts.items()}
        notes.append(SURROGATE_REASON)
    body, removed = UNBROKEN.subn(" ", texts.pop("body"))
    if removed:
        runs = "a run" if removed == 1 else f"{removed:,} runs"
        notes.append(f"left out of the body: {runs} of over {LONGEST_RUN} characters without a blank")
    if not body.strip():
        yield Reject(row.place, "the body is empty")
        return
    texts = {field: text.strip() for field, text in texts.items()}
    notes += _shorten(texts)
    date = texts.get("published_at", "")
    published_at = parse_date(date)
    if date and published_at is None:
        notes.append(f'the date "{date[:60]}" was not understood; the article is kept without one')
    yield ArticleRow(
        title=texts.get("title", ""),
        body=body,
        place=row.place,
        source=texts.get("source", ""),
        category=texts.get("category", ""),
        author=texts.get("author", ""),
        published_at=published_at,
        url=texts.get("url", ""),
        given_id=texts.get("id", ""),
    )
    for note in notes:
        yield Note(row.place, note)


def _shorten(texts: dict[str, str]) -> Iterator[str]:
    """Bound the fields in place; a note on each that was too long. Half an address would be a wrong one."""
    for field, text in texts.items():
        if len(text) > MAX_FIELD_CHARACTERS:
            whole = field in _NEVER_CUT
            texts[field] = "" if whole else text[:MAX_FIELD_CHARACTERS].rstrip()
            what = "it is left out" if whole else "the rest is left out"
            yield (f"the {field} has {len(text):,} characters, more than {MAX_FIELD_CHARACTERS:,}: {what}")


def as_text(value: object) -> str:
    """A JSON or YAML value as one line of text: names out of lists and objects are joined by ", ".

    An object counts as its "name" where it has one ({"id": "bbc", "name": "BBC News"}).
    """
    return value if isinstance(value, str) else ", ".join(islice(_scalars(value), _MOST_PARTS))


def _scalars(value: object) -> Iterator[str]:
    """The non-empty scalars in `value`, in order. A YAML alias can make a value endless, so that the
    walk ends after so many steps."""
    waiting = [value]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend([item["name"]] if item.get("name") else reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item[:_MOST_PARTS]))
        elif isinstance(item, bool):
            yield str(item).lower()
        elif item is not None and (text := str(item).strip()):
            yield text


def _body_trouble(cells: Mapping[str, object], mapping: Mapping[str, str]) -> str:
    """Why there is no usable body among the fields, or ""."""
    if "body" not in cells:
        names = (mapping["body"],) if "body" in mapping else KNOWN_COLUMNS["body"]
        return f"there is no body: the row has no {' or '.join(names)}"
    body = cells["body"]
    if not isinstance(body, str):
        return f"the body is {_TYPE_NAMES.get(type(body), 'a ' + type(body).__name__)}, not text"
    if len(body) > MAX_BODY_CHARACTERS:
        return f"the body has {len(body):,} characters; at most {MAX_BODY_CHARACTERS:,} are read"
    return ""


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
