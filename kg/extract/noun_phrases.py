"""Noun phrases as the ends of triples."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Token

from kg.extract.entities import clean_name
from kg.extract.lexicon import EMPTY_HEADS, RELATIVE_PRONOUNS
from kg.extract.reading import Reading
from kg.model import LITERAL_TYPES, NAMED_TYPES, EntityType

MAX_PHRASE_TOKENS = 9
MAX_OF_PHRASE_TOKENS = 6

_HEADS = frozenset({"NOUN", "PROPN", "NUM"})
_KEPT_LEFT = frozenset({"amod", "compound", "nummod", "nmod", "quantmod", "poss"})
_EMPTYING_DETERMINERS = frozenset({"no", "any", "another", "neither", "either", "what", "whatever", "which"})
_GLUE = (
    (re.compile(r"\s+('s|,|%)"), r"\1"),
    (re.compile(r"\s*(?<=\w)\s+-\s+|(?<=\w)-\s+|\s+-(?=\w)"), "-"),
    (re.compile(r"([$€£#])\s+"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A possible end of a triple; `vague` says that it means something only in its context,
    `holds_name` that a name is part of it ("Montreal team")."""

    text: str
    type: EntityType
    vague: bool = False
    holds_name: bool = False

    @property
    def named(self) -> bool:
        """Whether it is a name."""
        return self.type in NAMED_TYPES

    @property
    def literal(self) -> bool:
        """Whether it is a date or a number."""
        return self.type in LITERAL_TYPES


def phrase(reading: Reading, token: Token) -> Phrase | None:
    """The phrase that the token heads, names and pronouns resolved; None when it says nothing."""
    name = reading.name_at(token)
    if name is not None:
        return Phrase(name.text, name.type) if name.text else None
    if token.pos_ not in _HEADS or token.lower_ in EMPTY_HEADS or token.lemma_.lower() in EMPTY_HEADS:
        return None
    words = _words(reading, token)
    if words is None or len(words) > MAX_PHRASE_TOKENS:
        return None
    text = " ".join(word for _, word in sorted(words))
    for pattern, joined in _GLUE:
        text = pattern.sub(joined, text)
    text = clean_name(text)
    if len(text) < 2 or not any(letter.isalpha() for letter in text):
        return None
    definite = any(child.dep_ == "det" and child.lower_ not in {"a", "an"} for child in token.children)
    vague = len(words) == 1 and (definite or token.tag_ in {"NNS", "NNPS"})
    holds_name = any(i in reading.references or reading.named(reading.doc[i]) for i, _ in words)
    return Phrase(text, "CONCEPT", vague, holds_name)


def _words(reading: Reading, head: Token) -> list[tuple[int, str]] | None:
    """Position and word of what belongs to the phrase; None where its meaning would be lost."""
    words = [(head.i, head.text)]
    for child in head.lefts:
        if child.dep_ == "det" and child.lower_ in _EMPTYING_DETERMINERS:
            return None
        if child.dep_ not in _KEPT_LEFT:
            continue
        name = reading.references.get(child.i)
        if child.dep_ == "poss" and name is not None:
            words.append((child.i, f"{name.text}'s"))
        elif child.dep_ == "poss" and child.pos_ == "PRON":
            return None
        else:
            words += [(word.i, word.text) for word in child.subtree if word.i < head.i and _is_kept(word)]
    of = _of_phrase(reading, head)
    return None if of is None else words + of


def _of_phrase(reading: Reading, head: Token) -> list[tuple[int, str]] | None:
    """The words of a short "of ..."; empty where there is none, None where it can't be kept."""
    for child in head.rights:
        if child.dep_ != "prep":
            continue
        if any(grandchild.dep_ == "pcomp" for grandchild in child.children):
            return None
        if child.lower_ != "of":
            continue
        part = [word for word in child.subtree if not word.is_space]
        clause = any(word.dep_ in {"relcl", "acl", "punct"} for word in part)
        if len(part) > MAX_OF_PHRASE_TOKENS or clause:
            return []
        if any(word.pos_ == "PRON" and word.i not in reading.references for word in part):
            return []
        dropped = {word.i for word in part if word.dep_ == "det" and word.head.i in reading.references}
        return [(word.i, _resolved(reading, word)) for word in part if word.i not in dropped]
    return []


def _resolved(reading: Reading, word: Token) -> str:
    name = reading.references.get(word.i)
    return word.text if name is None else name.text


def _is_kept(word: Token) -> bool:
    return not word.is_space and word.lower_ not in {"the", "a", "an", '"', "'"}


def bare_head(reading: Reading, head: Token) -> str:
    """The head noun with its adjectives, without names: "national team" of "the French national team"."""
    before = [
        child.text.lower()
        for child in head.lefts
        if child.dep_ in {"compound", "amod"} and reading.named(child) is None and not child.is_punct
    ]
    kept = [word for word in before if word not in EMPTY_HEADS]
    return " ".join([*kept[-2:], head.text.lower()])


def conjuncts(reading: Reading, token: Token) -> list[Token]:
    """The token and what is joined to it by "and" or a comma."""
    found = [token]
    last = token
    while True:
        joined = [c for c in last.children if c.dep_ == "conj" and c.pos_ in {"NOUN", "PROPN", "NUM", "PRON"}]
        if not joined:
            break
        found += joined
        last = joined[-1]
    person = reading.named(found[-1])
    if (
        len(found) > 1
        and person is not None
        and person.type == "PERSON"
        and _is_title(reading, token, found[-1])
    ):
        return [found[-1]]
    return found


def _is_title(reading: Reading, token: Token, person: Token) -> bool:
    """Whether "actor and director" in "actor and director Ana Brel" are offices of the person."""
    if token.tag_ != "NN" or reading.entity(token) is not None:
        return False
    if any(child.dep_ == "det" and child.lower_ in {"the", "this", "that"} for child in token.children):
        return False
    return any(child.dep_ in {"compound", "nmod"} and reading.entity(child) is None for child in person.lefts)


def objects_of(reading: Reading, preposition: Token) -> Iterator[Token]:
    """The tokens behind a preposition, conjuncts apart."""
    for child in preposition.children:
        if child.dep_ == "pobj":
            yield from conjuncts(reading, child)


def stands_for(reading: Reading, token: Token) -> Token:
    """The name that a predicate noun or an apposition is said of ("X is a firm that ..." -> X)."""
    if token.pos_ != "NOUN" or reading.name_at(token) is not None:
        return token
    head = token.head if token.dep_ == "conj" else token
    if head.dep_ == "attr" and head.head.lemma_ == "be":
        for child in head.head.children:
            if child.dep_ == "nsubj" and reading.name_at(child) is not None:
                return child
    if head.dep_ == "appos" and reading.named(head.head) is not None:
        return head.head
    for child in token.children:
        if child.dep_ == "appos" and reading.named(child) is not None:
            return child
    return token


def is_relative(token: Token) -> bool:
    """Whether the token is a relative pronoun."""
    return token.lower_ in RELATIVE_PRONOUNS and token.tag_ in {"WP", "WDT", "WP$", "IN"}
