"""Facts inside a noun phrase that is said of someone: "is the French captain of Lyon" -> France, Lyon."""

from collections.abc import Iterator
from dataclasses import replace

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Description
from kg.extract.mood import Mood
from kg.extract.noun_phrases import Phrase, bare_head, gives_examples, objects_of, phrase
from kg.extract.reading import Reading
from kg.model import PLACE_TYPES, REGION_TYPES
from kg.text.lexicon import (
    HONORIFICS,
    NATIONAL_ADJECTIVE_TYPES,
    NOUN_KINDS,
    PARTIES,
    PEOPLES_OF_COUNTRY,
    RELATIONAL_NOUNS,
    SURE_ENDINGS_OF_PEOPLE,
    VAGUE_NOUNS,
    countries,
    is_other_party,
    sovereign,
)

NESTED_FACTOR = 0.9

_BINDING = frozenset({"of", "for", "to", "on", "against", "with", "between"})
"""Prepositions that rather belong to the noun before them than to the verb."""
_BE = frozenset({"is", "was", "are", "were"})
_OF_COURTS = frozenset({"attorney", "judge", "justice", "marshal"})
_GROUPS = frozenset({"group", "list", "pair", "series", "trio", "duo"})
_MODIFIERS = frozenset({"compound", "amod", "nmod"})
_OF_A_NATION = frozenset({"national", "citizen"})
_OF_STATE = frozenset(
    ["president", "vice president", "prime minister", "deputy prime minister", "king", "queen", "emperor"]
    + [f"{field} minister" for field in ("foreign", "defence", "defense", "finance", "interior", "health")]
)
"""Offices of which an adjective of a nation says whose they are: the "French President" is France's."""
_TIMING = frozenset({"after", "before", "until", "till", "since", "following"})
_LABELS = frozenset({"number", "name", "title", "nickname", "code", "callsign", "rank", "distinction"})
_YEAR_DEPS = frozenset({"nummod", "amod", "compound", "nmod"})


def prepositional_name(reading: Reading, said: Description) -> Iterator[Candidate]:
    """ "Anna Keller is captain of Lyon." -> (Anna Keller, is captain of, Lyon)."""
    yield from _prepositional(reading, said, said.base, said.noun, said.mood, nested=False)


def _prepositional(
    reading: Reading, said: Description, base: str, noun: Token, mood: Mood, *, nested: bool
) -> Iterator[Candidate]:
    rule = "role-preposition" if said.says_what else "object-preposition"
    for child in noun.children:
        if child.dep_ != "prep" or gives_examples(child):
            continue
        if said.says_what and child.lower_ == "of" and noun.lemma_.lower() in _GROUPS:
            continue  # "a group of France, Italy and Japan" is of none of them alone
        if nested and not said.says_what and child.lower_ not in _BINDING:
            continue
        predicate = f"{base} {child.lower_}"
        if child.lower_ == "between":
            yield from _between(reading, said, predicate, child, mood)
            continue
        for token in objects_of(reading, child):
            target = phrase(reading, token)
            if target is None or (not said.says_what and _is_loose(noun, child, target)):
                continue
            if said.says_what and _goes_on_with_role(reading, token):
                be = said.base.split(maxsplit=1)[0]
                base = f"{be} {bare_head(reading, token)}"
                yield from _prepositional(
                    reading, replace(said, base=base, noun=token), base, token, mood, nested=nested
                )
                continue
            if target.type == "DATE" and said.says_what and noun.lemma_.lower() in RELATIONAL_NOUNS:
                continue  # "his sister in 2014" leaves out whose
            if target.named or target.type == "DATE":
                yield Candidate(said.subject, predicate, target, rule, mood, said.ahead)
            elif not nested and (said.says_what or child.lower_ in _BINDING):
                deeper = f"{predicate} {bare_head(reading, token)}"
                below = Description(
                    said.subject, deeper, token, mood.times(NESTED_FACTOR), said.says_what, said.ahead
                )
                yield from _prepositional(reading, below, deeper, token, below.mood, nested=True)
                if said.says_what:
                    yield from owning_name(reading, below)
                    yield from name_before(reading, below)


def _is_loose(noun: Token, preposition: Token, target: Phrase) -> bool:
    """ "A tail number of EP-CPP" is that number; a date behind a second noun may be the first one's."""
    if target.type == "DATE":
        return noun.dep_ == "pobj" and noun.head.lower_ in _TIMING
    return preposition.lower_ == "of" and noun.lemma_.lower() in _LABELS


def _between(
    reading: Reading, said: Description, predicate: str, preposition: Token, mood: Mood
) -> Iterator[Candidate]:
    """ "A treaty between France and Spain": each end, with the other in the predicate."""
    rule = "role-preposition" if said.says_what else "object-preposition"
    ends = [phrase(reading, token) for token in objects_of(reading, preposition)]
    if len(ends) == 1 and ends[0] is not None and ends[0].type == "DATE":
        yield Candidate(said.subject, predicate, ends[0], rule, mood, said.ahead)
    if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
        for other, target in ((ends[0], ends[1]), (ends[1], ends[0])):
            if target.named:
                yield Candidate(said.subject, f"{predicate} {other.text} and", target, rule, mood, said.ahead)


def _goes_on_with_role(reading: Reading, token: Token) -> bool:
    """ "Husband of Ana Brel and father of Tom Brel": whether the noun goes on with what is said."""
    if token.dep_ != "conj" or token.lemma_.lower() not in RELATIONAL_NOUNS:
        return False
    return reading.named(token.head) is not None and reading.entity(token) is None


def owning_name(reading: Reading, said: Description) -> Iterator[Candidate]:
    """ "Anna Keller is Lyon's captain." -> (Anna Keller, is captain of, Lyon)."""
    rule = "role-owner" if said.says_what else "object-owner"
    for child in said.noun.children:
        if child.dep_ == "poss" and (said.says_what or child.pos_ != "PRON"):
            owner = phrase(reading, child)
            if owner is not None and owner.named:
                yield Candidate(said.subject, f"{said.base} of", owner, rule, said.mood, said.ahead)


def name_before(reading: Reading, said: Description) -> Iterator[Candidate]:
    """ "Anna Keller is a Lyon striker." -> (Anna Keller, is striker of, Lyon)."""
    for name in _names_before(reading, said.noun):
        yield from modifier(said.subject, said.base, name, said.mood, says_what=said.says_what)


def _names_before(reading: Reading, noun: Token) -> Iterator[Phrase]:
    """Names of nations, places and organisations before a noun, as adjectives or compounds."""
    for child in (*noun.children, *_joined_nations(reading, noun)):
        span = reading.named(child)
        if child.dep_ not in _MODIFIERS or span is None or span.type not in NATIONAL_ADJECTIVE_TYPES:
            continue
        found = phrase(reading, child)
        if found is None or span.start <= noun.i < span.end or is_of_institution(reading, child, noun):
            continue
        if child.tag_ == "JJ" and span.type != "NORP":
            continue  # the "Presidential" race
        if is_other_party(span.text, reading.doc[span.start - 1].text if span.start else ""):
            continue
        if span.text in PEOPLES_OF_COUNTRY:
            continue  # "an African American writer" is a member of nothing
        group = found.type == "NORP" and found.text not in countries()
        if not (group and child.i < noun.i - 1):
            yield found


def is_of_institution(reading: Reading, nation: Token, noun: Token) -> bool:
    """ "U.S. District Judge", "U.S. Attorney": the country says whose the court is, and not who the judge.

    So it does of "UK economist at the bank", "Scottish Conservative leader" and "Welsh secretary of the
    Medical Association".
    """
    span = reading.named(nation)
    if span is None or not (span.text in countries() or span.text in sovereign()):
        return False
    before = reading.named(reading.doc[span.start - 1]) if span.start else None
    if before is not None and before.type == "ORG":
        return True  # "the Nintendo UK manager" is one of a branch there
    grouped = any(
        found is not None and found is not span and found.type in {"NORP", "ORG", "FAC", "MISC"}
        for found in (reading.entity(word) for word in reading.doc[span.end : noun.i])
    )
    if grouped or _is_of_organisation(reading, noun, at=span.text.isupper()):
        return True
    between = [word for word in reading.doc[span.end : noun.i] if reading.entity(word) is None]
    courtly = any(word.text[0].isupper() and word.text.rstrip(".") not in HONORIFICS for word in between)
    return courtly or (noun.text[0].isupper() and noun.lower_ in _OF_COURTS)


def _is_of_organisation(reading: Reading, noun: Token, *, at: bool) -> bool:
    """Whether "of" or "for" names an organisation behind an office; with `at` also "at" and "with"."""
    return any(
        (found := reading.entity(token)) is not None and found.type == "ORG"
        for child in noun.children
        if child.dep_ == "prep" and child.lower_ in ({"of", "for", "at", "with"} if at else {"of", "for"})
        for token in objects_of(reading, child)
    )


def _joined_nations(reading: Reading, noun: Token) -> Iterator[Token]:
    """The first of two nations: "French" in "a French-Italian film"."""
    for child in noun.children:
        if child.dep_ in _MODIFIERS and reading.named(child) is not None:
            for word in child.children:
                span = reading.named(word)
                if span is not None and span.type == "NORP" and span.text in countries():
                    yield word


def modifier(subject: Phrase, base: str, name: Phrase, mood: Mood, *, says_what: bool) -> Iterator[Candidate]:
    """A name before a noun: "French striker" gives a citizenship, "Lyon striker" an "is striker of".

    "French President" gives both.
    """
    country = countries().get(name.text) or countries().get(name.text.removesuffix("s"))
    if not country and name.type != "NORP":
        rule = "role-modifier" if says_what else "object-modifier"
        yield Candidate(subject, f"{base} of", name, rule, mood)
        return
    if not says_what or base.split(maxsplit=1)[0] not in _BE or not subject.named:
        return
    if country is None:
        if subject.type in PLACE_TYPES and name.text not in PARTIES:
            return  # "a Catalonian city" lies in what has another name
        party = PARTIES.get(name.text)
        group = Phrase(party, "ORG") if party else name
        yield Candidate(subject, "is affiliated with", group, "group", mood)
    elif subject.type == "PERSON":
        yield Candidate(subject, "is citizen of", Phrase(country, "GPE"), "citizenship", mood)
        if base.split(maxsplit=1)[-1].lower().removeprefix("former ") in _OF_STATE:
            yield Candidate(subject, f"{base} of", Phrase(country, "GPE"), "state-office", mood)
    elif subject.type != "NORP":
        predicate = "is located in" if subject.type in PLACE_TYPES else "is from"
        yield Candidate(subject, predicate, Phrase(country, "GPE"), "origin", mood)


def release_year(reading: Reading, said: Description) -> Iterator[Candidate]:
    """ "Sparta is a 1975 film." -> (Sparta, was released in, 1975)."""
    if NOUN_KINDS.get(said.noun.lemma_.lower()) != "WORK" or not said.says_what or said.mood.negated:
        return
    for word in reading.doc[said.noun.left_edge.i : said.noun.i]:
        # in "a 1973 French-Italian film" the parser hangs the year on "Italian"
        if word.dep_ in _YEAR_DEPS and word.shape_ == "dddd":
            year = Phrase(word.text, "DATE")
            yield Candidate(said.subject, "was released in", year, "release-year", said.mood)
            return


DESCRIPTION_RULES = (prepositional_name, owning_name, name_before, release_year)


def fits_kind(subject: Phrase, noun: Token) -> bool:
    """Whether something of the subject's type can be what the noun says ("a fire" is no country)."""
    if noun.doc[noun.i + 1 : noun.i + 5].text == "-in-law":
        return False  # the rest of the word would be lost
    kind = "PERSON" if noun.lemma_.lower() in _OF_A_NATION else NOUN_KINDS.get(noun.lemma_.lower())
    if kind is None and noun.lemma_.lower().endswith(SURE_ENDINGS_OF_PEOPLE):
        kind = "PERSON"
    if subject.type in REGION_TYPES:
        return kind is None or kind in REGION_TYPES
    if subject.type == "PERSON":
        return kind == "PERSON" or (kind is None and noun.lemma_.lower() not in VAGUE_NOUNS)
    return kind != "PERSON" or subject.type not in {"ORG", "FAC", "EVENT"}
