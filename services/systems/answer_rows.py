"""One answer out of a file: to which question, what was answered, and where it stands in the file."""

from dataclasses import dataclass

from kg.own_system import OwnAnswer


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An answer to the question with this id, or, where `question_id` is empty, with this text.

    `place` is "file:line" or "file".
    """

    question_id: str
    question: str
    answer: OwnAnswer
    place: str
