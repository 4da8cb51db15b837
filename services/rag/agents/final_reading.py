"""The answer of an agent that must come to an end: a generator reads what was seen on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.rag.agents.protocol import Decided, Final
from services.rag.passages import PassageReader, passages_of
from services.rag.protocol import Asked, Generated, Generator, Hit, ReadTask

MOST_READ = 30
"""So many chunks are read at the end, the best of all searches first."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an agent has of a question: chunks, best first, the step that brought each, and answers on the
    way, as "question: answer"."""

    asked: Asked
    hits: tuple[Hit, ...]
    steps: Mapping[str, int]
    notes: tuple[str, ...] = ()


def read_finally(generator: Generator, read: PassageReader, seen: Sequence[Seen]) -> list[Decided]:
    """The answer to each question from what was seen."""
    if not seen:
        return []
    passages = passages_of(read, [one.hits[:MOST_READ] for one in seen])
    tasks = [
        ReadTask(one.asked.text, found, one.notes, steps=one.steps, asked=one.asked.id)
        for one, found in zip(seen, passages, strict=True)
    ]
    return [as_final(generated) for generated in generator.answer(tasks)]


def as_final(generated: Generated) -> Decided:
    """What a generator gave, as the end of a question."""
    final = Final(
        generated.text,
        "",
        generated.entity,
        generated.chunk,
        generated.sentence,
        generated.cited,
        generated.unknown_citations,
        generated.passages_shown,
    )
    return Decided(final, generated.usage, generated.cost, generated.prompt, generated.error)
