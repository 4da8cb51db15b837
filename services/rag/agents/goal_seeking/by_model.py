"""Reading by a model: it extracts facts from fenced passages, says what to look for, and what is missing.

Questions to the model behind goal seeking, and what its failures mean.

The prompts of goal seeking by a model, besides the one that answers.

Planning and evaluating by a model: it reads insights, and what the corpus has in general.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.llm.prompts import fence, load_prompt, on_one_line
from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest, Schema, Usage, json_object
from services.answers import is_abstention
from services.rag.agents.goal_seeking import patterns, primitives
from services.rag.agents.goal_seeking.insights import EvidencePiece, Insights, PastPlan, Silence, items
from services.rag.agents.goal_seeking.plans import PLAN, PlanError, PlanResult, parse_plan
from services.rag.agents.goal_seeking.primitives import (
    Evidence,
    NextQuery,
    Result,
    Sufficiency,
    Verdict,
)
from services.rag.agents.goal_seeking.reading import (
    EvidenceTask,
    ExtractTask,
    TaskResult,
    coverage,
    fault_of,
    silences_of,
)
from services.rag.agents.protocol import final_of
from services.rag.context import Context, build_context
from services.rag.metadata import MetadataIndex
from services.rag.model_generator import ANSWER_TOKENS, CONTEXT_TOKENS
from services.rag.protocol import Generation, Generator, Passage, ReadTask

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


def failure_result(
    failure: Failure, request: ModelRequest, cost: float | None, nothing: Result
) -> TaskResult:
    """What a reader gives whose model failed: a fault of the model's, or an error."""
    fault = fault_of(failure.kind)
    error = "" if fault else failure.message
    return TaskResult(nothing, failure.usage, cost, request.prompt, fault, error, failure.message)


def format_question(text: str) -> str:
    """A question as data."""
    return fence(text, "question")


def format_evidence(evidence: Sequence[EvidencePiece]) -> str:
    """Pieces of evidence as data, a line each."""
    return fence("\n".join(map(_line, evidence)), "facts") if evidence else "No fact was found yet."


def format_silences(silences: Sequence[Silence]) -> str:
    """What passages were found not to tell, as data, a line each; empty without any."""
    return fence("\n".join(on_one_line(one.sentence) for one in silences), "not told") if silences else ""


def format_queries(queries: Sequence[str]) -> str:
    """Queries as data, a line each."""
    return fence("\n".join(map(on_one_line, queries)), "queries tried") if queries else "No query was tried."


def format_insights(known: Insights) -> str:
    """All that a planner or an evaluator gets to know of a question besides its text."""
    parts = [format_queries([one.line for one in known.queries]), format_evidence(known.evidence)]
    if known.silences:
        parts.append(format_silences(known.silences))
    if known.plans:
        parts.insert(0, fence("\n".join(map(_plan_line, enumerate(known.plans, start=1))), "plans made"))
    if known.entities:
        parts.append(fence("\n".join(map(on_one_line, known.entities)), "names found"))
    parts.append(f"Was the evidence found to be enough? {_enough(known.sufficient)}")
    if known.missing:
        parts.append(fence("\n".join(map(on_one_line, known.missing)), "missing"))
    if known.answer:
        parts.append(fence(known.answer, "answer so far"))
        parts.append(f"Confidence in this answer, from 0 to 1: {known.confidence:g}")
    if known.rejection:
        told = fence(known.rejection, "what was wrong")
        parts.append(f"The last plan could not be used.\n{told}")
    return "\n\n".join(parts)


def _plan_line(numbered: tuple[int, PastPlan]) -> str:
    number, plan = numbered
    told = ": ".join(filter(None, (plan.pattern, plan.why))) or "no reason given"
    return on_one_line(f"{number}. {told}{' (it brought nothing new)' if plan.fruitless else ''}")


def _line(piece: EvidencePiece) -> str:
    where = ", ".join(filter(None, (piece.source, piece.published)))
    return on_one_line(f"{where}: {piece.fact_with_date}" if where else piece.fact_with_date)


def _enough(sufficient: bool | None) -> str:
    return {True: "Yes.", False: "No.", None: "It was not assessed yet."}[sufficient]


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

    def plan(self, known: Sequence[Insights]) -> list[PlanResult]:
        """A plan for each question, in order."""
        collection = describe_collection(self.metadata)
        requests = [
            request(
                PLANNING,
                PLAN,
                primitives=primitives.primitive_lines(),
                patterns=patterns.pattern_lines(),
                question=format_question(one.question),
                collection=collection,
                known=format_insights(one),
            )
            for one in known
        ]
        plans = []
        for asked, outcome in ask(self.model, requests):
            usage, cost = outcome.usage, self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                fault = fault_of(outcome.kind)
                error = "" if fault else outcome.message
                plans.append(PlanResult(None, usage, cost, asked.prompt, fault, outcome.message, error))
                continue
            try:
                plans.append(PlanResult(parse_plan(outcome.value), usage, cost, asked.prompt))
            except PlanError as error:
                plans.append(PlanResult(None, usage, cost, asked.prompt, error.kind, str(error)))
        return plans


@dataclass(frozen=True, slots=True)
class ModelEvaluator:
    """Evaluates by a model."""

    model: Model
    cost_of: CostOf

    def evaluate(self, known: Sequence[Insights]) -> list[TaskResult]:
        """A verdict for each question, in order."""
        requests = [
            request(EVALUATING, _VERDICT, question=format_question(one.question), known=format_insights(one))
            for one in known
        ]
        verdicts = []
        for asked, outcome in ask(self.model, requests):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                verdicts.append(failure_result(outcome, asked, cost, Verdict(False, outcome.message)))
                continue
            value = outcome.value if isinstance(outcome.value, Mapping) else {}
            verdict = Verdict(bool(value.get("achieved")), str(value.get("reason", "")))
            verdicts.append(TaskResult(verdict, outcome.usage, cost, asked.prompt))
        return verdicts


def describe_collection(metadata: MetadataIndex) -> str:
    """What a planner is told of the corpus in general: its sources, categories and days."""
    parts = []
    for label, index, most in (
        ("sources", metadata.sources, MOST_SOURCES),
        ("categories", metadata.categories, MOST_CATEGORIES),
    ):
        names = sorted({name for values in index.values.values() for name in values})
        if names:
            parts.append(fence("\n".join(map(on_one_line, names[:most])), f"{label} of the collection"))
    if metadata.first_day and metadata.last_day:
        parts.append(f"Its articles are from {metadata.first_day} to {metadata.last_day}.")
    return "\n\n".join(parts) or "The collection has no sources, categories or days."


MOST_PIECES = 8
LONGEST_FACT = 600
"""Characters of a fact; a model that copies whole passages would carry them over the boundary."""

MOST_MISSING = 4
MOST_SILENT = 8
"""Notes on what passages do not tell that stand beside the evidence of an answer, the last ones."""

LONGEST_DAY = 40

_EXTRACTED = Schema(
    "evidence",
    json_object(
        evidence={
            "type": "array",
            "items": json_object(
                passage={"type": "integer"}, fact={"type": "string"}, happened={"type": "string"}
            ),
        }
    ),
)
_QUERY = Schema("query", json_object(query={"type": "string"}))
_ASSESSED = Schema(
    "assessment",
    json_object(enough={"type": "boolean"}, missing={"type": "array", "items": {"type": "string"}}),
)


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Reads by a model; `cost_of` tells what tokens cost, None where the model has no price.

    `generator` answers from evidence as it answers for every other system, by the same prompt.
    """

    model: Model
    cost_of: CostOf
    generator: Generator

    def extract(self, tasks: Sequence[ExtractTask]) -> list[TaskResult]:
        """The facts that help with each question; a task without passages is not asked."""
        contexts = [build_context(task.question, task.passages, CONTEXT_TOKENS) for task in tasks]
        full = [number for number, context in enumerate(contexts) if context.blocks]
        requests = [
            request(
                EXTRACTING,
                _EXTRACTED,
                question=format_question(tasks[number].question),
                known=_format_facts(tasks[number].known_facts),
                passages=_passages(contexts[number]),
            )
            for number in full
        ]
        found = [TaskResult(Evidence()) for _ in tasks]
        for number, (asked, outcome) in zip(full, ask(self.model, requests), strict=True):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                found[number] = failure_result(outcome, asked, cost, Evidence())
                continue
            task, context = tasks[number], contexts[number]
            pieces = _pieces(outcome.value, context, task.passages)
            chunks = {chunk for block in context.blocks for chunk in block.chunks}
            read = [passage for passage in task.passages if passage.chunk in chunks]
            silences = silences_of(task.question, read, pieces)
            found[number] = TaskResult(Evidence(pieces, silences), outcome.usage, cost, asked.prompt)
        return found

    def next_query(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """What to look for next for each question."""
        requests = [
            request(
                NEXT_QUERY,
                _QUERY,
                question=format_question(task.question),
                evidence=format_evidence(task.evidence),
                tried=format_queries(task.query_texts),
            )
            for task in tasks
        ]
        found = []
        for asked, outcome in ask(self.model, requests):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                found.append(failure_result(outcome, asked, cost, NextQuery()))
                continue
            query = outcome.value.get("query") if isinstance(outcome.value, Mapping) else ""
            found.append(TaskResult(NextQuery(_passage_line(query)), outcome.usage, cost, asked.prompt))
        return found

    def assess(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """Whether the evidence is enough for each question; where nothing was read it is not, and nobody is
        asked."""
        full = [number for number, task in enumerate(tasks) if task.evidence or task.silences]
        requests = [
            request(
                ASSESSING,
                _ASSESSED,
                question=format_question(tasks[number].question),
                evidence=format_evidence(tasks[number].evidence),
                searches=format_queries([one.line for one in tasks[number].searches]),
                silences=format_silences(tasks[number].silences),
            )
            for number in full
        ]
        found = [TaskResult(Sufficiency(missing=(task.question,))) for task in tasks]
        for number, (asked, outcome) in zip(full, ask(self.model, requests), strict=True):
            cost = self.cost_of(outcome.usage)
            if isinstance(outcome, Failure):
                found[number] = failure_result(outcome, asked, cost, Sufficiency())
                continue
            found[number] = TaskResult(_sufficiency(outcome.value), outcome.usage, cost, asked.prompt)
        return found

    def answer(self, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
        """The generator's answers, with the share of the question's words in the evidence as confidence."""
        given = self.generator.answer(
            [
                ReadTask(task.question, task.passages, _notes(task), question_id=task.question_id)
                for task in tasks
            ]
        )
        return [_answer(task, one) for task, one in zip(tasks, given, strict=True)]


def _notes(task: EvidenceTask) -> tuple[str, ...]:
    return tuple(one.sentence for one in task.silences[-MOST_SILENT:])


def _answer(task: EvidenceTask, given: Generation) -> TaskResult:
    confidence = 0.0 if is_abstention(given.text) else coverage(task.question, task.evidence)
    answer = replace(final_of(given), confidence=confidence)
    fault = fault_of(given.failure) if given.failure is not None else None
    error = "" if fault else given.error
    return TaskResult(answer, given.usage, given.cost, given.prompt, fault, error, given.error)


def _pieces(value: JsonValue, context: Context, passages: Sequence[Passage]) -> tuple[EvidencePiece, ...]:
    """The facts of an answer; one of a passage that was not shown is left out."""
    by_number = {block.number: block for block in context.blocks}
    by_chunk = {passage.chunk: passage for passage in passages}
    found = []
    for one in items(value.get("evidence") if isinstance(value, Mapping) else None):
        number = one.get("passage") if isinstance(one, Mapping) else None
        fact = _passage_line(one.get("fact"))[:LONGEST_FACT] if isinstance(one, Mapping) else ""
        if not isinstance(number, int) or number not in by_number or not fact:
            continue
        first = by_chunk[by_number[number].chunks[0]]
        happened = _passage_line(one.get("happened"))[:LONGEST_DAY] if isinstance(one, Mapping) else ""
        found.append(EvidencePiece(fact, first.chunk, first.source, first.published, happened))
    return tuple(dict.fromkeys(found))[:MOST_PIECES]


def _format_facts(facts: Sequence[str]) -> str:
    """The facts that are known already, as data."""
    return fence("\n".join(map(on_one_line, facts)), "facts known already") if facts else ""


def _sufficiency(value: JsonValue) -> Sufficiency:
    if not isinstance(value, Mapping):
        return Sufficiency()
    missing = tuple(filter(None, (_passage_line(one) for one in items(value.get("missing")))))[:MOST_MISSING]
    return Sufficiency(bool(value.get("enough")), missing)


def _passages(context: Context) -> str:
    return "\n\n".join(fence(block.full_text, f"passage {block.number}") for block in context.blocks)


def _passage_line(value: JsonValue) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
