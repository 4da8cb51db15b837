"""What a question asks for: a thing of some type, yes or no, an order in time, or one of two."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kg.extract.lexicon import FITTING_TYPES, NOUN_KINDS
from kg.model import EntityType

FormKind = Literal["open", "yes or no", "before or after", "which of two"]
"""`before or after` asks for one of these words; "Was A before B?" is a question for yes or no."""

_PLACE: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC"})
_PERSON: frozenset[EntityType] = frozenset({"PERSON"})
_DATE: frozenset[EntityType] = frozenset({"DATE"})
_NUMBER: frozenset[EntityType] = frozenset({"NUMBER"})
_WORDS: Mapping[str, frozenset[EntityType]] = {
    "who": _PERSON,
    "whom": _PERSON,
    "whose": _PERSON,
    "when": _DATE,
    "where": _PLACE,
}
_NOUNS: Mapping[str, frozenset[EntityType]] = {
    **{noun: FITTING_TYPES.get(kind, frozenset({kind})) for noun, kind in NOUN_KINDS.items()},
    **dict.fromkeys(("date", "day", "month", "year"), _DATE),
    **dict.fromkeys(("number", "amount", "share"), _NUMBER),
    **dict.fromkeys(("place", "venue", "island", "stadium"), _PLACE),
    **dict.fromkeys(("product", "drug", "device"), frozenset[EntityType]({"PRODUCT", "MISC", "ORG"})),
    **dict.fromkeys(("organisation", "organization", "agency", "charity"), frozenset[EntityType]({"ORG"})),
    "person": _PERSON,
    "event": frozenset({"EVENT", "MISC"}),
    "work": frozenset({"WORK", "MISC"}),
    "group": frozenset({"NORP", "ORG"}),
    "law": frozenset({"LAW", "MISC"}),
}
_ASKING = r"\b(?P<asks>which|what|whose|whom|who|when|where|how (?:many|much|old|heavy|long|high|large))\b"
_OPENING = re.compile(rf"^(?:[\w'-]+ )?{_ASKING}", re.IGNORECASE)
_INSIDE = re.compile(rf"{_ASKING}(?! [^,?]*\b(?:which|what)\b)", re.IGNORECASE)
_FOLLOWING = re.compile(r"(?: [\w'-]+){1,4}")
_LAST_SENTENCE = re.compile(r"(?<=[.!;:]) (?=[A-Z])")
_AUXILIARY = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\bbefore or after\b|\bafter or before\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(?:later|latest|last|newer|newest|younger|youngest|more recent(?:ly)?|second)\b", re.IGNORECASE
)
_EARLY = re.compile(r"\b(?:earlier|earliest|first|older|oldest|sooner)\b", re.IGNORECASE)
# "And" with a capital is part of a title: "the director of Blood And Donuts".
_OPTIONS = (
    re.compile(
        r"[,:] (?!(?:is|was|are|were|has|had|did|does)\b)(?:the )?(?P<one>[^,?:]+?),? or "
        r"(?:the )?(?P<other>[^,?]+)\??$"
    ),
    re.compile(
        r"(?:which|who|what)\b[^?]*? (?:of|between) (?:the two, )?(?:the )?(?P<one>[^,?]+?) (?-i:and) "
        r"(?:the )?(?P<other>[^,?]+?)(?=,| (?:was|is|were|are|has|did|does|came|happened)\b|\?)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:first|earlier|later|last|older|younger|newer),? (?:the )?(?P<one>[^,?:]+?),? (?-i:or) "
        r"(?:the )?(?P<other>[^,?]+?) ?\??$",
        re.IGNORECASE,
    ),
)


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """What kind of answer is wanted.

    `types` are the entity types that fit, None where the question doesn't tell. `options` are the two things
    of "A or B". `late` tells that the later one is asked for, None where time isn't.
    """

    kind: FormKind
    types: frozenset[EntityType] | None = None
    options: tuple[str, str] | None = None
    late: bool | None = None


def question_form(question: str) -> QuestionForm:
    """What a question asks for."""
    text = " ".join(question.split())
    if _EITHER_WAY.search(text):
        return QuestionForm("before or after")
    late = True if _LATE.search(text) else False if _EARLY.search(text) else None
    options = _options(text)
    if options and not _AUXILIARY.match(text):
        return QuestionForm("which of two", options=options, late=late)
    if _AUXILIARY.match(text):
        return QuestionForm("yes or no", late=late)
    return QuestionForm("open", wanted_types(text), late=late)


def wanted_types(question: str) -> frozenset[EntityType] | None:
    """The types asked for, None where the question doesn't tell.

    The word that opens the last sentence decides ("Which club did the man who ... join?"), else the last such
    word in it ("... joined which club?").
    """
    text = _LAST_SENTENCE.split(question.strip())[-1]
    found = _OPENING.search(text) or max(_INSIDE.finditer(text), key=lambda one: one.start(), default=None)
    if found is None:
        return None
    asks = found["asks"].casefold()
    if asks.startswith("how"):
        return _NUMBER
    following = _FOLLOWING.match(text, found.end())
    nouns = [word.removesuffix("'s") for word in following[0].casefold().split()] if following else []
    if asks in {"which", "what"}:
        return next((_NOUNS[noun] for noun in nouns if noun in _NOUNS), None)
    return _WORDS[asks]


def opens_with_asking(question: str) -> bool:
    """Whether the last sentence opens with what it asks for, so that its first clause is the main one."""
    return _OPENING.search(_LAST_SENTENCE.split(question.strip())[-1]) is not None


def _options(text: str) -> tuple[str, str] | None:
    for pattern in _OPTIONS:
        found = pattern.search(text)
        if found:
            return found["one"].strip(), found["other"].strip(" .?")
    return None
