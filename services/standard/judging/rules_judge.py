"""A judge who goes by rules: no model, no network, and the same verdict on any machine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.standard.judging.content_words import containment
from services.standard.judging.justify import judgement_of
from services.standard.judging.measures import gold_hops, shown_steps
from services.standard.judging.plain_verdicts import plain_verdict
from services.standard.judging.protocol import Item
from services.standard.judging.rules_exact import judge_exactly
from services.standard.judging.rules_overlap import judge_by_overlap
from services.standard.records import GoldHop, Judgement, Question


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
    """A judge by rules; see `services.standard.judging.protocol.StandardJudge`."""

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
