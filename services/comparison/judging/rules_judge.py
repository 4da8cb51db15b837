"""A judge who goes by rules: no model, no network, and the same verdict on any machine.

The strict verdict by rule: an answer is the key, or says the key and names nothing else.

The lenient verdict by rule: enough words of the key are there, and half a point where it is partly so.

The words of a text that say something, and how many of a statement's another text holds.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.answer_match import (
    MOST_LETTERS,
    decides,
    forms_with_their_numbers,
    is_denied,
    is_doubtful,
    match_answer,
    said_form,
    without_rivals,
)
from services.answers import token_f1
from services.comparison.judging.measures import Item, gold_hops, judgement_of, plain_verdict, shown_steps
from services.comparison.records import GoldHop, Judgement, Question

_CONTENT_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at to for by with from into onto over under about as and or but nor so if than
        then that this these those which who whom whose what when where while how there here it its he him
        his she her they them their we us our you your i me my is are was were be been being am has have
        had having do does did done will would shall should can could may might must also both either each
        such very just only own same too again more most other some any all""",
    )
)


@lru_cache(maxsize=4_096)
def content_words(text: str) -> frozenset[str]:
    """The words of a text in small letters, without those that a sentence has for its grammar.

    Negations and numbers stay. Plain forms, no lemmas: the same text gives the same words on any machine.
    """
    return frozenset(_CONTENT_WORD.findall(_POSSESSIVE.sub("", text.casefold()))) - _EMPTY


def containment(statement: str, text: str) -> float:
    """The share of the statement's content words that stand in the text; 0 where it has none."""
    wanted = content_words(statement)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0


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
    decided = decides(text, question.answer, question.text)
    if decided:
        return 1.0, "The answer decides as the key does."
    if decided is None:
        forms = (question.answer, *question.accepted)
        text = without_rivals(text, forms)
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


def judge_exactly(question: Question, text: str) -> tuple[float, str]:
    """Score 1 or 0 and a sentence that says why; see `answers.match_answer`."""
    found = match_answer(text, question.answer, question.accepted, question.text)
    return float(found.right), found.why


@dataclass(frozen=True, slots=True)
class Rules:
    """How answers and evidence are judged.

    `verdict` gives a score with its reason. A chunk bears a hop if it is gold for it, or holds at least
    `least_containment` of the content words of a gold fact of the hop.
    """

    name: str
    verdict: Callable[[Question, str], tuple[float, str]]
    least_containment: float


RULES: Mapping[str, Rules] = {
    rules.name: rules
    for rules in (Rules("exact", judge_exactly, 0.8), Rules("overlap", judge_by_overlap, 0.6))
}


@dataclass(frozen=True, slots=True)
class RulesJudge:
    """A judge by rules; see `services.comparison.judging.measures.StandardJudge`."""

    rules: Rules

    @property
    def name(self) -> str:
        """The name of the rules."""
        return self.rules.name

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        """One judgement an item, in order; none fails."""
        return map(self.judge_one, items)

    def judge_one(self, item: Item) -> Judgement:
        """The judgement of one answer."""
        score, reason = plain_verdict(item) or self.rules.verdict(item.question, item.answer.text)
        shown = tuple(shown_steps(item.answer))
        bearers = [
            [chunk for chunk in shown if self._bears(item, chunk, golds)]
            for _, golds in gold_hops(item.question)
        ]
        return judgement_of(self.name, item, score, reason, bearers)

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        """Nothing: rules have no words of their own."""
        return iter(())

    def _bears(self, item: Item, chunk: str, golds: Sequence[GoldHop]) -> bool:
        if any(gold.chunk == chunk for gold in golds):
            return True
        found = item.chunks.get(chunk)
        if found is None:
            return False
        # The title tells whom the text speaks of where it has only a pronoun.
        text = f"{found.title}\n{found.text}"
        return any(containment(gold.claim, text) >= self.rules.least_containment for gold in golds)
