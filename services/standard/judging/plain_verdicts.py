"""The verdicts that need no judge: of an error, and of an answer that says it doesn't know."""

from services.evaluate.answers import is_abstention
from services.standard.judging.protocol import Item


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
