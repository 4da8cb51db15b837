"""Names that only their context knows: no hop path starts at one or goes through it.

"Tolland" in "Ana is the daughter of Tolland" is an entity of its own, which its cluster links to Mira
Tolland; all that is said of Mira Tolland there is mirrored to it. "The club whose captain is Tolland" asks a
reader for what only one article tells. A name stands for itself unless one of these holds:

    part          a contextual equivalent has a longer name that holds it: "Tolland", "Mira Tolland"
    description   it has no capital letter, and context links it to something: "airstrike"
    single word   it is one word, the first or last of a longer name of a person: "Brel", of Ana or of Jon
    mirrored      nothing that a path may take is said of it by this name; all its edges are mirrored

Nothing is lost by leaving these out: what is said through "Tolland", its mirror says through Mira Tolland.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph

ContextReason = Literal["part", "description", "single word", "mirrored"]


@dataclass(frozen=True, slots=True)
class EntityNames:
    """A named entity: its type, and the names that its contextual equivalents have.

    `mirrored_only`: every edge that a path may take to it or from it is mirrored.
    """

    id: str
    name: str
    type: str
    partners: Sequence[str] = ()
    mirrored_only: bool = False


def read_context_names(graph: Graph, corpus: str) -> frozenset[str]:
    """The ids of the entities of a corpus whose names only context knows."""
    rows = graph.rows(query("paths/read_names"), corpus=corpus)
    return frozenset(context_names(EntityNames(**row) for row in rows))


def context_names(entities: Iterable[EntityNames]) -> dict[str, ContextReason]:
    """The entities whose names only context knows by id, each with the first reason."""
    named = [(entity, tuple(normal_form(entity.name).split())) for entity in entities]
    people_words = {
        word for entity, words in named if entity.type == "PERSON" and len(words) > 1
        for word in (words[0], words[-1])
    }  # fmt: skip
    found: dict[str, ContextReason] = {}
    for entity, words in named:
        if any(_holds(tuple(normal_form(partner).split()), words) for partner in entity.partners):
            found[entity.id] = "part"
        elif entity.partners and entity.name.islower():
            found[entity.id] = "description"
        elif entity.type == "PERSON" and len(words) == 1 and words[0] in people_words:
            found[entity.id] = "single word"
        elif entity.mirrored_only:
            found[entity.id] = "mirrored"
    return found


def _holds(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Whether the words of a name stand in a longer one, one after the other."""
    size = len(shorter)
    return 0 < size < len(longer) and any(
        longer[first : first + size] == shorter for first in range(len(longer) - size + 1)
    )
