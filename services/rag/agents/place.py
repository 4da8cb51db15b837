"""Where an agent works: what its tools read, who reads for it, and how much of everything it may have.

The answer of an agent that must come to an end: a generator reads what was seen on the way.

The tool with which agents look for chunks: words to look for, and how many chunks to look at.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue, Model, Usage
from kg.store.graph import Graph
from services.rag.agents.protocol import Call, Decided, Final, Observation, PendingCall, same_search
from services.rag.passages import PassageReader, passages_of
from services.rag.protocol import Generated, Generator, Hit, RagQuestion, ReadTask, Retriever

SEARCH: Literal["search"] = "search"

MOST_TOP = 20
"""The most chunks of one search; a retriever that is made for agents finds as many."""

LONGEST_QUERY = 1_000
"""Characters of a query that are looked for."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a call asks for, after its arguments were read."""

    query: str
    top_k: int


@dataclass(frozen=True, slots=True)
class SearchTool:
    """Finds the chunks nearest to a query; `top` is how many where a call doesn't say."""

    retriever: Retriever
    embedder: Embedder
    top: int = 10

    @property
    def name(self) -> str:
        """What agents call it."""
        return SEARCH

    @property
    def about(self) -> str:
        """What it does."""
        return "Search the passages of a collection of news articles; gives those that fit a query best."

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, in a few words or a question."},
                "top_k": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_TOP,
                    "description": f"How many passages to get. Default: {self.top}.",
                },
            },
            "required": ["query"],
        }

    def sought(self, call: Call) -> str | None:
        """What a call looks for; another `top_k` makes no other search of it."""
        search = read_search(call, self.top)
        return None if isinstance(search, str) else same_search(SEARCH, search.query)

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """What the calls find, in one retrieval; a call that can't be read says why."""
        searches = [read_search(asking.call, self.top) for asking in askings]
        fit = [
            (asking.question, search)
            for asking, search in zip(askings, searches, strict=True)
            if isinstance(search, Search)
        ]
        vectors = self.embedder.embed_queries([search.query for _, search in fit]) if fit else ()
        looked_for = [
            RagQuestion(question.id, search.query, vector, question.filters)
            for (question, search), vector in zip(fit, vectors, strict=True)
        ]
        found = iter(self.retriever.retrieve(looked_for) if looked_for else ())
        observations = []
        for asking, search in zip(askings, searches, strict=True):
            if isinstance(search, str):
                observations.append(Observation(search, fault="malformed call"))
                continue
            hits = tuple(next(found)[: search.top_k])
            observations.append(
                Observation(
                    f"{len(hits)} chunks",
                    hits,
                    retrieves=True,
                    query=search.query,
                    top_k=search.top_k,
                    filters=asking.question.filters,
                )
            )
        return observations


def read_search(call: Call, top: int) -> Search | str:
    """What a call asks for, or what is wrong with it.

    A number in quotes is taken as a number, and one outside of 1 to `MOST_TOP` as the nearest inside.
    """
    query = call.arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        return "the search needs a query: a text that is not empty"
    wanted = call.arguments.get("top_k", top)
    if isinstance(wanted, str) and wanted.strip().isdecimal():
        wanted = int(wanted)
    if wanted is None:
        wanted = top
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not math.isfinite(wanted):
        return f"top_k must be a whole number from 1 to {MOST_TOP}"
    return Search(" ".join(query.split())[:LONGEST_QUERY], int(min(max(wanted, 1), MOST_TOP)))


MOST_READ = 30
"""So many chunks are read at the end, the best of all searches first."""


@dataclass(frozen=True, slots=True)
class SeenEvidence:
    """What an agent has of a question: chunks, best first, the step that brought each, and answers on the
    way, as "question: answer"."""

    question: RagQuestion
    hits: tuple[Hit, ...]
    steps: Mapping[str, int]
    notes: tuple[str, ...] = ()


def read_finally(generator: Generator, read: PassageReader, seen: Sequence[SeenEvidence]) -> list[Decided]:
    """The answer to each question from what was seen."""
    if not seen:
        return []
    passages = passages_of(read, [one.hits[:MOST_READ] for one in seen])
    tasks = [
        ReadTask(one.question.text, found, one.notes, steps=one.steps, question_id=one.question.id)
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

    `retriever` finds as many chunks as an agent may ask for at most, see `services.rag.agents.place`;
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
