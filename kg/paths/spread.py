"""The paths of one depth, taken so that no entity and no fact fills them.

Pairs come in the order of their priority. Paths are taken up a ladder of sizes, 4, 8, 20, 40, ... 400, and so
on: up to each size a pair is passed over while its start, its end, an entity inside its path or a fact of it
stands in as many of the paths as the limits for that size allow. A larger draw goes up the same ladder, so it
begins with what a smaller one takes, and every beginning of a draw is spread as well.

Paths are taken in grades (`kg.paths.quality`), those of few faults first. Of the first pairs of the order
the worse ones wait as long as limits can be kept without them. Each grade begins at the strictest limits, so
that a graph whose paths are all alike is drawn as if there were no grades.

Where the pairs are used up before a size is reached, its limits grow by half, step by step, first that of
facts, then of entities inside, then of starts and ends, and pairs passed over are looked at again. A start or
an end comes to stand in more than a quarter only when nothing else is left, starts before ends. So a graph
that has the pairs fills its draw, spread as far as it allows.

A fair, seeded sample of pairs that depends on neither their order nor the engine that finds them.

Every pair has a pseudo-random priority, a hash over the seed and the labels of its two entities; those with
the smallest are drawn (bottom-k). So each pair is as likely as any other, a larger draw goes on from a
smaller one, and memory is that of the draw, not that of the pairs.
"""

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.paths.choose import NO_CLASHES, Choice, Fitness, Misfit, choose
from kg.paths.protocol import Ints, Pair, PathEngine, Reach
from kg.paths.quality import GRADES, CorpusNames, Quality, SeveralEnds

Keys = NDArray[np.uint64]

_DRAWS_KEPT = 4
"""Times its size that a draw may hold before it is cut back."""


def seeded_number(seed: int, *parts: str) -> int:
    """A pseudo-random 128-bit number; the same for the same seed and parts, always."""
    text = "\x1f".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


def entity_keys(seed: int, labels: Iterable[str]) -> Keys:
    """A 64-bit key for each entity, by the seed and what it is called whatever the corpus."""
    salt = str(seed).encode()
    digests = (
        hashlib.blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8, key=salt).digest()
        for label in labels
    )
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)


def pair_priorities(keys: Keys, starts: Ints, ends: Ints) -> Keys:
    """The priority of each pair; a direction is a pair of its own.

    The mixing is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014), over the start, then over both.
    """
    return _mix(_mix(keys)[starts] + keys[ends])


def in_seeded_order(keys: Keys, entities: Ints) -> Ints:
    """The entities in an order that depends on their keys alone."""
    return entities[np.lexsort((entities, _mix(keys[entities])))]


DrawnPart = tuple[Keys, Ints, Ints]
"""Priority, start and end of pairs, side by side."""


class DrawBounds(NamedTuple):
    """How many pairs are drawn, and between which priorities: above the first, up to the second."""

    size: int
    above: np.uint64 | None
    below: np.uint64


class PairDraw:
    """The `size` pairs of smallest priority above a bound among all that are offered."""

    def __init__(self, size: int, keys: Keys, above: int | None = None) -> None:
        """`above` is the priority of the last pair of an earlier draw that this one goes on from."""
        self._size = size
        self._keys = keys
        self._of_start = _mix(keys)
        self._above = None if above is None else np.uint64(above)
        self._below = np.uint64(2**64 - 1)
        self._held: list[DrawnPart] = []
        self._count = 0

    @property
    def bounds(self) -> "DrawBounds":
        """Which pairs may be among those drawn, as far as is known by now."""
        return DrawBounds(self._size, self._above, self._below)

    def part(self, bounds: "DrawBounds") -> "PairDraw":
        """An empty draw with the same keys, for a part of the pairs that are within these bounds."""
        part = copy(self)
        part._size, part._above, part._below = bounds
        part._held, part._count = [], 0
        return part

    def take_part(self, part: "DrawnPart") -> None:
        """Put the pairs into the draw that a draw from other pairs held."""
        self._held.append(part)
        self._count += len(part[0])
        if self._count > _DRAWS_KEPT * self._size:
            self._cut()

    def columns(self) -> "DrawnPart":
        """The pairs that were drawn, by priority, as columns: priority, start, end."""
        self._cut()
        empty = np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.int32)
        return self._held[0] if self._held else empty

    def offer(self, reach: Reach) -> None:
        """Put the pairs of some sources into the draw; each pair once."""
        lengths = np.diff(reach.offsets)
        priorities = _mix(np.repeat(self._of_start[reach.sources], lengths) + self._keys[reach.ends])
        wanted = priorities <= self._below
        if self._above is not None:
            wanted &= priorities > self._above
        found = np.flatnonzero(wanted)
        rows = np.searchsorted(reach.offsets, found, side="right") - 1
        self._held.append((priorities[found], reach.sources[rows], reach.ends[found]))
        self._count += len(found)
        if self._count > _DRAWS_KEPT * self._size:
            self._cut()

    def rows(self) -> list[tuple[int, int, int]]:
        """The pairs that were drawn, by priority: priority, start, end."""
        return list(zip(*(column.tolist() for column in self.columns()), strict=True))

    def _cut(self) -> None:
        if not self._held:
            return
        priorities, starts, ends = (np.concatenate(column) for column in zip(*self._held, strict=True))
        if len(priorities) > self._size:
            small = priorities <= np.partition(priorities, self._size - 1)[self._size - 1]
            priorities, starts, ends = priorities[small], starts[small], ends[small]
        order = np.lexsort((ends, starts, priorities))[: self._size]
        self._held = [(priorities[order], starts[order], ends[order])]
        self._count = len(order)
        if len(order) == self._size:
            self._below = priorities[order[-1]]


def _mix(numbers: Keys) -> Keys:
    mixed = numbers ^ (numbers >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


ENDS_OF = 20
"""A start, an end or a fact stands in one of so many paths at most, as long as the limits hold."""
MIDDLES_OF = 10
"""The same for an entity inside."""
BETTER_TAKES = 2
"""How many times the strictest limits a good path may take before a worse one is taken instead."""
QUARTER = 4
"""A start or an end stands in one of so many at most, as long as there are other pairs."""
POOL, POOL_A_PATH, POOL_GROWTH = 4_000, 20, 10
"""Pairs that a size is chosen from: so many, and so many for each path; how many times more if few fit."""
GRADED, GRADED_A_PATH = 1_000, 10
"""Pairs among which the better ones are looked for: so many, and so many for each path. Their paths may all
have to be found, which is what a grade costs in a large graph."""
LEAST_A_ROUND = 64
"""Pairs whose paths are asked for at once, at least."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How often an entity may be start, end, or inside a path of one depth, however many; 0: any number."""

    start: int = 0
    end: int = 0
    middle: int = 0


class Limits(NamedTuple):
    """How many paths a start, an end, an entity inside and a fact may stand in."""

    start: int
    end: int
    middle: int
    fact: int


@dataclass(frozen=True, slots=True)
class SampledPair:
    """A pair that was drawn, with its representative."""

    pair: Pair
    choice: Choice


@dataclass(frozen=True, slots=True)
class DrawRules:
    """What a sample is drawn by.

    `names` is what is known of the names of the corpus. `graded` draws no circles and no
    path that leaves nothing to ask about, and prefers those that a good question can be made of.
    """

    seed: int = 0
    caps: Caps = field(default_factory=Caps)
    fitness: Fitness = field(default_factory=Fitness)
    names: CorpusNames = field(default_factory=CorpusNames)
    graded: bool = False


def ladder() -> Iterator[int]:
    """The sizes: 4, 8, 20, 40 to 160 by twenties, to 320 by forties, to 640 by eighties, and so on."""
    yield from (4, 8)
    size = step = ENDS_OF
    while True:
        yield size
        if size == 8 * step:
            step *= 2
        size += step


def limits_for(size: int, caps: Caps) -> Iterator[Limits]:
    """The limits up to a size, at first the strictest, then looser step by step; no cap is exceeded."""
    least, quarter = max(1, min(2, size // QUARTER)), max(1, size // QUARTER)
    ends, middles = max(least, size // ENDS_OF), max(least, size // MIDDLES_OF)
    facts = ends
    steps = [Limits(ends, ends, middles, facts)]
    while facts < size or middles < size or ends < quarter:
        facts = _looser(facts, size)
        steps.append(Limits(ends, ends, middles, facts))
        middles = _looser(middles, size)
        steps.append(Limits(ends, ends, middles, facts))
        ends = _looser(ends, quarter)
        steps.append(Limits(ends, ends, middles, facts))
    starts = ends
    while starts < size:
        starts = _looser(starts, size)
        steps.append(Limits(starts, ends, size, size))
    while ends < size:
        ends = _looser(ends, size)
        steps.append(Limits(size, ends, size, size))
    yield from dict.fromkeys(
        Limits(_least(start, caps.start), _least(end, caps.end), _least(middle, caps.middle), fact)
        for start, end, middle, fact in steps
    )


def strict_limits(size: int, caps: Caps) -> Iterator[Limits]:
    """The limits up to which a better path is taken before a worse one: at most twice the strictest."""
    first: Limits | None = None
    for limits in limits_for(size, caps):
        first = first or limits
        if any(now > BETTER_TAKES * then for now, then in zip(limits, first, strict=True)):
            return
        yield limits


def _looser(limit: int, most: int) -> int:
    """Half as much again, up to `most`."""
    return min(limit + max(1, limit // 2), most)


def pool_for(size: int) -> int:
    """How many pairs a size is chosen from at first."""
    return POOL + POOL_A_PATH * size


class PairLooks:
    """What was found of pairs, each looked at once: a representative with what is wrong with it, or none."""

    def __init__(self, engine: PathEngine, rules: DrawRules, context_names: Collection[int]) -> None:
        """`context_names` are those of the rules by their numbers in the engine."""
        self.rules = rules
        self._engine = engine
        self._context_names = context_names
        self._quality = Quality(engine, rules.names) if rules.graded else None
        self._known: dict[Pair, tuple[Choice | Misfit, int]] = {}

    def of(self, pairs: Sequence[Pair]) -> list[tuple[Choice | Misfit, int]]:
        """The representative of each pair with its grade, or why it has none."""
        self._look_at([pair for pair in pairs if pair not in self._known])
        return [self._known[pair] for pair in pairs]

    def of_ends(self, pair: Pair) -> int:
        """What is wrong with a pair before any path of it is known."""
        return self._quality.of_ends(pair.start, pair.end) if self._quality is not None else 0

    def _look_at(self, pairs: Sequence[Pair]) -> None:
        rules, labels, quality = self.rules, self._engine.labels, self._quality
        webs = self._engine.webs(pairs)
        several = quality.several_ends(webs) if quality else SeveralEnds()
        is_poor = (lambda arc: quality.of_arc(arc, several) > 0) if quality else None
        for pair, web in zip(pairs, webs, strict=True):
            number = seeded_number(rules.seed, labels[pair.start], labels[pair.end])
            clashes = quality.clashes(web) if quality else NO_CLASHES
            askable = quality.askable(web) if quality else None
            outcome = choose(web, rules.fitness, number, self._context_names, is_poor, clashes, askable)
            grade = 0
            if quality is not None and not isinstance(outcome, str):
                grade = quality.of_path(outcome.arcs, web, several)
            self._known[pair] = outcome, grade


class DepthDraw:
    """The paths of one depth: offered pairs in the order of priority, it takes those that spread."""

    def __init__(self, looks: PairLooks, per_depth: int) -> None:
        self._looks = looks
        self._per_depth = per_depth
        self._rules = looks.rules
        self._grades: dict[int, int] = {}
        self._ladder = ladder()
        self._size = next(self._ladder)
        self._pool = pool_for(self._size)
        self._pairs: list[Pair] = []
        self._waiting: list[int] = []
        self._outcomes: dict[int, Choice | Misfit] = {}
        self._last = -1
        self._starts, self._ends, self._middles = Counter[int](), Counter[int](), Counter[int]()
        self._facts = Counter[object]()
        self.taken: list[SampledPair] = []
        self.misfits: Counter[Misfit] = Counter()

    @property
    def full(self) -> bool:
        """Whether there are as many paths as wanted."""
        return len(self.taken) >= self._per_depth

    @property
    def over_caps(self) -> int:
        """Pairs that were passed over for others on the way, or because of the caps."""
        return sum(index < self._last or not self.full for index in self._waiting)

    def take(self, pairs: Sequence[Pair], complete: bool) -> None:
        """Go on with further pairs until the depth is full or wants more; none is left if `complete`."""
        self._waiting += range(len(self._pairs), len(self._pairs) + len(pairs))
        self._pairs += pairs
        while not self.full and (complete or self._pool <= len(self._pairs)):
            if self._take_up_to(min(self._size, self._per_depth)):
                self._size = next(self._ladder)
                self._pool = pool_for(self._size)
            elif complete and self._pool >= len(self._pairs):
                return
            else:
                self._pool *= POOL_GROWTH

    def _take_up_to(self, goal: int) -> bool:
        """Take pairs of the pool up to a goal, by limits as strict as can be; whether there were enough."""
        for limits, grade in self._passes():
            if len(self.taken) >= goal:
                break
            self._pass(goal, limits, grade)
        return len(self.taken) >= goal

    def _passes(self) -> Iterator[tuple[Limits, int | None]]:
        """The limits, each with the most faults that a path may have; None for any number."""
        if self._rules.graded:
            for grade in GRADES:
                yield from ((limits, grade) for limits in strict_limits(self._size, self._rules.caps))
        yield from ((limits, None) for limits in limits_for(self._size, self._rules.caps))

    def _pass(self, goal: int, limits: Limits, grade: int | None) -> None:
        """Go once through the pairs of the pool that wait, and take those that are within the limits."""
        waiting, self._waiting = self._waiting, []
        pool = self._pool if grade is None else min(self._pool, GRADED + GRADED_A_PATH * self._size)
        in_pool, first = bisect_left(waiting, pool), 0
        while first < in_pool and len(self.taken) < goal:
            size = max(LEAST_A_ROUND, goal - len(self.taken))
            chunk = waiting[first : min(first + size, in_pool)]
            self._look_at(
                index
                for index in chunk
                if index not in self._outcomes and self._may_take(index, limits, grade)
            )
            for index in chunk:
                outcome = self._outcomes.get(index)
                if isinstance(outcome, str):
                    continue
                if (
                    outcome is None
                    or len(self.taken) >= goal
                    or (grade is not None and self._grades[index] > grade)
                    or not self._takes(index, outcome, limits)
                ):
                    self._waiting.append(index)
            first += len(chunk)
        self._waiting += waiting[first:]

    def _look_at(self, indices: Iterable[int]) -> None:
        """Find the representatives of pairs that were not looked at yet."""
        new = list(indices)
        found = self._looks.of([self._pairs[index] for index in new])
        for index, (outcome, grade) in zip(new, found, strict=True):
            self._outcomes[index] = outcome
            self._grades[index] = grade
            if isinstance(outcome, str):
                self.misfits[outcome] += 1

    def _may_take(self, index: int, limits: Limits, grade: int | None) -> bool:
        """Whether a pair can be taken, as far as its ends tell."""
        pair = self._pairs[index]
        return self._ends_within(pair, limits) and (grade is None or self._looks.of_ends(pair) <= grade)

    def _takes(self, index: int, choice: Choice, limits: Limits) -> bool:
        """Take a pair if it is within the limits."""
        pair = self._pairs[index]
        inside = [arc.head for arc in choice.arcs[:-1]]
        facts: set[object] = {(arc.tail, arc.head) for arc in choice.arcs}
        facts |= {arc.claim for arc in choice.arcs if arc.claim}
        if (
            not self._ends_within(pair, limits)
            or any(self._middles[stop] >= limits.middle for stop in inside)
            or any(self._facts[fact] >= limits.fact for fact in facts)
        ):
            return False
        self._starts[pair.start] += 1
        self._ends[pair.end] += 1
        self._middles.update(inside)
        self._facts.update(facts)
        self._last = max(self._last, index)
        self.taken.append(SampledPair(pair, choice))
        return True

    def _ends_within(self, pair: Pair, limits: Limits) -> bool:
        return self._starts[pair.start] < limits.start and self._ends[pair.end] < limits.end


def _least(limit: int, cap: int) -> int:
    return min(limit, cap) if cap else limit
