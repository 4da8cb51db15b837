"""Why chunks were found, in a form that every graph retriever can give: ways from the question to a chunk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from services.rag.graph_search.named import Named
from services.rag.graph_search.ranking import shown
from services.rag.graph_search.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Linked:
    """An entity that the question names: the words that name it, its own name, and how many chunks name it.

    `weight` is what it counts for the retriever.
    """

    words: str
    entity: str
    name: str
    type: str
    chunks: int
    weight: float


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of a way: words of the question, an entity, a fact or a chunk; `id` is empty for words."""

    kind: Literal["words", "entity", "fact", "chunk"]
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """A way into a chunk, from its first stop to the last one before the chunk, and what it brought."""

    mass: float
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a chunk was found: the ways that brought it most, best first, and what is not shown of them.

    `own` is what the chunk has by itself, by its likeness to the question.
    """

    chunk: str
    own: float
    ways: tuple[Way, ...]
    rest: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a question was linked to, and the reason for each hit."""

    linked: tuple[Linked, ...]
    reasons: tuple[Reason, ...]


def linked_entities(
    snapshot: Snapshot, named: Iterable[Named], chunks: Sequence[float], titles: Sequence[str] = ()
) -> tuple[Linked, ...]:
    """What a question names, for people; `chunks` tells how many chunks name each node.

    Nodes beyond the entities of the snapshot are `titles`.
    """
    return tuple(
        Linked(
            one.words,
            (stop := entity_stop(snapshot, one.entity, titles)).id,
            stop.text,
            snapshot.entities.types[one.entity] if stop.id else "TITLE",
            int(chunks[one.entity]),
            shown(one.weight),
        )
        for one in named
    )


def words_stop(named: Iterable[Named], entity: int) -> Stop:
    """The words of the question that name an entity."""
    return Stop("words", next(one.words for one in named if one.entity == entity))


def entity_stop(snapshot: Snapshot, node: int, titles: Sequence[str] = ()) -> Stop:
    """An entity as a stop, or one of the `titles` that are no entity, which has no id."""
    beyond = node - len(snapshot.entities.ids)
    if beyond >= 0:
        return Stop("entity", titles[beyond])
    return Stop("entity", snapshot.entities.names[node], snapshot.entities.ids[node])


def chunk_stop(snapshot: Snapshot, chunk: int) -> Stop:
    """A chunk as a stop, by the title of its article."""
    return Stop(
        "chunk", snapshot.chunks.titles[chunk] or snapshot.chunks.ids[chunk], snapshot.chunks.ids[chunk]
    )


def fact_stop(snapshot: Snapshot, fact: int) -> Stop:
    """A fact as a stop: subject, predicate, object."""
    facts, names = snapshot.facts, snapshot.entities.names
    ends = names[facts.subjects[fact]], names[facts.objects[fact]]
    return Stop("fact", f"{ends[0]} | {facts.predicates[fact]} | {ends[1]}", facts.ids[fact])
