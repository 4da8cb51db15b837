"""One of a pair's shortest paths, drawn uniformly among those that fit, and how many there are.

Every path that is drawn states each of its hops by a sentence of its own, neither starts at a name that
only context knows nor goes through one, leaves something to ask about (`Quality.askable`), and is no circle
(`kg.paths.choose`). Where two entities are joined by a fact and by a mirrored one, the fact is preferred.
Beyond that a draw may wish for paths over several articles, or in one category, and prefer arcs without a
fault and paths over several articles where a pair has such (`kg.paths.quality`).

Paths are counted exactly, step by step back from the end over the web of arcs, never listed. Where sentences
repeat, stops clash or articles must be crossed, the count is kept apart for what a path has used and can meet
again. The
representative is the n-th of the fitting paths in the order of their arcs; n is a hash over the seed and the
labels of the pair, so every engine chooses the same, and a corpus of another name as well.

Paths that no question can be asked about: they go in a circle, or take an alias for a fact.

A chain whose answer stands in one of its own words asks nothing. So no drawn path has

    two stops that hold each other's names   "death of Oda Wexler" ... Oda Wexler, wherever they stand in it
    two stops that are one thing in context  "Tolland" ... Mira Tolland
    a predicate that names another stop      "was accused of leaving Tarn by" in a path that goes on to Tarn
    a predicate that only states an alias    "performed under ring name"

Which stops and predicates can't stand in one path is found once for all shortest paths of a pair, by the runs
of words that their names and predicates have in common; nothing is compared path by path.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from kg.paths.protocol import Arc, Web
from kg.resolve.closure import states_alias
from kg.resolve.normal_form import is_acronym, normal_form

LONGEST_RUN = 8
"""Words of a name up to which it is looked for within other names and predicates."""

Words = tuple[str, ...]
_BETWEEN_WORDS = re.compile(r"[\s'\u2019\-()\",]+")


@dataclass(frozen=True, slots=True)
class Clashes:
    """What can't stand together in one path of a web.

    `stops` are the stops that clash with each stop, `predicates` the stops that each predicate names,
    `aliases` the predicates that state an alias. `start` and `end` are the ends that all paths of the web
    have; no arc may clash with these.
    """

    start: int = -1
    end: int = -1
    stops: Mapping[int, Collection[int]] = field(default_factory=dict)
    predicates: Mapping[str, Collection[int]] = field(default_factory=dict)
    aliases: Collection[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether anything clashes at all."""
        return bool(self.stops or self.predicates or self.aliases)

    def forbids(self, arc: Arc) -> bool:
        """Whether no path of the web may take an arc, whatever the other steps are."""
        named = {*self._named_by(arc)}
        return (
            arc.predicate in self.aliases
            or arc.head in self.stops.get(arc.tail, ())
            or not named.isdisjoint((self.start, self.end))
            or any({self.start, self.end} & {*self.stops.get(stop, ())} for stop in (arc.tail, arc.head))
        )

    def marks(self, arc: Arc) -> Iterator[Hashable]:
        """What an arc leaves on its path, so that no later arc may be taken that is barred by it."""
        if arc.head in self.stops or self.predicates:
            yield "stop", arc.head
        for stop in self._named_by(arc):
            yield "named", stop

    def bars(self, arc: Arc) -> Iterator[Hashable]:
        """The marks behind which an arc may not be taken."""
        for stop in self.stops.get(arc.head, ()):
            yield "stop", stop
        for stop in self._named_by(arc):
            yield "stop", stop
        if self.predicates:
            yield "named", arc.head

    def _named_by(self, arc: Arc) -> Iterator[int]:
        return (stop for stop in self.predicates.get(arc.predicate, ()) if stop not in (arc.tail, arc.head))


NO_CLASHES = Clashes()


def find_clashes(
    web: Web, names: Mapping[int, Collection[Words]], equivalents: Mapping[int, Collection[int]]
) -> Clashes:
    """What can't stand together in a path of a web.

    `names` are the names of its stops as words (`name_runs`), `equivalents` the stops that are one thing with
    a stop in some context.
    """
    if not web or not web[0]:
        return NO_CLASHES
    stops = {web[0][0].tail} | {arc.head for arcs in web for arc in arcs}
    called: defaultdict[Words, set[int]] = defaultdict(set)
    for stop in stops:
        for words in names[stop]:
            called[words].add(stop)
    clashing: defaultdict[int, set[int]] = defaultdict(set)
    for stop in stops:
        held = {other for words in names[stop] for run in _runs(words) for other in called.get(run, ())}
        for other in (held | (stops & {*equivalents.get(stop, ())})) - {stop}:
            clashing[stop].add(other)
            clashing[other].add(stop)
    predicates = {arc.predicate for arcs in web for arc in arcs}
    naming = {
        predicate: {stop for run in _runs(_words(predicate)) for stop in called.get(run, ())}
        for predicate in predicates
    }
    return Clashes(
        web[0][0].tail,
        web[-1][0].head,
        clashing,
        {predicate: found for predicate, found in naming.items() if found},
        frozenset(filter(states_alias, predicates)),
    )


def name_runs(names: Iterable[str]) -> frozenset[Words]:
    """Names as the words by which they are found in other names and in predicates."""
    return frozenset(map(_words, names))


@lru_cache(maxsize=20_000)
def _words(text: str) -> Words:
    """The words of a text in normal form; acronyms keep their capitals, or "IS" would stand in "is in"."""
    acronyms = {normal_form(word) for word in _BETWEEN_WORDS.split(text) if word and is_acronym(word)}
    return tuple(word.upper() if word in acronyms else word for word in normal_form(text).split())


def _runs(words: Sequence[str]) -> Iterator[Words]:
    """All runs of words that stand one after the other, the whole included."""
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + LONGEST_RUN) + 1):
            yield tuple(words[first:last])


Misfit = Literal["names", "unaskable", "circle", "sentences", "wishes"]
"""Why no path of a pair fits: all go through names that only context knows, or leave nothing to ask about, or
go in a circle, or state two hops by one sentence, or are not what the draw wishes for."""

MOST_COUNTED = 10_000
"""Shortest paths of a pair up to which repeated sentences and clashing stops are counted exactly, set by set.
Above, what can't stand behind an earlier step is left out, which is one pass over the web."""

UsedParts = tuple[frozenset[str] | None, frozenset[Hashable]]
"""The articles that the way so far has used, None where they don't matter any more, and of its sentences and
stops those that bar an arc of a later step."""


@dataclass(frozen=True, slots=True)
class Fitness:
    """What a path must be like: over two articles or more, in one category of articles."""

    cross_articles: bool = False
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A representative by its arcs, the number of shortest paths, and how many of these fit."""

    arcs: tuple[Arc, ...]
    alternatives: int
    fitting: int


def choose(
    web: Web,
    fitness: Fitness,
    number: int,
    context_names: Collection[int] = frozenset(),
    is_poor: Callable[[Arc], bool] | None = None,
    clashes: Clashes = NO_CLASHES,
    askable: Web | None = None,
) -> Choice | Misfit:
    """The representative of a pair, or why no shortest path fits.

    `number` is a pseudo-random one of the pair (`kg.paths.spread.seeded_number`). `context_names` are the
    entities that a path may not start at or go through, nor reach by a mirrored edge. `is_poor` tells arcs
    that are left to pairs that have no others; with it, paths over several articles come first. `clashes`
    tells what makes a path of the web a circle. `askable` is the web without the arcs that leave nothing to
    ask about, None where any arc will do.
    """
    by_name = _without(web if askable is None else askable, context_names)
    named = _without_forbidden(by_name, clashes)
    inside = tuple(tuple(arc for arc in arcs if arc.category == fitness.domain) for arcs in named)
    wished = inside if fitness.domain else named
    preferred = _without_needless_mirrors(wished)
    for allowed in (preferred,) if preferred is wished else (preferred, wished):
        counter = _Counter(allowed, fitness.cross_articles, clashes)
        if counter.fitting:
            better = counter if is_poor is None else _better(allowed, fitness, is_poor, clashes) or counter
            return Choice(better.path(number % better.fitting), count_paths(web), counter.fitting)
    if not count_paths(_without(web, context_names)):
        return "names"
    if not count_paths(by_name):
        return "unaskable"
    if _Counter(named, cross_articles=False, clashes=clashes).fitting:
        return "wishes"
    return "circle" if _Counter(by_name, cross_articles=False).fitting else "sentences"


def _better(
    web: Web, fitness: Fitness, is_poor: Callable[[Arc], bool], clashes: Clashes
) -> "_Counter | None":
    """The first of these that has a path: sound arcs over several articles, sound arcs, several articles."""
    sound = tuple(tuple(arc for arc in arcs if not is_poor(arc)) for arcs in web)
    for allowed, crossing in ((sound, True), (sound, fitness.cross_articles), (web, True)):
        counter = _Counter(allowed, crossing, clashes)
        if counter.fitting:
            return counter
    return None


def count_paths(web: Web) -> int:
    """How many paths a web holds, parallel edges counted apart."""
    return sum(_ways_on(web)[0].values())


def _without(web: Web, names: Collection[int]) -> Web:
    """The arcs that neither start at such a name, nor go through one, nor come to one by context."""
    if not names:
        return web
    last = len(web) - 1
    return tuple(
        tuple(
            arc
            for arc in arcs
            if not (
                (step == 0 and arc.tail in names) or ((step < last or arc.mirrored) and arc.head in names)
            )
        )
        for step, arcs in enumerate(web)
    )


def _without_forbidden(web: Web, clashes: Clashes) -> Web:
    """The arcs but for those that make any path a circle."""
    if not clashes.any:
        return web
    return tuple(tuple(arc for arc in arcs if not clashes.forbids(arc)) for arcs in web)


def _without_needless_mirrors(web: Web) -> Web:
    """The arcs but for mirrored ones beside a fact between the same two entities."""
    if not any(arc.mirrored for arcs in web for arc in arcs):
        return web
    facts = {(arc.tail, arc.head) for arcs in web for arc in arcs if not arc.mirrored}
    return tuple(
        tuple(arc for arc in arcs if not (arc.mirrored and (arc.tail, arc.head) in facts)) for arcs in web
    )


class _Counter:
    """Counts the ways from a place in a web to its end that repeat no sentence and have no clash."""

    def __init__(self, web: Web, cross_articles: bool, clashes: Clashes = NO_CLASHES) -> None:
        bars = _Bars(web, clashes)
        if bars.last and count_paths(web) > MOST_COUNTED:
            web = bars.without_barred(web)
            bars = _Bars(web, clashes)
        self._arcs = _by_tail(web)
        self._free = _ways_on(web)
        self._bars = bars
        self._known: dict[tuple[int, int, UsedParts], int] = {}
        start = web[0][0].tail if web and web[0] else -1
        self._start = (start, (frozenset[str]() if cross_articles else None, frozenset[Hashable]()))
        self.fitting = self._ways(0, *self._start)

    def path(self, number: int) -> tuple[Arc, ...]:
        """The fitting path of that number, from 0 on."""
        place, found, left = self._start, list[Arc](), number
        for step in range(len(self._arcs)):
            for arc, used in self._onward(step, *place):
                ways = self._ways(step + 1, arc.head, used)
                if left < ways:
                    found.append(arc)
                    place = (arc.head, used)
                    break
                left -= ways
        return tuple(found)

    def _onward(self, step: int, tail: int, used: UsedParts) -> Iterator[tuple[Arc, UsedParts]]:
        """The arcs that a way may go on by, with what it has used then."""
        articles, marks = used
        for arc in self._arcs[step].get(tail, ()):
            if marks and not marks.isdisjoint(self._bars.of(arc)):
                continue
            yield (
                arc,
                (_with(articles, arc.article), self._bars.later(step, (*marks, *self._bars.left_by(arc)))),
            )

    def _ways(self, step: int, tail: int, used: UsedParts) -> int:
        """How many fitting ways there are from an entity on."""
        articles, marks = used
        if step == len(self._arcs):
            return int(articles is None and step > 0)
        if articles is None and not marks and step >= self._bars.free_from:
            return self._free[step].get(tail, 0)
        place = (step, tail, used)
        found = self._known.get(place)
        if found is None:
            found = sum(self._ways(step + 1, arc.head, now) for arc, now in self._onward(step, tail, used))
            self._known[place] = found
        return found


class _Bars:
    """What a step of a web leaves behind that bars arcs of later steps: its sentence, stops that clash.

    `last` is the last step at which each mark bars an arc, of those that an earlier step leaves; from
    `free_from` on no step bars a later one.
    """

    def __init__(self, web: Web, clashes: Clashes) -> None:
        self._clashes = clashes
        self._first: dict[Hashable, int] = {}
        self.last: dict[Hashable, int] = {}
        self.free_from = 0
        for step, arcs in enumerate(web):
            for mark in {mark for arc in arcs for mark in self.of(arc)}:
                if mark in self._first:
                    self.last[mark] = step
            for mark in {mark for arc in arcs for mark in self.left_by(arc)}:
                self._first.setdefault(mark, step)
        for step, arcs in enumerate(web):
            if any(self.last.get(mark, -1) > step for arc in arcs for mark in self.left_by(arc)):
                self.free_from = step + 1

    def left_by(self, arc: Arc) -> Iterator[Hashable]:
        """The marks that an arc leaves."""
        if arc.claim:
            yield arc.claim
        yield from self._clashes.marks(arc)

    def of(self, arc: Arc) -> Iterator[Hashable]:
        """The marks behind which an arc may not be taken."""
        if arc.claim:
            yield arc.claim
        yield from self._clashes.bars(arc)

    def later(self, step: int, marks: Iterable[Hashable]) -> frozenset[Hashable]:
        """Of some marks those that bar an arc behind a step."""
        return frozenset(mark for mark in marks if self.last.get(mark, -1) > step)

    def without_barred(self, web: Web) -> Web:
        """The web without the arcs that any earlier step may bar; no way through it has a clash."""
        return tuple(
            tuple(arc for arc in arcs if all(self._first.get(mark, step) >= step for mark in self.of(arc)))
            for step, arcs in enumerate(web)
        )


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


def _with(used: frozenset[str] | None, more: str) -> frozenset[str] | None:
    """The articles of a way; None once there are two."""
    if used is None:
        return None
    together = used | {more}
    return None if len(together) > 1 else together


def _by_tail(web: Web) -> list[dict[int, list[Arc]]]:
    steps: list[dict[int, list[Arc]]] = []
    for arcs in web:
        tails: dict[int, list[Arc]] = {}
        for arc in arcs:
            tails.setdefault(arc.tail, []).append(arc)
        steps.append(tails)
    return steps
