"""Whether a claim says what its sentence says, and says it so that a stranger to the article understands.

A claim is its sentence after substitutions (`kg.extract.claims`). It is verified when each of its words comes
from the sentence or from a substitution, each substituted name stands in the article and fits what it was
put for with no nearer name that fits too, what is denied stays denied, and no subject is left that only the
article tells ("she", "the company").
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

from kg.extract import dates
from kg.extract.claims import Standalone, Substitution
from kg.extract.dangling import dangling_subject
from kg.extract.lexicon import (
    FEMALE_TITLES,
    FITTING_TYPES,
    HE,
    IT,
    MALE_TITLES,
    NEGATIVE_ADVERBS,
    NOUN_KINDS,
    SHE,
    THEY,
)
from kg.extract.name_tables import genders
from kg.extract.names import Name
from kg.extract.pipeline import plain_text
from kg.extract.protocol import ExtractionInput
from kg.extract.reading import Reading, Sentence
from kg.model import NAMED_TYPES, EntityType

_WORD = re.compile(r"\w+(?:[.,:'-]\w+)*")
_NEGATION = re.compile(
    rf"\b(?:no|not|none|nobody|nothing|nowhere|neither|nor|without|cannot|{'|'.join(sorted(NEGATIVE_ADVERBS))})\b"
    r"|n't\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"'s?$")
_PLURAL_TYPES: frozenset[EntityType] = frozenset({"ORG", "NORP", "GPE", "EVENT", "MISC", "PERSON"})


def doubt_about(reading: Reading, item: ExtractionInput, sentence: Sentence, made: Standalone) -> str:
    """Why the claim is not verified, in a few words; nothing where it is."""
    span = item.sentences[sentence.index]
    article = plain_text(f"{item.title}\n{item.body}")
    return (
        unsupported(made.text, item.body[span.start : span.end], [one.new for one in made.substitutions])
        or next(filter(None, (_wrong(one, reading, article) for one in made.substitutions)), "")
        or next(filter(None, (_contested(one, reading, sentence) for one in made.substitutions)), "")
        or next(filter(None, (_overtaken(one, reading, sentence) for one in made.substitutions)), "")
        or dangling_subject(reading, sentence, made.substitutions)
    )


def doubtful_names(reading: Reading, sentence: Sentence, made: Standalone) -> frozenset[str]:
    """The names put for pronouns in the sentence that can be somebody else's."""
    return frozenset(
        one.antecedent.text
        for one in made.substitutions
        if _contested(one, reading, sentence) or _overtaken(one, reading, sentence)
    )


def unsupported(claim: str, sentence: str, substituted: Iterable[str] = ()) -> str:
    """What in the claim is neither in its sentence nor in what was put in; nothing where all is.

    Words, numbers and dates are compared as they are written, and denials are counted: a claim has as many as
    its sentence.
    """
    known = _words(sentence)
    parts = {part for word in known for part in word.split("'")}
    for text in substituted:
        known |= _words(text)
    for word in _WORD.findall(plain_text(claim)):
        # "she'll" became "Ana Brel'll"
        if not _stems(word) & known and not set(word.lower().split("'")) <= known | parts:
            return f'"{word}" is not in the sentence'
    if _denials(claim) != _denials(sentence):
        return "what the sentence denies and what the claim denies differ"
    return ""


def _words(text: str) -> set[str]:
    return {stem for word in _WORD.findall(plain_text(text)) for stem in _stems(word)}


def _stems(word: str) -> set[str]:
    """A word in small letters, with and without the ending of the possessive."""
    lower = word.lower()
    return {lower, _POSSESSIVE.sub("", lower)}


def _denials(text: str) -> Counter[str]:
    return Counter(match.lower() for match in _NEGATION.findall(plain_text(text)))


def _wrong(made: Substitution, reading: Reading, article: str) -> str:
    name = made.antecedent
    if made.kind == "date":
        written = plain_text(made.old)
        if name.text in {_resolved(written, reading, ahead) for ahead in (False, True)}:
            return ""
        return f'"{written}" is not {name.text}'
    if name.text not in article:
        return f'"{name.text}" does not stand in the article'
    if made.kind != "name" and not _fits(plain_text(made.old).lower(), name):
        return f'"{plain_text(made.old)}" can\'t be {name.text}'
    return ""


def _resolved(written: str, reading: Reading, ahead: bool) -> str:
    found = dates.resolve(re.sub(r"'s?$", "", written), reading.published, ahead)
    return found.text if found is not None else ""


def _fits(old: str, name: Name) -> bool:
    """Whether a pronoun or a noun ("the company") can stand for the name, by its type and gender."""
    if old in HE | SHE:
        other = "f" if old in HE else "m"
        return name.type == "PERSON" and _gender(name.text) != other
    if old in IT:
        return name.type not in {"PERSON", "NORP"}
    if old in THEY:
        return name.type in _PLURAL_TYPES
    noun = old.rsplit(maxsplit=1)[-1]
    kind = NOUN_KINDS.get(noun) or NOUN_KINDS.get(noun.removesuffix("s"))
    return kind is None or kind == name.type or name.type in FITTING_TYPES.get(kind, {name.type})


def _contested(made: Substitution, reading: Reading, sentence: Sentence) -> str:
    """Who else can be meant, where a nearer name than the antecedent fits the pronoun."""
    old = plain_text(made.old).lower()
    if made.kind != "pronoun":
        return ""
    before = reading.sentences[bisect_left(reading.sentences, sentence.first, key=lambda other: other.end)]
    for first, end in ((sentence.first, sentence.end), (before.first, before.end)):
        near = [
            name
            for i in range(first, end)
            if reading.doc[i].idx < made.start
            and (name := reading.name_at(reading.doc[i])) is not None
            and name.type in NAMED_TYPES
        ]
        if made.antecedent.text in {name.text for name in near}:
            return ""
        for name in reversed(near):
            if _fits(old, name):
                return _either(made, name)
    return ""


def _overtaken(made: Substitution, reading: Reading, sentence: Sentence) -> str:
    """ "For her work, Ana Brel ...": a subject behind the pronoun that fits it and is not its antecedent."""
    if made.kind != "pronoun":
        return ""
    for token in reading.tokens(sentence):
        main = token.dep_ in {"nsubj", "nsubjpass"} and token.head.dep_ == "ROOT"
        name = reading.names.of(reading.entity_at[token.i]) if token.i in reading.entity_at else None
        if main and name is not None and token.idx > made.end and name.text != made.antecedent.text:
            return _either(made, name) if _fits(plain_text(made.old).lower(), name) else ""
    return ""


def _either(made: Substitution, other: Name) -> str:
    return f'"{plain_text(made.old)}" can be {other.text} as well as {made.antecedent.text}'


def _gender(name: str) -> str:
    first = name.split(maxsplit=1)[0]
    if first.lower() in FEMALE_TITLES:
        return "f"
    if first.lower() in MALE_TITLES:
        return "m"
    return genders().get(first, "")
