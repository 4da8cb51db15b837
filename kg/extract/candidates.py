"""What the rules propose, and which of it becomes a triple."""

import re
from dataclasses import dataclass
from datetime import date

from spacy.tokens import Token

from kg.extract import dates
from kg.extract.mood import Mood
from kg.extract.noun_phrases import Phrase
from kg.extract.rule_table import RULES
from kg.model import PLACE_TYPES, Triple
from kg.text.lexicon import (
    EMPTY_HEADS,
    ENDINGS_OF_PEOPLE,
    KIN_NOUNS,
    NOUN_KINDS,
    PLACES_OF_REGIONS,
    POINTING_ADJECTIVES,
    RELATIONAL_NOUNS,
    VAGUE_ADJECTIVES,
    VAGUE_NOUNS,
    countries,
)

MAX_PREDICATE_WORDS = 9

MAX_PHRASE_LETTERS = 300
"""A longer phrase is a list or no language; the indexes of the graph hold some 8,000 bytes of it."""

_SPACES = re.compile(r"\s+")
_HOUR = re.compile(
    r"\b(?:mornings?|afternoons?|evenings?|nights?|overnight|midnight|noon|minutes?|hours?|seconds?|[ap]\.?m|utc|gmt|few|"
    r"several|many|some|first|second|third|one)\b|\d:\d"
)
"""Hours and vague counts, which tell nothing apart."""
_COUNT = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|"
    r"at|least|most|more|less|than|about|around|nearly|almost|over|up|to|half|only|the)\b"
)
"""Words that leave nothing of a number which doesn't say what it counts."""
_WORD = re.compile(r"[^\W\d_]{2}|[$€£¥%]")
_WITHOUT_DAY = re.compile(r"\d{4}(?:-\d\d)?")
_ON = re.compile(r" on$")
_SAYING_WHAT = frozenset({"copula", "copula-inverse", "apposition", "named-noun", "office", "verb-role"})
_TAKING_BARE_NOUNS = frozenset({"of", "with", "for", "as", "from"})
"""Prepositions behind which a lone noun is a charge, an illness or an office: "died of cancer"."""
_QUANTITIES = frozenset({"several", "many", "some", "most", "few", "more", "two", "three", "four", "five"})
_PEOPLE = frozenset({"personality", "researcher", "official", "officer", "member", "national"}) | (
    RELATIONAL_NOUNS - PLACES_OF_REGIONS - frozenset({"party", "deal", "subsidiary", "sequel", "installment"})
)
_CALLING_WHAT = frozenset({"copula", "copula-inverse", "apposition", "named-noun"})
_ANYBODY = frozenset({"boy", "girl", "man", "woman", "child", "person", "guy", "kid"})
_LIFELESS = PLACE_TYPES | {"EVENT", "WORK", "LAW", "PRODUCT"}
_BE = frozenset({"is", "are", "was", "were"})
_DWELLING = frozenset({"born", "died", "buried", "lives", "lived", "located", "headquartered", "based"})
_BECOMING = frozenset({"become", "becomes", "became"})
_SHORT_COUNTRIES = frozenset({"US", "UK", "U.S.", "U.K.", "USA"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A triple that a rule proposes."""

    subject: Phrase
    predicate: str
    object: Phrase
    rule: str
    mood: Mood
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Description:
    """A noun that is said of a subject, or that a deed is done to, for the rules that read inside its phrase.

    `base` leads to the noun ("is captain", "won the cup"); `says_what` tells what the subject is from what
    it did.
    """

    subject: Phrase
    base: str
    noun: Token
    mood: Mood
    says_what: bool
    ahead: bool = False


Found = Candidate | Description


def accepted(candidate: Candidate, published: date | None) -> Triple | None:
    """The candidate as a triple, or None when it would say nothing alone."""
    subject = candidate.subject
    target = _dated(candidate.object, published, candidate.ahead)
    predicate = _SPACES.sub(" ", candidate.predicate).strip()
    if target is not None and _WITHOUT_DAY.fullmatch(target.text):
        predicate = _ON.sub(" in", predicate)
    if target is None or not (predicate and subject.text and target.text):
        return None
    if max(len(subject.text), len(target.text)) > MAX_PHRASE_LETTERS or len(predicate) > MAX_PHRASE_LETTERS:
        return None
    if not (_can_be_subject(subject) and _can_be_object(target, candidate.rule)):
        return None
    if not (subject.named or target.named) or len(predicate.split()) > MAX_PREDICATE_WORDS:
        return None
    if _repeats(subject, target) or _says_little(candidate, target) or _cannot_be(subject, predicate, target):
        return None
    return Triple(
        subject=subject.text,
        predicate=predicate,
        object=target.text,
        subject_type=subject.type,
        object_type=target.type,
        confidence=round(candidate.mood.confidence * RULES[candidate.rule].trust, 3),
        negated=candidate.mood.negated,
        attributed_to=candidate.mood.attributed_to,
        rule=candidate.rule,
        aside=candidate.mood.aside,
    )


def _cannot_be(subject: Phrase, predicate: str, target: Phrase) -> bool:
    """Whether the kinds of the two can't stand so: a slip of the parser, for all that each word is there.

    A place is nobody's son and belongs to no church, nobody is born in a person, becomes an island or is
    signatory "to one".
    """
    words = predicate.lower().split()
    lifeless = {subject.type, target.type} & _LIFELESS
    if lifeless and len(words) > 1 and words[0] in _BE and words[-2] in KIN_NOUNS:
        return True
    if subject.type in PLACE_TYPES and target.type == "CONCEPT" and target.head in KIN_NOUNS:
        return True
    if subject.type in PLACE_TYPES and predicate == "belongs to" and target.type in {"FAC", "PERSON"}:
        return True
    if target.type == "PERSON" and words[-1] == "in" and not _DWELLING.isdisjoint(words):
        return True
    if subject.type == "PERSON" and words[0] in _BECOMING:
        turned = target.named and target.type in {*PLACE_TYPES, "PERSON"}
        return turned or (len(words) > 2 and words[-1] == "in" and predicate.split()[1][0].isupper())
    return len(words) > 2 and words[-2] == "one" and words[-1] != "of"


def _can_be_subject(subject: Phrase) -> bool:
    if subject.literal:
        return False
    if not subject.named and (not subject.holds_name or subject.article == "a" or _names_nobody(subject)):
        return False  # "a rescue team" and "a Facebook user" are others in every article
    if subject.text.lower() in NOUN_KINDS:
        return False  # "the Ministry"
    return subject.text not in countries() or subject.text in _SHORT_COUNTRIES


def _names_nobody(subject: Phrase) -> bool:
    """Whether it describes people named elsewhere: "Turkish President", "several U.S. nationals".

    Not so "Ana Brel's father", of whom there is one.
    """
    words = subject.text.lower().split()
    if words[0] in _QUANTITIES:
        return True
    person = subject.head in _PEOPLE or NOUN_KINDS.get(subject.head) == "PERSON"
    return person and "'s " not in subject.text


def _can_be_object(target: Phrase, rule: str) -> bool:
    if target.type == "NUMBER" and not _WORD.search(_COUNT.sub("", target.text.lower())):
        return False
    if target.type == "NUMBER" and (
        rule == "copula" or _HOUR.search(target.text.lower()) or not _WORD.search(target.text)
    ):
        return False
    # a name may look like a pronoun: US, WHO
    return target.named or not (target.vague or target.text.lower() in EMPTY_HEADS)


def _dated(target: Phrase, published: date | None, ahead: bool) -> Phrase | None:
    """A date made whole; None for one that only its context could tell."""
    if target.type != "DATE":
        return target
    found = dates.resolve(target.text, published, ahead)
    if found is not None:
        return Phrase(found.text, "DATE")
    return Phrase(target.text, "NUMBER") if dates.is_duration(target.text) else None


def _repeats(subject: Phrase, target: Phrase) -> bool:
    """Whether the object is the subject again, or only something of the subject's ("X's campaign")."""
    left, right = subject.text.lower(), target.text.lower()
    return left == right or (target.type == "CONCEPT" and left in right)


def _says_little(candidate: Candidate, target: Phrase) -> bool:
    """Whether a common noun means too little without the sentences around it."""
    if target.type != "CONCEPT":
        return False
    if candidate.rule in _SAYING_WHAT:
        titled = candidate.rule == "office" and target.text[0].isupper() and " " not in target.text
        lone = candidate.rule in _CALLING_WHAT and " " not in target.text and not _is_of_people(target)
        anybody = target.head in _ANYBODY and not target.holds_name
        return titled or lone or anybody or _is_incomplete_role(target)
    words = target.text.lower().split()
    if len(words) == 1:
        last = candidate.predicate.rsplit(" ", 1)[-1]
        open_role = target.cut or target.head in RELATIONAL_NOUNS
        return candidate.rule != "verb-preposition" or last not in _TAKING_BARE_NOUNS or open_role
    if target.holds_name:
        return False
    if target.cut or words[0] in POINTING_ADJECTIVES:
        return True
    pointing = target.article == "the" and not any(letter.isdigit() for letter in target.text)
    return pointing or not VAGUE_ADJECTIVES.isdisjoint(words) or target.head in VAGUE_NOUNS


def _is_of_people(target: Phrase) -> bool:
    """Whether a lone noun says what people are: "activist", and not "burden" or "choice"."""
    return NOUN_KINDS.get(target.head) == "PERSON" or target.head.endswith(ENDINGS_OF_PEOPLE)


def _is_incomplete_role(target: Phrase) -> bool:
    """ "is president" leaves open of what; "is lawyer" and "is president of the club" don't.

    So does "highest court" where what stands behind it is left out.
    """
    if target.cut and not target.holds_name and any(word.endswith("est") for word in target.text.split()):
        return True
    if target.holds_name:
        return False
    lower = target.text.lower()
    if " of " in lower:
        return " of the " in lower and target.text == lower
    words = lower.split()
    if target.head in RELATIONAL_NOUNS or "'s " in lower or not VAGUE_ADJECTIVES.isdisjoint(words):
        return True
    if words[0] in POINTING_ADJECTIVES:
        return True
    return " " not in lower and NOUN_KINDS.get(lower, "PERSON") != "PERSON"
