"""Where an agent works: what its tools read, who reads for it, and how much of everything it may have.

The answer of an agent that must come to an end: a generator reads what was seen on the way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg.embed.choose import Embedder
from kg.llm.protocol import Model, Usage
from kg.store.graph import Graph
from services.rag.agents.protocol import Decided, Final
from services.rag.passages import PassageReader, passages_of
from services.rag.protocol import Asked, Generated, Generator, Hit, ReadTask, Retriever

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


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """What agents are made of. With `model` None they go by rules, and `generator` reads by rules too.

    `retriever` finds as many chunks as an agent may ask for at most, see `services.rag.agents.search_tool`;
    `top` is how many are looked at where the agent doesn't say. `most_iterations` None leaves the agent's own
    limit. Where the text of the graph that is read for a question is limited, `generator` keeps to it by
    itself, and an agent that shows text elsewhere must ask `services.rag.evidence_budget` for each piece.
    """

    graph: Graph
    corpus: str
    embedder: Embedder
    retriever: Retriever
    read: PassageReader
    generator: Generator
    model: Model | None
    cost_of: Callable[[Usage], float | None]
    top: int = 10
    most_iterations: int | None = None
