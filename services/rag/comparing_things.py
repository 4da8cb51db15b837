"""Questions about two named things, answered by what passages tell of each: composable rules.

What is compared is told by the question's words: a day (born, died, released, founded first or last), how
long somebody lived, the countries ("from the same country"), or what both are ("both board games"). Where
the question puts a role between ("the director of X", "which film has the director who ..."), those who have
it are compared in the things' stead. A rule answers only where both things are found and both are told of;
else the question goes on to the rules that look at words (`services.rag.comparing`).

What passages tell of a thing: the day of its birth, death or making, its countries, sort, and director.

Stated facts come first. What no fact states is read in the first sentence of the thing's own article, which
defines it: "Odd Narud (3 February 1919 - 22 April 2000) was a Norwegian businessperson."
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.text.lexicon import countries, sovereign
from kg.text.sentences import sentence_spans
from services.questions.wording.nouns import sorts_of
from services.rag.comparing import DATE_IN_TEXT, Day, day_of, earlier
from services.rag.protocol import Name, Passage, StatedFact
from services.rag.question_words import QuestionForm, words
from services.rag.sentence_match import Reading, Thing, find_two_things, resolve_thing

Event = Literal["birth", "death", "making"]

_MAKING = """release found form establish publish open premiere launch build start create introduce air begin
complete found debut date"""
VERBS: Mapping[Event, frozenset[str]] = {
    "birth": frozenset({"bear", "birth"}),
    "death": frozenset({"die", "kill", "death"}),
    "making": frozenset(_MAKING.split()),
}
"""The verbs of facts that date an event."""

STEPS_TO_COUNTRY = 4
"""Places within places that are gone through to a country."""

_WITHIN = frozenset(["locate", "belong", "citizen", "city", "town", "village", "district", "county", "part"])
_DASH = r"\s*[-\u2013\u2014]\s*"
_LIFE = re.compile(
    rf"\([^()]*?(?P<birth>{DATE_IN_TEXT})[^()]*?{_DASH}[^()]*?(?P<death>{DATE_IN_TEXT})[^()]*\)"
)
_BIRTH = re.compile(rf"\bborn\b[^.;]{{0,40}}?(?P<birth>{DATE_IN_TEXT})")
_MADE = re.compile(r"\b(?:is|was|are|were) (?:a|an|the) (?P<making>[12]\d{3})\b")
_BRACKETS = re.compile(r"\([^()]*\)")
_DEFINED = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the)\b(?P<sort>[^.;]*)")


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was read."""

    chunk: str
    sentence: str


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """A day that is told, and where."""

    day: Day
    source: Source


def when(thing: Thing, event: Event, passages: Sequence[Passage]) -> DatedEvent | None:
    """The day of an event of a thing, the most precise that is told; None where none is."""
    told = [*_by_facts(thing, event, passages), *_by_definition(thing, event)]
    return max(told, key=lambda one: sum(map(bool, one.day)), default=None)


def countries_of(thing: Thing, passages: Sequence[Passage]) -> tuple[frozenset[str], Source] | None:
    """The countries that a thing is from or lies in; None where no country is told.

    Facts lead to them in a few steps ("is city in Maine", "Maine is located in ..."); without any, those
    count that its definition names, or whose demonym it has.
    """
    reached, seen = {entity: Source("", "") for entity in thing.entities}, set(thing.entities)
    for _ in range(STEPS_TO_COUNTRY):
        further: dict[str, Source] = {}
        found: set[str] = set()
        for fact, passage in _placing(reached, passages):
            source = Source(passage.chunk, fact.sentence)
            if fact.object.name in sovereign():
                found.add(fact.object.name)
            elif fact.object.entity not in seen:
                further[fact.object.entity] = source
        if found:
            return frozenset(found), source
        reached, seen = further, seen | set(further)
    for passage, sentence in _definitions(thing):
        defined = _DEFINED.search(_BRACKETS.sub(" ", sentence))
        named = frozenset(_countries_in(defined["sort"])) if defined else frozenset()
        if named:
            return named, Source(passage.chunk, sentence)
    return None


def sort_of(thing: Thing, passages: Sequence[Passage]) -> tuple[frozenset[str], Source] | None:
    """The words that say what a thing is; None where nothing does."""
    said = set[str]()
    source = Source("", "")
    for passage, sentence in _definitions(thing):
        defined = _DEFINED.search(_BRACKETS.sub(" ", sentence))
        if defined:
            said |= set(words(defined["sort"])) | {one.casefold() for one in _countries_in(defined["sort"])}
            source = Source(passage.chunk, sentence)
    for fact, passage in thing.facts(passages):
        if fact.predicate in {"is", "was", "are", "were"}:
            said |= set(words(fact.object.name))
            source = source if source.chunk else Source(passage.chunk, fact.sentence)
    return (frozenset(said), source) if said else None


def holders(thing: Thing, role: str, passages: Sequence[Passage]) -> list[Thing]:
    """Who has a role at a thing: the director of a film is whom a fact has direct it."""
    doing = set(words(role))
    found: dict[str, Name] = {}
    for passage in passages:
        for fact in passage.facts:
            person = _holder(fact, thing.entities)
            if person and not doing.isdisjoint(words(fact.predicate)):
                found.setdefault(person.entity, person)
    for passage, sentence in () if found else _sentences(thing):
        said = re.search(r"\b(?P<verb>\w+ed|written|made) by\b", sentence)
        if said and not doing.isdisjoint(words(said["verb"])):
            behind = {sentence.find(name.surface, said.end()): name for name in passage.names}
            first = min((at for at in behind if at >= 0), default=-1)
            if first >= 0:
                found.setdefault(behind[first].entity, behind[first])
    return [resolve_thing(name, passages) for name in found.values()]


def _holder(fact: StatedFact, entities: frozenset[str]) -> Name | None:
    if fact.subject.entity in entities and fact.object.type == "PERSON":
        return fact.object
    if fact.object.entity in entities and fact.subject.type == "PERSON":
        return fact.subject
    return None


def _by_facts(thing: Thing, event: Event, passages: Sequence[Passage]) -> Iterator[DatedEvent]:
    for fact, passage in thing.facts(passages):
        day = day_of(fact.object.name) if fact.object.type == "DATE" else None
        if day and not VERBS[event].isdisjoint(words(fact.predicate)):
            yield DatedEvent(day, Source(passage.chunk, fact.sentence))


def _by_definition(thing: Thing, event: Event) -> Iterator[DatedEvent]:
    patterns = {"birth": (_LIFE, _BIRTH), "death": (_LIFE,), "making": (_MADE,)}[event]
    for passage, sentence in _definitions(thing):
        for pattern in patterns:
            found = pattern.search(sentence)
            day = day_of(found[event]) if found else None
            if day:
                yield DatedEvent(day, Source(passage.chunk, sentence))


def _placing(
    reached: Mapping[str, Source], passages: Sequence[Passage]
) -> Iterator[tuple[StatedFact, Passage]]:
    for passage in passages:
        for fact in passage.facts:
            placing = fact.predicate == "is from" or not _WITHIN.isdisjoint(words(fact.predicate))
            if placing and fact.subject.entity in reached:
                yield fact, passage


def _definitions(thing: Thing) -> Iterator[tuple[Passage, str]]:
    """The first sentence of each of the thing's own articles."""
    for passage in thing.own:
        first = next(iter(sentence_spans(passage.text)), None)
        if first:
            yield passage, passage.text[first.start : first.end]


def _sentences(thing: Thing) -> Iterator[tuple[Passage, str]]:
    for passage in thing.own:
        for span in sentence_spans(passage.text):
            yield passage, passage.text[span.start : span.end]


def _countries_in(text: str) -> Iterator[str]:
    names = re.findall(r"[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)*", text)
    for name in names:
        for form in (name, *name.split(), *name.replace("-", " ").split()):
            if form in sovereign():
                yield form
            elif form in countries():
                yield countries()[form]


SURE = 1.0
"""The fit of an answer for which everything that was compared is told."""

_LIVED = re.compile(
    r"\blived? (?P<which>longer|shorter)\b|\b(?P<long>longer|shorter) li(?:fe|ved)\b", re.IGNORECASE
)
_EVENTS: Sequence[tuple[Event, re.Pattern[str]]] = (
    ("death", re.compile(r"\b(?:died?|dies|death|passed away)\b", re.IGNORECASE)),
    ("birth", re.compile(r"\b(?:born|birth|old(?:er|est)|young(?:er|est))\b", re.IGNORECASE)),
    ("making", re.compile(r"\b(?:came|come|comes) (?:out|first)\b|\bnew(?:er|est)\b", re.IGNORECASE)),
)
_OF_ONES_OWN_AGE = re.compile(r"\bold(?:er|est)\b", re.IGNORECASE)
_SAME_COUNTRY = re.compile(
    r"\b(?:same|share a|share the same|a common) (?:country|nation|nationality)\b", re.IGNORECASE
)
_BOTH = re.compile(r"^(?:is|are|was|were)\b.*\bboth\b", re.IGNORECASE | re.DOTALL)
_NOT_A_SORT = re.compile(
    r"\b(?:same|located|situated|based|born|from|in|by|at|on|part of|members?)\b", re.IGNORECASE
)
_ALTERNATIVE = re.compile(r"\bor\b", re.IGNORECASE)
_ROLE = re.compile(
    r"\b(?P<role>[a-z]+?)s?\b(?= (?:who|whose|that|of|born|died|is|was|are|were)\b)"
    r"|\bwhose (?P<whose>[a-z]+)\b|\b[a-z]+['\u2019]s? (?P<possessed>[a-z]+)\b"
)


def compared_things(question: str, form: QuestionForm, passages: Sequence[Passage]) -> Reading | None:
    """The answer to a question about two things, None where the passages do not tell of both."""
    if form.kind == "before or after":
        return None
    two = find_two_things(question, passages)
    if two is None:
        return None
    rest = question
    for thing in sorted(two, key=lambda one: -len(one.label)):
        rest = rest.replace(thing.label, " ")
    rest = " ".join(rest.split())
    pairs = _in_their_stead(two, rest, passages)
    if form.kind == "which of two" or _ALTERNATIVE.search(rest):
        return _compare_lifetimes(two, pairs, rest, passages) or _in_time(
            two, pairs, rest, form.late, passages
        )
    if form.kind == "yes or no" and _SAME_COUNTRY.search(rest):
        return _same_country(pairs, passages)
    if _BOTH.match(rest) and not _NOT_A_SORT.search(rest):
        return _both_are(two, rest, passages)
    return None


def _in_their_stead(
    two: tuple[Thing, Thing], rest: str, passages: Sequence[Passage]
) -> tuple[Sequence[Thing], Sequence[Thing]]:
    """For each of two things what is compared: who has the role that the question asks about, or itself."""
    for match in _ROLE.finditer(rest):
        role = next(one for one in match.groups() if one)
        if "person" in sorts_of(role):
            one, other = (holders(thing, role, passages) for thing in two)
            if one or other:
                return one, other
    return (two[0],), (two[1],)


def _same_country(
    pairs: tuple[Sequence[Thing], Sequence[Thing]], passages: Sequence[Passage]
) -> Reading | None:
    found = [[said for thing in things if (said := countries_of(thing, passages))] for things in pairs]
    if not all(found):
        return None
    one, other = ({country for countries, _ in told for country in countries} for told in found)
    return _answer_reading("Yes" if one & other else "No", found[0][0][1])


def _both_are(two: tuple[Thing, Thing], rest: str, passages: Sequence[Passage]) -> Reading | None:
    """ "Yes" where both are told to be what is asked; "No" where one is told to be what the other is not.

    A word that neither has may be said of them in other words, so it decides nothing.
    """
    one, other = (sort_of(thing, passages) for thing in two)
    asked = set(words(rest))
    if one is None or other is None or not asked:
        return None
    if asked <= one[0] and asked <= other[0]:
        return _answer_reading("Yes", one[1])
    lacking = (asked & one[0]) ^ (asked & other[0])
    return _answer_reading("No", (one if lacking & one[0] else other)[1]) if lacking else None


def _compare_lifetimes(
    two: tuple[Thing, Thing],
    pairs: tuple[Sequence[Thing], Sequence[Thing]],
    rest: str,
    passages: Sequence[Passage],
) -> Reading | None:
    asked = _LIVED.search(rest)
    if asked is None:
        return None
    lives = [_lifetime(things, passages) for things in pairs]
    one, other = lives
    if one is None or other is None or one[0] == other[0]:
        return None
    longest = (asked["which"] or asked["long"]).casefold() == "longer"
    first = (one[0] > other[0]) == longest
    return _thing_reading(two[0] if first else two[1], (one if first else other)[1])


def _lifetime(things: Sequence[Thing], passages: Sequence[Passage]) -> tuple[Day, Source] | None:
    """Years, months and days that somebody lived, as far as both dates are told."""
    for thing in things:
        born, died = when(thing, "birth", passages), when(thing, "death", passages)
        if born and died:
            years, months, days = (end - start for end, start in zip(died.day, born.day, strict=True))
            return (years * 372 + months * 31 + days, 0, 0), died.source
    return None


def _in_time(
    two: tuple[Thing, Thing],
    pairs: tuple[Sequence[Thing], Sequence[Thing]],
    rest: str,
    late: bool | None,
    passages: Sequence[Passage],
) -> Reading | None:
    if late is None:
        return None
    for event in _events(rest):
        one, other = (_first_date(things, event, passages) for things in pairs)
        first = earlier(one.day, other.day) if one and other else None
        if one and other and first is not None:
            picked = 0 if first != late else 1
            return _thing_reading(two[picked], (one, other)[picked].source)
    return None


def _first_date(things: Sequence[Thing], event: Event, passages: Sequence[Passage]) -> DatedEvent | None:
    return next((said for thing in things if (said := when(thing, event, passages))), None)


def _events(rest: str) -> list[Event]:
    """The events that a question may put in order; of what is older, its birth or its making."""
    found = [event for event, pattern in _EVENTS if pattern.search(rest)]
    if not found and not VERBS["making"].isdisjoint(words(rest)):
        found = ["making"]
    return [*found, "making"] if _OF_ONES_OWN_AGE.search(rest) else found


def _thing_reading(thing: Thing, source: Source) -> Reading:
    entity = next(iter(thing.entities)) if len(thing.entities) == 1 else ""
    return Reading(thing.label, entity, source.chunk, source.sentence, SURE)


def _answer_reading(answer: str, source: Source) -> Reading:
    return Reading(answer, "", source.chunk, source.sentence, SURE)
