"""Passages written by hand, with the names and facts in them."""

from collections.abc import Iterable, Mapping

from kg.model import EntityType
from services.rag.protocol import Name, Passage, StatedFact
from tests.examples import read_examples

NAMES: dict[str, EntityType] = read_examples("services/rag/passages")["names"]


def passage(
    text: str,
    number: int = 1,
    names: Mapping[str, EntityType] = NAMES,
    facts: Iterable[tuple[str, str, str]] = (),
    source: str = "",
    published: str = "",
    title: str = "A title",
) -> Passage:
    """A chunk with those of the names that stand in it; a fact's sentence has both its ends."""
    found = tuple(_name(name, kind) for name, kind in sorted(names.items()) if name in text)
    stated = tuple(
        StatedFact(
            _name(subject, names.get(subject, "MISC")),
            predicate,
            _name(target, names.get(target, "DATE" if target[-4:].isdigit() else "MISC")),
            next(
                (f"{one.strip('. ')}." for one in text.split(". ") if subject in one and target in one), text
            ),
        )
        for subject, predicate, target in facts
    )
    return Passage(f"chunk-{number}", text, title, source, found, published, stated)


def _name(name: str, kind: EntityType) -> Name:
    return Name(name, name, kind, f"entity-{name}")
