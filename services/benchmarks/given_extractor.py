"""An extractor that adds given names and triples to what another one reads in the same passages.

What the other reads stands. A given name counts as a name where it is written as one: a common noun joins
passages that have nothing to do with each other.
"""

import re
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.extract import dates
from kg.extract.dates import MONTHS
from kg.extract.model_answers import LONGEST_PREDICATE_WORDS
from kg.extract.model_article import Dropped
from kg.extract.model_names import SearchedText, find_mentions, searched, tidy_name
from kg.extract.protocol import ExtractionInput, Extractor
from kg.model import LITERAL_TYPES, NAMED_TYPES, Claim, EntityType, Extraction, Mention, Reject, Span, Triple
from kg.text.opinion import factual_probability
from services.benchmarks.given_triples import GivenPassage, GivenTriples, given_for

RULE = "given"
"""What a given triple has in place of the rule that read it."""

NOT_CHECKED = "given with the set, not checked against its sentence"

_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019.-]*\w)?")
_JOINING = frozenset(
    {"of", "the", "and", "for", "in", "on", "at", "to", "by", "with", "from", "a", "an", "as", "or"}
    | {
        "de",
        "la",
        "le",
        "les",
        "du",
        "des",
        "von",
        "van",
        "der",
        "den",
        "di",
        "da",
        "del",
        "al",
        "el",
        "y",
        "e",
    }
)
_MONTHS = frozenset(month.lower() for month in MONTHS)

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class GivenExtractor:
    """Reads as `extractor` does, and adds what is given."""

    extractor: Extractor
    given: GivenTriples

    @property
    def name(self) -> str:
        """The other extractor's name and which triples were given."""
        return given_name(self.extractor.name, self.given)

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily."""
        handed_out: deque[ExtractionInput] = deque()

        def watched() -> Iterator[ExtractionInput]:
            for item in items:
                handed_out.append(item)
                yield item

        extractions = self.extractor.extract(watched())
        try:
            for extraction in extractions:
                item = handed_out.popleft()
                given = given_for(self.given, item.title, item.body)
                yield extraction if given is None else with_given(item, extraction, given)
        finally:
            # Closing ends the processes behind it.
            if isinstance(extractions, Generator):
                extractions.close()


def given_name(extractor: str, given: GivenTriples) -> str:
    """What an extractor that adds given triples is called."""
    return f"{extractor}+given-{given.sha256[:12]}"


def with_given(item: ExtractionInput, extraction: Extraction, given: GivenPassage) -> Extraction:
    """What was read and what is given, as one.

    Names are added where no name was read. A triple joins the claim of the sentence that has most of it;
    one that the passage can't have told is dropped, with a line for each reason.
    """
    names = _Names(item.body, extraction.mentions)
    text = searched(f"{item.title} {item.body}")
    dropped: Counter[str] = Counter()
    added: dict[int, list[Triple]] = {}
    sentences = [searched(item.body[span.start : span.end]) for span in item.sentences]
    for parts in given.triples:
        triple = _triple(parts, names, text)
        if isinstance(triple, str):
            dropped[triple] += 1
        elif sentences:
            added.setdefault(_best(sentences, parts), []).append(triple)
    return Extraction(
        claims=tuple(_claims(item, extraction.claims, added)),
        mentions=tuple(_mentions(item.body, extraction.mentions, names, given)),
        failures=(*extraction.failures, *_failures(dropped)),
    )


class _Names:
    """What names mean in one passage: as they were read there, or else by how they are written."""

    def __init__(self, body: str, mentions: Sequence[Mention]) -> None:
        self._body = body
        self._read: dict[str, tuple[str, EntityType]] = {}
        for mention in mentions:
            for form in (mention.name, mention.surface):
                self._read.setdefault(tidy_name(form).casefold(), (mention.name, mention.type))

    def of(self, text: str) -> tuple[str, EntityType]:
        """The name and the type of what a text names; no name where it can't be one."""
        name = tidy_name(text)
        return self._read.get(name.casefold()) or (name, self._written(name))

    def _written(self, name: str) -> EntityType:
        words = [word for word in _WORD.findall(name) if word.lower() not in _JOINING]
        if all(word.lower() in _MONTHS for word in words):
            return "DATE" if dates.resolve(name, None) else "NUMBER" if _has_digit(name) else "CONCEPT"
        if not all(any(map(str.isupper, word)) for word in words):
            return "CONCEPT"
        # "Casualties" at the head of a sentence is no name where the passage has "casualties" too.
        opens = len(words) == 1 and re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", self._body)
        return "CONCEPT" if opens else "MISC"


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _triple(parts: _Key, names: _Names, text: SearchedText) -> Triple | str:
    """A triple, or the reason why there is none."""
    (subject, subject_type), (target, target_type) = names.of(parts[0]), names.of(parts[2])
    predicate = " ".join(parts[1].split()).strip(" .,;:")
    for is_wrong, reason in (
        (not subject or not target, "its subject or object is empty, a pronoun or too long"),
        (not text.has(tidy_name(parts[0])), "its subject is not in the passage"),
        (not text.has(tidy_name(parts[2])), "its object is not in the passage"),
        (subject_type in LITERAL_TYPES, "its subject is a date or a number"),
        (not {subject_type, target_type} & NAMED_TYPES, "neither subject nor object is a name"),
        (subject.casefold() == target.casefold(), "its subject is its object"),
        (not 1 <= len(predicate.split()) <= LONGEST_PREDICATE_WORDS, "its predicate is empty or too long"),
    ):
        if is_wrong:
            return reason
    return Triple(subject, predicate, target, subject_type, target_type, rule=RULE)


def _best(sentences: Sequence[SearchedText], parts: _Key) -> int:
    """The sentence with most of a triple's words; of several the first."""
    ends = [tidy_name(part) for part in (parts[0], parts[2])]
    held = [(sum(map(sentence.has, ends)), sentence.has(parts[1])) for sentence in sentences]
    return max(range(len(held)), key=lambda at: (held[at], -at))


def _claims(
    item: ExtractionInput, claims: Sequence[Claim], added: Mapping[int, Sequence[Triple]]
) -> Iterator[Claim]:
    """The claims in order, each with what is added to its sentence."""
    by_start = {claim.start: claim for claim in claims}
    for at, triples in added.items():
        span = item.sentences[at]
        claim = by_start.get(span.start) or _claim(item.body, span)
        known = {_key(triple) for triple in claim.triples}
        new = {_key(triple): triple for triple in triples if _key(triple) not in known}
        by_start[span.start] = replace(claim, triples=(*claim.triples, *new.values()))
    for start in sorted(by_start):
        yield by_start[start]


def _key(triple: Triple) -> _Key:
    return triple.subject.lower(), triple.predicate.lower(), triple.object.lower()


def _claim(body: str, span: Span) -> Claim:
    text = body[span.start : span.end]
    return Claim(text, text, span.start, span.end, factual_probability(text), doubt=NOT_CHECKED)


def _mentions(
    body: str, mentions: Sequence[Mention], names: _Names, given: GivenPassage
) -> Iterator[Mention]:
    """The mentions in order, with the given names wherever nothing was read."""
    taken = bytearray(len(body))
    for mention in mentions:
        taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    texts = (*given.names, *(end for triple in given.triples for end in (triple[0], triple[2])))
    wanted = {named for text in texts if (named := names.of(text))[0] and named[1] in NAMED_TYPES}
    more = [one for one in find_mentions(body, sorted(wanted)) if not any(taken[one.start : one.end])]
    yield from sorted((*mentions, *more), key=lambda mention: (mention.start, mention.end))


def _failures(dropped: Counter[str]) -> Iterator[Reject]:
    for reason, count in sorted(dropped.items()):
        yield Dropped("", f"{count} given triple{'s' if count > 1 else ''} dropped: {reason}")
