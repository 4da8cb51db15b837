"""Paths that no question can be asked about: they go in a circle, or take an alias for a fact.

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
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kg.paths.protocol import Arc, Web
from kg.resolve.name_shape import is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.stated_aliases import states_alias

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
