"""Lists of names as they are written: "Fame" (1980), "Evita" (1996) and "Pink Floyd".

Brackets and quotation marks between the names of a list lead the parser astray, so that it joins only some.
"""

from spacy.tokens import Token

from kg.extract.entities import EntitySpan
from kg.extract.reading import Reading
from kg.model import EntityType

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
