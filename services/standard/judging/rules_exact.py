"""The strict verdict by rule: an answer is the key, or says the key and names nothing else."""

from services.evaluate.answers import exact_match
from services.standard.judging.answer_form import (
    MOST_LETTERS,
    decides,
    is_denied,
    is_doubtful,
    other_names,
    said_form,
)
from services.standard.records import Question


def judge_exactly(question: Question, text: str) -> tuple[float, str]:
    """Score 1 or 0 and a sentence that says why.

    Right is an exact match after SQuAD normalisation, and an answer that holds the key as whole words
    without a doubt, a denial, or a name or number beside it that the question doesn't hold. So a whole
    sentence costs nothing. A key of yes or no is decided by the first of these words.
    """
    if len(text) > MOST_LETTERS:
        return 0.0, f"The answer has {len(text):,} letters, more than the {MOST_LETTERS:,} that are judged."
    if exact_match(text, question.answer, question.accepted):
        return 1.0, "The answer is the key."
    decided = decides(text, question.answer)
    if decided:
        return 1.0, "The answer decides as the key does."
    form = said_form(text, (question.answer, *question.accepted)) if decided is None else None
    if form is None:
        return 0.0, f"The answer doesn't say the key {question.answer!r}."
    fault = _fault(text, form, question.text)
    if fault:
        return 0.0, fault
    return 1.0, f"The answer says the key {form!r} and names nothing else."


def _fault(text: str, form: str, question: str) -> str:
    if is_denied(text, form):
        return f"The answer denies something beside the key {form!r}."
    if is_doubtful(text, form):
        return f"The answer leaves open whether it is {form!r}."
    others = other_names(text, form, question)
    return f"Beside the key {form!r} the answer names {', '.join(others[:3])}." if others else ""
