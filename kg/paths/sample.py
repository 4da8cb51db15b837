"""The sample of hop paths: pairs found by an engine, fairly drawn, and taken so that nothing fills a depth.

A depth goes on drawing until it is full or no pair is left. A pair is passed over when none of its shortest
paths fits (`kg.paths.choose`), and left for others when it would make the sample one-sided
(`kg.paths.spread`).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kg.engine.choose import Engine, Work, settled
from kg.engine.processes import LocalEngine
from kg.paths.choose import Misfit
from kg.paths.protocol import DEPTHS, MAX_HOPS, Ints, Pair, PathEngine, Reaching
from kg.paths.spread import (
    POOL_GROWTH,
    DepthDraw,
    DrawBounds,
    DrawnPart,
    DrawRules,
    Keys,
    PairDraw,
    PairLooks,
    SampledPair,
    entity_keys,
    in_seeded_order,
    ladder,
    pool_for,
)
from kg.progress import Progress, Silent

STARTS_A_ROUND = 512
"""Starts that are searched before it is asked whether there are enough pairs, whatever the engine."""
_MISFITS: Mapping[str, Misfit] = {
    "unfit": "wishes",
    "one_sentence": "sentences",
    "by_context": "names",
    "circular": "circle",
    "unaskable": "unaskable",
}
"""Where a sample counts the pairs of each misfit."""
ENOUGH_PAIRS = 50_000_000
"""Pairs after which no further start is searched: starts come in a seeded order, so the draw stays fair."""


@dataclass(slots=True)
class Sample:
    """The paths that were drawn, by depth and in the order of the draw, and what there was to draw from.

    Of the pairs that were looked at, `over_caps` were left for others, `unfit` have no path that the draw
    wishes for, in `one_sentence` all paths state two hops by one sentence, in `by_context` all go through a
    name that only context knows, in `circular` all go in a circle or by an alias, in `unaskable` all leave
    nothing to ask about.
    `starts` are the entities that paths may start at, without `context_starts`, whose names only context
    knows. `starts_searched` is less only in a graph with more than `ENOUGH_PAIRS` pairs.
    """

    paths: list[SampledPair] = field(default_factory=list)
    pairs: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    over_caps: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    unfit: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    one_sentence: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    by_context: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    circular: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    unaskable: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    starts: int = 0
    context_starts: int = 0
    starts_searched: int = 0

    def without_a_path(self, depth: int) -> int:
        """The pairs of a depth that were looked at and have no path that fits, for whatever reason."""
        kinds = (self.unfit, self.one_sentence, self.by_context, self.circular, self.unaskable)
        return sum(kind[depth] for kind in kinds)


def draw_sample(
    engine: PathEngine,
    per_depth: int | Mapping[int, int],
    rules: DrawRules,
    progress: Progress | None = None,
    workers: Engine | None = None,
) -> Sample:
    """At most so many paths of each depth, or of the depths that are named with a number each.

    The same for any engine on the same edges, and wherever `workers` (by default this process) search for
    their pairs; a larger draw begins with what a smaller one draws.
    """
    numbers = per_depth if isinstance(per_depth, Mapping) else dict.fromkeys(DEPTHS, per_depth)
    return Sampler(engine, rules, workers).draw(numbers, progress)


class Sampler:
    """Draws samples, smaller and larger ones, over the same edges by the same rules.

    All starts are searched for the first, and again only for pairs that no draw before held; what was found
    of a pair serves each draw that comes to it.
    """

    def __init__(
        self, engine: PathEngine, rules: DrawRules, workers: Engine | None = None, most: int = 0
    ) -> None:
        """`most` paths of a depth are the largest draw expected: its pairs are held from the first."""
        self._engine = engine
        self._rules = rules
        self._most = most
        self._keys = entity_keys(rules.seed, engine.labels)
        self._names = frozenset(i for i, id_ in enumerate(engine.entities) if id_ in rules.names.context)
        self._search = _Search(engine, self._keys, workers or LocalEngine())
        self._looks = PairLooks(engine, rules, self._names)
        self._held: dict[int, DrawnPart] = {}
        self._whole: set[int] = set()
        self._sources: Ints | None = None
        self._counts = Sample()

    @property
    def entities(self) -> Sequence[str]:
        """The ids of the entities that pairs have by number."""
        return self._engine.entities

    def draw(self, numbers: Mapping[int, int], progress: Progress | None = None) -> Sample:
        """At most so many paths of each depth that is named."""
        progress = progress or Silent()
        depths = {depth: DepthDraw(self._looks, number) for depth, number in numbers.items()}
        windows = {depth: (0, _first_window(number)) for depth, number in numbers.items()}
        while windows:
            self._hold(windows, progress)
            progress.step("paths")
            further: dict[int, tuple[int, int]] = {}
            for depth, (first, size) in windows.items():
                starts, ends = (column[first : first + size].tolist() for column in self._held[depth][1:])
                complete = len(starts) < size
                pairs = [Pair(start, end, depth) for start, end in zip(starts, ends, strict=True)]
                depths[depth].take(pairs, complete)
                if not complete and not depths[depth].full:
                    further[depth] = (first + size, POOL_GROWTH * size)
            windows = further
        sample = replace(self._counts, pairs=dict(self._counts.pairs), paths=[])
        for filled in depths.values():
            sample.paths += filled.taken
        sample.over_caps = self._by_depth({depth: filled.over_caps for depth, filled in depths.items()})
        for attribute, misfit in _MISFITS.items():
            found = {depth: filled.misfits[misfit] for depth, filled in depths.items()}
            setattr(sample, attribute, self._by_depth(found))
        return sample

    @staticmethod
    def _by_depth(found: Mapping[int, int]) -> dict[int, int]:
        return {depth: found.get(depth, 0) for depth in DEPTHS}

    def _hold(self, windows: Mapping[int, tuple[int, int]], progress: Progress) -> None:
        """Search for the pairs of windows, by first place and size in the order of priority, not held yet."""
        draws: dict[int, PairDraw] = {}
        sizes: dict[int, int] = {}
        for depth, (first, size) in windows.items():
            held = self._held.get(depth)
            lacking = first + size - (0 if held is None else len(held[0]))
            if lacking <= 0 or depth in self._whole:
                continue
            sizes[depth] = lacking if held is not None else max(lacking, _first_window(self._most))
            above = None if held is None else int(held[0][-1])
            draws[depth] = PairDraw(sizes[depth], self._keys, above)
        if not draws:
            return
        if self._sources is None:
            self._sources = self._find_sources()
            _search_all(self._search, self._sources, draws, self._counts, progress)
        else:
            searched = self._sources[: self._counts.starts_searched]
            _search_again(self._search, searched, draws, progress)
        for depth, draw in draws.items():
            found = draw.columns()
            if len(found[0]) < sizes[depth]:
                self._whole.add(depth)
            held = self._held.get(depth)
            self._held[depth] = found if held is None else _join(held, found)

    def _find_sources(self) -> Ints:
        """The starts in their seeded order, without those whose names only context knows."""
        found = self._engine.sources()
        sources = in_seeded_order(self._keys, found[~np.isin(found, list(self._names))])
        self._counts.starts, self._counts.context_starts = len(sources), len(found) - len(sources)
        return sources


def _join(one: DrawnPart, other: DrawnPart) -> DrawnPart:
    return (
        np.concatenate((one[0], other[0])),
        np.concatenate((one[1], other[1])),
        np.concatenate((one[2], other[2])),
    )


def _first_window(number: int) -> int:
    """How many pairs are held at first for so many paths: as many as the last size is chosen from."""
    return pool_for(next(size for size in ladder() if size >= number))


def _search_all(
    search: "_Search", sources: Ints, draws: Mapping[int, PairDraw], sample: Sample, progress: Progress
) -> None:
    progress.step("distances", len(sources))
    for number, pairs in search.rounds(sources, draws, MAX_HOPS):
        for depth in sample.pairs:
            # Of every depth, or a draw of some depths would search other starts than one of all.
            sample.pairs[depth] += pairs[depth]
        sample.starts_searched += number
        progress.advance(number)
        if sum(sample.pairs.values()) > ENOUGH_PAIRS:
            return


def _search_again(
    search: "_Search", sources: Ints, draws: Mapping[int, PairDraw], progress: Progress
) -> None:
    progress.step("distances again", len(sources))
    for number, _ in search.rounds(sources, draws, max(draws)):
        progress.advance(number)


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """Starts to search from, and what may be drawn of their pairs, by depth."""

    sources: Ints
    max_hops: int
    bounds: Mapping[int, DrawBounds]


@dataclass(frozen=True, slots=True, eq=False)
class _StartPairs:
    """How many pairs some starts have, and which of them were drawn, by depth."""

    pairs: Counter[int]
    parts: Mapping[int, DrawnPart]


class _Search:
    """Rounds of starts, searched by an engine for work; what is drawn of them is put together here."""

    def __init__(self, engine: PathEngine, keys: Keys, workers: Engine) -> None:
        elsewhere = engine.elsewhere()
        # Where the database searches, others could only ask it for this process.
        self._workers = LocalEngine() if elsewhere is None else workers
        here = partial(_search_round, engine.reach, PairDraw(0, keys))
        self._work: Work[_Round, _StartPairs] = (
            Work("", _not_elsewhere, here)
            if elsewhere is None
            else Work("", partial(_open_rounds, elsewhere.opener), here, (keys, *elsewhere.arrays))
        )

    def rounds(
        self, sources: Ints, draws: Mapping[int, PairDraw], max_hops: int
    ) -> Iterator[tuple[int, Counter[int]]]:
        """Of each round how many starts it had and how many pairs by depth; the draws take what is drawn."""

        def items() -> Iterator[_Round]:
            for first in range(0, len(sources), STARTS_A_ROUND):
                chunk = sources[first : first + STARTS_A_ROUND]
                # What is drawn by now bounds what a later round can add.
                yield _Round(chunk, max_hops, {depth: draw.bounds for depth, draw in draws.items()})

        outcomes = self._workers.map(self._work, items())
        for first, outcome in zip(range(0, len(sources), STARTS_A_ROUND), outcomes, strict=True):
            found = settled(outcome)
            for depth, part in found.parts.items():
                draws[depth].take_part(part)
            yield len(sources[first : first + STARTS_A_ROUND]), found.pairs


def _search_round(reach: Reaching, keys: PairDraw, asked: _Round) -> _StartPairs:
    draws = {depth: keys.part(bounds) for depth, bounds in asked.bounds.items()}
    pairs = Counter[int]()
    for one in reach(asked.sources, asked.max_hops):
        pairs[one.hops] += len(one.ends)
        if one.hops in draws:
            draws[one.hops].offer(one)
    return _StartPairs(pairs, {depth: draw.columns() for depth, draw in draws.items()})


def _open_rounds(
    opener: Callable[..., Reaching], keys: Keys, *arrays: NDArray[np.generic]
) -> Callable[[_Round], _StartPairs]:
    return partial(_search_round, opener(*arrays), PairDraw(0, keys))


def _not_elsewhere() -> Callable[[_Round], _StartPairs]:
    raise NotImplementedError
