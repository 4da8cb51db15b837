"""An extractor that adds given names and triples to what another one reads in the same passages.

What the other reads stands. A given name counts as a name where it is written as one: a common noun joins
passages that have nothing to do with each other.

Names and triples that a set brings along for its passages, in the form of HippoRAG's OpenIE results.

That is {"docs": [{"passage", "extracted_entities", "extracted_triples"}]}.
"""

import hashlib
import json
import re
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kg.errors import InputError
from kg.extract import dates
from kg.extract.dates import MONTHS
from kg.extract.model import Dropped
from kg.extract.model_answers import LONGEST_PREDICATE_WORDS
from kg.extract.model_text import SearchedText, find_mentions, searched, tidy_name
from kg.extract.protocol import ExtractionInput, Extractor
from kg.model import LITERAL_TYPES, NAMED_TYPES, Claim, EntityType, Extraction, Mention, Reject, Span, Triple
from kg.text.opinion import factual_probability

_NOT_READ = "Give the file that HippoRAG writes as its OpenIE results."


@dataclass(frozen=True, slots=True)
class GivenPassage:
    """What is given for one passage: names, and triples of subject, predicate and object."""

    names: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class GivenTriples:
    """A file of given triples: passages by `passage_key`, and what can't be used of it."""

    path: Path
    sha256: str
    passages: Mapping[str, GivenPassage]
    rejected: tuple[Reject, ...]


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """How a file fits a corpus: passages with something given, those without, and what was given for none."""

    matched: int
    without: int
    unmatched: tuple[Reject, ...]


def read_triples(path: Path) -> GivenTriples:
    """The names and triples in a file; a passage that stands there twice has both.

    Raises:
        InputError: it can't be read, or has another form.
    """
    try:
        content = path.read_bytes()
        found = json.loads(content)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the triples can't be read ({error}).", _NOT_READ) from None
    docs = found.get("docs") if isinstance(found, dict) else None
    if not isinstance(docs, list):
        raise InputError(f"{path}: it has no list of docs.", _NOT_READ)
    passages: dict[str, GivenPassage] = {}
    rejected: list[Reject] = []
    for number, doc in enumerate(docs, start=1):
        place = f"{path.name}, doc {number}"
        if not isinstance(doc, dict) or not isinstance(doc.get("passage"), str):
            rejected.append(Reject(place, "it has no passage"))
            continue
        given, unusable = _given_passage(doc)
        if unusable:
            rejected.append(Reject(place, f"{unusable} of its triples are not three texts"))
        key = passage_key(doc["passage"])
        known = passages.get(key, GivenPassage((), ()))
        passages[key] = GivenPassage(known.names + given.names, known.triples + given.triples)
    return GivenTriples(path, hashlib.sha256(content).hexdigest(), passages, tuple(rejected))


def passage_key(*parts: str) -> str:
    """What passages are compared by: their words, title first."""
    return " ".join(" ".join(parts).split())


def find_passage(given: GivenTriples, title: str, body: str) -> GivenPassage | None:
    """What is given for a passage, which may be written there with its title or without."""
    return given.passages.get(passage_key(title, body)) or given.passages.get(passage_key(body))


def match_triples(given: GivenTriples, articles: Iterable[tuple[str, str]]) -> FileCoverage:
    """How many articles, as title and body, have something given, and what is given for none of them."""
    keys = [(passage_key(title, body), passage_key(body)) for title, body in articles]
    used = {next((key for key in both if key in given.passages), "") for both in keys}
    matched = sum(any(key in given.passages for key in both) for both in keys)
    unmatched = (
        Reject(given.path.name, f"no passage of the corpus reads: {key[:60]}")
        for key in given.passages
        if key not in used
    )
    return FileCoverage(matched, len(keys) - matched, tuple(unmatched))


def _given_passage(doc: Mapping[str, object]) -> tuple[GivenPassage, int]:
    """What a passage has, and how many of its triples are none."""
    names, triples = doc.get("extracted_entities"), doc.get("extracted_triples")
    listed = triples if isinstance(triples, list) else []
    good = tuple(_three(listed))
    return GivenPassage(tuple(_texts(names)), good), len(listed) - len(good)


def _three(triples: Sequence[object]) -> Iterator[tuple[str, str, str]]:
    for triple in triples:
        match triple:
            case [str(subject), str(predicate), str(target)]:
                yield subject, predicate, target


def _texts(names: object) -> Iterator[str]:
    if isinstance(names, list):
        yield from (name for name in names if isinstance(name, str))


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
    triples: GivenTriples

    @property
    def name(self) -> str:
        """The other extractor's name and which triples were given."""
        return extractor_name(self.extractor.name, self.triples)

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily."""
        handed_out: deque[ExtractionInput] = deque()

        def watch() -> Iterator[ExtractionInput]:
            for item in items:
                handed_out.append(item)
                yield item

        extractions = self.extractor.extract(watch())
        try:
            for extraction in extractions:
                item = handed_out.popleft()
                given = find_passage(self.triples, item.title, item.body)
                yield extraction if given is None else add_triples(item, extraction, given)
        finally:
            # Closing ends the processes behind it.
            if isinstance(extractions, Generator):
                extractions.close()


def extractor_name(extractor: str, given: GivenTriples) -> str:
    """What an extractor that adds given triples is called."""
    return f"{extractor}+given-{given.sha256[:12]}"


def add_triples(item: ExtractionInput, extraction: Extraction, given: GivenPassage) -> Extraction:
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
        return self._read.get(name.casefold()) or (name, self._type_by_spelling(name))

    def _type_by_spelling(self, name: str) -> EntityType:
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
