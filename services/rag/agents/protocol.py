"""What an agent is: it decides, its tools act in the graph, it observes; many questions go side by side.

All agents are driven by `services.rag.agents.loop`: in each turn every agent that is not done decides, the
calls of a tool are run together, and each agent observes what came of its own.

The names of the agents, as on the command line, and the versions of what they do.

When two searches are the same: the same words and filters, whatever their case and punctuation.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar, get_args

from kg.llm.protocol import JsonValue, Usage
from services.rag.protocol import Filters, Hit, RagQuestion

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
    return repr((tool, _words(query), _folded(filters or Filters())))


def _words(text: str) -> str:
    """The words in small letters: punctuation and accents' ways of writing make no difference."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(one if one.isalnum() else " " for one in plain).split())


def _folded(filters: Filters) -> tuple[object, ...]:
    return tuple(
        tuple(sorted(one.casefold() for one in value)) if isinstance(value, tuple) else value
        for value in astuple(filters)
    )


FaultKind = Literal["malformed call", "unknown tool", "no call", "repeated query", "refusal", "loop"]
"""What an agent can do wrong without the run being at fault. `loop`: so many repeated or useless turns that
it was stopped."""

FAULTS: tuple[FaultKind, ...] = (
    "malformed call", "unknown tool", "no call", "repeated query", "refusal", "loop",
)  # fmt: skip


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

    `passages_shown` is how many passages a model had been shown, None where rules answer.
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
class Decided:
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


class Mind(Protocol):
    """What an agent knows of one question; nobody but its agent looks into it."""

    @property
    def question(self) -> RagQuestion:
        """The question."""
        ...

    def observe(self, decision: Decision, observation: Observation) -> None:
        """Take in what came of its last decision; of a plan or a fault the text says what was noted."""
        ...


M = TypeVar("M", bound=Mind)


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

    def decide(self, minds: Sequence[M]) -> list[Decided]:
        """The next decision for each question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...

    def conclude(self, minds: Sequence[M]) -> list[Decided]:
        """A `Final` or an error for each question whose steps are used up, from what is known."""
        ...
