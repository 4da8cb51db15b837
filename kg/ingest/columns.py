"""Which column of a file holds which field of an article."""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from shlex import quote

from kg.errors import InputError, SettingsError, command

KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "body": ("body", "text", "content", "article", "article_body"),
    "title": ("title", "headline", "name", "source_title"),
    "published_at": ("published_at", "date", "published", "pub_date", "publishedAt", "datetime"),
    "author": ("author", "authors", "byline"),
    "source": ("source", "publisher", "outlet"),
    "category": ("category", "section", "topic"),
    "url": ("url", "link"),
    "id": ("id", "article_id", "_id", "doc_id", "chunk_id"),
}
"""Names recognised without a mapping. Where a file has two of them, the one named first here counts."""

_QUESTION_COLUMNS = frozenset({"question", "query"})
_MOST_NAMES_SHOWN = 15


def parse_mapping(options: Sequence[str]) -> dict[str, str]:
    """Options like "title=headline" as {"title": "headline"}: our field, their column.

    Raises:
        SettingsError: an option is not FIELD=COLUMN, or its field is unknown or named twice.
    """
    mapping: dict[str, str] = {}
    for option in options:
        field, _, column = (part.strip() for part in option.partition("="))
        if not field or not column:
            raise SettingsError(f'--map "{option}" is not of the form FIELD=COLUMN.', "Write --map body=text")
        if field not in KNOWN_COLUMNS:
            raise SettingsError(
                f'--map "{option}": there is no field "{field}".', f"Fields are {', '.join(KNOWN_COLUMNS)}."
            )
        if field in mapping:
            raise SettingsError(f'--map names a column for "{field}" twice.', "Keep one of them.")
        mapping[field] = column
    return mapping


def choose_columns(found: Collection[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Field -> column, for every field that has one among `found`.

    A mapped field is read from the mapped column and no other, and a mapped column is never taken
    for a second field on account of its name. The other fields go by `KNOWN_COLUMNS`: a name as it
    is written there comes before one that differs in case, spaces or hyphens ("Pub Date").
    """
    exact = set(found)
    mapped = set(mapping.values())
    folded: dict[str, str] = {}
    for column in found:
        if column not in mapped:
            folded.setdefault(_fold(column), column)
    chosen: dict[str, str] = {}
    for field, names in KNOWN_COLUMNS.items():
        if field in mapping:
            if mapping[field] in exact:
                chosen[field] = mapping[field]
            continue
        for name in names:
            column = name if name in exact and name not in mapped else folded.get(_fold(name), "")
            if column:
                chosen[field] = column
                break
    return chosen


def check_columns(
    path: Path, found: Sequence[str], mapping: Mapping[str, str], longest_column: str = ""
) -> None:
    """Make sure that the body and every mapped field have a column of their own in the file.

    `longest_column` is the column with the most text, the best guess at the body for the remedy.

    Raises:
        InputError: a column is missing, or two columns have the name of one that is needed.
    """
    shown = ", ".join(found[:_MOST_NAMES_SHOWN]) + (", ..." if len(found) > _MOST_NAMES_SHOWN else "")
    for field, column in mapping.items():
        if column not in found:
            (near,) = get_close_matches(column, found, 1) or ("COLUMN",)
            raise InputError(
                f'{path}: no column "{column}" for the {field} (found: {shown}).',
                f"Name one that is there: --map {quote(f'{field}={near}')}",
            )
    chosen = choose_columns(found, mapping)
    if "body" not in chosen:
        if _QUESTION_COLUMNS & set(found):
            raise InputError(
                f"{path}: these are questions, without articles (found: {shown}).",
                "Import them into a corpus that is built: "
                f"{command('questions import FILE')}; where a column holds "
                "articles all the same, name it: --map body=COLUMN",
            )
        raise InputError(
            f"{path}: no column for the body (found: {shown}).",
            f"Name it: --map {quote('body=' + (longest_column or 'COLUMN'))}",
        )
    for column in chosen.values():
        if found.count(column) > 1:
            raise InputError(f'{path}: two columns are named "{column}".', "Rename one of them.")


def _fold(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")
