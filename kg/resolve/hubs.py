"""Hubs: entities at which stories meet that have nothing to do with each other.

"Monday", "the company", "Germany" and whoever is in every article join facts that only look like a chain: a
path through them asks for a step that has dozens of answers. By the policy a hub may end a path, but no path
goes through it or starts at it. Two things make a hub:

    its name    a day or month, a nationality, a common noun ("the Commission"); once it has some neighbours
                also a country, a continent, a group of people, or a name made of common words only ("House
                of Representatives")
    its degree  more neighbours, in several articles, than the corpus' own distribution lets expect

The bound on the degree is Tukey's fence over logarithms, exp(q3 + 1.5 (q3 - q1)): degrees are skewed, and
quartiles stay where they are however large the largest is. It never falls below a floor, so that a small
corpus keeps its protagonists, and whoever is in few articles (the subject of a biography) is none by degree.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log

import numpy as np

from kg.model import PLACE_TYPES, Entity
from kg.resolve.normal_form import COMMON_WORDS, normal_form
from kg.text.lexicon import countries


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TIMES = _words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december spring summer autumn winter today yesterday tomorrow tonight
    morning afternoon evening weekend week month year"""
)
_BROAD = frozenset(
    {"africa", "america", "antarctica", "asia", "australasia", "balkans", "caribbean", "central america"}
    | {"central asia", "east africa", "east asia", "eastern europe", "eu", "europe", "european union"}
    | {"latin america", "mediterranean", "middle east", "north africa", "north america", "oceania"}
    | {"pacific", "scandinavia", "south america", "south asia", "southeast asia", "west", "west africa"}
    | {"western europe"}
)
"""Continents and the like, by normal form."""


@dataclass(frozen=True, slots=True)
class HubPolicy:
    """When an entity is a hub.

    `least_degree` is the floor under the bound on the degree, `fence` its width in interquartile ranges;
    `least_articles` is in how many articles a hub by degree is at least. A country, a continent, a group of
    people or a name of several common words is a hub from `broad_degree` neighbours on.
    """

    least_degree: int = 30
    fence: float = 1.5
    least_articles: int = 3
    broad_degree: int = 10


@dataclass(frozen=True, slots=True)
class EntityUse(Entity):
    """An entity in the facts that paths may take: its distinct neighbours, and in how many articles."""

    neighbours: int
    articles: int


def find_hubs(entities: Sequence[EntityUse], policy: HubPolicy, *, concepts: bool = False) -> dict[str, str]:
    """The hubs among the entities of a corpus by id, each with the reason in words; `concepts` as there."""
    bound = degree_bound((entity.neighbours for entity in entities), policy)
    found: dict[str, str] = {}
    for entity in entities:
        reason = name_reason(entity, policy, concepts=concepts) or _degree_reason(entity, bound, policy)
        if reason:
            found[entity.id] = reason
    return found


def degree_bound(neighbours: Iterable[int], policy: HubPolicy) -> float:
    """The number of neighbours above which an entity is a hub; entities without any don't count.

    Tukey, Exploratory Data Analysis (1977), section 2D: the inner fence, here over logarithms.
    """
    logarithms = [log(number) for number in neighbours if number > 0]
    if not logarithms:
        return float(policy.least_degree)
    first, third = np.quantile(logarithms, (0.25, 0.75))
    return max(float(policy.least_degree), exp(third + policy.fence * (third - first)))


def name_reason(entity: EntityUse, policy: HubPolicy, *, concepts: bool = False) -> str:
    """Why an entity is a hub by its name and type (such as "a common noun"); empty if it is not.

    With `concepts` a noun is none ("ketamine"), but one that anything may be called still is ("government").
    """
    form = normal_form(entity.name)
    words = form.split()
    person = entity.type == "PERSON"
    common = not person and COMMON_WORDS.issuperset(words)
    if entity.type == "NORP" and form in _demonyms():
        return "a nationality"
    if not person and _is_time(words):
        return "a day or month"
    noun = entity.type == "CONCEPT" and form.isalpha() and not concepts
    if len(words) == 1 and form not in _BROAD and (common or noun):
        return "a common noun"
    return "" if entity.neighbours < policy.broad_degree else _broad_reason(entity, form, common)


def _broad_reason(entity: EntityUse, form: str, common: bool) -> str:
    if entity.type == "NORP":
        return "a group of people"
    if form in _BROAD or (entity.type in PLACE_TYPES and form in _countries()):
        return "a country or continent"
    return "a name of common words" if common else ""


def _is_time(words: Sequence[str]) -> bool:
    return not _TIMES.isdisjoint(words) and all(word in _TIMES or word.isdigit() for word in words)


def _degree_reason(entity: EntityUse, bound: float, policy: HubPolicy) -> str:
    if entity.neighbours <= bound or entity.articles < policy.least_articles:
        return ""
    return f"{entity.neighbours} neighbours, more than {bound:.0f}"


@cache
def _countries() -> frozenset[str]:
    table = countries()
    return frozenset(normal_form(name) for name in {*table.values(), *table})


@cache
def _demonyms() -> frozenset[str]:
    return frozenset(normal_form(name) for name in countries())
