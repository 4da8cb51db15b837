"""What an agent is: it decides, its tools act in the graph, it observes; many questions go side by side.

All agents are driven by `services.rag.agents.loop`: in each turn every agent that is not done decides, the
calls of a tool are run together, and each agent observes what came of its own.

The names of the agents, as on the command line, and the versions of what they do.

When two searches are the same: the same words and filters, whatever their case and punctuation.

Where an agent works: what its tools read, who reads for it, and how much of everything it may have.

The answer of an agent that must come to an end: a generator reads what was seen on the way.

The tool with which agents look for chunks: words to look for, and how many chunks to look at.
"""

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar, get_args

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue, Model, Usage
from kg.store.graph import Graph
from services.rag.answering import PassageReader, passages_of
from services.rag.protocol import Filters, Generation, Generator, Hit, RagQuestion, ReadTask, Retriever

AgentName = Literal["react", "goal-seeking", "graph-agent", "search-tags"]
AGENTS: tuple[AgentName, ...] = get_args(AgentName)

MODEL_ONLY: frozenset[AgentName] = frozenset({"search-tags"})
"""Agents that nothing but a model can play."""

BY_RULES: Mapping[AgentName, str] = {
    "react": "react-rules-1",
    "goal-seeking": "goal-seeking-rules-2",
    "graph-agent": "graph-agent-rules-1",
}
"""What decides without a model. Another version makes finished runs be made anew: raise it with every change
of what an agent decides, of its tools, or of its limits."""

BY_MODEL: Mapping[AgentName, str] = {
    "react": "react-model-1",
    "goal-seeking": "goal-seeking-model-2",
    "graph-agent": "graph-agent-model-2",
    "search-tags": "search-tags-model-1",
}
"""The same for what is around a model: its tools and limits, and how its turns are read. Its prompts have
versions of their own."""


def same_search(tool: str, query: str, filters: Filters | None = None) -> str:
    """A text that is the same for the same search; how many chunks are wanted makes no other search of it."""
    return repr((tool, _words(query), _fold_filters(filters or Filters())))


def _words(text: str) -> str:
    """The words in small letters: punctuation and accents' ways of writing make no difference."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(one if one.isalnum() else " " for one in plain).split())


def _fold_filters(filters: Filters) -> tuple[object, ...]:
    return tuple(
        tuple(sorted(one.casefold() for one in value)) if isinstance(value, tuple) else value
        for value in astuple(filters)
    )


FaultKind = Literal["malformed call", "unknown tool", "no call", "repeated query", "refusal", "loop"]
"""What an agent can do wrong without the run being at fault. `loop`: so many repeated or useless turns that
it was stopped."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an agent means to do, as it says it: prose, or JSON steps."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that an agent wants to be run, with arguments as JSON values, and why."""

    tool: str
    arguments: Mapping[str, JsonValue]
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Final:
    """An agent's answer; where it was read, empty where the agent doesn't tell.

    `passages_shown` is how many passages a model had been shown, None where rules answer; `confidence` is in
    [0, 1], None where the agent doesn't tell.
    """

    text: str
    thought: str = ""
    entity: str = ""
    chunk: str = ""
    sentence: str = ""
    cited: tuple[str, ...] = ()
    unknown_citations: int = 0
    passages_shown: int | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A turn that came to nothing: what was wrong, and what the agent said or did."""

    kind: FaultKind
    message: str


Decision: TypeAlias = Plan | Call | Final | Fault


@dataclass(frozen=True, slots=True)
class CostedDecision:
    """A decision with what it took. `error` is empty unless the model behind the agent failed; then the
    question ends with that error. `prompt` names the prompt and its version, empty for rules."""

    decision: Decision
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    prompt: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of a call: the text that the trace keeps, and the chunks that were seen, best first.

    `query`, `top_k` and `filters` are what was really looked for, after the arguments were read. A tool that
    can't use the arguments says so in `fault`. `usage`, `cost` and `prompt` are those of a tool that asks a
    model.
    """

    text: str
    hits: tuple[Hit, ...] = ()
    retrieves: bool = False
    query: str = ""
    top_k: int | None = None
    filters: Filters = field(default_factory=Filters)
    fault: FaultKind | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    prompt: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call of the agent that works on this question."""

    question: RagQuestion
    call: Call


class Tool(Protocol):
    """Something that agents can have done; reads the graph, changes nothing."""

    @property
    def name(self) -> str:
        """What agents call it."""
        ...

    @property
    def about(self) -> str:
        """What it does, in a sentence that a model reads."""
        ...

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments: an object."""
        ...

    def sought(self, call: Call) -> str | None:
        """What a call looks for, the same text for the same search; a repeated one is not run again.

        None where doing it twice is no repetition, or where the arguments can't be read. See
        `services.rag.agents.protocol.same_search`.
        """
        ...

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """What comes of each call, in order; one round trip to the graph for all where that is possible."""
        ...


class AgentState(Protocol):
    """What an agent knows of one question; nobody but its agent looks into it."""

    @property
    def question(self) -> RagQuestion:
        """The question."""
        ...

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in what came of its last decision; of a plan or a fault the text says what was noted."""
        ...


M = TypeVar("M", bound=AgentState)


class Agent(Protocol[M]):
    """Decides what to do next for each of many questions."""

    @property
    def name(self) -> str:
        """What the command line and a run call it."""
        ...

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""
        ...

    @property
    def most_steps(self) -> int:
        """So many calls may be made for a question; then the agent must answer from what it has."""
        ...

    def begin(self, question: RagQuestion) -> M:
        """What it knows of a question before the first turn."""
        ...

    def decide(self, minds: Sequence[M]) -> list[CostedDecision]:
        """The next decision for each question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...

    def conclude(self, minds: Sequence[M]) -> list[CostedDecision]:
        """A `Final` or an error for each question whose steps are used up, from what is known."""
        ...


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


def read_finally(
    generator: Generator, read: PassageReader, seen: Sequence[SeenEvidence]
) -> list[CostedDecision]:
    """The answer to each question from what was seen."""
    if not seen:
        return []
    passages = passages_of(read, [one.hits[:MOST_READ] for one in seen])
    tasks = [
        ReadTask(one.question.text, found, one.notes, steps=one.steps, question_id=one.question.id)
        for one, found in zip(seen, passages, strict=True)
    ]
    return [
        CostedDecision(final_of(one), one.usage, one.cost, one.prompt, one.error)
        for one in generator.answer(tasks)
    ]


def final_of(generated: Generation) -> Final:
    """A generator's answer as an agent's."""
    return Final(
        generated.text,
        "",
        generated.entity,
        generated.chunk,
        generated.sentence,
        generated.cited,
        generated.unknown_citations,
        generated.passages_shown,
    )


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What agents are made of. With `model` None they go by rules, and `generator` reads by rules too.

    `retriever` finds as many chunks as an agent may ask for at most, see `services.rag.agents.protocol`;
    `top` is how many are looked at where the agent doesn't say. `most_iterations` None leaves the agent's own
    limit. Where the text of the graph that is read for a question is limited, `generator` keeps to it by
    itself, and an agent that shows text elsewhere must ask `services.rag.context` for each piece.
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
