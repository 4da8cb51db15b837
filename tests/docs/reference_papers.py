"""The page on what the papers describe, and where it is, from papers.yaml beside this file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import yaml

from tests.docs.markdown import WRITTEN, page, table

PAPERS = Path(__file__).with_name("papers.yaml")

HAD = {"as there": "as there", "differs: ": "otherwise", "left out: ": "not at all"}
"""How an entry on how we have a thing begins, and what that is counted as."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that a document describes; `where` names symbols, prompts and statements, or nothing."""

    place: str
    what: str
    how: str
    where: tuple[str, ...]
    command: str

    @property
    def had(self) -> str:
        """Which of `HAD` it begins with, "" for none."""
        return next((start for start in HAD if self.how.startswith(start)), "")


@dataclass(frozen=True, slots=True)
class Document:
    """A document with what it describes, in its order."""

    name: str
    title: str
    items: tuple[Item, ...]


def read_papers(text: str) -> tuple[Document, ...]:
    """The documents of a YAML text; ValueError where an item lacks a field or has another one."""
    return tuple(
        Document(one["name"], one["title"], tuple(_item(one["name"], row) for row in one["items"]))
        for one in yaml.safe_load(text)
    )


def papers() -> str:
    """What each document describes, how we have it, where, and by which command."""
    documents = read_papers(PAPERS.read_text(encoding="utf-8"))
    return page(
        [
            "# What the papers describe, and where it is",
            WRITTEN,
            "Five documents are what Hopgrade was built from. Who read them wrote a line for each thing that "
            "they describe: where it stands there, how we have it, where it is in the code, and the command "
            'that reaches it. "As there" may be followed by what we have besides. A test holds symbols, '
            "prompts, statements and commands to the code, and the number of lines, so that none is lost; "
            "that none was missing from the first is for readers of the documents to say, and that a thing "
            "does what its line says for the tests of that thing. "
            "[Measures](measures.md) has the definitions, "
            "[statements](cypher.md) the Cypher, [decisions](../decisions/index.md) why we differ.",
            *table(("document", "lines", *HAD.values()), map(_counts, documents)),
            *(part for one in documents for part in _document(one)),
        ]
    )


def _item(document: str, row: Mapping[str, str]) -> Item:
    names = [one.name for one in fields(Item)]
    if not isinstance(row, Mapping) or list(row) != names:
        raise ValueError(f"{document}: an item has the fields {names}, and this one hasn't: {row}")
    where = tuple(name.strip() for name in row["where"].split(",") if name.strip())
    return Item(row["place"], row["what"], row["how"], where, row["command"])


def _counts(document: Document) -> Sequence[str]:
    found = Counter(one.had for one in document.items)
    anchor = document.name.lower()
    counts = (str(found[start]) for start in HAD)
    return (f"[{document.name}](#{anchor})", str(len(document.items)), *counts)


def _document(document: Document) -> Iterator[str]:
    yield f"## {document.name}"
    yield f"{document.title}."
    yield from table(
        ("place", "what", "how we have it", "where", "command"),
        (
            (one.place, one.what, one.how, _code(one.where), _code((one.command,) if one.command else ()))
            for one in document.items
        ),
    )


def _code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
