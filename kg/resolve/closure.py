"""What bonds make of names: groups that hang together, strongest evidence first, and no unlike things in one.

Bonds are transitive, so two right ones can chain a town to a person, or Ana Brel to Otto Brel through
"Brel". Names are therefore joined one bond after the other, the strongest first, and a bond that would join
unlike things is refused and reported. What is refused is thus always the weakest evidence on the way.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from kg.model import LITERAL_TYPES
from kg.resolve.bonds import BY_HAND, Bond, Pool, SplitGroup
from kg.resolve.name_pool import Marks, PooledName, conflict_among, family
from kg.resolve.people import are_alike, person_words

DOMINANT_SHARE = 0.9
STATED = "article says"
"""Evidence that begins so is a sentence that says of two names that they are one thing's."""


@dataclass(slots=True)
class _Part:
    """Names that are one by now, and all that must agree with what joins them."""

    names: list[str]
    families: Counter[str]
    literal: str
    full_names: set[str]
    marks: list[Marks]
    apart: set[str] = field(default_factory=set)


def closed_groups(
    pool: Pool, bonds: Sequence[Bond], apart: Collection[tuple[str, str]] = ()
) -> tuple[list[tuple[str, ...]], list[SplitGroup]]:
    """The groups that `bonds` make, in the order of their names, and the groups that were not made.

    `apart` are pairs of names that end in different groups whatever the bonds say. A bond by hand is stopped
    by nothing else.
    """
    closure = _Closure(pool, apart)
    for bond in sorted(bonds, key=lambda one: (one.evidence != BY_HAND, -one.score, one.names, one.evidence)):
        closure.join(bond)
    return closure.groups(), closure.splits()


class _Closure:
    """A disjoint-set forest whose unions can be refused."""

    def __init__(self, pool: Pool, apart: Collection[tuple[str, str]]) -> None:
        self._pool = pool
        self._part = {name: _part_of(entry) for name, entry in pool.items()}
        self._refused: list[tuple[tuple[str, ...], str]] = []
        for one, other in apart:
            if one in self._part and other in self._part:
                self._part[one].apart.add(other)
                self._part[other].apart.add(one)

    def join(self, bond: Bond) -> None:
        """Unite the parts that hold the bond's names, as far as they agree."""
        parts = _distinct(self._part[name] for name in bond.names if name in self._part)
        if len(parts) < 2:
            return
        by_hand = bond.evidence == BY_HAND
        blocks = [parts] if by_hand or _is_stated_of_a_lone_name(bond, parts) else _by_family(parts)
        if len(blocks) > 1:
            self._refused.append((bond.names, "types that can't be one thing"))
        for block in blocks:
            united: list[_Part] = []
            for part in block:
                self._place(part, united, bond, by_hand)

    def _place(self, part: _Part, united: list[_Part], bond: Bond, by_hand: bool) -> None:
        """Unite a part with the first of `united` that it agrees with, else add it to them."""
        reasons = []
        for place, other in enumerate(united):
            reason = self._reason_against(other, part, bond, by_hand)
            if not reason:
                united[place] = self._unite(other, part)
                return
            reasons.append(reason)
        if reasons:
            self._refused.append((bond.names, reasons[0]))
        united.append(part)

    def _reason_against(self, one: _Part, other: _Part, bond: Bond, by_hand: bool) -> str:
        small, large = sorted((one, other), key=lambda part: len(part.apart))
        if any(self._part[name] is large for name in small.apart) or any(
            self._part[name] is small for name in large.apart
        ):
            return "kept apart by hand"
        if by_hand:
            return ""
        if axis := conflict_among(one.marks, other.marks):
            return f"conflicting {axis}"
        if one.full_names and other.full_names and not bond.evidence.startswith(STATED):
            alike = any(are_alike(mine, theirs) for mine in one.full_names for theirs in other.full_names)
            if not alike and not self._joins_full_names(bond, one, other):
                return "full names of two people"
        return ""

    def _joins_full_names(self, bond: Bond, one: _Part, other: _Part) -> bool:
        """Whether the bond itself is between two full names: then its evidence says that they are one's."""
        keys = {self._pool[name].key for name in bond.names if name in self._pool}
        return len(bond.names) == 2 and bool(keys & one.full_names) and bool(keys & other.full_names)

    def _unite(self, one: _Part, other: _Part) -> _Part:
        large, small = (one, other) if len(one.names) >= len(other.names) else (other, one)
        for name in small.names:
            self._part[name] = large
        large.names += small.names
        large.families += small.families
        large.literal = large.literal or small.literal
        large.full_names |= small.full_names
        large.marks += [found for found in small.marks if found not in large.marks]
        large.apart |= small.apart
        return large

    def groups(self) -> list[tuple[str, ...]]:
        """All groups, each in the order of its names."""
        return [tuple(sorted(part.names)) for part in _distinct(self._part[name] for name in self._pool)]

    def splits(self) -> list[SplitGroup]:
        """What was refused, unless another bond joined it after all; each set of groups once."""
        found: dict[tuple[tuple[str, ...], ...], SplitGroup] = {}
        for names, reason in self._refused:
            parts = _distinct(self._part[name] for name in names if name in self._part)
            pieces = tuple(sorted(tuple(sorted(part.names)) for part in parts))
            if len(pieces) > 1 and pieces not in found:
                whole = tuple(sorted(name for piece in pieces for name in piece))
                found[pieces] = SplitGroup(whole, pieces, reason)
        return [found[pieces] for pieces in sorted(found)]


def _part_of(entry: PooledName) -> _Part:
    literal = entry.type if entry.type in LITERAL_TYPES else ""
    full = {entry.key} if entry.type == "PERSON" and len(person_words(entry.key)) > 1 else set()
    return _Part(
        [entry.name],
        Counter({family(entry.type): entry.count}),
        literal,
        full,
        [entry.marks] if entry.marks else [],
    )


def _distinct(parts: Iterable[_Part]) -> list[_Part]:
    return list({id(part): part for part in parts}.values())


def _by_family(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Parts by family; vague ones go with a family that clearly dominates, else stay by themselves."""
    members: defaultdict[str, list[_Part]] = defaultdict(list)
    mentions: Counter[str] = Counter()
    for part in parts:
        kind = part.literal or _family(part)
        members[kind].append(part)
        mentions[kind] += part.families.total()
    vague = members.pop("", [])
    del mentions[""]
    if not members:
        return [vague]
    largest, count = min(mentions.items(), key=lambda item: (-item[1], item[0]))
    if largest not in LITERAL_TYPES and count >= DOMINANT_SHARE * mentions.total():
        members[largest] += vague
        vague = []
    return [*members.values(), *([vague] if vague else [])]


def _family(part: _Part) -> str:
    """The family that most mentions of a part have, "" where all are vague."""
    counts = {kind: count for kind, count in part.families.items() if kind}
    return min(counts, key=lambda kind: (-counts[kind], kind)) if counts else ""


def _is_stated_of_a_lone_name(bond: Bond, parts: Sequence[_Part]) -> bool:
    """Whether a sentence says that a name which hangs on nothing else is another's.

    That tells more than the type which a recogniser guessed for a name that it saw a few times.
    """
    stated = bond.evidence.startswith(STATED) and not any(part.literal for part in parts)
    return stated and min(len(part.names) for part in parts) == 1
