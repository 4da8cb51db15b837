"""What of a model's answers is taken as data: every item is checked against the article that it is about.

Descriptions that a model gave the type of a name: "Utah Jazz player", "nearby hotel", "local police".

A question may start and end at a name only, since a description fits other things in another article. What a
thing is called and what it is are told apart by how it is written: the word that says what it is ("player",
"hotel") has a small letter in a description, and a person's name has none such.

What a claim says that its article can't have told, found without asking a model.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import get_args

from kg.extract import dates
from kg.extract.dates import MONTH, MONTHS, WEEKDAYS
from kg.extract.model_phrases import as_stated, as_written
from kg.extract.model_requests import CONFIDENCE, KINDS, VERDICTS, Item, Unusable
from kg.extract.model_text import SearchedText, one_line, stands_in_group, tidy_name
from kg.extract.predicates import SAYS_NOTHING, allowed, deed, empty_relation, mended
from kg.llm.protocol import JsonValue
from kg.model import LITERAL_TYPES, NAMED_TYPES, EntityType, Triple
from kg.resolve.normal_form import GENERIC_WORDS, normal_form, without_article
from kg.text.lexicon import countries
from kg.text.words import head_end, head_noun

_WORD = re.compile(r"[^\W\d_](?:[\w\u2019'.-]*\w)?")
_SHORTENED = re.compile(r"['\u2019](?:s|d|ll|re|ve|m)?$")
_CAPITALISED_ANYWHERE = frozenset(
    {"i", "mr", "mrs", "ms", "dr", *(month.lower() for month in MONTHS), *WEEKDAYS}
)

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{MONTH})|(?:{MONTH})(?: \d{{1,2}},?)?) (?P<year>\d{{4}})\b"
    r"|\b(?P<only>\d{4})\b(?!-\d)|\b(?P<iso>\d{4})(?:-\d\d){1,2}\b",
    re.IGNORECASE,
)
_UNITS: Mapping[str, int] = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
            *("nineteen", "twenty"),
        )
    )
} | {"first": 1, "second": 2, "third": 3, "a": 1, "an": 1, "once": 1, "twice": 2, "dozen": 12}
_TENS: Mapping[str, int] = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
} | {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


def ungrounded(claim: str, text: str, published: date | None) -> str:
    """Why a claim can't be right, by its names and numbers alone; empty where they are the article's.

    `text` is the whole article, title included.
    """
    if names := unknown_names(claim, text):
        return f"names what the article doesn't: {', '.join(names)}"
    if numbers := unknown_numbers(claim, text, published):
        return f"has numbers that the article doesn't: {', '.join(numbers)}"
    return ""


def unknown_names(claim: str, text: str) -> list[str]:
    """Capitalised words of a claim that neither the article nor a calendar has: known elsewhere, or made up.

    The first word of a claim doesn't count, as every claim begins with a capital.
    """
    known = {_plain_word(word) for word in _WORD.findall(text)} | _CAPITALISED_ANYWHERE
    known |= {part for word in known for part in word.split("-")}
    capitalised = (word for word in _WORD.findall(claim)[1:] if word[0].isupper())
    return [
        word
        for word in capitalised
        if _plain_word(word) not in known and not known.issuperset(_plain_word(word).split("-"))
    ]


def unknown_numbers(claim: str, text: str, published: date | None) -> list[str]:
    """Numbers of a claim that the article has neither in figures nor in words.

    Days, months and years that can be counted from the article's date ("last Friday", "ten years ago") are
    known where there is such a date.
    """
    known = set(map(_plain_number, _NUMBER.findall(text))) | set(_in_figures(text))
    counted = [] if published is None else [*_counted_dates(claim, published, known)]
    return [
        found[0]
        for found in _NUMBER.finditer(claim)
        if _plain_number(found[0]) not in known
        and not any(start <= found.start() and found.end() <= end for start, end in counted)
    ]


def _counted_dates(claim: str, published: date, known: set[str]) -> Iterator[tuple[int, int]]:
    """The places of dates whose year is next to the article's, or as many years off as the text says."""
    for found in _DATE.finditer(claim):
        year = int(found["year"] or found["only"] or found["iso"])
        if abs(year - published.year) <= 1 or str(abs(year - published.year)) in known:
            yield found.span()


def _in_figures(text: str) -> Iterator[str]:
    """The numbers that stand in words: "twenty-five" as 25."""
    for word in _WORD.findall(text.lower()):
        tens, _, unit = word.partition("-")
        if word in _UNITS or word in _TENS:
            yield str(_UNITS.get(word) or _TENS.get(word, 0))
        elif tens in _TENS and unit in _UNITS:
            yield str(_TENS[tens] + _UNITS[unit])


def _plain_number(number: str) -> str:
    return number.replace(",", "")


def _plain_word(word: str) -> str:
    return _SHORTENED.sub("", word).casefold().replace(".", "")


_PLACED = re.compile(r"(?>[a-z][a-z ]*? (?:of|at|in|on|near) ).*[A-Z]")
"""A thing by its kind and its place: "fire at Tarn Airport", "government of Averell"."""
_NOT_ONE_TEXT = "several many few most some all any other another such hundreds thousands dozens next last"
_NOT_ONE = frozenset(_NOT_ONE_TEXT.split())
_OPENINGS_OF_PLACES_TEXT = "north south east west central northern southern eastern western"
_OPENINGS_OF_PLACES = frozenset(_OPENINGS_OF_PLACES_TEXT.split())
_SINGULAR_ENDINGS = ("ss", "us", "is", "news", "series", "headquarters", "works")
_NO_PLURALS: frozenset[EntityType] = frozenset({"ORG", "FAC", "LOC", "GPE", "PRODUCT"})
"""Types whose plurals with a small letter are groups ("Averell authorities"); events and laws have names
like that ("Averell caucuses")."""
_OF_ANY_COUNTRY_TEXT = "law laws bill bills ban rule rules policy policies"
_OF_ANY_COUNTRY = frozenset(_OF_ANY_COUNTRY_TEXT.split())


def is_unnamed(name: str, kind: EntityType) -> bool:
    """Whether a thing that has the type of a named one is only described.

    The terms of science, of type MISC, are names in small letters ("measles"); a lone "Senate" is none. An
    event or a body told by its kind and a name ("fire at Tarn Airport", "government of Averell") is named.
    """
    words = without_article(name).split()
    if kind not in NAMED_TYPES or not any(word[0].isalpha() for word in words):
        return False
    head, placed = head_noun(words), head_end(words) < len(words)
    all_small = " ".join(words).islower()
    if kind == "MISC":
        return not all_small and words[0].islower() and head.islower()
    if all_small or kind in {"PERSON", "NORP"}:
        return all_small or head.islower()
    if words[0].islower() and words[0] not in _OPENINGS_OF_PLACES:
        one_of_its_kind = kind in {"ORG", "EVENT"} and not _is_plural(head) and words[0] not in _NOT_ONE
        return not (placed and one_of_its_kind and _PLACED.match(" ".join(words)))
    return _fits_many(words, head, kind)


def _fits_many(words: list[str], head: str, kind: EntityType) -> bool:
    """Whether a phrase with a capital in front is told of many things: "Averell authorities", "Senate"."""
    if kind == "ORG" and len(words) == 1 and words[0].lower() in GENERIC_WORDS:
        return True
    if kind == "PRODUCT" and words[0] in countries() and " ".join(words[1:]).islower():
        return True
    if kind == "LAW" and head in _OF_ANY_COUNTRY:
        return True
    return kind in _NO_PLURALS and head.islower() and _is_plural(head)


def is_specific(name: str) -> bool:
    """Whether a description holds a name or a number that makes it one thing: "fire at Tarn Airport".

    The capital of a first word may be its sentence's, unless it is a country's: "Norwegian passenger jet".
    """
    first, *others = name.split() or [""]
    bare = (word.lstrip("(") for word in others)
    return (
        first in countries() or first[:1].isdigit() or any(w[:1].isupper() or w[:1].isdigit() for w in bare)
    )


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS)


LONGEST_CLAIM_SENTENCES, LONGEST_CLAIM_MORE = 3, 300
"""A claim has at most so many times the letters of its sentence, and so many more for names and dates."""
LONGEST_PREDICATE_WORDS = 10
LONGEST_REASON = 160

DOUBTS: Mapping[str, str] = {
    "more": "says more than its sentence",
    "different": "contradicts its sentence",
    "unclear": "can't be told from its sentence",
}

_SIDES = ("subject", "object")
_TURNED = (("subject", "object"), ("object", "subject"))
_BETWEEN_SPEAKERS = re.compile(r",? and |, ")
_TYPES: Mapping[str, EntityType] = {kind: kind for kind in get_args(EntityType)}
_NOBODY = frozenset({"", "none", "nobody", "no one", "null", "n/a", "unknown", "-", "not attributed"})


@dataclass(frozen=True, slots=True)
class ClaimDraft:
    """What a sentence says; an opinion, or a sentence that reports nothing, has no text."""

    text: str


@dataclass(frozen=True, slots=True)
class FoundTriples:
    """The triples of a claim, and why others were dropped."""

    triples: tuple[Triple, ...]
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
    item: Item,
    claim: str,
    text: SearchedText,
    published: date | None,
    rule: str,
    concepts: bool = False,
) -> FoundTriples | Unusable:
    """The triples of a claim whose names stand in `text` or in it; the others are dropped with a reason.

    One without a name is among these, unless with `concepts`.
    """
    listing = item.get("facts")
    if not isinstance(listing, Sequence) or isinstance(listing, str):
        return Unusable("it has no list of facts")
    searched = text.with_text(claim)
    facts = [fact for fact in listing if isinstance(fact, Mapping)]
    dropped: Counter[str] = Counter({"it is no object": len(listing) - len(facts)})
    named = dict.fromkeys(tidy_name(_text(fact, side)) for fact in facts for side in _SIDES)
    kept: dict[tuple[str, str, str, bool, str], Triple] = {}
    for fact in facts:
        worded = _worded(fact, facts)
        triple = (
            worded if isinstance(worded, str) else _triple(worded, claim, searched, published, rule, concepts)
        )
        triple = triple if isinstance(triple, str) else as_stated(triple, claim, named)
        if isinstance(triple, str):
            dropped[triple] += 1
            continue
        words = triple.subject.lower(), triple.predicate.lower(), triple.object.lower()
        kept.setdefault((*words, triple.negated, triple.attributed_to), triple)
    return FoundTriples(tuple(kept.values()), dict(+dropped))


def _worded(fact: Item, facts: Sequence[Item]) -> Item | str:
    """A fact in words of which a question can be made, or the reason why there are none.

    Of "Ann endorsed Joe Brandt on" and a day stays that Ann endorsed Joe Brandt, if no other fact relates
    the two.
    """
    ends = [(tidy_name(_text(one, side)), _text(one, f"{side}_type")) for one in facts for side in _SIDES]
    types = {name: kind for name, kind in ends if kind in NAMED_TYPES}
    plain = {normal_form(name) for name, kind in ends if kind == "CONCEPT"}
    dated = _text(fact, "object_type") == "DATE"
    found = mended(_text(fact, "predicate"), dated, _text(fact, "object"), plain)
    if not found.refused:
        swapped = {
            f"{one}{tail}": fact.get(f"{other}{tail}") for one, other in _TURNED for tail in ("", "_type")
        }
        return {**fact, **(swapped if found.turned else {}), "predicate": found.predicate}
    known = deed(found.predicate, types, plain) if dated else None
    if known is None:
        return found.refused
    predicate, name = known
    both = {tidy_name(_text(fact, "subject")), name}
    if any({tidy_name(_text(one, side)) for side in _SIDES} == both for one in facts):
        return found.refused
    return {**fact, "predicate": predicate, "object": name, "object_type": types[name]}


def _triple(
    fact: Item, claim: str, text: SearchedText, published: date | None, rule: str, concepts: bool
) -> Triple | str:
    """A triple, or the reason why there is none."""
    subject = _end(fact, "subject", claim, text)
    target = _end(fact, "object", claim, text)
    if isinstance(subject, str):
        return subject
    if isinstance(target, str):
        return target
    predicate, negated = allowed(_text(fact, "predicate").strip(" .,;:"), fact.get("negated") is True)
    confidence = CONFIDENCE.get(_text(fact, "confidence"))
    source = "" if _text(fact, "attributed_to").casefold() in _NOBODY else _text(fact, "attributed_to")
    speaker = tidy_name(source)
    for is_wrong, reason in (
        (subject.type in LITERAL_TYPES, "its subject is a date or a number"),
        (not (concepts or subject.is_specific or target.is_specific), "neither subject nor object is a name"),
        (subject.name.casefold() == target.name.casefold(), "its subject is its object"),
        (not 1 <= len(predicate.split()) <= LONGEST_PREDICATE_WORDS, "its predicate is empty or too long"),
        (empty_relation(predicate, subject.type, target.type), SAYS_NOTHING),
        (confidence is None, "its confidence is none of those asked for"),
        (not isinstance(fact.get("negated"), bool), "it doesn't say whether it is negated"),
        (bool(source) and not _speaks(speaker, text), "who is said to say it is not in the article"),
    ):
        if is_wrong:
            return reason
    dated = _dated(target, predicate, published)
    if isinstance(dated, str):
        return dated
    return Triple(
        subject=subject.name,
        predicate=predicate,
        object=dated.name,
        subject_type=subject.type,
        object_type=dated.type,
        confidence=confidence or 0.0,
        negated=negated,
        attributed_to=speaker,
        rule=rule,
    )


@dataclass(frozen=True, slots=True)
class _End:
    name: str
    type: EntityType

    @property
    def is_specific(self) -> bool:
        """Whether it is a name, or a description that holds one."""
        return self.type in NAMED_TYPES or (self.type == "CONCEPT" and is_specific(self.name))


def _speaks(speakers: str, text: SearchedText) -> bool:
    """Whether each of the speakers is in the text: they may be told apart from what they say together."""
    return text.has(speakers) or all(map(text.has, _BETWEEN_SPEAKERS.split(speakers)))


def _end(fact: Item, side: str, claim: str, text: SearchedText) -> _End | str:
    """The subject or the object, or the reason why it can't be one; a description has no name's type."""
    kind = _TYPES.get(_text(fact, f"{side}_type"))
    name = tidy_name(_text(fact, side))
    if kind is None:
        return f"its {side} has a type that there isn't"
    if not name:
        return f"its {side} is empty, a pronoun or too long"
    if not text.has(name) and not stands_in_group(name, claim):
        return f"its {side} is not in the article"
    if kind == "CONCEPT" or is_unnamed(name, kind):
        return _End(as_written(name, claim), "CONCEPT")
    return _End(name, kind)


def _dated(target: _End, predicate: str, published: date | None) -> _End | str:
    """A date made whole by the article's day, a span of time as a number; or why it is no date."""
    if target.type != "DATE":
        return target
    if dates.is_duration(target.name):
        return replace(target, type="NUMBER")
    if dates.has_time_of_day(target.name):
        return "a time of day is no date"
    settled = dates.settled(target.name, predicate)
    if not settled:
        return "its date is only told by its distance from another"
    found = dates.resolve(settled, published)
    if found is None:
        return "its date has no year and can't be counted from the article's date"
    return replace(target, name=found.text)


def _text(item: Item, key: str) -> str:
    value: JsonValue = item.get(key)
    return one_line(value) if isinstance(value, str) else ""


def reasons(found: Sequence[FoundTriples]) -> Iterator[tuple[str, int]]:
    """How many triples were dropped for which reason, the most frequent first."""
    total: Counter[str] = Counter()
    for one in found:
        total.update(one.dropped)
    yield from sorted(total.items(), key=lambda item: (-item[1], item[0]))
