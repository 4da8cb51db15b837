"""What every judge of the standard is given, and what he owes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.standard.records import Answer, Chunk, Judgement, Question


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
    """A judge; see `services.standard.judging.choose.open_judge`."""

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
