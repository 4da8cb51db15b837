"""Planning and evaluating by a model: it reads insights, and what the corpus has in general."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import fenced, on_one_line
from kg.llm.protocol import Failure, Model, Schema, json_object
from services.rag.agents.goal_seeking import patterns, primitives
from services.rag.agents.goal_seeking.asking_model import (
    EVALUATING,
    PLANNING,
    CostOf,
    ask,
    failed,
    insights_shown,
    question_shown,
    request,
)
from services.rag.agents.goal_seeking.insights import Insights
from services.rag.agents.goal_seeking.plans import PLAN, PlanError, Planned, parse_plan
from services.rag.agents.goal_seeking.reading import Read, fault_of
from services.rag.agents.goal_seeking.results import Verdict
from services.rag.metadata import MetadataIndex

MOST_SOURCES = 60
MOST_CATEGORIES = 30
"""Names of the corpus that a planner is told; others can be used as well where a question has them."""

_VERDICT = Schema("verdict", json_object(achieved={"type": "boolean"}, reason={"type": "string"}))


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """Plans by a model. A plan that breaks the rules is a fault, and its reason is told with the next one."""

    model: Model
    cost_of: CostOf
    metadata: MetadataIndex

    def plan(self, known: Sequence[Insights]) -> list[Planned]:
        """A plan for each question, in order."""
        collection = collection_shown(self.metadata)
        requests = [
            request(
                PLANNING,
                PLAN,
                primitives=primitives.told(),
                patterns=patterns.told(),
                question=question_shown(one.question),
                collection=collection,
                known=insights_shown(one),
            )
            for one in known
        ]
        plans = []
        for asked, outcome in ask(self.model, requests):
            usage, cost = outcome.usage, self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                fault = fault_of(outcome.kind)
                error = "" if fault else outcome.told
                plans.append(Planned(None, usage, cost, asked.prompt, fault, outcome.told, error))
                continue
            try:
                plans.append(Planned(parse_plan(outcome.value), usage, cost, asked.prompt))
            except PlanError as error:
                plans.append(Planned(None, usage, cost, asked.prompt, error.kind, str(error)))
        return plans


@dataclass(frozen=True, slots=True)
class ModelEvaluator:
    """Evaluates by a model."""

    model: Model
    cost_of: CostOf

    def evaluate(self, known: Sequence[Insights]) -> list[Read]:
        """A verdict for each question, in order."""
        requests = [
            request(EVALUATING, _VERDICT, question=question_shown(one.question), known=insights_shown(one))
            for one in known
        ]
        verdicts = []
        for asked, outcome in ask(self.model, requests):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                verdicts.append(failed(outcome, asked, cost, Verdict(False, outcome.told)))
                continue
            value = outcome.value if isinstance(outcome.value, Mapping) else {}
            verdict = Verdict(bool(value.get("achieved")), str(value.get("reason", "")))
            verdicts.append(Read(verdict, outcome.usage, cost, asked.prompt))
        return verdicts


def collection_shown(metadata: MetadataIndex) -> str:
    """What a planner is told of the corpus in general: its sources, categories and days."""
    parts = []
    for label, index, most in (
        ("sources", metadata.sources, MOST_SOURCES),
        ("categories", metadata.categories, MOST_CATEGORIES),
    ):
        names = sorted({name for values in index.values.values() for name in values})
        if names:
            parts.append(fenced("\n".join(map(on_one_line, names[:most])), f"{label} of the collection"))
    if metadata.first_day and metadata.last_day:
        parts.append(f"Its articles are from {metadata.first_day} to {metadata.last_day}.")
    return "\n\n".join(parts) or "The collection has no sources, categories or days."
