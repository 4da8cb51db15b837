"""Who plans and who evaluates: both are given `Insights`, and nothing else of a question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kg.llm.protocol import Usage
from services.rag.agents.goal_seeking.insights import Insights
from services.rag.agents.goal_seeking.plans import SearchPlan
from services.rag.agents.goal_seeking.reading import Read
from services.rag.agents.protocol import FaultKind


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what it took; without a plan, `fault` tells what was wrong, or `error` what failed.

    `told` says more of a fault. A plan without steps tells that nothing is left to try.
    """

    plan: SearchPlan | None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    prompt: str = ""
    fault: FaultKind | None = None
    told: str = ""
    error: str = ""


class Planner(Protocol):
    """Says what to do next."""

    def plan(self, known: Sequence[Insights]) -> list[Planned]:
        """A plan for each question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...


class Evaluator(Protocol):
    """Says whether the goal is reached."""

    def evaluate(self, known: Sequence[Insights]) -> list[Read]:
        """A `Verdict` for each question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...
