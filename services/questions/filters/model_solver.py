"""A solver that asks a language model, with passages or without any."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.answers import exact_match, is_abstention
from services.questions.draft import Draft
from services.questions.filters.model_requests import (
    ArticleHead,
    ChunkText,
    closed_book_request,
    evidence_request,
    same_answer_request,
)
from services.questions.filters.solver import Solved, SolveTask


@dataclass(frozen=True, slots=True)
class ModelSolver:
    """Asks for the answer, from passages or, where a task has none, from memory.

    An answer is right if it equals the question's after normalisation, in any accepted spelling; else the
    same model says whether it means the same.
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
    if is_abstention(text):
        return Solved()
    return Solved(text, right=draft.kind != "null" and exact_match(text, draft.answer, draft.accepted))


def _judged(solved: Solved, outcome: ModelOutcome) -> Solved:
    if isinstance(outcome, Failure):
        return Solved(solved.answer, failure=outcome.told)
    return Solved(solved.answer, right=_member(outcome.value, "same") is True)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None
