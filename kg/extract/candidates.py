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
MAX_PREDICATE_WORDS = 9

_SPACES = re.compile(r"\s+")
_SAYING_WHAT = frozenset({"copula", "apposition", "named-noun", "office", "verb-role"})
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
    if target is None or not predicate or candidate.mood.confidence < MIN_CONFIDENCE:
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
        confidence=round(candidate.mood.confidence, 3),
        negated=candidate.mood.negated,
        attributed_to=candidate.mood.attributed_to,
        rule=candidate.rule,
    )


def _can_be_subject(subject: Phrase) -> bool:
    if subject.literal or subject.text.lower() in EMPTY_HEADS:
        return False
    if not subject.named and (subject.vague or " " not in subject.text):
        return False
    return subject.text not in countries() or subject.text in _SHORT_COUNTRIES


def _can_be_object(target: Phrase) -> bool:
    return not target.vague and target.text.lower() not in EMPTY_HEADS


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
    says_what = candidate.rule in _SAYING_WHAT
    return not says_what or NOUN_KINDS.get(target.text.lower(), "PERSON") != "PERSON"
