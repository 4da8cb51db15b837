"""Facts that stand around a name without a verb: appositions, offices, owners.

Places in places: "St. Clair, Lambton County, Ontario, Canada".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from spacy.tokens import Token

from kg.extract.candidates import Candidate, Description, Found
from kg.extract.entities import ROMAN, EntitySpan
from kg.extract.mood import PLAIN
from kg.extract.name_types import office_behind
from kg.extract.noun_phrases import (
    PLACING,
    Phrase,
    bare_head,
    conjuncts,
    denoted,
    glued,
    objects_of,
    person_described,
    phrase,
)
from kg.extract.place_chains import is_parallel, place_chains
from kg.extract.reading import Reading, Sentence
from kg.extract.rules_qualifiers import fits_kind, is_of_institution, modifier
from kg.model import PLACE_TYPES, REGION_TYPES, EntityType
from kg.text.lexicon import (
    ADDRESS_FORMS,
    ENDINGS_OF_PEOPLE,
    FITTING_TYPES,
    FORMERLY,
    GENERIC_OFFICES,
    HONORIFICS,
    NO_LONGER,
    NOUN_KINDS,
    OFFICES,
    PLACES_OF_REGIONS,
    RELATIONAL_NOUNS,
    SETTLEMENT_NOUNS,
    is_country,
    is_other_party,
    name_words,
    states,
)

_LYING = re.compile(
    r"^(?:is|was|are|were|lies|lay|sits|stands|rises|flows|runs)\b.*"
    r" (?:in|within|of|on|at|near|from|into|through)$"
)
_UNIONS = frozenset({"United Kingdom", "UK", "U.K.", "Soviet Union", "Yugoslavia", "Czechoslovakia"})


def place_chain(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "She lives in Lyon, France." -> (Lyon, is located in, France); lists with "and" are no chains."""
    for chain in place_chains(reading, sentence):
        for inner, outer in combinations(chain, 2):
            place, region = reading.names.of(inner), reading.names.of(outer)
            nation = is_country(place.text) and region.text not in _UNIONS
            if outer.type not in REGION_TYPES or nation or region.type == "PERSON":
                continue
            kind = place.type if place.type in PLACE_TYPES else "GPE"
            subject, target = Phrase(place.text, kind), Phrase(region.text, "GPE")
            yield Candidate(subject, "is located in", target, "place-chain", PLAIN)


def place_beyond(reading: Reading, sentence: Sentence, found: Candidate) -> Iterator[Candidate]:
    """ "Inari is a village in Lapland, in northern Finland." -> (Inari, is located in, Finland)."""
    if found.subject.type not in PLACE_TYPES or found.object.type not in REGION_TYPES or found.mood.negated:
        return
    if not _LYING.search(found.predicate):
        return
    for chain in place_chains(reading, sentence):
        names = [reading.names.of(span) for span in chain]
        texts = [name.text for name in names]
        if found.object.text not in texts or found.subject.text in texts:
            continue
        listed = found.predicate.rsplit(maxsplit=1)[-1] in PLACING
        for name, span in list(zip(names, chain, strict=True))[texts.index(found.object.text) + 1 :]:
            # behind "in" all places of the chain are objects already, but for "the U.S. state of"
            if span.type in REGION_TYPES and not (listed and span in reading.spans):
                region = Phrase(name.text, "GPE")
                yield Candidate(found.subject, "is located in", region, "place-beyond", found.mood)


def chained(places: Sequence[Phrase]) -> Iterator[Candidate]:
    """Each place lies in all that follow."""
    for inner, outer in combinations(places, 2):
        yield Candidate(inner, "is located in", outer, "place-chain", PLAIN)


_MADE: frozenset[EntityType] = frozenset({"WORK", "PRODUCT", "LAW"})
_DATABLE: frozenset[EntityType] = frozenset({"WORK", "EVENT", "LAW", "PRODUCT", "MISC"})
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_BESIDE = frozenset({"in", "of", "from", "at", "near", "by"})
_SAYING_POS = frozenset({"NOUN", "PROPN", "ADJ", "PUNCT"})
_ROLE_POS = frozenset({"NOUN", "PROPN", "ADJ", "PART", "ADV"})
_ROLE_DEPS = frozenset({"compound", "nmod", "amod", "poss", "case", "preconj"})


def apposition(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Found]:
    """ "Ana Brel, mayor of Lyon, resigned." -> (Ana Brel, is, mayor of Lyon)."""
    for child in reading.doc[span.root].children:
        if child.dep_ != "appos" or reading.entity(child) is not None:
            continue
        for noun in conjuncts(reading, child):
            if noun.pos_ == "NUM" or reading.entity(noun) is not None or _is_counted(noun):
                continue  # "9:54 ET, 1354 UTC"
            if ROMAN.fullmatch(noun.text):
                continue  # "Pharasmanes I"
            if _is_joined_before(reading, span, child):
                continue  # "X and Y, sister of Z": Y is, not X
            said_of = _said_of(reading, span, subject, noun)
            if said_of is None:
                continue
            be = "was" if _is_former(reading, noun) else "is"
            described = phrase(reading, noun)
            if described is not None:
                yield Candidate(said_of, be, described, "apposition", PLAIN)
            yield Description(said_of, f"{be} {bare_head(reading, noun)}", noun, PLAIN, says_what=True)


def _is_joined_before(reading: Reading, span: EntitySpan, description: Token) -> bool:
    """Whether an "and" puts another name between a name and what the parser says of it."""
    between = reading.doc[span.end : description.i]
    return any(
        token.dep_ == "conj" and reading.named(token) not in {None, reading.named(token.head)}
        for token in between
    )


def _said_of(reading: Reading, span: EntitySpan, subject: Phrase, noun: Token) -> Phrase | None:
    """Whom an apposition is about: in "a senator from Ohio, husband of Ana Brel," not Ohio."""
    if subject.type in PLACE_TYPES and noun.lemma_.lower() in RELATIONAL_NOUNS - PLACES_OF_REGIONS:
        above = reading.doc[span.root]
        while above.dep_ in {"pobj", "prep"}:
            above = above.head
        person = person_described(reading, above)
        return None if person is None else phrase(reading, person)
    if subject.type == "PERSON" and (noun.tag_ == "NNS" or not _is_of_people(noun)):
        return None  # the next item of a list: "Ana Brel, protesters in Hong Kong, and"
    if subject.type == "ORG" and any(child.lower_ in {"its", "their"} for child in noun.children):
        return None  # the next item too: "sued Brel Gas, its chairman and two banks"
    return subject if fits_kind(subject, noun) else None


def _is_former(reading: Reading, noun: Token) -> bool:
    """Whether "formerly" stands before the noun's phrase."""
    first = noun.left_edge.i
    return any(token.lower_ in FORMERLY for token in reading.doc[max(0, first - 1) : noun.i])


def alias(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Candidate]:
    """ "Lake Inari (Inarijoki) is cold." -> (Lake Inari, is also known as, Inarijoki)."""
    for child in reading.doc[span.root].children:
        other = reading.entity(child)
        if child.dep_ != "appos" or other is None:
            continue
        target = phrase(reading, child)
        between = reading.doc[span.end : other.start].text.strip(' "')
        if target is not None and target.type == subject.type != "PERSON" and between == "(":
            yield Candidate(subject, "is also known as", target, "alias", PLAIN)


def dated_name(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Candidate]:
    """ "The Olympic Games in 1936 grew." -> (Olympic Games, took place in, 1936); "Ulysses (1922)" too."""
    if subject.type not in _DATABLE:
        return
    predicate = "took place in" if subject.type == "EVENT" else "is dated"
    year = _year_in_brackets(reading, span)
    if year:
        yield Candidate(subject, predicate, Phrase(year, "DATE"), "dated-name", PLAIN)
        return
    for child in reading.doc[span.root].children:
        dated = reading.entity(child) if child.dep_ == "poss" else None
        if dated is not None and _YEAR.fullmatch(dated.text):
            yield Candidate(subject, predicate, Phrase(dated.text, "DATE"), "dated-name", PLAIN)
        elif child.dep_ == "appos":
            target = phrase(reading, child)
            if target is not None and target.type == "DATE":
                yield Candidate(subject, predicate, target, "dated-name", PLAIN)
        elif child.dep_ == "prep" and child.lower_ == "in" and subject.type in {"EVENT", "WORK"}:
            for token in objects_of(reading, child):
                target = phrase(reading, token)
                if target is not None and target.type == "DATE":
                    yield Candidate(subject, predicate, target, "dated-name", PLAIN)


def _year_in_brackets(reading: Reading, span: EntitySpan) -> str:
    """The year in "Ulysses (1922)", also behind a closing quotation mark; "" for none."""
    start = span.end + (reading.doc[span.end : span.end + 1].text == '"')
    inside = reading.doc[start : start + 3]
    if len(inside) < 3 or inside[0].text != "(" or inside[2].text != ")":
        return ""
    return inside[1].text if _YEAR.fullmatch(inside[1].text) else ""


def owner(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Candidate]:
    """ "Apple's Tim Cook met her." -> (Tim Cook, is affiliated with, Apple)."""
    for child in reading.doc[span.root].children:
        if child.dep_ != "poss" or span.start <= child.i < span.end:
            continue
        owning = phrase(reading, child)
        if owning is None or not owning.named:
            continue
        if owning.type == "PERSON" and subject.type in {"GPE", "LOC", "FAC", "PERSON", "NORP"}:
            continue  # "his London" and "Brel's Lopez" are rather slips of the parser
        if subject.type == "ORG" and is_country(owning.text) and _is_before_a_noun(reading, span):
            continue  # "Ecuador's Amazon forests"
        if subject.type == "NORP" or (owning.type == "PERSON" and subject.type in {"ORG", "MISC"}):
            continue  # a party, an envoy or a people belongs to nobody
        if subject.type == "PERSON":
            predicate = "is affiliated with"
        elif subject.type in _MADE:
            predicate = "is by"
        elif subject.type == "ORG" and is_country(owning.text) and not _is_seated(subject.text):
            predicate = "is from"  # "Germany's Brel Bank"
        elif subject.type in PLACE_TYPES | {"ORG"} and owning.type in REGION_TYPES:
            predicate = "is located in"  # "Pakistan's Taliban" belong to nobody
        else:
            predicate = "belongs to"
        yield Candidate(subject, predicate, owning, "owner", PLAIN)


def _is_before_a_noun(reading: Reading, span: EntitySpan) -> bool:
    return span.end < len(reading.doc) and reading.doc[span.end].tag_ in {"NN", "NNS"}


def _is_seated(name: str) -> bool:
    """Whether an organisation is a place as well, by the last word of its name: a school, a museum."""
    return name_words()[0].get(name.rsplit(maxsplit=1)[-1]) in PLACE_TYPES


def name_preposition(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Candidate]:
    """ "She left Heathrow Airport in London." -> (Heathrow Airport, is located in, London)."""
    root = reading.doc[span.root]
    loose = root.dep_ == "pobj" and root.head.lower_ in {"of", "for"} and subject.type not in PLACE_TYPES
    loose = loose or _is_agent(root) or is_parallel(reading, span)
    for child in root.children:
        if child.dep_ != "prep" or child.lower_ not in _BESIDE or span.start <= child.i < span.end:
            continue
        if child.i - span.end > _CLOSE:
            continue  # "Lyon, Arles and Nice, as well as in France"
        if loose and child.lower_ in {"in", "at"}:
            continue  # "the meeting of the Society in Orlando", "released by Epic in Canada"
        for token in objects_of(reading, child):
            target = phrase(reading, token)
            if target is None or not target.named or reading.named(token) is None:
                continue
            predicate = _between(subject, child.lower_, target)
            if predicate:
                yield Candidate(subject, predicate, target, "name-preposition", PLAIN)


_CLOSE = 2
"""Words between a name and a preposition that tells where it is."""


def _is_agent(name: Token) -> bool:
    """Whether a deed was done by the name: what stands behind it then tells where it was done."""
    while name.dep_ == "conj":
        name = name.head
    return name.dep_ == "pobj" and (name.head.dep_ == "agent" or name.head.lower_ == "by")


def _between(subject: Phrase, word: str, target: Phrase) -> str:
    """How a preposition between two names reads as a predicate; "" where it says nothing."""
    if word == "by":
        return "is by" if subject.type in _MADE and target.type in {"PERSON", "ORG", "MISC"} else ""
    # "served in the Army in the war"
    if subject.type in {"MISC", "NORP"} or (subject.type, target.type) == ("ORG", "EVENT"):
        return ""
    if subject.type == "PERSON":
        return _between_person(word, target)
    if subject.text in states() and target.text not in states():
        return ""
    if target.type in REGION_TYPES and word in {"in", "at"} and subject.type in {"GPE", "LOC", "FAC", "ORG"}:
        return "is located in"
    return "belongs to" if word == "of" else f"is {word}"


def _between_person(word: str, target: Phrase) -> str:
    if target.type in {"ORG", "NORP"}:
        return "is affiliated with"
    if target.type == "WORK":
        return "is in" if word == "in" else ""
    return "is from" if word in {"of", "from"} and target.type in REGION_TYPES else ""


def office(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Candidate]:
    """ "German chancellor Ana Brel left." -> (Ana Brel, is, chancellor); its country, club or party too."""
    words = _words_before(reading, span) if subject.type == "PERSON" else []
    while len(words) > 1 and words[-1].lower_.rstrip(".") in ADDRESS_FORMS:
        words.pop()  # "watchdog chief Sir Ana Brel"
    if not words:
        return
    if reading.named(words[-1]) is not None:
        nation = phrase(reading, words[-1])
        if nation is not None and nation.type == "NORP":
            yield from modifier(subject, "is", nation, PLAIN, says_what=True)
        return
    if fits_kind(subject, words[-1]) and _is_of_people(words[-1]):
        yield from _titles_before(reading, subject, words, "office")


def _is_of_people(noun: Token) -> bool:
    """Whether a noun names people: "deal" in "no-deal Brexit" does not."""
    word = noun.lemma_.lower()
    known = NOUN_KINDS.get(word) == "PERSON" or word in OFFICES
    return noun.text[0].isupper() or known or word.endswith(ENDINGS_OF_PEOPLE)


def kind_before(reading: Reading, span: EntitySpan, subject: Phrase) -> Iterator[Candidate]:
    """ "Bulgarian rock band Shturcite toured." -> (Shturcite, is, rock band); its country too."""
    words = _words_before(reading, span) if subject.type != "PERSON" else []
    kind = NOUN_KINDS.get(words[-1].lower_) if words and words[-1].lower_ not in SETTLEMENT_NOUNS else None
    if kind is not None and (subject.type in FITTING_TYPES[kind] or subject.type == "MISC"):
        yield from _titles_before(reading, subject, words, "named-noun")
        before = words[0].i - 1
        if kind == "WORK" and before >= 0 and _YEAR.fullmatch(reading.doc[before].text):
            year = Phrase(reading.doc[before].text, "DATE")
            yield Candidate(subject, "was released in", year, "release-year", PLAIN)


def _titles_before(reading: Reading, subject: Phrase, words: list[Token], rule: str) -> Iterator[Candidate]:
    """What the words before a name say that it is, and the names among them."""
    if any(word.lower_ in {"future", "emeritus"} for word in words):
        return  # "future" counts from a time that only the article tells
    while words and words[0].lower_ == "fellow":
        words = words[1:]  # whose fellow, the sentence says and the triple does not
    if not words or words[-1].pos_ not in {"NOUN", "PROPN"}:
        return
    if words[-1].tag_ == "NNS" and subject.type == "PERSON":
        return  # "actors Dan Fogler and Ana Brel"
    names = {word.i: found for word in words if (found := _name_of(reading, word)) is not None}
    kept = [word for word in words if reading.entity(word) is None and word.pos_ in _SAYING_POS]
    owned = max((word.i for word in words if word.dep_ == "poss" and word.i in names), default=-1)
    own = [word for word in kept if word.i > owned]  # "Senator Brel's spokeswoman Ana Keller" is no senator
    held = glued(word.lower_ if word.lower_ in NO_LONGER else word.text for word in own).strip("- ")
    if held.lower().rstrip(".") in ADDRESS_FORMS or len(held) < 3 or held.lower() in GENERIC_OFFICES:
        return
    shown = {word.i: word.text for word in kept}
    for word in words:
        if word.i in names:
            shown[word.i] = f"{names[word.i].text}'s" if word.dep_ == "poss" else names[word.i].text
        elif word.lower_ in NO_LONGER:
            shown[word.i] = word.lower_
    said = glued(shown[i] for i in sorted(shown)).strip("- ")
    role = Phrase(said, "CONCEPT", holds_name=bool(names), head=words[-1].lemma_.lower())
    before = reading.doc[max(0, words[0].i - 2) : words[0].i]
    be = "was" if any(word.lower_ in FORMERLY for word in before) else "is"  # "then-President Ana Brel"
    yield Candidate(subject, be, role, rule, PLAIN)
    for i, name in names.items():
        if len(names) > 1 and name.type == "GPE":
            continue  # a "United States District Court judge" is a judge of the court
        if is_other_party(name.text, reading.doc[i - 1].text if i else ""):
            continue
        if not is_of_institution(reading, reading.doc[i], words[-1]):
            yield from modifier(subject, f"{be} {held}", name, PLAIN, says_what=True)


def _name_of(reading: Reading, word: Token) -> Phrase | None:
    span = reading.named(word)
    found = phrase(reading, word) if span is not None and span.root == word.i else None
    return found if found is not None and found.named else None


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


def named_noun(reading: Reading, noun: Token) -> Iterator[Found]:
    """ "The rock band Cream split." -> (Cream, is, rock band)."""
    if noun.tag_ != "NN" or _is_counted(noun) or person_described(reading, noun) is not None:
        return  # in "Ana Brel, mayor of Lyon, France," the mayor is named before
    description = phrase(reading, noun)
    owners = (name for prep in noun.children if prep.dep_ == "prep" for name in prep.children)
    further = [name for owner in owners for name in owner.children if office_behind(name) is not None]
    for child in (*noun.children, *further):
        if child.dep_ != "appos":
            continue
        # a lone noun says what the first name is, and not what the next in a list are
        subject = phrase(reading, child) if reading.named(child) else None
        if subject is None or not subject.named or subject.type == "NORP" or not fits_kind(subject, noun):
            continue
        if description is not None:
            yield Candidate(subject, "is", description, "named-noun", PLAIN)
        yield Description(subject, f"is {bare_head(reading, noun)}", noun, PLAIN, says_what=True)


def _is_counted(noun: Token) -> bool:
    return any(
        child.dep_ == "nummod" and (noun.tag_ == "NNP" or not _YEAR.fullmatch(child.text))
        for child in noun.children
    )


def named_settlement(reading: Reading, noun: Token) -> Iterator[Found]:
    """ "She left the U.S. state of Montana." -> (Montana, is located in, United States)."""
    if noun.lemma_.lower() not in SETTLEMENT_NOUNS:
        return
    for child in noun.children:
        if child.dep_ != "prep" or child.lower_ != "of":
            continue
        for place in child.children:
            subject = phrase(reading, place) if reading.named(place) else None
            if subject is not None and subject.type in REGION_TYPES and denoted(reading, noun).i == place.i:
                yield Description(subject, f"is {bare_head(reading, noun)}", noun, PLAIN, says_what=True)


NAME_RULES = (apposition, alias, dated_name, owner, name_preposition, office, kind_before)
NOUN_RULES = (named_noun, named_settlement)
