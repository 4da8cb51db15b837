"""The region that an article is about: the place that it names most, lifted to what that lies in.

A place lies where most facts say that it lies. A region must divide the corpus: what more than half of the
articles name, themselves or by a place within it, as the country of a national paper, is too broad. So a
place counts for the broadest place around it that is not, and a broad place only where an article names no
other. Of places that are named equally often the first by name is taken.

An extractor takes a person or a product for a place now and then. What some texts take for something else
is a place only where facts treat it as one: it lies somewhere, or somebody lives or something stands there.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BROAD = 0.5
"""The share of articles beyond which a place is too broad for a region."""

BUILDING = "FAC"
"""The type of places that are named for where they stand, and are no region themselves."""

_LIES_IN = re.compile(
    r"(?:is |was |are |were )?(?:located|situated|set|found) (?:in|on|within|inside)"
    r"|(?:is |was )?(?:a |an |the )?(?:\w+ )?(?:part|district|suburb|quarter|borough|capital|province|region|"
    r"county|state|city|town|village|municipality) (?:of|in)"
    r"|(?:lies|lie|lay|stands|stood|sits|is|was) (?:in|within|inside)"
)

_STANDS_THERE = re.compile(
    r"(?:is |was |are |were )?(?:located|situated|based|headquartered|set|held|born|buried|found) "
    r"(?:in|on|at|near)"
    r"|(?:lies|lie|lay|stands|stood|sits|sat|lives|live|lived|rises|rose|is|was|are|were) (?:in|on|at|near)"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place with where facts say that it lies: how many say so of each other place, by id."""

    id: str
    name: str
    type: str
    within: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Named:
    """An article names a place so many times."""

    article: str
    place: str
    times: int


def says_where(predicate: str) -> bool:
    """Whether a predicate between two places says that the first lies in the second."""
    return _LIES_IN.fullmatch(" ".join(predicate.lower().split())) is not None


def says_stands_there(predicate: str) -> bool:
    """Whether a predicate says that its subject is at its object, which so is a place."""
    words = " ".join(predicate.lower().split())
    return says_where(words) or _STANDS_THERE.fullmatch(words) is not None


def regions_of_articles(places: Iterable[Place], named: Iterable[Named]) -> dict[str, str]:
    """The name of the region of each article that names a place which can be one."""
    by_id = {place.id: place for place in places}
    around = {id_: _ancestors(by_id, id_) for id_ in by_id}
    times: dict[str, Counter[str]] = defaultdict(Counter)
    for one in named:
        if one.place in by_id:
            times[one.article][one.place] += one.times
    broad = _broad(times, around)
    lifted = {id_: _lift(by_id, id_, around[id_], broad) for id_ in by_id}
    regions = {}
    for article, counted in times.items():
        votes: Counter[tuple[bool, str]] = Counter()
        for place, number in counted.items():
            region = lifted[place]
            if region is not None:
                votes[region in broad, by_id[region].name] += number
        if votes:
            regions[article] = min(votes, key=lambda vote: (vote[0], -votes[vote], vote[1]))[1]
    return regions


def _ancestors(places: Mapping[str, Place], id_: str) -> list[str]:
    """What a place lies in, from the nearest on; facts that go round in a circle end it."""
    found: list[str] = []
    here = id_
    while within := {one: n for one, n in places[here].within.items() if one in places}:
        here = min(within, key=lambda one: (-within[one], places[one].name, one))
        if here == id_ or here in found:
            break
        found.append(here)
    return found


def _broad(times: Mapping[str, Mapping[str, int]], around: Mapping[str, list[str]]) -> set[str]:
    reached: Counter[str] = Counter()
    for counted in times.values():
        reached.update({one for place in counted for one in (place, *around[place])})
    return {place for place, articles in reached.items() if articles > BROAD * len(times)}


def _lift(places: Mapping[str, Place], id_: str, around: list[str], broad: set[str]) -> str | None:
    """The broadest region around a place that is not too broad; None for a building that stands nowhere."""
    chain = [one for one in (id_, *around) if places[one].type != BUILDING]
    narrow = [one for one in chain if one not in broad]
    return narrow[-1] if narrow else chain[0] if chain else None
