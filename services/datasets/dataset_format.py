"""What a format of datasets is: a writer, and a reader that finds again what was written."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from services.datasets.folder import Account, ExportWriter, FoundRecord
from services.datasets.source import Dataset


@dataclass(frozen=True, slots=True)
class DatasetFormat:
    """A format by its name; `extra` is the optional dependency that it takes, empty for none.

    `write` tells the account what a reader must find; `read` takes the folder and the names of its splits.
    `card` is the front matter that the format adds to the dataset card, by the names of the splits.
    """

    name: str
    summary: str
    write: Callable[[ExportWriter, Dataset, Account], None]
    read: Callable[[Path, Sequence[str]], Iterator[FoundRecord]]
    extra: str = ""
    card: Callable[[Sequence[str]], str] = lambda _: ""


def inside(split: str, name: str) -> str:
    """The path of a split's file: in a folder of its own where there are splits."""
    return f"{split}/{name}" if split else name


def json_line(value: object) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def write_array(file: TextIO, values: Iterable[object]) -> None:
    """Write a JSON array with one element a line, so that it is never whole in memory."""
    begins = "[\n"
    for value in values:
        file.write(begins + json.dumps(value, ensure_ascii=False))
        begins = ",\n"
    file.write("[]\n" if begins == "[\n" else "\n]\n")
