"""Facts that stand around a name without a verb: appositions, offices, owners."""

from collections.abc import Iterator

from spacy.tokens import Token

from kg.extract.candidates import Candidate
from kg.extract.entities import EntitySpan
from kg.extract.lexicon import ADDRESS_FORMS, FORMERLY, GENERIC_OFFICES, HONORIFICS
from kg.extract.mood import PLAIN, Mood
from kg.extract.noun_phrases import Phrase, bare_head, conjuncts, objects_of, phrase
from kg.extract.reading import Reading
from kg.extract.rules_qualifiers import fits_kind, modifier, predicate_nouns, qualifiers
from kg.model import EntityType

ALIAS_CONFIDENCE = 0.6
DATED_CONFIDENCE = 0.5
OWNER_CONFIDENCE = 0.7
BESIDE_CONFIDENCE = 0.7
NATION_CONFIDENCE = 0.9

_PLACES: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC"})
_REGIONS: frozenset[EntityType] = frozenset({"GPE", "LOC"})
_MADE: frozenset[EntityType] = frozenset({"WORK", "PRODUCT", "LAW"})
_DATABLE: frozenset[EntityType] = frozenset({"WORK", "EVENT", "LAW", "PRODUCT"})
_BESIDE = frozenset({"in", "of", "from", "at", "near"})
_ROLE_POS = frozenset({"NOUN", "PROPN", "ADJ", "PART", "ADV"})
_ROLE_DEPS = frozenset({"compound", "nmod", "amod", "poss", "case"})


def facts_about_name(reading: Reading, token: Token, span: EntitySpan) -> Iterator[Candidate]:
    """Facts around the name that `token` heads."""
    subject = phrase(reading, token)
    if subject is None or not subject.named:
        return
    for child in token.children:
        if child.dep_ == "appos":
            yield from _apposition(reading, span, subject, child)
        elif child.dep_ == "poss" and not span.start <= child.i < span.end:
            yield from _owner(reading, subject, child)
        elif child.dep_ == "prep" and child.lower_ in _BESIDE and subject.type not in {"MISC", "NORP"}:
            yield from _beside(reading, subject, child)
    if subject.type == "PERSON":
        yield from _office_before(reading, subject, span)


def facts_about_noun(reading: Reading, token: Token) -> Iterator[Candidate]:
    """A name in apposition to a common noun: "the club's founder, Ana Brel"."""
    if token.tag_ != "NN" or any(child.dep_ == "nummod" for child in token.children):
        return
    description = phrase(reading, token)
    for child in token.children:
        if child.dep_ != "appos":
            continue
        for apposed in conjuncts(reading, child):
            subject = phrase(reading, apposed) if reading.named(apposed) else None
            if subject is None or not subject.named or not fits_kind(subject, token):
                continue
            if description is not None:
                yield Candidate(subject, "is", description, "named-noun", PLAIN)
            yield from qualifiers(
                reading, subject, f"is {bare_head(reading, token)}", token, "named-noun", PLAIN
            )


def _is_former(reading: Reading, noun: Token) -> bool:
    """Whether "formerly" stands before the noun's phrase."""
    first = noun.left_edge.i
    return any(token.lower_ in FORMERLY for token in reading.doc[max(0, first - 1) : noun.i])


def _only_bracket_between(reading: Reading, span: EntitySpan, child: Token) -> bool:
    other = reading.entity_at[child.i]
    return reading.doc[span.end : other.start].text.strip(' "') == "("


def _apposition(reading: Reading, span: EntitySpan, subject: Phrase, child: Token) -> Iterator[Candidate]:
    target = phrase(reading, child)
    if target is None:
        return
    if reading.entity(child) is None:
        for noun, described in predicate_nouns(reading, child):
            if noun.pos_ == "NUM" or reading.entity(noun) is not None:
                continue
            if not fits_kind(subject, noun):
                continue
            be = "was" if _is_former(reading, noun) else "is"
            if described is not None:
                yield Candidate(subject, be, described, "apposition", PLAIN)
            base = f"{be} {bare_head(reading, noun)}"
            yield from qualifiers(reading, subject, base, noun, "apposition", PLAIN)
        return
    if subject.type in _PLACES and target.type in _REGIONS:
        return  # the chain rule reads these, lists apart
    if target.type == "DATE" and subject.type in _DATABLE:
        yield Candidate(subject, "is dated", target, "dated-name", Mood(DATED_CONFIDENCE))
    elif target.type == subject.type and _only_bracket_between(reading, span, child):
        yield Candidate(subject, "is also known as", target, "alias", Mood(ALIAS_CONFIDENCE))


def _owner(reading: Reading, subject: Phrase, child: Token) -> Iterator[Candidate]:
    owner = phrase(reading, child)
    if owner is None or not owner.named:
        return
    if owner.type == "PERSON" and subject.type in {"GPE", "LOC", "FAC", "PERSON", "NORP"}:
        return  # "his London" and "Brel's Lopez" are rather slips of the parser
    if subject.type == "PERSON":
        predicate = "is affiliated with"
    elif subject.type in _MADE:
        predicate = "is by"
    elif subject.type in _PLACES and owner.type in _REGIONS:
        predicate = "is located in"
    else:
        predicate = "belongs to"
    yield Candidate(subject, predicate, owner, "owner", Mood(OWNER_CONFIDENCE))


def _beside(reading: Reading, subject: Phrase, preposition: Token) -> Iterator[Candidate]:
    word = preposition.lower_
    for token in objects_of(reading, preposition):
        target = phrase(reading, token)
        if target is None:
            continue
        if target.type == "DATE" and word == "in" and subject.type in {"EVENT", "WORK"}:
            predicate = "took place in" if subject.type == "EVENT" else "is dated"
            yield Candidate(subject, predicate, target, "dated-name", Mood(BESIDE_CONFIDENCE))
        elif target.named and reading.named(token) is not None:
            inside = word in {"in", "at"} and subject.type in {"GPE", "LOC", "FAC", "ORG"}
            predicate = "is located in" if inside and target.type in _REGIONS else f"is {word}"
            if subject.type == "PERSON" and target.type == "ORG":
                predicate = "is affiliated with"
            yield Candidate(subject, predicate, target, "name-preposition", Mood(BESIDE_CONFIDENCE))


def _office_before(reading: Reading, subject: Phrase, span: EntitySpan) -> Iterator[Candidate]:
    """ "German chancellor Angela Merkel": the office, its country, club or party."""
    words = _words_before(reading, span)
    if not words:
        return
    last = reading.named(words[-1])
    if last is not None:
        nation = phrase(reading, words[-1])
        if nation is not None and nation.type == "NORP":
            yield from modifier(subject, "is", nation, "office", Mood(NATION_CONFIDENCE))
        return
    if words[-1].pos_ not in {"NOUN", "PROPN"} or not fits_kind(subject, words[-1]):
        return
    office = " ".join(
        word.text for word in words if reading.entity(word) is None and word.pos_ in {"NOUN", "PROPN", "ADJ"}
    ).strip("- ")
    if office.lower().rstrip(".") in ADDRESS_FORMS or len(office) < 3 or office.lower() in GENERIC_OFFICES:
        return
    yield Candidate(subject, "is", Phrase(office, "CONCEPT"), "office", PLAIN)
    for word in words:
        inner = reading.named(word)
        if inner is not None and inner.root == word.i:
            found = phrase(reading, word)
            if found is not None and found.named:
                yield from modifier(subject, f"is {office}", found, "office", PLAIN)


def _words_before(reading: Reading, span: EntitySpan) -> list[Token]:
    words: list[Token] = []
    i = span.start - 1
    while i >= 0 and reading.sentence_of[i] == reading.sentence_of[span.start]:
        token = reading.doc[i]
        titled = token.text.rstrip(".") in HONORIFICS
        if token.pos_ not in _ROLE_POS or not (token.dep_ in _ROLE_DEPS or titled):
            break
        words.insert(0, token)
        i -= 1
    return words
