"""Facts inside a noun phrase that is said of someone: "is the French captain of Lyon" -> France, Lyon."""

from collections.abc import Iterator

from spacy.tokens import Token

from kg.extract.candidates import Candidate
from kg.extract.lexicon import NATIONAL_ADJECTIVE_TYPES, NOUN_KINDS
from kg.extract.mood import Mood
from kg.extract.name_tables import countries
from kg.extract.noun_phrases import Phrase, bare_head, conjuncts, objects_of, phrase
from kg.extract.reading import Reading

NESTED_FACTOR = 0.9
CITIZENSHIP_FACTOR = 0.9
ORIGIN_FACTOR = 0.8
MODIFIER_FACTOR = 0.8
AFFILIATION_FACTOR = 0.7

_BE = frozenset({"is", "was", "are", "were"})
_SAYING_WHAT_IT_IS = frozenset({"copula", "apposition", "named-noun", "office"})
_REGIONS = frozenset({"GPE", "LOC"})
_MODIFIERS = frozenset({"compound", "amod", "nmod"})


def qualifiers(
    reading: Reading, subject: Phrase, base: str, head: Token, rule: str, mood: Mood, depth: int = 0
) -> Iterator[Candidate]:
    """Triples (subject, `base` + preposition, name) for the names that qualify the noun `head`."""
    for child in head.children:
        if child.dep_ == "prep":
            yield from _prepositional(reading, subject, base, child, rule, mood, depth)
        elif child.dep_ == "poss":
            owner = phrase(reading, child)
            if owner is not None and owner.named:
                yield Candidate(subject, f"{base} of", owner, f"{rule}+owner", mood)
        elif child.dep_ in _MODIFIERS:
            span = reading.named(child)
            inside_name = span is not None and span.start <= head.i < span.end
            if span is not None and not inside_name and span.type in NATIONAL_ADJECTIVE_TYPES:
                found = phrase(reading, child)
                group = found is not None and found.type == "NORP" and found.text not in countries()
                if found is not None and not (group and child.i < head.i - 1):
                    yield from modifier(subject, base, found, rule, mood)
        if NOUN_KINDS.get(head.lemma_.lower()) == "WORK" and child.dep_ in {
            "nummod",
            "amod",
            "compound",
            "nmod",
        }:
            yield from _release_year(subject, child, rule, mood)


def _release_year(subject: Phrase, child: Token, rule: str, mood: Mood) -> Iterator[Candidate]:
    """ "a 1946 film" came out in 1946."""
    if child.shape_ == "dddd" and rule in {"copula", "apposition"} and not mood.negated:
        yield Candidate(subject, "was released in", Phrase(child.text, "DATE"), f"{rule}+year", mood)


def _prepositional(
    reading: Reading, subject: Phrase, base: str, preposition: Token, rule: str, mood: Mood, depth: int
) -> Iterator[Candidate]:
    for token in objects_of(reading, preposition):
        target = phrase(reading, token)
        if target is None:
            continue
        predicate = f"{base} {preposition.lower_}"
        if target.named or target.type == "DATE":
            yield Candidate(
                subject, predicate, target, f"{rule}+{'date' if target.literal else 'prep'}", mood
            )
        elif depth == 0:
            deeper = f"{predicate} {bare_head(reading, token)}"
            yield from qualifiers(reading, subject, deeper, token, rule, mood.times(NESTED_FACTOR), depth + 1)


def modifier(subject: Phrase, base: str, name: Phrase, rule: str, mood: Mood) -> Iterator[Candidate]:
    """A name before a noun: "French striker" gives a citizenship, "Lyon striker" an "is striker of"."""
    country = countries().get(name.text)
    if not country and name.type != "NORP":
        yield Candidate(subject, f"{base} of", name, f"{rule}+modifier", mood.times(MODIFIER_FACTOR))
        return
    if rule not in _SAYING_WHAT_IT_IS or base.split(maxsplit=1)[0] not in _BE or not subject.named:
        return
    if country is None:
        affiliated = mood.times(AFFILIATION_FACTOR)
        yield Candidate(subject, "is affiliated with", name, f"{rule}+group", affiliated)
        return
    nation = Phrase(country, "GPE")
    if subject.type == "PERSON":
        citizen = mood.times(CITIZENSHIP_FACTOR)
        yield Candidate(subject, "is citizen of", nation, f"{rule}+citizenship", citizen)
    else:
        yield Candidate(subject, "is from", nation, f"{rule}+origin", mood.times(ORIGIN_FACTOR))


def fits_kind(subject: Phrase, noun: Token) -> bool:
    """Whether something of the subject's type can be what the noun says ("a fire" is no country)."""
    kind = NOUN_KINDS.get(noun.lemma_.lower())
    if subject.type in _REGIONS:
        return kind is None or kind in _REGIONS
    if subject.type == "PERSON":
        return kind is None or kind == "PERSON"
    return kind != "PERSON" or subject.type not in {"ORG", "FAC", "EVENT"}


def predicate_nouns(reading: Reading, token: Token) -> list[tuple[Token, Phrase | None]]:
    """A noun and what is joined to it, each with its phrase."""
    return [(noun, phrase(reading, noun)) for noun in conjuncts(reading, token)]
