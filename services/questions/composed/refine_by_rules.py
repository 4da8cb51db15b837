"""What rules can mend of a rejected question: a name that is not clear gives way to a longer one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.questions.composed.answer_forms import known_forms
from services.questions.composed.facts import FactShelf
from services.questions.composed.protocol import Composed
from services.questions.filters.names_in_text import first_named

MENDABLE = frozenset({"stands alone"})
"""Filters whose complaint another name may answer."""


@dataclass(frozen=True, slots=True)
class RuleRefiner:
    """Names the beginning of a question by a longer name of its entity, and collects forms of answers."""

    shelf: FactShelf

    def mend(self, rejected: Sequence[Composed]) -> list[Composed | None]:
        """A question with a longer name in it, None where its fault is another or there is no such name."""
        known = self.shelf.stops(id_ for one in rejected for id_ in one.hops[0].atom.about)
        return [
            _renamed(
                one, [name for id_ in one.hops[0].atom.about if id_ in known for name in known[id_].names]
            )
            if any(check.filter in MENDABLE for check in one.checks if not check.passed)
            else None
            for one in rejected
        ]

    def alternatives(self, questions: Sequence[Composed]) -> list[tuple[str, ...]]:
        """The names of the entity that answers, and a date in the usual ways to write it."""
        known = self.shelf.stops(one.answered_by for one in questions)
        return [
            known_forms(
                one.last.answer,
                (*one.last.accepted, *(known[one.answered_by].names if one.answered_by in known else ())),
            )
            for one in questions
        ]


def _renamed(question: Composed, names: Sequence[str]) -> Composed | None:
    text = question.last.question
    used = first_named(text, names)
    if used is None or used not in text:
        return None
    longer = [name for name in names if len(name.split()) > len(used.split()) and name not in text]
    if not longer:
        return None
    best = max(longer, key=lambda name: (len(name.split()), name))
    renamed = replace(question.last, question=text.replace(used, best, 1))
    return Composed((*question.hops[:-1], renamed), question.generator)
