"""An extractive reader by rules: the best fitting name or date in the sentences that match the question.

It is a baseline without a model: it looks at words, not at meaning, and follows no chain of facts. What it
is asked for is told from the question ("which person", "who", "when"); a sentence counts by the rare words
that it shares with the question, those of the last clause double; the answer is the name of the wanted type
in the best sentence that the question does not name itself.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg.model import EntityType
from kg.text.sentences import sentence_spans
from services.rag.protocol import Passage

READER = "extractive-1"
NO_ANSWER = "Insufficient information"
RANK_DECAY = 0.93
SUPPORT_WEIGHT = 0.15

_PLACE: frozenset[EntityType] = frozenset({"GPE", "LOC", "FAC"})
_WANTED: tuple[tuple[str, frozenset[EntityType]], ...] = (
    (r"which date|\bwhen\b|which (?:day|month|year)", frozenset({"DATE"})),
    (r"which number|how (?:many|much)", frozenset({"NUMBER"})),
    (r"which person|\bwho(?:m|se)?\b(?=[^?]*\?)(?![^?]*\bwhich\b)", frozenset({"PERSON"})),
    (r"which (?:organisation|organization|company|firm|club|team|agency|hospital)", frozenset({"ORG"})),
    (r"which (?:place|city|town|country|island|venue|stadium)|\bwhere\b", _PLACE),
    (r"which event", frozenset({"EVENT", "MISC"})),
    (r"which (?:product|drug|device)", frozenset({"PRODUCT", "MISC"})),
    (r"which work", frozenset({"WORK", "MISC"})),
    (r"which group", frozenset({"NORP", "ORG"})),
    (r"which law", frozenset({"LAW", "MISC"})),
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_LITERALS = {
    "DATE": re.compile(rf"\b(?:\d{{1,2}} )?(?:{_MONTH})(?: \d{{1,2}},)?(?: \d{{4}})?\b|\b[12]\d{{3}}\b"),
    "NUMBER": re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?: (?:per cent|percent|million|billion|\w+s))?"),
}
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at to for by with from and or that which who whom whose what when where is are
        was were be been has have had it its this as person organisation place group event work product law
        date number thing""",
    )
)


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer with where it was read: the entity (empty for a literal), the chunk and the sentence."""

    answer: str
    entity: str = ""
    chunk: str = ""
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    words: frozenset[str]
    passage: Passage
    decay: float


def read_answer(question: str, passages: Sequence[Passage]) -> Reading:
    """The answer that the passages, best first, give; `NO_ANSWER` where none fits."""
    sentences = list(_sentences(passages))
    weights = _weights(question, sentences)
    asked = set(_words(question))
    wanted = _wanted(question)
    scores: dict[str, float] = {}
    best: dict[str, tuple[float, Reading]] = {}
    for sentence in sentences:
        score = sentence.decay * sum(weights.get(word, 0.0) for word in sentence.words)
        if score == 0:
            continue
        for reading in _candidates(sentence, wanted):
            words = set(_words(reading.answer))
            if not words or words <= asked:
                continue
            key = reading.entity or reading.answer
            scores[key] = scores.get(key, 0.0) + score
            if key not in best or score > best[key][0]:
                best[key] = score, reading
    if not best:
        return Reading(NO_ANSWER)
    found = max(best, key=lambda key: (best[key][0] + SUPPORT_WEIGHT * (scores[key] - best[key][0]), key))
    return best[found][1]


def _wanted(question: str) -> frozenset[EntityType] | None:
    """The types asked for, None where the question does not tell; the clause asked last decides."""
    places = [
        (match.start(), types)
        for pattern, types in _WANTED
        for match in re.finditer(pattern, question, re.IGNORECASE)
    ]
    return max(places, key=lambda place: place[0])[1] if places else None


def _candidates(sentence: _Sentence, wanted: frozenset[EntityType] | None) -> Iterator[Reading]:
    for name in sentence.passage.names:
        if (wanted is None or name.type in wanted) and _stands_in(name.surface, sentence.text):
            yield Reading(name.name, name.entity, sentence.passage.chunk, sentence.text)
    for kind, pattern in _LITERALS.items():
        if wanted is not None and kind in wanted:
            for match in pattern.finditer(sentence.text):
                yield Reading(match[0], "", sentence.passage.chunk, sentence.text)


def _stands_in(name: str, text: str) -> bool:
    """Whether the name stands in the text as whole words."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False


def _sentences(passages: Iterable[Passage]) -> Iterator[_Sentence]:
    for rank, passage in enumerate(passages):
        for span in sentence_spans(passage.text):
            text = passage.text[span.start : span.end]
            yield _Sentence(text, frozenset(_words(text)), passage, RANK_DECAY**rank)


def _weights(question: str, sentences: Sequence[_Sentence]) -> dict[str, float]:
    """Inverse sentence frequency of the question's words, doubled for those of its last clause."""
    frequency = Counter(word for sentence in sentences for word in sentence.words)
    last = set(_words(re.split(r"\b(?:that|who)\b|,", question)[-1]))
    return {
        word: math.log(1 + len(sentences) / (1 + frequency[word])) * (2 if word in last else 1)
        for word in set(_words(question))
    }


def _words(text: str) -> list[str]:
    """Content words without their commonest endings."""
    return [
        re.sub(r"(?:'s|ies|es|s|ed|ing)$", "", word) if len(word) > 4 else word
        for word in map(str.casefold, _WORD.findall(text))
        if word not in _STOP
    ]
