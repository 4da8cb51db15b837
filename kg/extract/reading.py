"""A parsed article with everything that the rules ask about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from spacy.language import Language
from spacy.tokens import Doc, Token

from kg.extract.entities import EntitySpan, find_entities
from kg.extract.entity_types import with_voted_types
from kg.extract.joined_title import with_title_joined
from kg.extract.names import Name, NameBook, read_names, title_name
from kg.extract.pipeline import parse, plain_text, sentence_owners
from kg.extract.protocol import Check, ExtractionInput, no_check

MIN_QUOTED_TOKENS = 4
"""Shorter quotations are titles and nicknames, not speech."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens first..end (exclusive) of sentence number `index`."""

    index: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """An article's parse, its entities and what its names and pronouns stand for."""

    doc: Doc
    sentences: Sequence[Sentence]
    sentence_of: Sequence[int]
    spans: Sequence[EntitySpan]
    entity_at: Mapping[int, EntitySpan]
    names: NameBook
    quoted: frozenset[int]
    published: date | None
    references: Mapping[int, Name]

    def entity(self, token: Token) -> EntitySpan | None:
        """The entity that the token is part of."""
        return self.entity_at.get(token.i)

    def named(self, token: Token) -> EntitySpan | None:
        """The entity that the token is part of, unless it is a date or a number."""
        span = self.entity_at.get(token.i)
        return span if span is not None and span.type not in {"DATE", "NUMBER"} else None

    def name_at(self, token: Token) -> Name | None:
        """The whole name that the token, or the pronoun there, stands for."""
        if token.i in self.references:
            return self.references[token.i]
        span = self.entity_at.get(token.i)
        return None if span is None else self.names.of(span)

    def tokens(self, sentence: Sentence) -> list[Token]:
        """The tokens of a sentence."""
        return [self.doc[i] for i in range(sentence.first, sentence.end)]


def read(nlp: Language, item: ExtractionInput, check: Check = no_check) -> Reading:
    """Parses an article and finds its entities and names; pronouns stay open."""
    parsed = parse(nlp, item.body, item.sentences)
    check()
    title = title_name(plain_text(item.title), parsed.text)
    doc = with_title_joined(nlp, parsed, title)
    check()
    owners = sentence_owners([token.idx for token in doc], item.sentences)
    sentences = _sentences(owners)
    found = find_entities(doc, _title_words(nlp, title, joined=doc is not parsed))
    check()
    spans = with_voted_types(doc, found)
    check()
    return Reading(
        doc=doc,
        sentences=sentences,
        sentence_of=owners,
        spans=spans,
        entity_at=MappingProxyType({i: span for span in spans for i in range(span.start, span.end)}),
        names=read_names(doc, spans, title, sentences[0].end),
        quoted=_quoted(doc),
        published=item.published_at.date() if item.published_at else None,
        references=MappingProxyType({}),
    )


def _title_words(nlp: Language, title: str, *, joined: bool) -> list[str]:
    """The title as the tokens that it is in the text."""
    if not title:
        return []
    return [title.lower()] if joined else [token.lower_ for token in nlp.make_doc(title)]


def _sentences(owners: Sequence[int]) -> list[Sentence]:
    sentences: list[Sentence] = []
    first = 0
    for i in range(1, len(owners) + 1):
        if i == len(owners) or owners[i] != owners[first]:
            sentences.append(Sentence(owners[first], first, i))
            first = i
    return sentences


def _quoted(doc: Doc) -> frozenset[int]:
    """Tokens of direct speech; a new paragraph ends a quotation that nobody closed."""
    inside: set[int] = set()
    opened: int | None = None
    for token in doc:
        if "\n" in token.text:
            opened = None
        if token.text != '"':
            continue
        if opened is None:
            opened = token.i
        else:
            if token.i - opened > MIN_QUOTED_TOKENS:
                inside.update(range(opened, token.i))
            opened = None
    return frozenset(inside)
