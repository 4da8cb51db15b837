"""Sentences as statements that stand alone."""

import re
from collections.abc import Iterator

from spacy.tokens import Token

from kg.extract import dates
from kg.extract.coreference import is_definite
from kg.extract.entities import EntitySpan
from kg.extract.lexicon import REFLEXIVE
from kg.extract.reading import Reading, Sentence
from kg.model import Span

MAX_SENTENCE_TOKENS = 300
"""Longer ones are tables and lists that lost their line breaks; their parse means nothing."""

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_LAST_LATIN = 0x24F
_SPACES = re.compile(r"\s+")


def is_statement(reading: Reading, sentence: Sentence) -> bool:
    """Whether the sentence says something: it has a finite verb, a subject, and is no question."""
    if sentence.end - sentence.first > MAX_SENTENCE_TOKENS:
        return False
    tokens = reading.tokens(sentence)
    if not any(token.tag_ in _FINITE for token in tokens) or _is_foreign(tokens):
        return False
    if not any(token.dep_ in {"nsubj", "nsubjpass", "csubj", "expl"} for token in tokens):
        return False
    last = [token.text for token in tokens if not token.is_space and token.text not in {'"', "'", ")"}]
    return last[-1:] != ["?"]


def _is_foreign(tokens: list[Token]) -> bool:
    """Whether most words are in another script, which the English model reads at random."""
    words = [token for token in tokens if token.text[0].isalpha()]
    return sum(ord(token.text[0]) > _LAST_LATIN for token in words) * 2 > len(words)


def standalone_text(reading: Reading, body: str, sentence: Sentence, span: Span) -> str:
    """The sentence with pronouns, short names and relative dates made whole."""
    text = body[span.start : span.end]
    edits = list(_edits(reading, sentence, span))
    for start, end, new in sorted(edits, reverse=True):
        text = text[: start - span.start] + new + text[end - span.start :]
    return _SPACES.sub(" ", text.replace("\x00", " ")).strip()


def _edits(reading: Reading, sentence: Sentence, span: Span) -> Iterator[tuple[int, int, str]]:
    """What to replace, as offsets in the body, each name only where the sentence has not yet said it."""
    said: set[str] = set()
    i = sentence.first
    while i < sentence.end:
        token = reading.doc[i]
        entity = reading.entity_at.get(i)
        if entity is not None and entity.start == i:
            yield from _entity_edits(reading, entity, said, span)
            i = entity.end
            continue
        name = reading.references.get(i)
        if name is not None and name.text not in said and token.lower_ not in REFLEXIVE:
            said.add(name.text)
            yield from _reference_edit(token, name.text, span)
        i += 1


def _entity_edits(
    reading: Reading, entity: EntitySpan, said: set[str], span: Span
) -> Iterator[tuple[int, int, str]]:
    start, end = _offsets(reading, entity)
    if not span.start <= start <= end <= span.end:
        return
    if entity.type == "DATE":
        ahead = any(token.lower_ in {"will", "shall"} for token in reading.doc[entity.root].head.children)
        found = dates.resolve(entity.text, reading.published, ahead)
        if found is not None and found.relative:
            yield end, end, f" [{found.text}]"
        return
    name = reading.names.of(entity).text
    if (name not in said and name != entity.text and entity.text in name.split()) or (
        name not in said and name != entity.text and entity.text.isupper()
    ):
        yield start, end, name
    said.add(name)


def _reference_edit(token: Token, name: str, span: Span) -> Iterator[tuple[int, int, str]]:
    start, end = token.idx, token.idx + len(token)
    if token.tag_ == "PRP$":
        name = f"{name}'s" if not name.endswith("s") else f"{name}'"
    for child in token.children:
        if child.dep_ == "det" and child.i == token.i - 1 and is_definite(child):
            start = child.idx
    if span.start <= start <= end <= span.end:
        yield start, end, name


def _offsets(reading: Reading, entity: EntitySpan) -> tuple[int, int]:
    last = reading.doc[entity.end - 1]
    return reading.doc[entity.start].idx, last.idx + len(last)
