"""The built-in reranker: BM25 over the passages at hand, with the question's words."""

import math
from collections import Counter
from collections.abc import Sequence

from services.rag.protocol import Hit, Passage
from services.rag.question_words import words

K1 = 1.2
B = 0.75
"""The usual constants (Robertson and Zaragoza 2009, section 3.2)."""


class LexicalReranker:
    """Scores a passage by BM25; words are lemmas, and rare among the passages at hand is rare."""

    @property
    def name(self) -> str:
        """The name that a run records."""
        return "lexical"

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Hit]:
        """Every passage once, best first; equal scores keep the order in which the passages came."""
        texts = [Counter(words(f"{passage.title}\n{passage.text}")) for passage in passages]
        frequency = Counter(word for text in texts for word in text)
        mean = sum(text.total() for text in texts) / max(len(texts), 1) or 1.0
        wanted = sorted(set(words(question)))
        scores = [
            sum(
                _inverse(frequency[word], len(texts)) * _saturated(text[word], text.total() / mean)
                for word in wanted
            )
            for text in texts
        ]
        hits = [Hit(passage.chunk, round(score, 6)) for passage, score in zip(passages, scores, strict=True)]
        return sorted(hits, key=lambda hit: -hit.score)


def _inverse(frequency: int, passages: int) -> float:
    return math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5))


def _saturated(count: int, relative_length: float) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * relative_length))
