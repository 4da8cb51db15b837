"""The sample of hop paths: depth by depth, fairly drawn, with caps so that no entity fills it.

Pairs come in the order of their priority. A pair is passed over when its start, its end or an entity inside
its representative has been taken as often as the caps allow, or when none of its shortest paths fits. A depth
goes on drawing until it is full or no pair is left.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg.paths.choose import Choice, Fitness, choose
from kg.paths.draw import PairDraw, entity_keys, in_seeded_order
from kg.paths.edges import Ints
from kg.paths.protocol import Pair, PathEngine, Web
from kg.paths.walk import DEPTHS
from kg.progress import Progress, Silent

STARTS_A_ROUND = 512
"""Starts that are searched before it is asked whether there are enough pairs, whatever the engine."""
ENOUGH_PAIRS = 50_000_000
"""Pairs after which no further start is searched: starts come in a seeded order, so the draw stays fair."""
FIRST_WINDOW = 5
WINDOW_GROWTH = 10
"""Times the wanted number of pairs that are held at first, and how much more at each further pass."""
LEAST_A_ROUND = 64
"""Pairs whose paths are asked for at once, at least."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How often an entity may be start, end, or inside a path of one depth; 0 for any number.

    With 400 paths a depth, 20 keep any start and any answer to one question in twenty, and 40 keep any entity
    from carrying more than one in ten. They don't grow with the sample: a larger one goes on from a smaller.
    """

    start: int = 20
    end: int = 20
    middle: int = 40


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair that was drawn, with its representative."""

    pair: Pair
    choice: Choice


@dataclass(slots=True)
class Sample:
    """The paths that were drawn, by depth and priority, and what there was to draw from.

    `over_caps` and `unfit` count the pairs that were passed over on the way; `starts_searched` is less than
    `starts` only in a graph with more than `ENOUGH_PAIRS` pairs.
    """

    drawn: list[Drawn] = field(default_factory=list)
    pairs: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    over_caps: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    unfit: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    starts: int = 0
    starts_searched: int = 0


def draw_sample(
    engine: PathEngine,
    per_depth: int | Mapping[int, int],
    seed: int,
    caps: Caps | None = None,
    fitness: Fitness | None = None,
    progress: Progress | None = None,
) -> Sample:
    """At most so many paths of each depth, or of the depths that are named with a number each.

    The same for any engine on the same edges; a larger draw begins with what a smaller one draws.
    """
    progress = progress or Silent()
    numbers = per_depth if isinstance(per_depth, Mapping) else dict.fromkeys(DEPTHS, per_depth)
    windows = {depth: FIRST_WINDOW * number for depth, number in numbers.items()}
    sample = Sample()
    keys = entity_keys(seed, engine.entities)
    sources = in_seeded_order(keys, engine.sources())
    sample.starts = len(sources)
    caps, fitness = caps or Caps(), fitness or Fitness()
    depths = {depth: _Depth(engine, _Rules(number, seed, caps, fitness)) for depth, number in numbers.items()}
    draws = {depth: PairDraw(window, keys) for depth, window in windows.items()}
    _search_all(engine, sources, draws, sample, progress)
    while draws:
        progress.step("paths")
        found = {depth: draw.drawn() for depth, draw in draws.items()}
        for depth, pairs in found.items():
            depths[depth].take([Pair(start, end, depth) for _, start, end in pairs])
        short = [d for d, pairs in found.items() if len(pairs) == windows[d] and not depths[d].full]
        windows = {depth: WINDOW_GROWTH * windows[depth] for depth in short}
        draws = {depth: PairDraw(windows[depth], keys, above=found[depth][-1][0]) for depth in short}
        if draws:
            _search_again(engine, sources[: sample.starts_searched], draws, progress)
    for depth, filled in depths.items():
        sample.drawn += filled.taken
        sample.over_caps[depth], sample.unfit[depth] = filled.over_caps, filled.unfit
    return sample


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a depth is filled by."""

    per_depth: int
    seed: int
    caps: Caps
    fitness: Fitness


class _Depth:
    """The paths of one depth, taken pair by pair in the order of priority."""

    def __init__(self, engine: PathEngine, rules: _Rules) -> None:
        self._engine = engine
        self._rules = rules
        self._starts: Counter[int] = Counter()
        self._ends: Counter[int] = Counter()
        self._middles: Counter[int] = Counter()
        self.taken: list[Drawn] = []
        self.over_caps = 0
        self.unfit = 0

    @property
    def full(self) -> bool:
        """Whether there are as many paths as wanted."""
        return len(self.taken) >= self._rules.per_depth

    def take(self, pairs: Sequence[Pair]) -> None:
        """Go on with these pairs until the depth is full."""
        first = 0
        while first < len(pairs) and not self.full:
            size = max(LEAST_A_ROUND, self._rules.per_depth - len(self.taken))
            chunk = pairs[first : first + size]
            open_ = [pair for pair in chunk if not self._is_over_caps(pair)]
            webs = dict(zip(open_, self._engine.webs(open_), strict=True))
            for pair in chunk:
                if self.full:
                    return
                self._consider(pair, webs.get(pair))
            first += size

    def _consider(self, pair: Pair, web: Web | None) -> None:
        # Looked at again, because pairs of the same round may have used a cap up.
        if web is None or self._is_over_caps(pair):
            self.over_caps += 1
            return
        entities, rules = self._engine.entities, self._rules
        choice = choose(web, rules.fitness, rules.seed, entities[pair.start], entities[pair.end])
        if choice is None:
            self.unfit += 1
            return
        inside = [arc.head for arc in choice.arcs[:-1]]
        if rules.caps.middle and any(self._middles[i] >= rules.caps.middle for i in inside):
            self.over_caps += 1
            return
        self._starts[pair.start] += 1
        self._ends[pair.end] += 1
        self._middles.update(inside)
        self.taken.append(Drawn(pair, choice))

    def _is_over_caps(self, pair: Pair) -> bool:
        caps = self._rules.caps
        return (0 < caps.start <= self._starts[pair.start]) or (0 < caps.end <= self._ends[pair.end])


def _search_all(
    engine: PathEngine, sources: Ints, draws: Mapping[int, PairDraw], sample: Sample, progress: Progress
) -> None:
    progress.step("distances", len(sources))
    for first in range(0, len(sources), STARTS_A_ROUND):
        chunk = sources[first : first + STARTS_A_ROUND]
        for reach in engine.reach(chunk):
            if reach.hops in sample.pairs:
                # Of every depth, or a draw of some depths would search other starts than one of all.
                sample.pairs[reach.hops] += len(reach.ends)
            if reach.hops in draws:
                draws[reach.hops].offer(reach)
        sample.starts_searched += len(chunk)
        progress.advance(len(chunk))
        if sum(sample.pairs.values()) > ENOUGH_PAIRS:
            return


def _search_again(
    engine: PathEngine, sources: Ints, draws: Mapping[int, PairDraw], progress: Progress
) -> None:
    progress.step("distances again", len(sources))
    for first in range(0, len(sources), STARTS_A_ROUND):
        chunk = sources[first : first + STARTS_A_ROUND]
        for reach in engine.reach(chunk, max(draws)):
            if reach.hops in draws:
                draws[reach.hops].offer(reach)
        progress.advance(len(chunk))
