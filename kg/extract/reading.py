"""A parsed article with everything that the rules ask about it.

Titles that read like clauses: "What Women Want is a film" has no "women want" in it.

The type of each name, by a vote of all that the article tells about it.

The small model labels a name anew at each mention, and often wrongly. Its labels are votes like others:
what the name's own words say ("River", "Ltd"), a gazetteer, a given name, and what stands around a mention
("the village of X", "X, a striker", "X, 39,", "born in X"). The type with the most votes holds everywhere.

Where an article names what.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from kg.extract.entities import EntitySpan, clean_name, find_entities
from kg.extract.names import Name, NameBook, read_names, title_name
from kg.extract.pipeline import parse, plain_text, sentence_owners
from kg.extract.protocol import Check, ExtractionInput, no_check
from kg.model import LITERAL_TYPES, PLACE_TYPES, EntityType, Mention
from kg.text.lexicon import (
    GIVEN_NAMES_OF_PLACES,
    KNOWN_ORGANISATIONS,
    NOUN_KINDS,
    SETTLEMENT_NOUNS,
    TITLES_OF_PEOPLE,
    countries,
    genders,
    name_words,
    places,
)

Vote = tuple[EntityType, float]

UNKNOWN_VOTE = 0.4
"""What a label MISC counts, which is also what a run of capitals gets that the model passed over."""
KNOWN_PLACE_VOTE = 4.0
NATIONALITY_VOTE = 6.0
NAME_WORD_VOTE = 4.0
GIVEN_NAME_VOTE = 2.5
SAID_VOTE = 3.0
DEFINED_VOTE = 5.0
"""What "X is a film" counts: more than the last word of "Comin' Round the Mountain"."""
HINT_VOTE = 2.0
WEAK_HINT_VOTE = 1.5
MOST_LABELS = 3.0
"""What the model's labels for a name count together: its errors repeat themselves."""

_BORN_OR_DIED = frozenset({"bear", "die", "marry", "retire", "graduate", "resign", "testify"})
_OF_PLACES = frozenset(
    {"bear", "live", "locate", "situate", "reside", "settle", "headquarter", "base", "die"}
)
_LIFE = re.compile(r'[\s"]*(?:,\s*)?\((?:[^()]{0,60}\b)?born\b')
_YEAR_BEHIND = re.compile(r'"?\s*\((?:1[5-9]|20)\d\d\)')
_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_MAY_BE_TITLE: frozenset[EntityType] = frozenset({"MISC", "ORG", "GPE", "WORK", "PRODUCT"})


def with_voted_types(doc: Doc, text: str, spans: Sequence[EntitySpan]) -> list[EntitySpan]:
    """The spans, each with the type that its name has in the article; `text` is the text of `doc`."""
    types = _types(doc, text, [span for span in spans if span.type not in LITERAL_TYPES])
    return [span if span.type in LITERAL_TYPES else replace(span, type=types[span.text]) for span in spans]


def _types(doc: Doc, whole: str, named: Sequence[EntitySpan]) -> Mapping[str, EntityType]:
    labels: defaultdict[str, Counter[EntityType]] = defaultdict(Counter)
    hints: defaultdict[str, defaultdict[EntityType, float]] = defaultdict(lambda: defaultdict(float))
    for span in named:
        labels[span.text][span.type] += 1
        for kind, weight in _around(doc, whole, span):
            # saying it twice makes it no truer
            hints[span.text][kind] = max(hints[span.text][kind], weight)
    types: dict[str, EntityType] = {}
    for text, counted in labels.items():
        votes: defaultdict[EntityType, float] = defaultdict(float)
        share = min(1.0, MOST_LABELS / counted.total())
        for kind, count in counted.items():
            votes[kind] += count * share * (UNKNOWN_VOTE if kind == "MISC" else 1.0)
        for kind, weight in (*hints[text].items(), *_of_words(text)):
            votes[kind] += weight
        types[text] = max(votes, key=lambda kind: votes[kind])
    return types


_INITIAL = re.compile(r"(?:[A-Z]\.)+")
_SURNAMES = frozenset({"Hill", "Hall", "Marsh", "Temple", "Lake", "Church", "Street", "Park", "Field"})
"""Words at the end of names of places that people are called by as well."""


def _of_words(name: str) -> Iterator[Vote]:
    """What the name's own words say."""
    ends, starts = name_words()
    words = name.split()
    if name in countries() and "." not in name and not name.isupper():
        yield "NORP", NATIONALITY_VOTE
    if name in KNOWN_ORGANISATIONS:
        yield "ORG", KNOWN_PLACE_VOTE
    if name in places() or (name in countries() and (name.isupper() or "." in name)) or name == "America":
        yield places().get(name, "GPE"), KNOWN_PLACE_VOTE
    if len(words) < 2:
        return
    opening = starts.get(" ".join(words[:2])) or starts.get(words[0])
    ending = ends.get(words[-1].rstrip(".,")) or ends.get(words[-1])
    given = _is_given_name(words[0])
    if given and len(words) == 3 and _INITIAL.fullmatch(words[1]):
        yield "PERSON", NAME_WORD_VOTE  # "Christopher R. Hill" is no hill
    elif given and len(words) == 2 and words[1] in _SURNAMES:
        return  # "Anita Hill", "Victoria Park"
    elif opening or ending:
        yield opening or ending or "MISC", NAME_WORD_VOTE
    elif given and len(words) in {2, 3} and _is_spelt(words[1:]):
        yield "PERSON", GIVEN_NAME_VOTE


def _is_given_name(word: str) -> bool:
    return word in genders() and word not in GIVEN_NAMES_OF_PLACES


def _is_spelt(words: Sequence[str]) -> bool:
    return all(word.replace("-", "").replace("'", "").rstrip(".").isalpha() for word in words)


def _around(doc: Doc, text: str, span: EntitySpan) -> Iterator[Vote]:
    """What stands around one mention."""
    root = doc[span.root]
    kind = _said_kind(root)
    if kind is not None:
        yield kind, DEFINED_VOTE if root.dep_ == "nsubj" else SAID_VOTE
    yield from _before(doc, span)
    if _follows_age(doc, span) or _LIFE.match(_behind(doc, text, span, 30)):
        yield "PERSON", SAID_VOTE
    if span.type in _MAY_BE_TITLE and _YEAR_BEHIND.match(_behind(doc, text, span, 4)):
        yield "WORK", WEAK_HINT_VOTE
    if root.dep_ in _SUBJECT and root.head.lemma_ in _BORN_OR_DIED:
        yield "PERSON", HINT_VOTE
    if root.dep_ == "pobj" and root.head.lower_ in {"in", "near"} and span.type not in PLACE_TYPES:
        above = root.head.head
        if above.lemma_ in _OF_PLACES:
            yield "GPE", HINT_VOTE
    if _in_known_place(doc, span):
        yield "GPE", HINT_VOTE
    if span.start and doc[span.start - 1].text == '"' and span.type in _MAY_BE_TITLE:
        closing = doc[span.end : span.end + 2].text
        if closing.startswith(('"', ', "')):
            yield "WORK", WEAK_HINT_VOTE


def _behind(doc: Doc, text: str, span: EntitySpan, number: int) -> str:
    """The text of so many tokens behind a name; a slice of the whole is quicker than one of the parse."""
    end = min(span.end + number, len(doc))
    if span.end >= end:
        return ""
    return text[doc[span.end].idx : doc[end - 1].idx + len(doc[end - 1])]


def _said_kind(root: Token) -> EntityType | None:
    """What the first noun says that the article says of the name: "X is a 1975 film", "X, a striker"."""
    nouns: list[Token] = []
    if root.dep_ == "nsubj" and root.head.lemma_ == "be":
        nouns = [child for child in root.head.children if child.dep_ == "attr"]
    nouns += [child for child in root.children if child.dep_ == "appos"]
    if root.dep_ == "appos" and root.head.tag_ == "NN" and root.head.i < root.i:
        return NOUN_KINDS.get(root.head.lemma_.lower())
    for noun in nouns:
        article = any(child.dep_ == "det" and child.lower_ in {"a", "an"} for child in noun.children)
        if noun.tag_ == "NN" and article:
            return NOUN_KINDS.get(noun.lemma_.lower())
    return None


def _before(doc: Doc, span: EntitySpan) -> Iterator[Vote]:
    """What an office, a form of address or a kind of thing before the name says."""
    i = span.start - 1
    while i >= 0 and doc[i].text in {'"', "'"}:
        i -= 1
    if i < 0 or doc[i + 1].is_sent_start:
        return
    before = doc[i]
    belongs = before.head.i == span.root or doc[span.root].head.i == before.i
    if before.lower_ == "of" and i and doc[i - 1].lower_ in SETTLEMENT_NOUNS:
        yield "GPE", SAID_VOTE
    elif before.lower_.rstrip(".") in TITLES_OF_PEOPLE and belongs:
        yield "PERSON", SAID_VOTE
    elif before.pos_ == "NOUN" and before.tag_ == "NN":
        kind = NOUN_KINDS.get(before.lower_)
        if kind == "GPE" and before.lower_ not in SETTLEMENT_NOUNS:
            kind = None
        if kind is not None:
            yield kind, SAID_VOTE


def _follows_age(doc: Doc, span: EntitySpan) -> bool:
    """Whether an age stands behind: "X, 39, ..."."""
    after = doc[span.end : span.end + 3]
    if len(after) < 3 or after[0].text != "," or not after[1].text.isdecimal() or len(after[1].text) > 2:
        return False
    return after[2].text in {",", "."} and int(after[1].text) > 9


def _in_known_place(doc: Doc, span: EntitySpan) -> bool:
    """Whether a known state or country stands behind a comma: "X, Ohio"."""
    if span.end + 1 >= len(doc) or doc[span.end].text != "," or span.type == "PERSON":
        return False
    for end in (span.end + 2, span.end + 3):
        found = places().get(doc[span.end + 1 : end].text)
        if found is not None:
            return places().get(span.text, "GPE") in PLACE_TYPES
    return False


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
    return nlp(Doc(doc.vocab, words=joined, spaces=spaces, sent_starts=starts))


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
