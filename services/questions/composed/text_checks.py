"""What the text of a composed question shows by itself: answers given away, and parts merely put together.

AgenticRAGTracer, section 3.3, "structural integrity filtering". Questions by rules have filters that know
their facts; these are for questions whose words are a model's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.resolve.normal_form import normal_form
from services.questions.composed.protocol import Composed
from services.questions.composed.solved_drafts import composed_draft
from services.questions.draft import Check
from services.questions.filters.joining import NOT_CONCATENATED
from services.questions.filters.names_in_text import first_named


@dataclass(frozen=True, slots=True)
class NothingGivenAway:
    """The answer of none of its atomic questions stands in the question.

    What a comparison chooses from may: that is the answer of no atomic question.
    """

    name: str = "answer hidden"

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        return [self._verdict(one) for one in questions]

    def _verdict(self, question: Composed) -> Check:
        text = question.last.question
        given = next(filter(None, (first_named(text, names) for names in _to_find(question))), None)
        return Check(
            self.name, given is None, f'"{given}" stands in it, which is to be found' if given else ""
        )


def _to_find(question: Composed) -> Iterator[tuple[str, ...]]:
    """The forms of every answer that the question must not name."""
    for hop in question.hops:
        yield hop.atom.accepted or (hop.atom.answer,)


@dataclass(frozen=True, slots=True)
class NotPutTogether:
    """It holds none of its atomic questions word for word, is longer than each, and asks once."""

    name: str = "not concatenated"

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        return [self._verdict(one) for one in questions]

    def _verdict(self, question: Composed) -> Check:
        reason = _held_whole(question) or NOT_CONCATENATED.rule(composed_draft(question)).reason
        return Check(self.name, not reason, reason)


def _held_whole(question: Composed) -> str:
    form = f" {normal_form(question.last.question)} "
    for hop in question.hops:
        if f" {normal_form(hop.atom.question)} " in form:
            return f"the question of hop {hop.number} stands in it as it is"
    if question.last.topology == "inference":
        shorter = max((len(hop.question.split()) for hop in question.hops[:-1]), default=0)
        if len(question.last.question.split()) <= shorter:
            return "it is no longer than the question that it goes on from"
    return ""
