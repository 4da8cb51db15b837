"""How well a path can be asked about, told by names, predicates and counts alone, without a model.

A model that was given paths as they come made a question of one in eighty. What it refused and what its
questions fell at has marks that the graph shows, and each is a fault here, weighed by how often it was fatal:

    start, end   a name that is a description ("state party"; less so "Japanese man"), one that
                 every country has ("National Congress"), a first name alone; a time that is no date
    arc          a predicate that says nothing ("is for", "made report of" a date), or one that leads
                 to several ends from its start ("appeared in" Thailand, Japan), two ends that share a name
    path         two stops further apart that share a name: it goes in a circle, or its answer stands in the
                 question; an article that tells of all its steps, so that one passage answers it; a last fact
                 about what much of the corpus is about, or on where a place is, which models know by heart

The draw takes paths of few faults first (`kg.paths.spread`). None is forbidden: a small graph still fills.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from kg.paths.protocol import Arc, Leaving, PathEngine, Web
from kg.resolve.normal_form import normal_form

FATAL, GRAVE, SLIGHT = 3, 2, 1
"""What a fault weighs: no question came of such a path, of few, of half."""
GRADES = (0, 1, 2, 4)
"""Weights of all faults together up to which paths are preferred, the best grade first."""
PROMINENT_SHARE, PROMINENT_EDGES = 50, 12
"""An entity is prominent that one of so many edges begins or ends at, and no fewer than so many edges."""
MOST_ENDS = 1
"""Ends to which a predicate may lead from one start and still single one out."""

_PREPOSITIONS = "of|in|at|on|from|for|by|with|to|against|over|about|between|near|after|before|that|who|which"
_HEAD = re.compile(rf",|\s(?:{_PREPOSITIONS})\s")
_SAYS_NOTHING = frozenset({
    "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "does", "did", "do", "a", "an",
    "the", "of", "for", "as", "with", "about", "regarding", "in", "to", "context", "case", "terms",
    "relation", "connection", "related", "associated", "involved", "involves", "includes", "include",
})  # fmt: skip
_PLACES = frozenset({"is in", "are in", "was in", "were in"})
"""The exception: to be in a place says where."""
_OFFICES = frozenset({
    "national", "federal", "state", "supreme", "general", "central", "local", "regional", "public", "royal",
    "congress", "convention", "senate", "parliament", "assembly", "government", "council", "committee",
    "ministry", "department", "court", "house", "cabinet", "commission", "office", "agency", "authority",
    "police", "army", "navy", "party", "association", "and", "of",
})  # fmt: skip
_PARTS = frozenset(
    {"department", "ministry", "office", "faculty", "school", "division", "institute", "bureau"}
)
_TIME = frozenset({"on", "in", "at", "since", "until", "by", "from"})
_NO_TIME = frozenset({"of", "to", "for", "with", "about", "before", "after", "within", "next", "roughly"})
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY = re.compile(
    rf"\d{{1,2}} (?:{_MONTHS}) \d{{4}}|(?:{_MONTHS}) \d{{1,2}},? \d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}"
)
_MONTH_OR_YEAR = re.compile(rf"(?:(?:{_MONTHS}) )?\d{{4}}")
_SHARED_BY_MANY = frozenset({
    "the", "and", "for", "new", "north", "south", "east", "west", "united", "national", "world", "first",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stopping:
    """What is wrong with an entity as the start and as the end of a path, by weight, and its name's words."""

    start: int
    end: int
    words: frozenset[str]


@dataclass(slots=True)
class Quality:
    """Weighs the paths of an engine; what is known of an entity or a predicate is found once."""

    engine: PathEngine
    _stops: dict[int, Stopping] = field(default_factory=dict)
    _prominent: frozenset[int] | None = None

    def stop(self, entity: int) -> Stopping:
        """The faults of an entity by its number."""
        found = self._stops.get(entity)
        if found is None:
            kind, _, name = self.engine.labels[entity].partition("\x1f")
            found = self._stops[entity] = stopping(name, self.engine.types[entity], literal=kind == "literal")
        return found

    def of_ends(self, start: int, end: int) -> int:
        """What is wrong with a pair before any path of it is known."""
        one, other = self.stop(start), self.stop(end)
        return one.start + other.end + FATAL * bool(one.words & other.words)

    def several_ends(self, webs: Sequence[Web]) -> frozenset[Leaving]:
        """How arcs of some webs leave their tails that lead from there to more than one end."""
        asked = sorted({arc.leaving for web in webs for arcs in web for arc in arcs})
        counts = self.engine.count_ends(asked)
        return frozenset(one for one, count in zip(asked, counts, strict=True) if count > MOST_ENDS)

    def of_arc(self, arc: Arc, several: Collection[Leaving]) -> int:
        """What is wrong with an arc by itself."""
        predicate = arc.said[2]
        empty = says_nothing(predicate) or (self._is_literal(arc.head) and not dates(predicate))
        shared = self.stop(arc.tail).words & self.stop(arc.head).words
        return GRAVE * empty + GRAVE * (arc.leaving in several) + SLIGHT * bool(shared)

    def of_path(self, arcs: Sequence[Arc], web: Web, several: Collection[Leaving]) -> int:
        """What is wrong with a path of a web, all in all."""
        stops = [arcs[0].tail, *(arc.head for arc in arcs)]
        words = [self.stop(stop).words for stop in stops]
        apart = sum(
            bool(words[one] & words[other])
            for one in range(len(stops))
            for other in range(one + 2, len(stops))
            if (one, other) != (0, len(stops) - 1)
        )
        return (
            self.of_ends(stops[0], stops[-1])
            + sum(self.of_arc(arc, several) for arc in arcs)
            + GRAVE * apart
            + FATAL * _in_one_article(arcs, web)
            + SLIGHT * (arcs[-1].tail in self.prominent or arcs[-1].said[2].casefold() in _PLACES)
        )

    def _is_literal(self, entity: int) -> bool:
        return self.engine.labels[entity].startswith("literal")

    @property
    def prominent(self) -> frozenset[int]:
        """The entities that much of the corpus is about."""
        if self._prominent is None:
            counts = self.engine.count_edges()
            least = max(PROMINENT_EDGES, sum(counts) // 2 // PROMINENT_SHARE)
            self._prominent = frozenset(at for at, count in enumerate(counts) if count >= least)
        return self._prominent


def _in_one_article(arcs: Sequence[Arc], web: Web) -> bool:
    """Whether an article has a fact for each step, that of the path or one beside it."""
    having = (
        {other.article for other in step if (other.tail, other.head) == (arc.tail, arc.head)}
        for arc, step in zip(arcs, web, strict=True)
    )
    return bool(set.intersection(*having))


def stopping(name: str, type_: str, *, literal: bool) -> Stopping:
    """What is wrong with a name at either end of a path."""
    if literal:
        return Stopping(FATAL, _of_time(name) if type_ == "DATE" else 0, frozenset())
    fault = _of_name(name)
    one_word = type_ == "PERSON" and " " not in name.strip()
    return Stopping(max(fault, GRAVE * (_is_office(name) or one_word)), fault, name_words(name))


def name_words(name: str) -> frozenset[str]:
    """The words of a name by which another name may give it away."""
    words = normal_form(name).split()
    return frozenset(word for word in words if len(word) > 2 and not word.isdigit()) - _SHARED_BY_MANY


def says_nothing(predicate: str) -> bool:
    """Whether a predicate is made of words that hold no relation."""
    words = predicate.casefold().split()
    return " ".join(words) not in _PLACES and all(word in _SAYS_NOTHING for word in words)


def dates(predicate: str) -> bool:
    """Whether a predicate says what was so on a day or by a number: "opened in", not "made report of".

    Two prepositions in a row, as in "refers to on", are what is left of another sentence.
    """
    *before, last = predicate.casefold().split() or [""]
    return last not in _NO_TIME and not (last in _TIME and before and before[-1] in _TIME | _NO_TIME)


def _of_name(name: str) -> int:
    if not any(letter.isupper() or letter.isdigit() for letter in name):
        return FATAL
    head = _HEAD.split(name.strip(), maxsplit=1)[0].split()
    return GRAVE if head and not any(letter.isupper() or letter.isdigit() for letter in head[-1]) else 0


def _is_office(name: str) -> bool:
    words = name.casefold().split()
    part_of = len(words) > 1 and words[0] in _PARTS and words[1] == "of"
    return part_of or all(word in _OFFICES for word in words)


def _of_time(name: str) -> int:
    if _DAY.fullmatch(name):
        return 0
    return SLIGHT if _MONTH_OR_YEAR.fullmatch(name) else FATAL
