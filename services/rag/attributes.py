"""What passages tell of a thing: the day of its birth, death or making, its countries, sort, and director.

Stated facts come first. What no fact states is read in the first sentence of the thing's own article, which
defines it: "Odd Narud (3 February 1919 - 22 April 2000) was a Norwegian businessperson."
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.extract.name_tables import countries, sovereign
from kg.text.sentences import sentence_spans
from services.rag.dating import DATE_IN_TEXT, Day, day_of
from services.rag.protocol import Name, Passage, StatedFact
from services.rag.question_words import words
from services.rag.things import Thing, thing_meant

Event = Literal["birth", "death", "making"]

_MAKING = """release found form establish publish open premiere launch build start create introduce air begin
complete found debut date"""
VERBS: Mapping[Event, frozenset[str]] = {
    "birth": frozenset(words("born birth")),
    "death": frozenset(words("died killed death")),
    "making": frozenset(_MAKING.split()),
}
"""The verbs of facts that date an event."""

STEPS_TO_COUNTRY = 4
"""Places within places that are gone through to a country."""

_WITHIN = frozenset(words("located lies situated belongs citizen city town village district county")) | {
    "part"
}
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
class Told:
    """A day that is told, and where."""

    day: Day
    source: Source


def when(thing: Thing, event: Event, passages: Sequence[Passage]) -> Told | None:
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
    return [thing_meant(name, passages) for name in found.values()]


def _holder(fact: StatedFact, entities: frozenset[str]) -> Name | None:
    if fact.subject.entity in entities and fact.object.type == "PERSON":
        return fact.object
    if fact.object.entity in entities and fact.subject.type == "PERSON":
        return fact.subject
    return None


def _by_facts(thing: Thing, event: Event, passages: Sequence[Passage]) -> Iterator[Told]:
    for fact, passage in thing.facts(passages):
        day = day_of(fact.object.name) if fact.object.type == "DATE" else None
        if day and not VERBS[event].isdisjoint(words(fact.predicate)):
            yield Told(day, Source(passage.chunk, fact.sentence))


def _by_definition(thing: Thing, event: Event) -> Iterator[Told]:
    patterns = {"birth": (_LIFE, _BIRTH), "death": (_LIFE,), "making": (_MADE,)}[event]
    for passage, sentence in _definitions(thing):
        for pattern in patterns:
            found = pattern.search(sentence)
            day = day_of(found[event]) if found else None
            if day:
                yield Told(day, Source(passage.chunk, sentence))


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
