"""Ways through the graph along the parts of a question, and how they go on."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from services.rag.agents.graph_agent.fits import Part, best_fits, fit_of
from services.rag.agents.graph_agent.seen import Claim, Fact, Node
from services.rag.decomposition import filled

WIDTH = 3
"""So many ways are gone on with, the best ones."""

LEAST_FIT = 0.3
"""A fact that answers a part less well leads nowhere."""

_MARK = re.compile(r"#(\d)")


@dataclass(frozen=True, slots=True)
class Way:
    """A fact for each part so far; `fits` tells how well each answers its part, `texts` the part as it was
    asked, with earlier answers in it."""

    facts: tuple[Fact, ...] = ()
    fits: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def weakest(self) -> float:
        """The worst fit; 1 where nothing was walked."""
        return min(self.fits, default=1.0)

    @property
    def worth(self) -> float:
        """The product of its fits: the better of two ways of the same length has more."""
        worth = 1.0
        for fit in self.fits:
            worth *= fit
        return worth

    def asks(self, part: str) -> str:
        """A part with the answers of this way in it."""
        return filled(part, self.texts, [fact.end.name for fact in self.facts])

    def starts(self, part: str) -> tuple[Node, ...]:
        """What this way has found that a part speaks of by its number."""
        numbers = [int(mark) for mark in _MARK.findall(part)]
        found = (self.facts[number - 1].end for number in numbers if 0 < number <= len(self.facts))
        return tuple(dict.fromkeys(found))


def speaks_of_answers(part: str) -> bool:
    """Whether a part has the number of an earlier one in it."""
    return _MARK.search(part) is not None


def go_on(
    ways: Sequence[Way], part: str, starts: Mapping[Node, Iterable[str]], facts: Sequence[Fact]
) -> list[Way]:
    """The ways that facts make longer by a part, best first, each end once; at most `WIDTH`.

    `starts` are the entities that were expanded besides those of the ways, with the names that stand for
    each in the part.
    """
    longer: list[Way] = []
    for way in ways:
        text, own = way.asks(part), way.starts(part)
        walked = {fact.end.id for fact in way.facts} | {fact.start.id for fact in way.facts}
        for fact in facts:
            named = tuple(starts.get(fact.start, ())) or ((fact.start.name,) if fact.start in own else ())
            if not named or fact.end.id in walked or fact.end in starts or fact.end.name in text:
                continue
            fit = fit_of(Part(text, named), fact)
            longer.append(Way((*way.facts, fact), (*way.fits, fit), (*way.texts, text)))
    return _widest(longer)


def read_again(
    ways: Sequence[Way], claims: Mapping[str, Claim], starts: Mapping[Node, Iterable[str]]
) -> list[Way]:
    """The ways with the fit of their last fact judged by its claim as well; without those not shown."""
    judged = []
    for way in ways:
        fact, text = way.facts[-1], way.texts[-1]
        claim = claims.get(fact.claim)
        if claim is not None:
            named = tuple(starts.get(fact.start, ())) or (fact.start.name,)
            judged.append(replace(way, fits=(*way.fits[:-1], fit_of(Part(text, named), fact, claim))))
    return _widest(judged)


def _widest(ways: Sequence[Way]) -> list[Way]:
    """The best ways, of those that end at the same entity the best."""
    worth = [way.worth if way.fits[-1] >= LEAST_FIT else 0.0 for way in ways]
    best: dict[str, Way] = {}
    for at in best_fits(worth, LEAST_FIT ** max((len(way.fits) for way in ways), default=0)):
        best.setdefault(ways[at].facts[-1].end.id, ways[at])
    return list(best.values())[:WIDTH]
