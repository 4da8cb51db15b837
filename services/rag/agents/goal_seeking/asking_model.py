"""Questions to the model behind goal seeking, and what its failures mean.

The prompts of goal seeking by a model, besides the one that answers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from kg.llm.prompts import fenced, load_prompt, on_one_line
from kg.llm.protocol import Failure, Model, ModelOutcome, ModelRequest, Schema, Usage
from services.rag.agents.goal_seeking.insights import EvidencePiece, Insights, PlanTried
from services.rag.agents.goal_seeking.reading import Read, fault_of
from services.rag.agents.goal_seeking.results import Result
from services.rag.model_generator import ANSWER_TOKENS

PLANNING = "goal-plan"
EVALUATING = "goal-check"
EXTRACTING = "goal-extract"
NEXT_QUERY = "goal-next-query"
ASSESSING = "goal-assess"

USUAL_TOKENS: Mapping[str, int] = {
    PLANNING: 260, EXTRACTING: 120, NEXT_QUERY: 15, ASSESSING: 25, EVALUATING: 30,
}  # fmt: skip
"""Tokens that an ordinary reply to each takes, thinking aside; for estimates."""

GOAL_PROMPTS = (PLANNING, EXTRACTING, NEXT_QUERY, ASSESSING, EVALUATING)
"""In the order of a round; the answer itself is written by the prompt of every other system."""


CostOf = Callable[[Usage], float | None]


def request(name: str, schema: Schema, **values: str) -> ModelRequest:
    """What a model is asked by a prompt."""
    prompt = load_prompt(name)
    return ModelRequest(
        prompt.fill(**values),
        prompt.id,
        schema,
        max_output_tokens=ANSWER_TOKENS,
        expected_output_tokens=USUAL_TOKENS[name],
    )


def ask(model: Model, requests: Sequence[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelOutcome]]:
    """The outcome of each request, in order.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    return zip(requests, model.ask(requests), strict=True) if requests else iter(())


def failed(failure: Failure, asked: ModelRequest, cost: float | None, nothing: Result) -> Read:
    """What a reader gives whose model failed: a fault of the model's, or an error."""
    fault = fault_of(failure.kind)
    error = "" if fault else failure.told
    return Read(nothing, failure.usage, cost, asked.prompt, fault, error, failure.told)


def question_shown(text: str) -> str:
    """A question as data."""
    return fenced(text, "question")


def evidence_shown(evidence: Sequence[EvidencePiece]) -> str:
    """Pieces of evidence as data, a line each."""
    return fenced("\n".join(map(_line, evidence)), "facts") if evidence else "No fact was found yet."


def silences_shown(silences: Sequence[str]) -> str:
    """What passages were found not to tell, as data, a line each; empty without any."""
    return fenced("\n".join(map(on_one_line, silences)), "not told") if silences else ""


def tried_shown(queries: Sequence[str]) -> str:
    """Queries as data, a line each."""
    return fenced("\n".join(map(on_one_line, queries)), "queries tried") if queries else "No query was tried."


def insights_shown(known: Insights) -> str:
    """All that a planner or an evaluator gets to know of a question besides its text."""
    parts = [tried_shown([one.told for one in known.queries]), evidence_shown(known.evidence)]
    if known.silences:
        parts.append(silences_shown([one.told for one in known.silences]))
    if known.plans:
        parts.insert(0, fenced("\n".join(map(_plan_line, enumerate(known.plans, start=1))), "plans made"))
    if known.entities:
        parts.append(fenced("\n".join(map(on_one_line, known.entities)), "names found"))
    parts.append(f"Was the evidence found to be enough? {_enough(known.sufficient)}")
    if known.missing:
        parts.append(fenced("\n".join(map(on_one_line, known.missing)), "missing"))
    if known.answer:
        parts.append(fenced(known.answer, "answer so far"))
        parts.append(f"Confidence in this answer, from 0 to 1: {known.confidence:g}")
    if known.rejected:
        told = fenced(known.rejected, "what was wrong")
        parts.append(f"The last plan could not be used.\n{told}")
    return "\n\n".join(parts)


def _plan_line(numbered: tuple[int, PlanTried]) -> str:
    number, plan = numbered
    told = ": ".join(filter(None, (plan.pattern, plan.why))) or "no reason given"
    return on_one_line(f"{number}. {told}{' (it brought nothing new)' if plan.fruitless else ''}")


def _line(piece: EvidencePiece) -> str:
    where = ", ".join(filter(None, (piece.source, piece.published)))
    return on_one_line(f"{where}: {piece.dated}" if where else piece.dated)


def _enough(sufficient: bool | None) -> str:
    return {True: "Yes.", False: "No.", None: "It was not assessed yet."}[sufficient]
