"""No question set rests on one fact: how often a depth may come back to the same fact, entity or article.

A wrong fact that many questions share makes them all wrong, and a system that happens to know one article
would look good or bad on its account. So among the kept questions of a depth no more than a twentieth of the
wanted number may state the same fact, a tenth have the same entity at an end or on the way, and a fifth have
evidence in the same article. A set that stays far behind what was wanted would still be carried by one fact,
so no more than a fifth, a third and a half of what is kept so far may, either; the first few always may.
Chains of three hops and more that differ only in where they start count as one question, and so do those
that ask the same facts from either end. The same shares hold for each kind that follows no path;
descriptions of one entity that differ in one fact count as one question.

Where a model is paid for every path, those that promise least wait until the others are used up: with a fact
at which another question fell (answered without it, or nothing that can be asked), or with what was asked
about often enough. Those with a fact at which several fell, and on which no question rests, are given up;
so are those that join two articles at a name of which the writer found that it means two things there. And no
wave of paths stakes more than a few requests on the same fact or join before one question rests on it, nor
more on a fact, entity or article than could still be kept.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import ceil
from typing import Literal

from services.questions.draft import Check, Draft, Fact, Made, QuestionKind

VARIETY = "variety"
"""What a question falls at whose facts, entities or articles were asked about often enough."""

ABOUT_VARIETY = "its facts, entities and articles are not asked about too often already"

Part = Literal["fact", "entity", "article", "tail", "facts", "description"]
Group = tuple[QuestionKind, int]
"""A depth of chains, or another kind with 0."""

_SHARES: dict[Part, int] = {"fact": 20, "entity": 10, "article": 5}
_SHARES_SO_FAR: dict[Part, int] = {"fact": 5, "entity": 3, "article": 2}
_LEAST: dict[Part, int] = {"fact": 3, "entity": 5, "article": 20}
_SHORTEST_WITH_TAIL = 3
GIVEN_UP_FROM = 3
"""A fact at which so many questions fell, and on which none rests, isn't asked about again.

A name that doesn't join so many pairs of articles joins none.
"""
_MOST_A_WAVE = {"fact": 2, "join": 1}
"""How many paths of a wave may have the same fact, or the same join, on which no question rests yet."""

Join = tuple[str, frozenset[str]]
"""An entity (id) at which two facts meet, and their two articles, or their claims where it is one article."""


class Variety:
    """Counts what the kept questions of each depth, or other kind, are about, for a set of `target` each."""

    def __init__(self, target: int) -> None:
        self._most: dict[Part, int] = {
            part: max(_LEAST[part], ceil(target / share)) for part, share in _SHARES.items()
        }
        self._used: Counter[tuple[Group, Part, str]] = Counter()
        self._kept: Counter[Group] = Counter()
        self._fell: Counter[str] = Counter()
        self._carrying: set[str | Join] = set()
        self._apart: set[Join] = set()
        self._staked: Counter[str | Join] = Counter()
        self._asking: Counter[tuple[Group, Part, str]] = Counter()

    def check(self, draft: Draft) -> Check:
        """Whether the draft may be kept; of what it is about, nothing is counted yet."""
        group = _group(draft)
        for part, name in _parts(draft):
            if (used := self._used[group, part, name]) >= self._room(group, part):
                return Check(VARIETY, passed=False, reason=_reason(part, name, used))
        return Check(VARIETY, passed=True)

    def _room(self, group: Group, part: Part) -> int:
        """How many questions of a depth or kind may be about the same thing, by how many are kept so far."""
        if part not in _SHARES:
            return 1
        return min(self._most[part], max(_LEAST[part], ceil(self._kept[group] / _SHARES_SO_FAR[part])))

    def promises(self, draft: Draft) -> bool:
        """Whether the draft may be kept and no question fell at one of its facts."""
        return self.check(draft).passed and not any(self._fell[_stated(fact)] for fact in draft.facts)

    def is_given_up(self, draft: Draft) -> bool:
        """Whether it has a fact at which several questions fell and on which none rests, or a false join."""
        facts = {_stated(fact) for fact in draft.facts} - self._carrying
        if any(self._fell[fact] >= GIVEN_UP_FROM for fact in facts):
            return True
        times = Counter(entity for entity, _ in self._apart)
        joins = set(_joins(draft)) - self._carrying
        return any(join in self._apart or times[join[0]] >= GIVEN_UP_FROM for join in joins)

    def begin_wave(self) -> None:
        """Nothing is staked on any fact or join yet: what fell in the last wave is known."""
        self._staked.clear()
        self._asking.clear()

    def stake(self, draft: Draft) -> bool:
        """Count a path that passes `check` for this wave; False, and nothing counted, if there are enough.

        One that doesn't pass would wait for ever.
        """
        parts = [(_group(draft), part, name) for part, name in _parts(draft)]
        if any(self._used[about] + self._asking[about] >= self._room(*about[:2]) for about in parts):
            return False
        facts = Counter[str | Join](dict.fromkeys(map(_stated, draft.facts), _MOST_A_WAVE["fact"]))
        most = facts | Counter[str | Join](dict.fromkeys(_joins(draft), _MOST_A_WAVE["join"]))
        open_ = most.keys() - self._carrying
        if any(self._staked[one] >= most[one] for one in open_):
            return False
        self._staked.update(open_)
        self._asking.update(parts)
        return True

    def add_fallen(self, one: Made) -> None:
        """Note the fact, or the join of two facts, at which a draft fell, if it was one."""
        failed, facts = one.failed, one.draft.facts
        if failed is None or not failed.hop:
            return
        if failed.at_join:
            self._apart.add(list(_joins(one.draft))[failed.hop - 2])
        else:
            self._fell.update(_stated(fact) for fact in facts if fact.index == failed.hop)

    def add(self, draft: Draft) -> None:
        """Count what a kept draft is about."""
        group = _group(draft)
        self._used.update((group, part, name) for part, name in _parts(draft))
        self._kept[group] += 1
        self._carrying.update(map(_stated, draft.facts))
        self._carrying.update(_joins(draft))


def _joins(draft: Draft) -> Iterator[Join]:
    """Where each fact of a chain meets the one before it, in its order."""
    for before, fact in pairwise(draft.facts if draft.kind == "chain" else ()):
        between = frozenset((before.article, fact.article))
        entity = draft.stops[before.index].id
        yield entity, between if len(between) > 1 else frozenset((before.claim, fact.claim))


def _group(draft: Draft) -> Group:
    return draft.kind, draft.hops if draft.kind == "chain" else 0


def _parts(draft: Draft) -> Iterator[tuple[Part, str]]:
    """What a question is about, each part once: those that no other may have, facts, entities, articles."""
    facts = [_stated(fact) for fact in draft.facts]
    if draft.kind == "chain" and len(facts) >= _SHORTEST_WITH_TAIL:
        yield "tail", "; ".join(facts[1:])
    if draft.kind == "chain" and len(facts) > 1:
        yield "facts", "; ".join(sorted(facts))
    if draft.kind == "bridge entity":
        yield from (("description", one) for one in _descriptions(draft.answer, sorted(facts)))
    for fact in dict.fromkeys(facts):
        yield "fact", fact
    for name in dict.fromkeys(stop.name for stop in draft.stops):
        yield "entity", name
    for article in dict.fromkeys(fact.article for fact in draft.facts):
        yield "article", article


def _descriptions(entity: str, facts: Sequence[str]) -> Iterator[str]:
    """An entity by all of its facts and by all but one: descriptions that are near have one of these."""
    for some in (facts, *combinations(facts, len(facts) - 1)):
        yield f"{entity}: {'; '.join(some)}"


def _stated(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object}"


def _reason(part: Part, name: str, used: int) -> str:
    if part == "tail":
        return f"differs from another question only in where it starts: {name}"
    if part == "facts":
        return f"another question rests on the same facts: {name}"
    if part == "description":
        return f"differs from another question in one fact: {name}"
    return f"{used} questions of this depth or kind have the same {part} already: {name}"
