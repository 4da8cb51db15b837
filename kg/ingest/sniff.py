"""What kind of file a path leads to, by its content first and its suffix second."""

import codecs
import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kg.errors import InputError
from kg.ingest.json_rows import opens_corpus_object
from kg.ingest.rows import Encoding, RowTooLongError, choose_columns, next_line, open_text, unreadable
from kg.ingest.text_rows import TEXT_SUFFIXES, csv_columns

Format = Literal["json lines", "json array", "json object", "table", "text", "folder"]

FORMATS_REMEDY = "Give JSONL, a JSON array, CSV or TSV with a header, or .txt and .md files."

_BEIR_CORPUS = "corpus.jsonl"
_BEIR_QUERIES = "queries.jsonl"

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab"})
_LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})
# UTF-32's little-endian mark begins with UTF-16's.
_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "a gzip file", "Unpack it first."),
    (b"PK\x03\x04", "a zip archive, or an office document", "Unpack it, or export it as CSV or text."),
    (b"%PDF-", "a PDF document", "Export it as text."),
    (b"\x89PNG", "a PNG image", FORMATS_REMEDY),
    (b"\xff\xd8\xff", "a JPEG image", FORMATS_REMEDY),
    (b"SQLite format 3\0", "an SQLite database", "Export the table of articles as CSV."),
)
_HEAD_BYTES = 1024
_WINDOW_CHARACTERS = 1 << 16
_TEXT_CONTROLS = frozenset(b"\t\n\v\f\r\x1b")
_MOST_CONTROLS = 0.05


@dataclass(frozen=True, slots=True)
class Source:
    """A path, how it is to be read, and how its bytes are text (a folder's files decide for themselves)."""

    path: Path
    format: Format
    encoding: Encoding


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file can't be read as text, as part of a sentence, and what to do."""

    reason: str
    remedy: str


def identify(path: Path) -> Source:
    """The kind of a file or a folder.

    Raises:
        InputError: there is nothing at the path, or nothing that holds articles.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(
            f"{path}: there is no such file or folder.", "Check the spelling of the path."
        ) from error
    except OSError as error:
        raise InputError(f"{path}: {unreadable(error)}.", "Check the path and its permissions.") from error
    if stat.S_ISDIR(mode):
        # A folder of the BEIR collection: its queries are no articles.
        if (path / _BEIR_CORPUS).is_file() and (path / _BEIR_QUERIES).is_file():
            return identify(path / _BEIR_CORPUS)
        return Source(path, "folder", "utf-8-sig")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: this is neither a file nor a folder.", FORMATS_REMEDY)
    encoding = text_encoding(path)
    if isinstance(encoding, Trouble):
        raise InputError(f"{path}: {encoding.reason}.", encoding.remedy)
    return Source(path, _format(path, encoding), encoding)


def text_encoding(path: Path) -> Encoding | Trouble:
    """How a file's bytes are text, or why they aren't."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        return Trouble(unreadable(error), "Check its permissions.")
    encoding: Encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8-sig")
    for signature, kind, remedy in _SIGNATURES:
        if head.startswith(signature):
            return Trouble(f"the file is {kind}", remedy)
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    if encoding == "utf-8-sig" and controls > _MOST_CONTROLS * len(head):
        return Trouble("the file is binary, not text", FORMATS_REMEDY)
    if not _first_character(path, encoding):
        return Trouble("the file is empty", "Leave it out, or fill it.")
    return encoding


def _format(path: Path, encoding: Encoding) -> Format:
    suffix = path.suffix.lower()
    if suffix in TEXT_SUFFIXES:
        return "text"
    if suffix in TABLE_SUFFIXES:
        return "table"
    first = _first_character(path, encoding)
    if suffix in _LINES_SUFFIXES:
        return "json array" if first == "[" and not _lines_stand_alone(path, encoding) else "json lines"
    if first == "[":
        return "json array"
    if first == "{":
        return _object_format(path, encoding)
    if suffix == ".json":
        raise InputError(f"{path}: the file is not JSON: it starts with {first!r}.", FORMATS_REMEDY)
    if _is_table(path, encoding):
        return "table"
    raise InputError(
        f"{path}: neither the name nor the content tells what kind of file this is.",
        "Give it the suffix .jsonl, .json, .csv, .tsv, .txt or .md.",
    )


def _object_format(path: Path, encoding: Encoding) -> Format:
    """How a file that begins with an object goes on: with one a line, or as a corpus of titles."""
    if _lines_stand_alone(path, encoding):
        return "json lines"
    if opens_corpus_object(_head(path, encoding)):
        return "json object"
    raise InputError(
        f"{path}: the file is one JSON object, not an array of articles.",
        "Save the array inside it as a file of its own; a single article goes between [ and ].",
    )


def _first_character(path: Path, encoding: Encoding) -> str:
    """The first character that is not blank, "" where there is none."""
    with open_text(path, encoding) as file:
        while window := file.read(_WINDOW_CHARACTERS):
            if visible := window.lstrip():
                return visible[0]
    return ""


def _head(path: Path, encoding: Encoding) -> str:
    with open_text(path, encoding) as file:
        return file.read(_WINDOW_CHARACTERS)


def _lines_stand_alone(path: Path, encoding: Encoding) -> bool:
    """Whether the first line with text is a whole JSON value, and more lines follow."""
    with open_text(path, encoding) as file:
        try:
            line = "\n"
            while line.isspace():
                line = next_line(file)
            json.loads(line)
        except (RowTooLongError, RecursionError, ValueError):
            return False
        while window := file.read(_WINDOW_CHARACTERS):
            if not window.isspace():
                return True
    return False


def _is_table(path: Path, encoding: Encoding) -> bool:
    """Whether the first line is a header in which the body is recognised."""
    try:
        columns = csv_columns(path, encoding)
    except InputError:
        return False
    return len(columns) > 1 and "body" in choose_columns(columns, {})
