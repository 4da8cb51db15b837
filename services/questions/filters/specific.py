"""Is the answer something that can be named, and can the chain go on from what comes before it?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg.store.graph import Graph
from services.questions.draft import Draft, Stop
from services.questions.filters.name_use import no_name, read_small_names
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.vague_words import vague_part

MOST_WORDS = 12
"""A longer answer is a clause and no name."""

_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*(?:%|percent|per cent|million|billion|trillion)?", re.IGNORECASE)
_NO_ENTITY = frozenset({"YES_NO", "ORDER", "NONE"})


@dataclass(frozen=True, slots=True)
class AnswerSpecific:
    """The answer is a name, a date or a number, and what a chain goes through is neither date nor number.

    A common noun is told by its type, by missing capitals, by closed lists of words that many things share,
    and by the corpus writing the same words small elsewhere. Answers by a word ("yes", "before") pass.
    """

    graph: Graph
    corpus: str
    name: str = "answer specific"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        answers = [_answer(draft) for draft in drafts]
        names = (stop.name for stop in answers if stop is not None)
        small = read_small_names(self.graph, self.corpus, names)
        return [_verdict(draft, stop, small) for draft, stop in zip(drafts, answers, strict=True)]


def _verdict(draft: Draft, stop: Stop | None, small: frozenset[str]) -> Verdict:
    if draft.answer_type in _NO_ENTITY:
        return PASS
    reason = _of_middles(draft) or _of_answer(draft, stop, small)
    return fail(reason) if reason else PASS


def _of_middles(draft: Draft) -> str:
    for between in draft.stops[1:-1] if draft.kind == "chain" else ():
        if between.type in {"DATE", "NUMBER"} or _NUMBER.fullmatch(between.name):
            return f'the chain goes on from "{between.name}", which is a bare number or a date'
    return ""


def _of_answer(draft: Draft, stop: Stop | None, small: frozenset[str]) -> str:
    answer = draft.answer
    if not answer.strip():
        return "there is no answer"
    if len(answer.split()) > MOST_WORDS:
        return f'"{answer[:60]}" is a clause and no name'
    if draft.answer_type in {"DATE", "NUMBER"}:
        return ""
    if vague := vague_part(answer):
        return f'of "{answer}", {vague}'
    reason = no_name(stop, small) if stop is not None else ""
    return f'"{answer}" is not specific: {reason}' if reason else ""


def _answer(draft: Draft) -> Stop | None:
    """The answer's entity, where the answer is one that must be a name."""
    if draft.answer_type in _NO_ENTITY or draft.answer_type in {"DATE", "NUMBER"}:
        return None
    return next((stop for stop in draft.stops if stop.id == draft.answered_by), None)
