"""One of a pair's shortest paths, drawn uniformly among those that fit, and how many there are.

Paths are counted exactly, step by step back from the end over the web of arcs, never listed. Where a path
must cross articles or use several claims, the count is kept apart for what a path has used so far, up to the
number that is wanted. The representative is the n-th of the fitting paths in the order of their edges' ids; n
is a hash over the seed and the pair's ids, so every engine chooses the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.paths.draw import seeded_number
from kg.paths.protocol import Arc, Web

Used = tuple[frozenset[str] | None, frozenset[str] | None]
"""Articles and claims that the way so far has used; None where there are enough, or none are asked for."""
NOTHING_WANTED: Used = (None, None)


@dataclass(frozen=True, slots=True)
class Fitness:
    """What a path must be like: over two articles or more, by so many different claims, in one category."""

    cross_articles: bool = False
    distinct_claims: int = 1
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A representative by its arcs, the number of shortest paths, and how many of these fit."""

    arcs: tuple[Arc, ...]
    alternatives: int
    fitting: int


def choose(web: Web, fitness: Fitness, seed: int, start: str, end: str) -> Choice | None:
    """The representative of a pair of entity ids; None where no shortest path fits."""
    counter = _Counter(web, fitness)
    place = (web[0][0].tail, counter.at_start) if web and web[0] else (-1, counter.at_start)
    fitting = counter.ways(0, *place)
    if not fitting:
        return None
    left = seeded_number(seed, start, end) % fitting
    arcs: list[Arc] = []
    for step in range(len(web)):
        for arc in counter.arcs(step, place[0]):
            next_place = (arc.head, counter.after(place[1], arc))
            ways = counter.ways(step + 1, *next_place)
            if left < ways:
                arcs.append(arc)
                place = next_place
                break
            left -= ways
    return Choice(tuple(arcs), fitting if fitness == Fitness() else count_paths(web), fitting)


def count_paths(web: Web) -> int:
    """How many paths a web holds, parallel edges counted apart."""
    return sum(_ways_on(web)[0].values())


def list_paths(web: Web) -> Iterator[tuple[Arc, ...]]:
    """The paths of a web one by one, in the order of their edges' ids."""
    ends = _by_tail(web)

    def go_on(step: int, tail: int) -> Iterator[tuple[Arc, ...]]:
        if step == len(web):
            yield ()
            return
        for arc in ends[step].get(tail, ()):
            for rest in go_on(step + 1, arc.head):
                yield (arc, *rest)

    if web and web[0]:
        yield from go_on(0, web[0][0].tail)


class _Counter:
    """Counts the fitting ways from a place in a web to its end."""

    def __init__(self, web: Web, fitness: Fitness) -> None:
        inside = tuple(
            tuple(arc for arc in arcs if not fitness.domain or arc.category == fitness.domain) for arcs in web
        )
        self._arcs = _by_tail(inside)
        self._claims = fitness.distinct_claims
        self._free = _ways_on(inside)
        self._known: dict[tuple[int, int, Used], int] = {}
        self.at_start: Used = (
            frozenset() if fitness.cross_articles else None,
            frozenset() if fitness.distinct_claims > 1 else None,
        )

    def arcs(self, step: int, tail: int) -> Sequence[Arc]:
        """The arcs that lead on from an entity, by their edges' ids."""
        return self._arcs[step].get(tail, ())

    def after(self, used: Used, arc: Arc) -> Used:
        """What a way has used once it has taken an arc."""
        if used == NOTHING_WANTED:
            return used
        articles, claims = used
        return _with(articles, arc.article, 2), _with(claims, arc.claim, self._claims)

    def ways(self, step: int, tail: int, used: Used) -> int:
        """How many fitting ways there are from an entity on."""
        if used == NOTHING_WANTED:
            return self._free[step].get(tail, 0) if step < len(self._free) else 1
        if step == len(self._arcs):
            return 0
        place = (step, tail, used)
        found = self._known.get(place)
        if found is None:
            found = sum(self.ways(step + 1, arc.head, self.after(used, arc)) for arc in self.arcs(step, tail))
            self._known[place] = found
        return found


def _ways_on(web: Web) -> list[dict[int, int]]:
    """For each step and entity, how many ways lead from there to the end."""
    steps: list[dict[int, int]] = []
    after: dict[int, int] | None = None
    for arcs in reversed(web):
        ways: dict[int, int] = {}
        for arc in arcs:
            ways[arc.tail] = ways.get(arc.tail, 0) + (1 if after is None else after.get(arc.head, 0))
        steps.append(ways)
        after = ways
    return steps[::-1] or [{}]


def _with(used: frozenset[str] | None, more: str, enough: int) -> frozenset[str] | None:
    if used is None:
        return None
    together = used | {more}
    return None if len(together) >= enough else together


def _by_tail(web: Web) -> list[dict[int, list[Arc]]]:
    steps: list[dict[int, list[Arc]]] = []
    for arcs in web:
        tails: dict[int, list[Arc]] = {}
        for arc in arcs:
            tails.setdefault(arc.tail, []).append(arc)
        steps.append(tails)
    return steps
