"""What every judge of the standard is given, and what he owes.

The verdicts that need no judge: of an error, and of an answer that says it doesn't know.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.answers import is_abstention
from services.comparison.records import Answer, Chunk, Judgement, Question


@dataclass(frozen=True, slots=True)
class Item:
    """An answer to be judged; `chunks` holds at least those that were shown, by id.

    Equal items get equal verdicts from a model that is asked once; with another `trial` it is asked again.
    """

    system: str
    question: Question
    answer: Answer
    chunks: Mapping[str, Chunk]
    trial: int = 0


class StandardJudge(Protocol):
    """A judge; see `services.comparison.judging.model_judge.open_judge`."""

    @property
    def name(self) -> str:
        """The name that the protocol calls him by."""
        ...

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        """One judgement an item, in order, as they come; one that failed says why.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`;
                what was yielded before is good.
        """
        ...

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        """Each answer in the judge's own words, in order, "" where he gave none; nothing from rules.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `judge`.
        """
        ...


def plain_verdict(item: Item) -> tuple[float, str] | None:
    """The score of an answer and its reason where nobody has to weigh them, else None.

    An error counts as wrong. An abstention is right where the question can't be answered, else wrong.
    """
    answer, question = item.answer, item.question
    if answer.error:
        return 0.0, f"The system failed: {' '.join(answer.error.split())}"
    if not answer.abstained:
        return None
    if is_abstention(question.answer):
        return 1.0, "The system abstained, and the question can't be answered."
    return 0.0, "The system abstained, and the question has an answer."
