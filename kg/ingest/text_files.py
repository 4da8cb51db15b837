"""Articles that are a text file each, with or without front matter."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from kg.ingest.columns import choose_columns
from kg.ingest.rows import (
    MAX_ROW_CHARACTERS,
    TOO_LONG_REASON,
    UNDECODABLE,
    UNDECODABLE_REASON,
    Encoding,
    RawRow,
    open_text,
    path_text,
)
from kg.model import Reject

TEXT_SUFFIXES = frozenset({".txt", ".md", ".markdown"})

_FENCE = re.compile(r"---[ \t]*\n")
_CLOSING_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M)
_MOST_FRONT_MATTER = 65_536
_HEADING = re.compile(r"(?:\A\s*#{1,6}|^#)[ \t]+(\S.{0,300})$", re.M)
_YAML_NULLS = frozenset({"", "~", "null"})


def folder_texts(folder: Path) -> list[Path]:
    """The text files in a folder and the folders in it, sorted; hidden ones are left out."""
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found.extend(
            Path(parent, name)
            for name in names
            if not name.startswith(".") and Path(name).suffix.lower() in TEXT_SUFFIXES
        )
    return sorted(found)


def text_row(path: Path, encoding: Encoding, mapping: Mapping[str, str]) -> RawRow | Reject:
    """The file as a row whose columns are named like our fields.

    The front matter's names are recognised and mapped like columns, but none has to be there. The
    title is the front matter's, else the Markdown heading at the top or the first one of level 1,
    else the file's name. A heading at the top that is the title is not repeated in the body.
    """
    place = path_text(path)
    with open_text(path, encoding) as file:
        text = file.read(MAX_ROW_CHARACTERS + 1)
    if len(text) > MAX_ROW_CHARACTERS:
        return Reject(place, f"the file is set aside: {TOO_LONG_REASON}")
    if UNDECODABLE in text:
        return Reject(place, UNDECODABLE_REASON)
    try:
        front, body = split_front_matter(text)
    except ValueError as error:
        return Reject(place, str(error))
    columns = choose_columns(front, {field: name for field, name in mapping.items() if field != "body"})
    cells = {field: front[column] for field, column in columns.items()}
    heading = _HEADING.search(body)
    heading_title = heading.group(1).rstrip("# \t") if heading else ""
    title = cells.get("title") or heading_title or path_text(Path(path.stem))
    if heading and title == heading_title and not body[: heading.start()].strip():
        body = body[heading.end() :].lstrip("\n")
    return RawRow(place, {**cells, "title": title, "body": body})


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """The YAML between two lines of --- at the top of `text`, and the text below.

    Values come as they are written, never as dates, numbers or booleans ("title: No" is "No").
    What is between the lines but no mapping is no front matter: a rule may open an article too.

    Raises:
        ValueError: the front matter is not YAML.
    """
    opening = _FENCE.match(text)
    closing = opening and _CLOSING_FENCE.search(text, opening.end(), opening.end() + _MOST_FRONT_MATTER)
    if not opening or not closing:
        return {}, text
    # The base loader makes nothing but strings, lists and mappings.
    loader = yaml.BaseLoader(text[opening.end() : closing.start()].replace("\0", ""))
    try:
        values = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        # Lines count from 0 below the opening fence.
        where = f" in line {error.problem_mark.line + 2}" if error.problem_mark else ""
        raise ValueError(f"the front matter is not YAML{where}: {error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("the front matter is not YAML") from error
    finally:
        loader.dispose()
    if not isinstance(values, dict):
        return {}, text
    front = {
        str(name): value
        for name, value in values.items()
        if not (isinstance(value, str) and value in _YAML_NULLS)
    }
    return front, text[closing.end() :].lstrip("\n")
