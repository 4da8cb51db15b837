"""Filters that ask a language model for its word on a question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kg.llm.protocol import Failure, Model, ModelOutcome, ModelRequest
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.filters.model_requests import alone_request, sense_request
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.solver import NOT_CHECKED, Solver, SolveTask
from services.questions.shown_facts import read_shown_facts

LONGEST_REASON = 160


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """Passes what the model gives the good verdict."""

    name: str
    model: Model
    requests: Callable[[Sequence[Draft]], Sequence[ModelRequest]]
    good: str

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        return [self._read(outcome) for outcome in self.model.ask(self.requests(drafts))]

    def _read(self, outcome: ModelOutcome) -> Verdict:
        if isinstance(outcome, Failure):
            return fail(f"{NOT_CHECKED}{outcome.told}")
        value = outcome.value if isinstance(outcome.value, dict) else {}
        if value.get("verdict") == self.good:
            return PASS
        reason = " ".join(str(value.get("reason", "")).split())[:LONGEST_REASON].rstrip(".")
        return fail(f"{value.get('verdict')}: {reason}".rstrip(": "))


def alone_requests(drafts: Sequence[Draft]) -> list[ModelRequest]:
    """Whether each question can be understood on its own."""
    return [alone_request(draft) for draft in drafts]


def sense_requests(graph: Graph, drafts: Sequence[Draft]) -> list[ModelRequest]:
    """Whether each question says what its facts say, which are shown as `ShownFacts` shows them."""
    facts = (fact for draft in drafts for fact in draft.facts)
    shown = read_shown_facts(graph, facts, (draft.path for draft in drafts))
    return [sense_request(draft, shown) for draft in drafts]


@dataclass(frozen=True, slots=True)
class ClosedBookFails:
    """Without any text the solver fails (AgenticRAGTracer, section 3.3); null questions pass."""

    solver: Solver
    name: str

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        asked = [at for at, draft in enumerate(drafts) if draft.kind != "null"]
        verdicts = [PASS] * len(drafts)
        solved = self.solver.solve([SolveTask(drafts[at], ()) for at in asked])
        for at, one in zip(asked, solved, strict=True):
            if one.failure:
                verdicts[at] = fail(f"{NOT_CHECKED}{one.failure}")
            elif one.right:
                verdicts[at] = fail(f'{self.solver.name} answers "{one.answer}" from memory')
        return verdicts
