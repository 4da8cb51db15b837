"""The words that count when a question is held against a sentence or a fact."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from lemminflect import getLemma

from services.rag.question_form import opens_with_asking

ASKING_CLAUSE_WEIGHT = 2.0
"""The clause that asks decides the answer, so its words count double."""

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_CLAUSE = re.compile(r"\b(?:that|who|whom|whose|where)\b|,")
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
    """The verb that a word is a form of, or itself: of "founded", "found"; of "clubs", "club"."""
    return next(iter(getLemma(word, "VERB")), word) if len(word) > 2 else word


def question_weights(question: str, sentences: Iterable[Collection[str]]) -> dict[str, float]:
    """Each content word of a question with its inverse frequency among sentences, given as their words.

    The weight is log(1 + n / (1 + f)) for a word in f of n sentences, double in the clause that asks.
    """
    counted, frequency = 0, Counter[str]()
    for found in sentences:
        counted += 1
        frequency.update(set(found))
    clauses = _CLAUSE.split(question)
    asked = set(words(clauses[0 if opens_with_asking(question) else -1]))
    return {
        word: math.log(1 + counted / (1 + frequency[word])) * (ASKING_CLAUSE_WEIGHT if word in asked else 1)
        for word in sorted(set(words(question)))
    }


def covered(weights: Mapping[str, float], found: Iterable[str]) -> float:
    """The share of a question's weight that some words cover, in [0, 1]."""
    total = sum(weights.values())
    return sum(weights.get(word, 0.0) for word in set(found)) / total if total else 0.0
