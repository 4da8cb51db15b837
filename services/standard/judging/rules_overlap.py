"""The lenient verdict by rule: enough words of the key are there, and half a point where it is partly so."""

from services.evaluate.answers import token_f1
from services.standard.judging.answer_form import (
    MOST_LETTERS,
    decides,
    forms_with_their_numbers,
    is_denied,
    is_doubtful,
    said_form,
)
from services.standard.judging.content_words import containment
from services.standard.records import Question

LEAST_F1 = 0.5
"""From this token F1 on, an answer counts as right."""

LEAST_SHARE = 0.5
"""From this share of the key's words on, an answer counts as half right."""


def judge_by_overlap(question: Question, text: str) -> tuple[float, str]:
    """Score 1, 0.5 or 0 and a sentence that says why.

    Right is an answer that holds the key as whole words, or has a token F1 of at least `LEAST_F1` with it;
    it is half right where it doubts or holds `LEAST_SHARE` of the key's words, and wrong where it denies,
    or has another number than the key.
    """
    if len(text) > MOST_LETTERS:
        return 0.0, f"The answer has {len(text):,} letters, more than the {MOST_LETTERS:,} that are judged."
    decided = decides(text, question.answer)
    if decided:
        return 1.0, "The answer decides as the key does."
    if decided is None:
        forms = (question.answer, *question.accepted)
        form = said_form(text, forms)
        # Dates of one month share most of their words, and are different days.
        like = forms_with_their_numbers(text, forms)
        f1 = token_f1(text, like[0], like[1:]) if like else 0.0
        if form is not None:
            return _held_against_doubt(text, form, f"The answer says the key {form!r}.")
        if f1 >= LEAST_F1:
            told = f"The answer overlaps with the key {question.answer!r} (token F1 {f1:.2f})."
            return _held_against_doubt(text, question.answer, told)
        share = max((containment(one, text) for one in like), default=0.0)
        if share >= LEAST_SHARE:
            return 0.5, f"The answer holds {share:.0%} of the words of the key {question.answer!r}."
    return 0.0, f"The answer doesn't say the key {question.answer!r}."


def _held_against_doubt(text: str, form: str, told: str) -> tuple[float, str]:
    if is_denied(text, form):
        return 0.0, f"The answer denies something beside the key {form!r}."
    if is_doubtful(text, form):
        return 0.5, f"The answer leaves open whether it is {form!r}."
    return 1.0, told
