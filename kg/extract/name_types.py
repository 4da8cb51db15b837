"""The type of each name, by a vote of all that the article tells about it.

The small model labels a name anew at each mention, and often wrongly. Its labels are votes like others:
what the name's own words say ("River", "Ltd"), a gazetteer, a given name, and what stands around a mention
("the village of X", "X, a striker", "X, 39,", "born in X", "X's chairman"). The type with the most votes
holds everywhere.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from spacy.tokens import Doc, Token

from kg.extract.entities import EntitySpan
from kg.model import LITERAL_TYPES, PLACE_TYPES, EntityType
from kg.text.lexicon import (
    GIVEN_NAMES_OF_PLACES,
    KIN_NOUNS,
    KNOWN_ORGANISATIONS,
    NOUN_KINDS,
    OFFICES,
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
BODY_VOTE = 3.5
"""What "X's chairman" counts: more than all labels of a name of one word."""
DEFINED_VOTE = 5.0
"""What "X is a film" counts: more than the last word of "Comin' Round the Mountain"."""
HINT_VOTE = 2.0
WEAK_HINT_VOTE = 1.5
TITLED_VOTE = 6.0
"""What "the film X" counts: a title may be somebody's name."""
MOST_LABELS = 3.0
"""What the model's labels for a name count together: its errors repeat themselves."""

_BORN_OR_DIED = frozenset({"bear", "die", "marry", "retire", "graduate", "resign", "testify"})
_OF_PLACES = frozenset(
    {"bear", "live", "locate", "situate", "reside", "settle", "headquarter", "base", "die"}
)
_LIFE = re.compile(r'[\s"]*(?:,\s*)?\((?:[^()]{0,60}\b)?born\b')
_YEAR_BEHIND = re.compile(r'"?\s*\((?:1[5-9]|20)\d\d\)')
_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_TITLED = frozenset({"album", "film", "movie", "musical", "novel", "opera", "single", "sitcom", "song"})
"""What has a title right behind it, whatever that looks like: "the film Vera Drake"."""
_WHAT_BODIES_HAVE = """
bassist board ceo cfo chairman chairwoman co-chairman co-founder coo creditor customer drummer employee
frontman guitarist headquarters shareholder subsidiary vice-chairman
"""
_OF_BODIES = frozenset(_WHAT_BODIES_HAVE.split())
"""What only a body has: of "X's chairman", "X guitarist" and "chief executive of X", X is one."""
_HELD = frozenset({"share", "shareholder", "stake"})
_EMPLOYED = frozenset({"analyst", "economist", "engineer", "researcher", "strategist"})
_PARTS_OF_BODIES = frozenset({"executive", "director", "officer"})
_BEFORE_PARTS = frozenset({"chief", "managing"})
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
    if any(_is_of_bodies(noun) for noun in _offices_of(root)) or _is_held_in(root):
        yield "ORG", BODY_VOTE
    if span.start and doc[span.start - 1].text == '"' and span.type in _MAY_BE_TITLE:
        closing = doc[span.end : span.end + 2].text
        if closing.startswith(('"', ', "')):
            yield "WORK", WEAK_HINT_VOTE


def _offices_of(root: Token) -> Iterator[Token]:
    """The noun that a name says of whom or what it is: "X's chairman", "X guitarist", "chairman of X"."""
    if root.dep_ in {"poss", "compound", "nmod"}:
        yield root.head
    if root.dep_ == "pobj" and root.head.lower_ == "of":
        yield root.head.head


def _is_held_in(root: Token) -> bool:
    """Whether somebody holds shares in the name, or works there: "a stake in X", "an analyst at X"."""
    if root.dep_ != "pobj":
        return False
    preposition, above = root.head.lower_, root.head.head.lemma_.lower()
    return (preposition == "in" and above in _HELD) or (preposition in {"at", "with"} and above in _EMPLOYED)


def _is_of_bodies(noun: Token) -> bool:
    """Whether only a body has whom or what the noun names: a chairman, a chief executive, a subsidiary."""
    if noun.lemma_.lower() in _OF_BODIES or noun.lower_ == "shares":
        return True
    before = noun.nbor(-1).lower_ if noun.i else ""
    return noun.lemma_.lower() in _PARTS_OF_BODIES and before in _BEFORE_PARTS


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
    if office_behind(root) is not None:
        return "PERSON"
    if root.dep_ == "appos" and root.head.tag_ == "NN" and root.head.i < root.i:
        return NOUN_KINDS.get(root.head.lemma_.lower())
    for noun in nouns:
        article = any(child.dep_ == "det" and child.lower_ in {"a", "an"} for child in noun.children)
        if noun.tag_ == "NN" and noun.lemma_.lower() in KIN_NOUNS:
            return "PERSON"
        if noun.tag_ == "NN" and article:
            return NOUN_KINDS.get(noun.lemma_.lower())
    return None


def office_behind(root: Token) -> Token | None:
    """The office that a name fills in apposition to what it is of: "the president of Namibia, Ana Brel,"."""
    owner = root.head
    if root.dep_ != "appos" or owner.dep_ != "pobj" or owner.head.lower_ != "of" or owner.i > root.i:
        return None
    noun = owner.head.head
    definite = any(child.dep_ == "det" and child.lower_ == "the" for child in noun.children)
    person = NOUN_KINDS.get(noun.lemma_.lower()) == "PERSON" or noun.lemma_.lower() in OFFICES
    listed = root.nbor(-1).dep_ == "cc" or any(child.dep_ == "conj" for child in root.children)
    return noun if definite and person and noun.tag_ == "NN" and not listed else None


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
        if before.lower_ in _TITLED and belongs:
            yield "WORK", TITLED_VOTE
            return
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
