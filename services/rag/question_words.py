"""The words that count when a question is held against a sentence or a fact."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from lemminflect import getLemma

from services.questions.wording import verbs
from services.questions.wording.nouns import sorts_of
from services.rag.decompose_rules import decompose
from services.rag.question_form import opens_with_asking

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
    verb = _done_by(next(iter(getLemma(word, "VERB")), word) if len(word) > 2 else word)
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


def covered(weights: Mapping[str, float], found: Iterable[str]) -> float:
    """The share of a question's weight that some words cover, in [0, 1]."""
    total = weight_of(weights.values())
    return weight_of(weights.get(word, 0.0) for word in set(found)) / total if total else 0.0


def weight_of(weights: Iterable[float]) -> float:
    """The sum of weights, the same in whatever order they come: a set's differs from process to process."""
    return math.fsum(weights)
