"""Pieces of a page in Markdown."""

from collections.abc import Iterable, Iterator, Sequence

WRITTEN = "<!-- Written by `python -m tests.docs.write_reference`; a test holds it to the code. -->"


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
