"""A solver that asks a language model, with passages or without any."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.answers import exact_match, is_abstention
from services.questions.draft import Draft, Fact
from services.questions.filters.model_requests import (
    ChunkText,
    closed_book_request,
    evidence_request,
    same_answer_request,
)
from services.questions.filters.names_in_text import any_named
from services.questions.filters.solver import Solved, SolveTask
from services.questions.shown_facts import ArticleHead

_YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True, slots=True)
class ModelSolver:
    """Asks for the answer, from passages or, where a task has none, from memory.

    An answer is right if it equals the question's after normalisation, in any accepted spelling; else the
    same model says whether it means the same. From memory, an answer that a guess may get right counts only
    where the model tells each side that it compares, and tells it as the facts do.
    """

    graph: Graph
    model: Model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def solve(self, tasks: Sequence[SolveTask]) -> list[Solved]:
        """One outcome a task, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        outcomes = list(self.model.ask(solve_requests(self.graph, tasks)))
        solved = [_read(task.draft, outcome) for task, outcome in zip(tasks, outcomes, strict=True)]
        doubtful = [at for at, one in enumerate(solved) if one.answer and not one.right]
        comparable = [at for at in doubtful if tasks[at].draft.kind != "null"]
        judged = self.model.ask(same_answer_request(tasks[at].draft, solved[at].answer) for at in comparable)
        for at, outcome in zip(comparable, judged, strict=True):
            solved[at] = _judged(solved[at], outcome)
        return solved


def solve_requests(graph: Graph, tasks: Sequence[SolveTask]) -> list[ModelRequest]:
    """What a model is asked first for each task, before any comparison of answers."""
    ids = sorted({chunk for task in tasks for chunk in task.chunks})
    rows = graph.read_in_batches(query("filters/read_chunk_texts"), ids)
    texts = {
        row["id"]: ChunkText(row["text"], ArticleHead(row["title"], row["source"], row["published"]))
        for row in rows
    }
    return [
        evidence_request(task.draft, [texts[chunk] for chunk in task.chunks if chunk in texts])
        if task.chunks
        else closed_book_request(task.draft)
        for task in tasks
    ]


def _read(draft: Draft, outcome: ModelOutcome) -> Solved:
    if isinstance(outcome, Failure):
        return Solved(failure=outcome.told)
    answer = _member(outcome.value, "answer")
    text = answer.strip() if isinstance(answer, str) else ""
    if is_abstention(text) or not _tells_its_sides(draft, _member(outcome.value, "sides")):
        return Solved()
    return Solved(text, right=draft.kind != "null" and exact_match(text, draft.answer, draft.accepted))


def _tells_its_sides(draft: Draft, sides: JsonValue) -> bool:
    """Whether what is said of the sides shows knowledge; answers that name no sides are none of this sort.

    Both must be told, and of two facts that which the question does not name must stand in one of them, of a
    date at least the year.
    """
    if not isinstance(sides, list):
        return True
    values = (str(_member(side, "known") or "").strip() for side in sides)
    told = [value for value in values if value and not is_abstention(value)]
    known = sum(_is_told(draft, fact, told) for fact in draft.facts)
    return len(told) > 1 and known >= min(2, len(draft.facts))


def _is_told(draft: Draft, fact: Fact, told: Sequence[str]) -> bool:
    ends = [end for end in (fact.subject, fact.object) if end and not any_named(draft.text, [end])]
    text = " ; ".join(told)
    return not ends or any(
        any_named(text, _names(draft, end)) or bool({*_YEAR.findall(end)} & {*_YEAR.findall(text)})
        for end in ends
    )


def _names(draft: Draft, end: str) -> tuple[str, ...]:
    """The names of the entity that a fact's end is, as far as the question's stops tell."""
    return next((stop.names for stop in draft.stops if end in stop.names), (end,))


def _judged(solved: Solved, outcome: ModelOutcome) -> Solved:
    if isinstance(outcome, Failure):
        return Solved(solved.answer, failure=outcome.told)
    return Solved(solved.answer, right=_member(outcome.value, "same") is True)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None
