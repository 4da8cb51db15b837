"""Sentences as statements that stand alone: names for pronouns, whole names for short ones, dates in full."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spacy.tokens import Token

from kg.extract import dates
from kg.extract.coreference import is_definite, modifiers
from kg.extract.entities import EntitySpan
from kg.extract.names import Name
from kg.extract.reading import Reading, Sentence
from kg.model import Span
from kg.text.lexicon import REFLEXIVE


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_SENTENCE_TOKENS = 300
"""Longer ones are tables and lists that lost their line breaks; their parse means nothing."""

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_LAST_LATIN = 0x24F
_TELLING_LENGTH = 8
_COMMONEST = _words(
    "a the of and to in is was that it for on with as by at from be are has had have an not were which this "
    "but his her he she they their its or who will been after also than one two said when into while most "
    "some could can would do did you your we us our how many during more other about first"
)
"""Words of which nearly every English sentence holds some."""
_SPACES = re.compile(r"\s+")
_CONNECTIVE = re.compile(
    r"^(?:(?:However|Meanwhile|Moreover|Furthermore|Additionally|Nevertheless|Nonetheless|Also|Then|So|Yet|Thus|"
    r"Therefore|Instead|Still|In addition|As such|As a result|For example|On the other hand)\s*,|But|And)"
    r"\s+(?=[^\W\d_])"
)
"""What ties a sentence to the one before it."""
_PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening", "night"})
_PROPER = frozenset({"NNP", "NNPS"})
_MODIFYING = frozenset({"compound", "amod", "nmod", "poss", "appos"})
_WITH_ARTICLE = frozenset({"ORG", "FAC", "GPE", "LOC", "EVENT", "WORK", "PRODUCT", "LAW", "MISC"})


@dataclass(frozen=True, slots=True)
class Substitution:
    """What was put for body[start:end], and whose name it is; a date is added to `old`, which stays."""

    start: int
    end: int
    old: str
    new: str
    kind: Literal["pronoun", "noun", "name", "date"]
    antecedent: Name


@dataclass(frozen=True, slots=True)
class Standalone:
    """A statement that stands alone, and all that was changed to make it so."""

    text: str
    substitutions: tuple[Substitution, ...] = ()


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
    """Whether the words are of another script or language, which the English model reads at random.

    No English sentence has less than one of its commonest words among ten in small letters: "Nuestras
    acciones estarán dirigidas a ese fin y siempre estará primero".
    """
    words = [token for token in tokens if token.text[0].isalpha()]
    small = [token.text for token in words if token.text.islower()]
    common = sum(word in _COMMONEST for word in small)
    if len(small) >= _TELLING_LENGTH and common * 8 < len(small):
        return True
    return sum(ord(token.text[0]) > _LAST_LATIN for token in words) * 2 > len(words)


def standalone(reading: Reading, body: str, sentence: Sentence, span: Span) -> Standalone:
    """The sentence with pronouns, short names and relative dates made whole."""
    text = body[span.start : span.end]
    found = sorted(_substitutions(reading, body, sentence, span), key=lambda made: made.start)
    for made in reversed(found):
        text = text[: made.start - span.start] + made.new + text[made.end - span.start :]
    return Standalone(_unconnected(plain_line(text)), tuple(found))


def _unconnected(text: str) -> str:
    """The statement without what ties it to the sentence before it: "However, ..."."""
    rest = _CONNECTIVE.sub("", text, count=1)
    return rest if rest == text else rest[0].upper() + rest[1:]


def plain_line(text: str) -> str:
    """The text on one line."""
    return _SPACES.sub(" ", text.replace("\x00", " ")).strip()


def _substitutions(reading: Reading, body: str, sentence: Sentence, span: Span) -> Iterator[Substitution]:
    """What to replace; each name only where the sentence has not yet said it."""
    said: set[str] = set()
    i = sentence.first
    while i < sentence.end:
        token = reading.doc[i]
        entity = reading.entity_at.get(i)
        if entity is not None and entity.start == i:
            made = _for_entity(reading, sentence, entity, said, body)
            i = entity.end
        else:
            made = _for_reference(reading, sentence, token, said, body)
            i += 1
        if made is not None and span.start <= made.start <= made.end <= span.end:
            yield made


def _for_entity(
    reading: Reading, sentence: Sentence, entity: EntitySpan, said: set[str], body: str
) -> Substitution | None:
    if entity.type == "DATE":
        return _for_date(reading, entity, body)
    start, end = _offsets(reading, entity)
    name = reading.names.of(entity)
    if name.type == "PERSON" and _modifies_noun(reading, entity):
        return None  # the Brel family is no family of one person
    new = name.text not in said
    said.add(name.text)
    acronym = entity.text.isupper()
    short = name.text != entity.text and (entity.text in name.text.split() or acronym)
    before = reading.doc[entity.start - 1] if entity.start > sentence.first else None
    inside_name = before is not None and before.tag_ in _PROPER and acronym
    if not (new and short) or inside_name:
        return None
    has_determiner = before is not None and before.tag_ in {"DT", "PRP$", "POS"}
    lone = acronym and not has_determiner and reading.doc[entity.root].dep_ not in _MODIFYING
    text = _with_article(reading, sentence, name, body, start) if lone else name.text
    return Substitution(start, end, body[start:end], text, "name", name)


def _modifies_noun(reading: Reading, entity: EntitySpan) -> bool:
    following = reading.doc[min(entity.end, len(reading.doc) - 1)]
    return reading.doc[entity.root].dep_ in {"compound", "nmod", "amod"} and following.pos_ == "NOUN"


def _for_date(reading: Reading, entity: EntitySpan, body: str) -> Substitution | None:
    ahead = any(token.lower_ in {"will", "shall"} for token in reading.doc[entity.root].head.children)
    found = dates.resolve(entity.text, reading.published, ahead)
    if found is None or not found.relative:
        return None
    last = entity.end - 1
    for following in reading.doc[entity.end : entity.end + 2]:
        # "today's [2031-05-02] match", "yesterday morning [2031-05-01]"
        if following.lower_ in _PARTS_OF_DAY or following.tag_ == "POS":
            last = following.i
        else:
            break
    start, end = reading.doc[entity.start].idx, reading.doc[last].idx + len(reading.doc[last])
    written = body[start:end]
    return Substitution(start, end, written, f"{written} [{found.text}]", "date", Name(found.text, "DATE"))


def _for_reference(
    reading: Reading, sentence: Sentence, token: Token, said: set[str], body: str
) -> Substitution | None:
    name = reading.references.get(token.i)
    if name is None or name.text in said or token.lower_ in REFLEXIVE:
        return None
    pronoun = token.tag_ in {"PRP", "PRP$"}
    if pronoun and _is_named_behind(reading, sentence, token, name):
        return None
    said.add(name.text)
    start, end = token.idx, token.idx + len(token)
    for child in token.children:
        if child.dep_ == "det" and is_definite(child) and child.i + len(modifiers(token)) == token.i - 1:
            start = child.idx
    text = _with_article(reading, sentence, name, body, start)
    if token.tag_ == "PRP$":
        text = f"{text}'" if text.endswith("s") else f"{text}'s"
    elif reading.doc[min(token.i + 1, len(reading.doc) - 1)].tag_ == "POS" and pronoun:
        return None
    return Substitution(start, end, body[start:end], text, "pronoun" if pronoun else "noun", name)


def _is_named_behind(reading: Reading, sentence: Sentence, token: Token, name: Name) -> bool:
    """ "At the time of her death, Ana Brel ...": the sentence itself says who is meant."""
    return any(
        reading.names.of(span).text == name.text
        for i in range(token.i + 1, sentence.end)
        if (span := reading.entity_at.get(i)) is not None and span.start == i
    )


def _with_article(reading: Reading, sentence: Sentence, name: Name, body: str, place: int) -> str:
    """The name as the article uses it in a sentence: "the World Health Organization", but "Acme"."""
    if name.type not in _WITH_ARTICLE or name.text.lower().startswith("the "):
        return name.text
    escaped = re.escape(name.text)
    bare = len(re.findall(rf"\b{escaped}\b", body))
    having = len(re.findall(rf"\b[Tt]he\s+{escaped}\b(?!\s+[A-Z])", body))
    if not bare or 2 * having < bare:
        return name.text
    return f"The {name.text}" if _opens(reading, sentence, place) else f"the {name.text}"


def _opens(reading: Reading, sentence: Sentence, place: int) -> bool:
    """Whether no word of the sentence stands before `place`."""
    return not any(
        token.is_alpha or token.is_digit for token in reading.tokens(sentence) if token.idx < place
    )


def _offsets(reading: Reading, entity: EntitySpan) -> tuple[int, int]:
    last = reading.doc[entity.end - 1]
    return reading.doc[entity.start].idx, last.idx + len(last)
