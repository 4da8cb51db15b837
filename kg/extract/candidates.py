"""What the rules propose, and which of it becomes a triple."""

import re
from dataclasses import dataclass
from datetime import date

from kg.extract import dates
from kg.extract.lexicon import EMPTY_HEADS, NOUN_KINDS
from kg.extract.mood import Mood
from kg.extract.name_tables import countries
from kg.extract.noun_phrases import Phrase
from kg.model import Triple

MIN_CONFIDENCE = 0.45
RULE_TRUST = {
    "life-dates": 1.0, "place-chain": 0.95, "owner": 0.95, "office": 0.9, "apposition": 0.9,
    "copula": 0.9, "named-noun": 0.85, "verb": 0.8, "verb-role": 0.8, "verb-prep": 0.75,
    "verb-date": 0.75, "copula-prep": 0.7,
}  # fmt: skip
"""How far a rule is trusted: set by judgement after reading samples, a rank and not a measured frequency."""

MAX_PREDICATE_WORDS = 9

_SPACES = re.compile(r"\s+")
_HOUR = re.compile(
    r"\b(?:mornings?|afternoons?|evenings?|nights?|overnight|midnight|noon|minutes?|hours?|seconds?|[ap]\.?m|utc|gmt|few|"
    r"several|many|some|first|second|third|one)\b|\d:\d"
)
"""Hours and vague counts, which tell nothing apart."""
_WORD = re.compile(r"[^\W\d_]{2}|[$€£¥%]")
_SAYING_WHAT = frozenset({"copula", "apposition", "named-noun", "office", "verb-role"})
_TAKING_BARE_NOUNS = frozenset({"of", "with", "for", "as", "from"})
"""Prepositions behind which a lone noun is a charge, an illness or an office: "died of cancer"."""
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


def accepted(candidate: Candidate, published: date | None) -> Triple | None:
    """The candidate as a triple, or None when it would say nothing alone."""
    subject = candidate.subject
    target = _dated(candidate.object, published, candidate.ahead)
    predicate = _SPACES.sub(" ", candidate.predicate).strip()
    if (
        target is None
        or not (predicate and subject.text and target.text)
        or candidate.mood.confidence < MIN_CONFIDENCE
    ):
        return None
    if not (_can_be_subject(subject) and _can_be_object(target)):
        return None
    if not (subject.named or target.named) or len(predicate.split()) > MAX_PREDICATE_WORDS:
        return None
    if _repeats(subject, target) or _says_little(candidate, target):
        return None
    return Triple(
        subject=subject.text,
        predicate=predicate,
        object=target.text,
        subject_type=subject.type,
        object_type=target.type,
        confidence=round(candidate.mood.confidence * _trust(candidate.rule), 3),
        negated=candidate.mood.negated,
        attributed_to=candidate.mood.attributed_to,
        rule=candidate.rule,
    )


def _trust(rule: str) -> float:
    return RULE_TRUST.get(rule.partition("+")[0], 1.0)


def _can_be_subject(subject: Phrase) -> bool:
    if subject.literal:
        return False
    if not subject.named and not subject.holds_name:
        return False  # "a rescue team" is another one in every article
    return subject.text not in countries() or subject.text in _SHORT_COUNTRIES


def _can_be_object(target: Phrase) -> bool:
    if target.type == "NUMBER" and (_HOUR.search(target.text.lower()) or not _WORD.search(target.text)):
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
    """A lone common noun is an object only where it says what someone is ("is lawyer")."""
    if target.type != "CONCEPT" or " " in target.text:
        return False
    if candidate.rule == "verb-prep" and candidate.predicate.rsplit(" ", 1)[-1] in _TAKING_BARE_NOUNS:
        return False
    says_what = candidate.rule in _SAYING_WHAT
    return not says_what or NOUN_KINDS.get(target.text.lower(), "PERSON") != "PERSON"
