"""What reading primitives need of whoever reads, a model or the rules, for many questions at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kg.llm.protocol import FailureKind, Usage
from services.rag.agents.goal_seeking.insights import EvidencePiece
from services.rag.agents.goal_seeking.results import Result
from services.rag.agents.protocol import FaultKind
from services.rag.protocol import Passage


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """Passages from which facts are to be extracted for a question; `known` facts need not come again."""

    question: str
    passages: tuple[Passage, ...]
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceTask:
    """A question with the evidence for it; `passages` are the same pieces by their chunks, with the names and
    facts in them. `tried` are queries that were looked for, `searches` the same with where and how much came,
    `silences` what passages were found not to tell, `asked` the id of the run's question."""

    question: str
    evidence: tuple[EvidencePiece, ...]
    passages: tuple[Passage, ...]
    tried: tuple[str, ...] = ()
    asked: str = ""
    searches: tuple[str, ...] = ()
    silences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader gave, with what it took. With a `fault` or an `error`, `told` says what was wrong."""

    result: Result
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    prompt: str = ""
    fault: FaultKind | None = None
    error: str = ""
    told: str = ""


class EvidenceReader(Protocol):
    """Reads for the primitives that need understanding; one `Read` a task, in order.

    A model's raise ModelRefusedError, ModelUnavailableError and BudgetReachedError, as
    `kg.llm.protocol.Model.ask`.
    """

    def extract(self, tasks: Sequence[ExtractTask]) -> list[Read]:
        """The facts that help with each question, as `Evidence`."""
        ...

    def next_query(self, tasks: Sequence[EvidenceTask]) -> list[Read]:
        """What to look for next for each question, as `NextQuery`."""
        ...

    def assess(self, tasks: Sequence[EvidenceTask]) -> list[Read]:
        """Whether the evidence is enough for each question, as `Sufficiency`."""
        ...

    def answer(self, tasks: Sequence[EvidenceTask]) -> list[Read]:
        """The answer to each question, which has evidence, as `Answer`."""
        ...


def fault_of(failure: FailureKind) -> FaultKind | None:
    """What the model did wrong; None where the endpoint failed, which ends the question."""
    match failure:
        case "refusal":
            return "refusal"
        case "invalid JSON" | "empty" | "cut off":
            return "malformed call"
        case _:
            return None
