"""Pieces of a page in Markdown."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

WRITTEN = "<!-- Written by `python -m tests.docs.write_reference`; a test holds it to the code. -->"

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def typed(goal: str, given: Mapping[str, str]) -> list[str]:
    """The words after `kg` that README says to type for a goal; `given` has what a user puts for a word."""
    found = re.search(rf"^\| {re.escape(goal)} \| `kg (.+?)`", README, re.MULTILINE)
    assert found, f"README has no row {goal!r}"
    words = shlex.split(found[1])
    assert given.keys() <= set(words), f"README says {found[1]!r}"
    return [given.get(word, word) for word in words]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, as the one piece that it is."""
    cells = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    yield "\n".join(f"| {' | '.join(row)} |" for row in cells)


def joined(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def page(parts: Iterable[str]) -> str:
    """A page of pieces, with a blank line between two."""
    return "\n\n".join(part for part in parts if part) + "\n"
