"""Plans as data: a short list of primitives, checked before a step of it is taken; nothing in it is code.

A step names a primitive and gives it texts and numbers. Among `inputs`, "$2" stands for what step 2 gave, and
"$evidence" for all the evidence found so far. As a `text`, "$2" stands for what step 2 gave, in words, as
does "{$2}" inside one; a sum such as "$5 million" in a text is no variable.

Who plans and who evaluates: both are given `Insights`, and nothing else of a question.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Protocol

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from kg.llm.protocol import JsonValue, Schema, Usage
from services.rag.agents.goal_seeking.insights import Insights, items
from services.rag.agents.goal_seeking.primitives import PRIMITIVES, Primitive
from services.rag.agents.goal_seeking.reading import TaskResult
from services.rag.agents.protocol import LONGEST_QUERY, MOST_TOP, FaultKind

MOST_STEPS = 12
ALL_EVIDENCE = "$evidence"
_NAME = re.compile(r"\$(\d{1,2})")
_IN_TEXT = re.compile(r"^\s*\$(\d{1,2})\s*$|\{\$(\d{1,2})\}")


class PlanError(ValueError):
    """Why a plan can't be used, as a clause that its planner can be told."""

    def __init__(self, reason: str, kind: FaultKind = "malformed call") -> None:
        super().__init__(reason)
        self.kind: FaultKind = kind


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One primitive with what it is given; empty fields are left to the primitive.

    `k` is how many chunks are wanted, 0 for the usual number. `since` and `until` are ISO dates, inclusive.
    """

    primitive: str
    text: str = ""
    inputs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    category: str = ""
    since: str = ""
    until: str = ""
    k: int = 0


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The steps of an iteration, the pattern that they follow, and why; no steps: nothing is left to try."""

    pattern: str
    why: str
    steps: tuple[PlanStep, ...]


_STEP: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "primitive": {"type": "string"},
        "text": {"type": "string", "maxLength": LONGEST_QUERY},
        "inputs": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_STEPS},
        "sources": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_STEPS},
        "category": {"type": "string"},
        "since": {"type": "string"},
        "until": {"type": "string"},
        "k": {"type": "integer"},
    },
    "required": ["primitive"],
    "additionalProperties": False,
}
PLAN = Schema(
    "plan",
    {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "why": {"type": "string"},
            "steps": {"type": "array", "items": _STEP, "maxItems": MOST_STEPS},
        },
        "required": ["steps"],
        "additionalProperties": False,
    },
)
"""Only what a step needs is wanted of it, so that a model need not write empty fields."""


def parse_plan(value: JsonValue) -> SearchPlan:
    """A plan from JSON, with every step checked.

    Raises:
        PlanError: it does not fit the schema, names an unknown primitive, or a step wants what no earlier
            step gives.
    """
    error = best_match(Draft202012Validator(dict(PLAN.definition)).iter_errors(value))
    if error is not None or not isinstance(value, Mapping):
        raise PlanError(f"at {error.json_path}: {error.message}"[:300] if error else "it is no JSON object")
    steps = tuple(_step(one) for one in items(value["steps"]) if isinstance(one, Mapping))
    check_plan(steps)
    return SearchPlan(_line(value.get("pattern")), _line(value.get("why")), steps)


def check_plan(steps: Sequence[PlanStep]) -> None:
    """Make sure that every step names a primitive and is given what that needs.

    Raises:
        PlanError: one doesn't.
    """
    if len(steps) > MOST_STEPS:
        raise PlanError(f"it has {len(steps)} steps, and {MOST_STEPS} are the most")
    known: list[Primitive] = []
    for number, step in enumerate(steps, start=1):
        primitive = PRIMITIVES.get(step.primitive)
        if primitive is None:
            raise PlanError(
                f"step {number}: there is no primitive {step.primitive[:60]!r}; there are: "
                f"{', '.join(PRIMITIVES)}",
                "unknown tool",
            )
        try:
            _check(step, primitive, known)
        except PlanError as error:
            raise PlanError(f"step {number}, {step.primitive}: {error}") from None
        known.append(primitive)


def reference(name: str) -> int:
    """The number of the step that an input names, 0 where it names none."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found else 0


def references(text: str) -> list[int]:
    """The numbers of the steps that a text refers to, in order."""
    return [int(found[1] or found[2]) for found in _IN_TEXT.finditer(text)]


def with_words(text: str, words: Callable[[int], str]) -> str:
    """A text with the words of the steps that it refers to; what is put in is not searched again."""
    return _IN_TEXT.sub(lambda found: words(int(found[1] or found[2])), text)


def plan_text(plan: SearchPlan) -> str:
    """The plan as JSON, without empty fields."""
    steps = [_filled_fields(step) for step in plan.steps]
    return json.dumps({"pattern": plan.pattern, "why": plan.why, "steps": steps}, ensure_ascii=False)


def _check(step: PlanStep, primitive: Primitive, known: Sequence[Primitive]) -> None:
    if primitive.needs_text and not step.text.strip():
        raise PlanError("it needs a text to look for")
    if primitive.name == "retrieve_by_source" and not any(step.sources):
        raise PlanError("it needs sources")
    if primitive.name == "retrieve_by_category" and not step.category:
        raise PlanError("it needs a category")
    if primitive.name == "retrieve_filtered" and not (
        step.sources or step.category or step.since or step.until
    ):
        raise PlanError("it needs a source, a category or a date")
    for day in filter(None, (step.since, step.until)):
        _check_day(day)
    for number in references(step.text):
        if _earlier_step(f"${number}", known).gives not in {"query", "entities", "answer"}:
            raise PlanError(f"${number} gives nothing that can stand in a text")
    if primitive.takes and not step.inputs and primitive.takes != {"evidence"}:
        raise PlanError(f"it needs inputs: earlier steps that give {' or '.join(sorted(primitive.takes))}")
    for name in step.inputs:
        kind = "evidence" if name == ALL_EVIDENCE else _earlier_step(name, known).gives
        if kind not in primitive.takes:
            wanted = " or ".join(sorted(primitive.takes)) or "no inputs"
            raise PlanError(f"{name} gives {kind}, and it takes {wanted}")


def _earlier_step(name: str, known: Sequence[Primitive]) -> Primitive:
    """The primitive of the step that a reference names."""
    number = reference(name)
    if not 1 <= number <= len(known):
        raise PlanError(f"{name[:20]!r} is no earlier step")
    return known[number - 1]


def _check_day(day: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError:
        raise PlanError(f"{day[:20]!r} is no date such as 2023-10-31") from None


def _step(value: Mapping[str, JsonValue]) -> PlanStep:
    k = value.get("k")
    return PlanStep(
        primitive=str(value["primitive"]).strip(),
        text=str(value.get("text", "")).strip(),
        inputs=tuple(str(one).strip() for one in items(value.get("inputs"))),
        sources=tuple(str(one).strip() for one in items(value.get("sources")) if str(one).strip()),
        category=_line(value.get("category")),
        since=_line(value.get("since")),
        until=_line(value.get("until")),
        k=min(max(k, 0), MOST_TOP) if isinstance(k, int) else 0,
    )


def _filled_fields(step: PlanStep) -> dict[str, JsonValue]:
    values = ((field.name, getattr(step, field.name)) for field in fields(step))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values if value}


def _line(value: JsonValue) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """A plan with what it took; without a plan, `fault` tells what was wrong, or `error` what failed.

    `fault_text` says more of a fault. A plan without steps tells that nothing is left to try.
    """

    plan: SearchPlan | None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    prompt: str = ""
    fault: FaultKind | None = None
    fault_text: str = ""
    error: str = ""


class Planner(Protocol):
    """Says what to do next."""

    def plan(self, known: Sequence[Insights]) -> list[PlanResult]:
        """A plan for each question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...


class Evaluator(Protocol):
    """Says whether the goal is reached."""

    def evaluate(self, known: Sequence[Insights]) -> list[TaskResult]:
        """A `Verdict` for each question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...
