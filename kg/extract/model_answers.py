"""What of a model's answers is taken as data: every item is checked against the article that it is about."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import get_args

from kg.extract import dates
from kg.extract.model_names import SearchedText, tidy_name
from kg.extract.model_requests import CONFIDENCE, KINDS, VERDICTS
from kg.extract.model_rounds import Item, Unusable
from kg.extract.model_text import one_line
from kg.llm.protocol import JsonValue
from kg.model import LITERAL_TYPES, NAMED_TYPES, EntityType, Triple

LONGEST_CLAIM_SENTENCES, LONGEST_CLAIM_MORE = 3, 300
"""A claim has at most so many times the letters of its sentence, and so many more for names and dates."""
LONGEST_PREDICATE_WORDS = 10
LONGEST_REASON = 160

DOUBTS: Mapping[str, str] = {
    "more": "says more than its sentence",
    "different": "contradicts its sentence",
    "unclear": "can't be told from its sentence",
}

_TYPES: Mapping[str, EntityType] = {kind: kind for kind in get_args(EntityType)}
_NOBODY = frozenset({"", "none", "nobody", "no one", "null", "n/a", "unknown", "-", "not attributed"})


@dataclass(frozen=True, slots=True)
class ClaimDraft:
    """What a sentence says; an opinion, or a sentence that reports nothing, has no text."""

    text: str


@dataclass(frozen=True, slots=True)
class FoundTriples:
    """The triples of a claim, and why others were dropped."""

    kept: tuple[Triple, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)


def take_claim(sentence: str, item: Item) -> ClaimDraft | Unusable:
    """A claim for a fact; anything but plain text of a sensible length is no answer."""
    kind, text = item.get("kind"), item.get("claim")
    if kind not in KINDS:
        return Unusable("its kind is none of those asked for")
    if kind != "fact":
        return ClaimDraft("")
    claim = one_line(text) if isinstance(text, str) else ""
    if not any(map(str.isalpha, claim)):
        return Unusable("it is called a fact but has no claim")
    if len(claim) > LONGEST_CLAIM_SENTENCES * len(sentence) + LONGEST_CLAIM_MORE:
        return Unusable("its claim is much longer than the sentence")
    return ClaimDraft(claim)


def take_doubt(item: Item) -> str | Unusable:
    """Why a claim is not verified; empty for one that is."""
    verdict, reason = item.get("verdict"), item.get("reason")
    if not isinstance(verdict, str) or verdict not in VERDICTS:
        return Unusable("its verdict is none of those asked for")
    if verdict == "same":
        return ""
    said = one_line(reason)[:LONGEST_REASON].strip() if isinstance(reason, str) else ""
    return f"{DOUBTS[verdict]}: {said}" if said else DOUBTS[verdict]


def take_triples(
    item: Item, text: SearchedText, published: date | None, rule: str
) -> FoundTriples | Unusable:
    """The triples of a claim whose names stand in `text`; each other one is dropped with its reason."""
    listing = item.get("facts")
    if not isinstance(listing, Sequence) or isinstance(listing, str):
        return Unusable("it has no list of facts")
    dropped: Counter[str] = Counter()
    kept: dict[tuple[str, str, str, bool, str], Triple] = {}
    for fact in listing:
        triple = _triple(fact, text, published, rule) if isinstance(fact, Mapping) else "it is no object"
        if isinstance(triple, str):
            dropped[triple] += 1
            continue
        words = triple.subject.lower(), triple.predicate.lower(), triple.object.lower()
        kept.setdefault((*words, triple.negated, triple.attributed_to), triple)
    return FoundTriples(tuple(kept.values()), dict(dropped))


def _triple(fact: Item, text: SearchedText, published: date | None, rule: str) -> Triple | str:
    """A triple, or the reason why there is none."""
    subject = _end(fact, "subject", text)
    target = _end(fact, "object", text)
    if isinstance(subject, str):
        return subject
    if isinstance(target, str):
        return target
    predicate = _text(fact, "predicate").strip(" .,;:")
    confidence = CONFIDENCE.get(_text(fact, "confidence"))
    negated = fact.get("negated")
    source = "" if _text(fact, "attributed_to").casefold() in _NOBODY else _text(fact, "attributed_to")
    speaker = tidy_name(source)
    for is_wrong, reason in (
        (subject.type in LITERAL_TYPES, "its subject is a date or a number"),
        (not {subject.type, target.type} & NAMED_TYPES, "neither subject nor object is a name"),
        (subject.name.casefold() == target.name.casefold(), "its subject is its object"),
        (not 1 <= len(predicate.split()) <= LONGEST_PREDICATE_WORDS, "its predicate is empty or too long"),
        (confidence is None, "its confidence is none of those asked for"),
        (not isinstance(negated, bool), "it doesn't say whether it is negated"),
        (bool(source) and not text.has(speaker), "who is said to say it is not in the article"),
    ):
        if is_wrong:
            return reason
    dated = _dated(target, published)
    if dated is None:
        return "its date has no year and can't be counted from the article's date"
    return Triple(
        subject=subject.name,
        predicate=predicate,
        object=dated.name,
        subject_type=subject.type,
        object_type=dated.type,
        confidence=confidence or 0.0,
        negated=negated is True,
        attributed_to=speaker,
        rule=rule,
    )


@dataclass(frozen=True, slots=True)
class _End:
    name: str
    type: EntityType


def _end(fact: Item, side: str, text: SearchedText) -> _End | str:
    """The subject or the object, or the reason why it can't be one."""
    kind = _TYPES.get(_text(fact, f"{side}_type"))
    name = tidy_name(_text(fact, side))
    if kind is None:
        return f"its {side} has a type that there isn't"
    if not name:
        return f"its {side} is empty, a pronoun or too long"
    if not text.has(name):
        return f"its {side} is not in the article"
    return _End(name, kind)


def _dated(target: _End, published: date | None) -> _End | None:
    """A date made whole by the article's day, a span of time as a number; None for one that can't be told."""
    if target.type != "DATE":
        return target
    found = dates.resolve(target.name, published)
    if found is not None:
        return replace(target, name=found.text)
    return replace(target, type="NUMBER") if dates.is_duration(target.name) else None


def _text(item: Item, key: str) -> str:
    value: JsonValue = item.get(key)
    return one_line(value) if isinstance(value, str) else ""


def reasons(found: Sequence[FoundTriples]) -> Iterator[tuple[str, int]]:
    """How many triples were dropped for which reason, the most frequent first."""
    total: Counter[str] = Counter()
    for one in found:
        total.update(one.dropped)
    yield from sorted(total.items(), key=lambda item: (-item[1], item[0]))
