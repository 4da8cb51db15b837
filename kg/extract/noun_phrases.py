"""Noun phrases as the ends of triples.

Lists of names as they are written: "Fame" (1980), "Evita" (1996) and "Pink Floyd".

Brackets and quotation marks between the names of a list lead the parser astray, so that it joins only some.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spacy.tokens import Token

from kg.extract.entities import EntitySpan, clean_name
from kg.extract.place_chains import outer_places
from kg.extract.reading import Reading
from kg.model import LITERAL_TYPES, NAMED_TYPES, REGION_TYPES, EntityType
from kg.text.lexicon import (
    EMPTY_HEADS,
    NO_LONGER,
    NOUN_KINDS,
    RELATIVE_PRONOUNS,
    SETTLEMENT_NOUNS,
    countries,
)

MAX_BRACKET_TOKENS = 8

_LISTABLE: frozenset[EntityType] = frozenset({"WORK", "PERSON", "ORG", "PRODUCT", "EVENT", "MISC"})
"""Not places: of those with commas between, one may lie in the next."""
_SKIPPED = frozenset({'"', "'", "the", "a", "an"})
_AND = frozenset({"and", "&"})
_SUBJECT = frozenset({"nsubj", "nsubjpass"})


def listed_behind(reading: Reading, token: Token) -> list[Token]:
    """The heads of the names of the same type that the list goes on with behind the token's name."""
    span = reading.named(token)
    found: list[Token] = []
    while span is not None and span.type in _LISTABLE:
        span = _next(reading, span)
        if span is not None:
            found.append(reading.doc[span.root])
    return found


def _next(reading: Reading, span: EntitySpan) -> EntitySpan | None:
    doc = reading.doc
    i, bracketed = _behind_brackets(reading, span.end)
    comma = i < len(doc) and doc[i].text == ","
    i += comma
    joined = i < len(doc) and doc[i].lower_ in _AND
    i += joined
    if not (comma or joined):
        return None
    while i < len(doc) and doc[i].lower_ in _SKIPPED:
        i += 1
    following = reading.entity_at.get(i)
    if following is None or following.start != i or following.type != span.type:
        return None
    if reading.sentence_of[i] != reading.sentence_of[span.start]:
        return None
    own_clause = doc[following.root].dep_ in _SUBJECT and doc[following.root].head.i > i
    return None if own_clause or not (bracketed or joined or doc[span.root].dep_ == "conj") else following


def _behind_brackets(reading: Reading, i: int) -> tuple[int, bool]:
    """The first token behind a quotation mark and short brackets, and whether brackets were there."""
    doc = reading.doc
    if i < len(doc) and doc[i].text == '"':
        i += 1
    if i < len(doc) and doc[i].text == "(":
        for end in range(i + 1, min(i + MAX_BRACKET_TOKENS, len(doc))):
            if doc[end].text == ")":
                return end + 1, True
    return i, False


MAX_PHRASE_TOKENS = 11
MAX_OF_PHRASE_TOKENS = 8
PLACING = frozenset({"in", "at", "from"})
"""What is so in a place is so in all the places that hold it."""

_HEADS = frozenset({"NOUN", "PROPN", "NUM"})
_KEPT_LEFT = frozenset({"amod", "compound", "nummod", "nmod", "quantmod", "poss"})
_UNIQUE: frozenset[EntityType] = frozenset({"GPE", "LOC", "ORG"})
_EMPTYING_DETERMINERS = frozenset({"no", "any", "another", "neither", "either", "what", "whatever", "which"})
_INDEFINITE = frozenset({"a", "an", "some", "several", "many", "most", "few", "all", "both", "each", "every"})
_SOME = frozenset({"some", "several", "many", "most", "few", "other"})
_TELLING_MORE = frozenset({"prep", "relcl", "acl"})
_EXAMPLES = frozenset({"including", "like", "as"})
_GLUE = (
    (re.compile(r"(?<!\s)\s++('s|,|%)"), r"\1"),
    (re.compile(r"(?<=\w)\s++-\s++|(?<=\w)-\s++|(?<!\s)\s++-(?=\w)"), "-"),
    (re.compile(r"([$€£#])\s+"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A possible end of a triple.

    `vague` says that it means something only in its context, `holds_name` that a name is part of it
    ("Montreal team"), `article` is "the", "a" or "" and `head` the lemma of its head, both of common nouns;
    `cut` says that more was told of a common noun than the phrase holds ("seat" of "seat in the Senate").
    """

    text: str
    type: EntityType
    vague: bool = False
    holds_name: bool = False
    article: str = ""
    head: str = ""
    cut: bool = False

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
    if (
        name is not None
        and name.type in _UNIQUE
        and any(child.lower_ in {"a", "an"} for child in token.lefts)
    ):
        return None  # "a more federal European Union" is none that there is
    if name is not None:
        return Phrase(name.text, name.type) if name.text else None
    if token.pos_ not in _HEADS or token.lower_ in EMPTY_HEADS or token.lemma_.lower() in EMPTY_HEADS:
        return None
    words = _words(reading, token)
    if words is None or len(words) > MAX_PHRASE_TOKENS:
        return None
    text = clean_name(glued(word for _, word in sorted(words)))
    if len(text) < 2 or not any(letter.isalpha() for letter in text):
        return None
    article = _article(token)
    vague = len(words) == 1 and (article == "the" or token.tag_ in {"NNS", "NNPS"})
    holds_name = any(i in reading.references or reading.named(reading.doc[i]) for i, _ in words)
    last = max(i for i, _ in words)
    cut = any(child.dep_ in _TELLING_MORE and child.i > last for child in token.rights)
    return Phrase(text, "CONCEPT", vague, holds_name, article, token.lemma_.lower(), cut)


def is_counted(name: Token) -> bool:
    """Whether a number or "some" before a plural name leaves only some of it."""
    return name.tag_ in {"NNS", "NNPS"} and any(
        (child.dep_ == "nummod" and child.shape_ != "dddd") or child.lower_ in _SOME for child in name.lefts
    )


def glued(words: Iterable[str]) -> str:
    """The words as a text, without blanks around hyphens and before commas."""
    text = " ".join(words)
    for pattern, joined in _GLUE:
        text = pattern.sub(joined, text)
    return text


def _article(noun: Token) -> str:
    for child in noun.lefts:
        if child.dep_ == "det":
            return "a" if child.lower_ in _INDEFINITE else "the"
        if child.dep_ == "nummod":
            return "a"
    return ""


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
        elif child.dep_ == "poss" and (owner := reading.named(child)) is not None and owner.root == child.i:
            words.append((child.i, f"{reading.names.of(owner).text}'s"))
        elif child.dep_ == "poss" and (child.pos_ == "PRON" or child.tag_ == "WP$"):
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
        dropped = {
            word.i
            for word in part
            if word.head.i in reading.references and word.dep_ in {"det", "amod", "compound", "nmod"}
        }
        return [(word.i, _resolved(reading, word)) for word in part if word.i not in dropped]
    return []


def _resolved(reading: Reading, word: Token) -> str:
    name = reading.references.get(word.i)
    return word.text if name is None else name.text


def _is_kept(word: Token) -> bool:
    return not word.is_space and word.lower_ not in {"the", "a", "an", '"', "'"}


def bare_head(reading: Reading, head: Token) -> str:
    """The head noun with its adjectives, without names: "national team" of "the French national team".

    "Former" stays, however far from its noun: "former president" of "a former French national president".
    """
    before = [
        child.text.lower()
        for child in head.lefts
        if child.dep_ in {"compound", "amod"} and reading.named(child) is None and not child.is_punct
    ]
    kept = [word for word in before if word not in EMPTY_HEADS]
    over = [word.lower_ for word in _words_around(head) if word.lower_ in NO_LONGER]
    return " ".join([*over[:1], *kept[-2:], head.text.lower()])


def _words_around(head: Token) -> Iterator[Token]:
    """The adjectives and compounds before the noun, and theirs."""
    for child in head.lefts:
        if child.dep_ in {"compound", "amod", "nmod"}:
            yield child
            yield from _words_around(child)


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
    if len(found) > 1 and token.dep_ in {"dobj", "pobj"} and _acts(reading, found[-1]):
        found.pop()
    found += _appended(reading, found[-1])
    listed = dict.fromkeys(other.i for part in found for other in (part, *listed_behind(reading, part)))
    found = [reading.doc[i] for i in sorted(listed)] if len(listed) > len(found) else found
    person = reading.named(found[-1])
    if (
        len(found) > 1
        and person is not None
        and person.type == "PERSON"
        and _is_title(reading, token, found[-1])
    ):
        return [found[-1]]
    return found


def _acts(reading: Reading, last: Token) -> bool:
    """ "Beat France and Spain will play": whether the last name rather begins a clause of its own."""
    span = reading.named(last)
    end = span.end if span is not None else last.i + 1
    following = reading.doc[min(end, len(reading.doc) - 1)]
    return following.tag_ == "MD" and not any(child.dep_ == "nsubj" for child in following.head.lefts)


def _appended(reading: Reading, noun: Token) -> list[Token]:
    """ "A journalist, director, and actor": the parser takes the second noun for an apposition."""
    if noun.pos_ != "NOUN" or reading.entity(noun) is not None:
        return []
    for child in noun.children:
        named = reading.entity(child) is not None
        if child.dep_ == "appos" and child.pos_ == "NOUN" and not named and child.nbor(-1).dep_ != "det":
            joined = conjuncts(reading, child)
            if len(joined) > 1:
                return joined
    return []


def _is_title(reading: Reading, token: Token, person: Token) -> bool:
    """Whether "actor and director" in "actor and director Ana Brel" are offices of the person."""
    if token.tag_ != "NN" or reading.entity(token) is not None:
        return False
    if any(child.dep_ == "det" and child.lower_ in {"the", "this", "that"} for child in token.children):
        return False
    return any(child.dep_ in {"compound", "nmod"} and reading.entity(child) is None for child in person.lefts)


def objects_of(reading: Reading, preposition: Token) -> Iterator[Token]:
    """The tokens behind a preposition, conjuncts apart; what is in Lyon, France, is in France too."""
    for child in preposition.children:
        if child.dep_ != "pobj":
            continue
        found = dict.fromkeys(
            part.i for token in conjuncts(reading, child) for part in denoted_ones(reading, token)
        )
        if preposition.lower_ in PLACING:
            for i in list(found):
                span = reading.named(reading.doc[i])
                if span is not None:
                    found |= dict.fromkeys(outer.root for outer in outer_places(reading, span))
        yield from (reading.doc[i] for i in found)


def denoted_ones(reading: Reading, token: Token) -> list[Token]:
    """What the token stands for: the names behind "artists such as", else the one that it denotes.

    What is done to a group ("a clientele including") isn't done to each of it.
    """
    if token.tag_ == "NN":
        return [denoted(reading, token)]
    examples = [
        part
        for child in token.children
        if gives_examples(child)
        for place in child.children
        if place.dep_ == "pobj"
        for part in conjuncts(reading, place)
        if reading.named(part) is not None
    ]
    return examples or [denoted(reading, token)]


def gives_examples(preposition: Token) -> bool:
    """Whether examples stand behind the preposition: "including", "such as", "like"."""
    if preposition.dep_ != "prep" or preposition.lower_ not in _EXAMPLES:
        return False
    return preposition.lower_ != "as" or (preposition.i > 0 and preposition.nbor(-1).lower_ == "such")


def denoted(reading: Reading, token: Token) -> Token:
    """The name that a common noun stands beside: "the city of Lyon" and "the singer Ana Brel" are names."""
    if token.pos_ != "NOUN" or token.tag_ != "NN" or reading.name_at(token) is not None:
        return token
    for child in token.children:
        if child.dep_ == "appos" and child.i > token.i:
            span = reading.named(child)
            if span is not None and span.root == child.i and _can_be(span.type, token):
                return child
        if child.dep_ == "prep" and child.lower_ == "of" and _is_the_settlement(reading, token):
            for place in child.children:
                span = reading.named(place)
                if place.dep_ == "pobj" and span is not None and span.type in REGION_TYPES:
                    return place
    return token


def _can_be(kind: EntityType, noun: Token) -> bool:
    said = NOUN_KINDS.get(noun.lemma_.lower())
    return kind not in {"NORP", "GPE", "LOC"} and (said is None or kind in {said, "MISC"})


def _is_the_settlement(reading: Reading, noun: Token) -> bool:
    """Whether "the state of X" is X; not in "Pudu district of X", nor "a village of X"."""
    if noun.lemma_.lower() not in SETTLEMENT_NOUNS:
        return False
    names = [reading.named(child) for child in noun.lefts]
    foreign = any(span is not None and span.text not in countries() for span in names)
    return not foreign and any(child.dep_ == "det" and child.lower_ == "the" for child in noun.lefts)


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


def person_described(reading: Reading, noun: Token) -> Token | None:
    """The person that a noun behind a form of "be" or an apposition is said of."""
    if noun.dep_ == "attr":
        for child in noun.head.children:
            name = reading.name_at(child) if child.dep_ == "nsubj" else None
            if name is not None and name.type == "PERSON":
                return child
    if noun.dep_ == "appos":
        name = reading.name_at(noun.head)
        return noun.head if name is not None and name.type == "PERSON" else None
    return None


def is_relative(token: Token) -> bool:
    """Whether the token is a relative pronoun."""
    return token.lower_ in RELATIVE_PRONOUNS and token.tag_ in {"WP", "WDT", "WP$", "IN"}
