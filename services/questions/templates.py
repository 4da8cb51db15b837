"""Chain questions from paths by templates: the start is named, every middle entity is only described.

Roz Vale plays for an organisation that is owned by an organisation that developed which product?
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.model import EntityType

GENERATOR = "templates-1"

_NOUN: dict[str, str] = {
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "NORP": "group",
    "EVENT": "event",
    "WORK": "work",
    "PRODUCT": "product",
    "LAW": "law",
    "DATE": "date",
    "NUMBER": "number",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One hop as a question needs it: the predicate, and the type of the entity that it leads to."""

    predicate: str
    leads_to: EntityType


def chain_question(start: str, steps: Sequence[Step]) -> str:
    """The question that leads from `start` along all steps, asking for where the last one ends."""
    parts = [f"{start[:1].upper()}{start[1:]}"]
    for step in steps[:-1]:
        noun = _NOUN.get(step.leads_to, "thing")
        article = "an" if noun[0] in "aeiou" else "a"
        pronoun = "who" if step.leads_to == "PERSON" else "that"
        parts.append(f"{step.predicate} {article} {noun} {pronoun}")
    last = steps[-1]
    parts.append(f"{last.predicate} which {_NOUN.get(last.leads_to, 'thing')}?")
    return " ".join(parts)
