"""Sentences of passages with their words, and the names and dates in them that may answer a question."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kg.extract.dates import MONTH
from kg.model import EntityType
from kg.text.sentences import sentence_spans
from services.rag.protocol import Name, Passage
from services.rag.question_words import words

RANK_DECAY = 0.93
"""What a sentence counts less for each rank of its passage."""

_LITERALS: dict[EntityType, re.Pattern[str]] = {
    "DATE": re.compile(rf"\b(?:\d{{1,2}} )?(?:{MONTH})(?: \d{{1,2}},)?(?: \d{{4}})?\b|\b[12]\d{{3}}\b"),
    "NUMBER": re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?: (?:per cent|percent|million|billion|\w+s))?"),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its content words; `decay` is what its passage's rank makes of it."""

    text: str
    words: frozenset[str]
    passage: Passage
    decay: float


def sentences_of(passages: Sequence[Passage]) -> list[Sentence]:
    """All sentences of passages, best passage first."""
    return [
        Sentence(text, found, passage, RANK_DECAY**rank)
        for rank, passage in enumerate(passages)
        for text, found in _sentences(passage.text)
    ]


def candidates(sentence: Sentence, types: frozenset[EntityType] | None) -> Iterator[Name]:
    """The names of these types in a sentence, and its dates and numbers where these are asked for."""
    for name in sentence.passage.names:
        if (types is None or name.type in types) and stands_in(name.surface, sentence.text):
            yield name
    for kind, pattern in _LITERALS.items():
        if types is not None and kind in types:
            for match in pattern.finditer(sentence.text):
                yield Name(match[0], match[0], kind, "")


def stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text as whole words."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False


def names_in(text: str, passages: Iterable[Passage]) -> dict[str, frozenset[str]]:
    """The entities of passages that a text names, with the words of their names there.

    Of names that lie within each other the longest counts: "Island Clinic" does not name the island.
    """
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for passage in passages:
        for name in all_names(passage):
            for form in (name.surface, name.name):
                if name.entity and form:
                    forms[form].add(name.entity)
    found: dict[str, frozenset[str]] = {}
    for form in sorted(forms, key=lambda form: (-len(form), form)):
        if stands_in(form, text):
            # A blank would make one name of two that stood around it.
            text = text.replace(form, "|")
            for entity in forms[form]:
                found[entity] = found.get(entity, frozenset()) | frozenset(words(form))
    return found


def all_names(passage: Passage) -> Iterator[Name]:
    """The names that stand in a passage, and those of its facts, which may stand elsewhere in the article."""
    yield from passage.names
    for fact in passage.facts:
        yield fact.subject
        yield fact.object


@lru_cache(maxsize=4_096)
def _sentences(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    found = (text[span.start : span.end] for span in sentence_spans(text))
    return tuple((sentence, frozenset(words(sentence))) for sentence in found)
