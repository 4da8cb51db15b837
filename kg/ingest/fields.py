"""From a row's cells to an article."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from kg.ingest.columns import KNOWN_COLUMNS, choose_columns
from kg.ingest.dates import parse_date
from kg.ingest.notes import Note
from kg.ingest.rows import MAX_BODY_CHARACTERS, MAX_FIELD_CHARACTERS, RawRow
from kg.model import ArticleRow, Reject
from kg.text.tokens import LONGEST_RUN, UNBROKEN

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
