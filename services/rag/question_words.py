"""The words that count when a question is held against a sentence or a fact.

What a question asks for: a thing of some type, yes or no, an order in time, or one of two.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kg.model import PLACE_TYPES, EntityType
from kg.text import inflection
from kg.text.lexicon import FITTING_TYPES, NOUN_KINDS
from services.questions.wording import verbs
from services.questions.wording.nouns import sorts_of
from services.rag.decompose_rules import decompose

FormKind = Literal["open", "yes or no", "before or after", "which of two"]
"""`before or after` asks for one of these words; "Was A before B?" is a question for yes or no."""

_PERSON: frozenset[EntityType] = frozenset({"PERSON"})
_DATE: frozenset[EntityType] = frozenset({"DATE"})
_NUMBER: frozenset[EntityType] = frozenset({"NUMBER"})
_WORDS: Mapping[str, frozenset[EntityType]] = {
    "who": _PERSON,
    "whom": _PERSON,
    "whose": _PERSON,
    "when": _DATE,
    "where": PLACE_TYPES,
}
_NOUNS: Mapping[str, frozenset[EntityType]] = {
    **{noun: FITTING_TYPES.get(kind, frozenset({kind})) for noun, kind in NOUN_KINDS.items()},
    **dict.fromkeys(("date", "day", "month", "year"), _DATE),
    **dict.fromkeys(("number", "amount", "share"), _NUMBER),
    **dict.fromkeys(("place", "venue", "island", "stadium"), PLACE_TYPES),
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


ASKING_CLAUSE_WEIGHT = 2.0
"""The clause that asks decides the answer, so its words count double."""

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
# Each line is one relation; a word that has other senses as well ("stand", "hold") is in none.
_ONE_RELATION = """
locate lie situate base home contain
employ work
study attend
bear birthplace
marry wed husband wife spouse
derive source
lead head
"""
_SAME = {word: line.split()[0] for line in _ONE_RELATION.strip().splitlines() for word in line.split()}
_CLAUSE = re.compile(r"\b(?:that|who|whom|whose|where)\b|,")
_ASKED_NOUN = re.compile(r"\b(?:which|what) (?P<noun>[\w-]+)", re.IGNORECASE)
_WHERE = frozenset({"locate"})
_MARK = re.compile(r"#\d+")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at to for by with from into and or that which who whom whose what when where
        how many much is are was were be been has have had having do does did it its this as there than
        both either each same true more most less fewer first last earlier later before after person
        organisation organization place group event work product law date number thing""",
    )
)


def words(text: str) -> list[str]:
    """The content words of a text as lemmas, in lower case: "Who owned the clubs?" has own, club."""
    return [
        lemma(word)
        for word in map(str.casefold, _WORD.findall(_POSSESSIVE.sub("", text)))
        if word not in _STOP
    ]


@lru_cache(maxsize=65_536)
def lemma(word: str) -> str:
    """The verb that a word is a form of or that its doer does, or itself.

    Of "founded" and "founder", found; of "clubs", "club". Words that say one relation from its two ends
    ("X employs Y", "Y works at X") are one.
    """
    verb = _done_by(next(iter(inflection.lemmas(word, "VERB")), word) if len(word) > 2 else word)
    return _SAME.get(verb, verb)


def _done_by(noun: str) -> str:
    """What a "teacher" does; the word itself where it is no such noun."""
    if not noun.endswith(("er", "or")) or "person" not in sorts_of(noun):
        return noun
    return next((stem for stem in (noun[:-2], noun[:-1]) if stem in verbs.known_lemmas(stem)), noun)


def question_weights(question: str, sentences: Iterable[Collection[str]]) -> dict[str, float]:
    """Each content word of a question with its inverse frequency among sentences, given as their words.

    The weight is log(1 + n / (1 + f)) for a word in f of n sentences, double in the clause that asks.
    """
    counted, frequency = 0, Counter[str]()
    for found in sentences:
        counted += 1
        frequency.update(set(found))
    asked = set(words(_asking_clause(question)))
    return {
        word: math.log(1 + counted / (1 + frequency[word])) * (ASKING_CLAUSE_WEIGHT if word in asked else 1)
        for word in sorted(set(words(question)))
    }


def relation_words(question: str, named: Iterable[Collection[str]]) -> frozenset[str]:
    """The words that tell how the answer is related to what is named: of "Which club owns the Dome?", own.

    They are those of the asking clause without the noun asked for and without the words of names; none
    where the clause has no such word ("the club of Ann Brel"). "Where is the Dome?" asks where it is located.
    """
    clause = _asking_clause(question)
    noun = _ASKED_NOUN.search(clause)
    others = {word for name in named for word in name} | set(words(noun["noun"]) if noun else ())
    relation = frozenset(words(clause)) - others
    return relation or (_WHERE if clause.casefold().startswith("where ") else relation)


@lru_cache(maxsize=4_096)
def _asking_clause(question: str) -> str:
    """The clause that asks: of "Where does the river that Varnholt polluted rise?", "Where does rise"."""
    rest = _MARK.sub("", decompose(question)[-1])
    return _CLAUSE.split(rest)[0 if opens_with_asking(rest) else -1]


def question_nouns(question: str) -> frozenset[str]:
    """The words of the noun that a question asks for: of "Which club owns the Dome?", club."""
    noun = _ASKED_NOUN.search(question)
    return frozenset(words(noun["noun"]) if noun else ())


def weight_share(weights: Mapping[str, float], found: Iterable[str]) -> float:
    """The share of a question's weight that some words cover, in [0, 1]."""
    total = weight_of(weights.values())
    return weight_of(weights.get(word, 0.0) for word in set(found)) / total if total else 0.0


def weight_of(weights: Iterable[float]) -> float:
    """The sum of weights, the same in whatever order they come: a set's differs from process to process."""
    return math.fsum(weights)
