"""A solver tries to answer a question from given chunks and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.questions.draft import Draft

NOT_CHECKED = "not checked: "
"""How the reason begins where a model gave no verdict, so that such a question can be tried again."""


@dataclass(frozen=True, slots=True)
class SolveTask:
    """A question, and the ids of the chunks that the solver may read."""

    draft: Draft
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Solved:
    """What a solver made of a task.

    `answer` is empty where it abstains; `right` tells whether it is the question's answer. `failure` says why
    nothing is known of it, as "time-out: ...".
    """

    answer: str = ""
    right: bool = False
    failure: str = ""


class Solver(Protocol):
    """Answers questions from chunks, or abstains."""

    @property
    def name(self) -> str:
        """What made the answers: rules, or the model's name."""
        ...

    def solve(self, tasks: Sequence[SolveTask]) -> list[Solved]:
        """One outcome a task, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...
