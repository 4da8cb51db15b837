"""Is it worth comparing? What is asked of the one chosen must have an answer for the other one as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.questions.composed.drafts import Outline, outlines
from services.questions.composed.facts import FactShelf
from services.questions.composed.protocol import Composed
from services.questions.draft import Check, Stop
from services.questions.filters.graph_facts import Turn, read_steps
from services.questions.predicate_key import predicate_key

COMPARISON_NEEDED = "comparison needed"


@dataclass(frozen=True, slots=True)
class ComparisonNeeded:
    """Where a question asks on from what a comparison chose, the other one leads on too, to another answer.

    Only a club has a coach: "who coaches the one of the hospital and the club that was founded earlier" is
    answered without a date. Looked at is the first hop behind the comparison. Others pass.
    """

    shelf: FactShelf
    seed: int
    name: str = COMPARISON_NEEDED

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        found = [
            outline if outline and outline.comparison and outline.tail else None
            for outline in outlines(self.shelf, questions, self.seed)
        ]
        turns = {_turn(outline) for outline in found if outline}
        steps = read_steps(self.shelf.graph, turns)
        return [self._verdict(outline, steps) for outline in found]

    def _verdict(self, outline: Outline | None, steps: Mapping[Turn, Mapping[str, frozenset[str]]]) -> Check:
        if outline is None:
            return Check(self.name, passed=True)
        ends = steps.get(_turn(outline), {}).get(predicate_key(outline.tail[0].predicate), frozenset())
        if ends - {outline.stops[1].id}:
            return Check(self.name, passed=True)
        told = f'of the two only "{outline.stops[0].name}" leads on'
        return Check(self.name, passed=False, reason=told)


def _turn(outline: Outline) -> Turn:
    """The one that was not chosen, and the direction in which the next hop is followed."""
    return _other(outline).id, outline.tail[0].reversed


def _other(outline: Outline) -> Stop:
    return next(stop for stop in outline.named if stop.id != outline.stops[0].id)
