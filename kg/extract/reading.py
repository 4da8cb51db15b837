"""A parsed article with everything that the rules ask about it.

Titles that read like clauses: "What Women Want is a film" has no "women want" in it.

Where an article names what.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from kg.extract.entities import EntitySpan, clean_name, find_entities
from kg.extract.name_types import with_voted_types
from kg.extract.names import Name, NameBook, read_names, title_name
from kg.extract.pipeline import parse, plain_text, run_pipeline, sentence_owners
from kg.extract.protocol import Check, ExtractionInput, no_check
from kg.model import LITERAL_TYPES, Mention

MAX_TITLE_TOKENS = 12

_OF_CLAUSES = frozenset({"VERB", "AUX", "PRON", "INTJ", "SCONJ", "ADV"})
_LEADING = frozenset({"ADP", "ADV"})


def with_title_joined(nlp: Language, doc: Doc, title: str) -> Doc:
    """The text parsed anew with its title as one token, where the parser took the title for a clause.

    The text and its sentences stay; other texts come back as they are.
    """
    if not title or title.lower() not in doc.text.lower():
        return doc
    words = [token.lower_ for token in nlp.make_doc(title)]
    places = _clauses(doc, words) if 2 <= len(words) <= MAX_TITLE_TOKENS else []
    if not places:
        return doc
    inside = {i for first in places for i in range(first + 1, first + len(words))}
    joined: list[str] = []
    spaces: list[bool] = []
    starts: list[bool | int | None] = []
    for token in doc:
        if token.i in inside:
            joined[-1] += (" " if spaces[-1] else "") + token.text
            spaces[-1] = bool(token.whitespace_)
        else:
            joined.append(token.text)
            spaces.append(bool(token.whitespace_))
            starts.append(bool(token.is_sent_start))
    return run_pipeline(nlp, Doc(doc.vocab, words=joined, spaces=spaces, sent_starts=starts))


def _clauses(doc: Doc, words: Sequence[str]) -> list[int]:
    """Where the title begins, if it was read as a clause at least once."""
    lower = [token.lower_ for token in doc]
    size = len(words)
    found = [
        i
        for i in range(len(lower) - size + 1)
        if lower[i] == words[0] and lower[i : i + size] == list(words) and _is_title(doc[i : i + size].text)
    ]
    whole: list[int] = []
    for i in found:
        if not whole or i >= whole[-1] + size:
            whole.append(i)
    return whole if any(_is_clause(doc, i, size) for i in whole) else []


def _is_title(text: str) -> bool:
    """Whether the words are written as a name: "What Women Want", not "what women want"."""
    words = text.split()
    return words[0][:1].isupper() and sum(word[:1].isupper() for word in words) * 2 > len(words)


def _is_clause(doc: Doc, first: int, size: int) -> bool:
    if any(doc[i].is_sent_start for i in range(first + 1, first + size)):
        return False
    return doc[first].pos_ in _LEADING or any(doc[i].pos_ in _OF_CLAUSES for i in range(first, first + size))


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
    """An article's parse, its entities and what its names and pronouns stand for.

    `text` is that of the parse, `article` the title and below it the body, both with plain characters: made
    once, since a parse puts its text together from its tokens each time that it is asked.
    """

    doc: Doc
    text: str
    article: str
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
    text = doc.text
    spans = with_voted_types(doc, text, found)
    check()
    return Reading(
        doc=doc,
        text=text,
        article=plain_text(f"{item.title}\n{item.body}"),
        sentences=sentences,
        sentence_of=owners,
        spans=spans,
        entity_at=MappingProxyType({i: span for span in spans for i in range(span.start, span.end)}),
        names=read_names(doc, text, spans, title, sentences[0].end),
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


def _holds_statement(quotation: Span) -> bool:
    """Whether the words are a clause of their own, as a headline: "Siemens buys Globex"."""
    return any(
        token.tag_ in {"VBZ", "VBD", "VBP"} and any(child.dep_ == "nsubj" for child in token.children)
        for token in quotation
    )


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
            if token.i - opened > MIN_QUOTED_TOKENS or _holds_statement(doc[opened + 1 : token.i]):
                inside.update(range(opened, token.i))
            opened = None
    return frozenset(inside)


def named_mentions(reading: Reading, body: str) -> Iterator[Mention]:
    """Every named mention in text order; dates and numbers are no mentions."""
    for span in reading.spans:
        if span.type in LITERAL_TYPES:
            continue
        last = reading.doc[span.end - 1]
        start, end = reading.doc[span.start].idx, last.idx + len(last)
        name = reading.names.of(span)
        if clean_name(name.text):
            yield Mention(body[start:end], name.text, name.type, start, end)
