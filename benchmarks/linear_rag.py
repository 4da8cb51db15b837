"""LinearRAG's algorithm, to stand beside ours.

Zhuang et al., "LinearRAG: Linear Graph Retrieval-Augmented Generation on Large-scale Corpora", 2025. Written
from its description and the constants of its published code, with our embedder and spaCy's small model; no
language model takes part.

Index: names (no ordinals and cardinals) are found in each passage; a passage is tied to its names by their
share of its mentions, and to the next passage by 1; passages, sentences with names, and names are embedded.
A question: each of its names stands for the nearest name of the corpus; from there weight spreads over the
sentences that are nearest to the question to the names in them, three times at most; passages weigh by their
nearness to the question and the weighted names in them; a personalised PageRank from both ranks the passages.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log1p

import numpy as np
import spacy
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, diags
from spacy.language import Language
from spacy.tokens import Doc

from kg.embed.choose import Embedder
from kg.extract.protocol import MODEL_PACKAGES
from services.benchmarks.contenders import BenchmarkPassage

Floats = NDArray[np.float64]

NOT_NAMES = frozenset({"ORDINAL", "CARDINAL"})
LEAST, ROUNDS, SENTENCES_A_NAME = 0.4, 3, 3
"""The weight from which a name spreads on, how often, and over how many sentences each time."""
PASSAGE_RATIO, PASSAGE_WEIGHT = 2.0, 0.05
"""What nearness counts beside names, and what passages count beside names where the walk starts."""
DAMPING, TOLERANCE, MOST_STEPS = 0.5, 1e-9, 100


class LinearRag:
    """An index over passages, in their order; `rank` answers a question by it."""

    def __init__(self, passages: Sequence[BenchmarkPassage], embedder: Embedder) -> None:
        self._passages, self._embedder, self._parser = passages, embedder, _parser()
        texts = [passage.whole for passage in passages]
        self._lower = [text.lower() for text in texts]
        mentions: list[Counter[str]] = []
        names_of: dict[str, dict[str, None]] = defaultdict(dict)
        for doc in self._parser.pipe(texts, batch_size=128):
            mentions.append(Counter())
            for name, sentence in _names(doc):
                mentions[-1][name] = doc.text.count(name)
                names_of[sentence][name] = None
        self._names = sorted({name for found in mentions for name in found})
        self._sentences = list(names_of)
        place = {name: at for at, name in enumerate(self._names)}
        self._names_in = [[place[name] for name in names_of[one]] for one in self._sentences]
        self._sentences_of: list[list[int]] = [[] for _ in self._names]
        for at, found_in in enumerate(self._names_in):
            for one in found_in:
                self._sentences_of[one].append(at)
        self._passage_vectors = embedder.embed(texts)
        self._sentence_vectors = embedder.embed(self._sentences)
        self._name_vectors = embedder.embed(self._names)
        self._steps = _transitions(mentions, place)

    @property
    def size(self) -> Mapping[str, int]:
        """How many of each kind were embedded."""
        return {"passages": len(self._passages), "sentences": len(self._sentences), "names": len(self._names)}

    def rank(self, question: str, limit: int) -> list[str]:
        """The best passages' chunks, best first."""
        (vector,) = self._embedder.embed_queries([question])
        near = (self._passage_vectors @ vector).astype(np.float64)
        asked = sorted({name.lower() for name, _ in _names(self._parser(question))})
        if not asked:
            return self._best(near, limit)
        weights, active = self._spread(self._seeds(asked), self._sentence_vectors @ vector)
        start = np.concatenate([weights, PASSAGE_WEIGHT * self._passage_weights(near, active)])
        return self._best(_pagerank(self._steps, start)[len(self._names) :], limit)

    def _seeds(self, asked: Sequence[str]) -> dict[int, float]:
        cosines = self._name_vectors @ self._embedder.embed_queries(list(asked)).T
        best = np.argmax(cosines, axis=0)
        return {int(name): float(cosines[name, at]) for at, name in enumerate(best)}

    def _spread(
        self, seeds: Mapping[int, float], near: NDArray[np.float32]
    ) -> tuple[Floats, dict[int, tuple[float, int]]]:
        """Weights of all names, and of those that were reached the last weight and the round."""
        weights = np.zeros(len(self._names))
        for name, weight in seeds.items():
            weights[name] = weight
        active = {name: (weight, 1) for name, weight in seeds.items()}
        current, used = dict(seeds), set[int]()
        for turn in range(2, ROUNDS + 1):
            found: dict[int, float] = {}
            for name, weight in current.items():
                if weight < LEAST:
                    continue
                free = [one for one in self._sentences_of[name] if one not in used]
                for sentence in sorted(free, key=lambda one: -near[one])[:SENTENCES_A_NAME]:
                    used.add(sentence)
                    passed = weight * float(near[sentence])
                    if passed < LEAST:
                        continue
                    for other in self._names_in[sentence]:
                        weights[other] += passed
                        found[other] = passed
            active |= {name: (weight, turn) for name, weight in found.items()}
            current = found
        return weights, active

    def _passage_weights(self, near: Floats, active: Mapping[int, tuple[float, int]]) -> Floats:
        span = float(near.max() - near.min()) or 1.0
        bonus = np.zeros(len(near))
        for name, (weight, turn) in active.items():
            word = self._names[name].lower()
            counts = np.array([text.count(word) for text in self._lower])
            bonus += weight * np.log1p(counts) / turn
        scaled: Floats = PASSAGE_RATIO * (near - near.min()) / span + np.vectorize(log1p)(bonus)
        return scaled

    def _best(self, scores: Floats, limit: int) -> list[str]:
        order = np.argsort(-scores, kind="stable")[:limit]
        return [self._passages[at].chunk for at in order]


def _parser() -> Language:
    """spaCy's small model by the package that is here; sentences come from its parser."""
    package = next(name for name in MODEL_PACKAGES if spacy.util.is_package(name))
    return spacy.load(package, disable=["lemmatizer", "attribute_ruler"])


def _names(doc: Doc) -> Iterator[tuple[str, str]]:
    """The names of a text, each with its sentence."""
    return ((one.text, one.sent.text) for one in doc.ents if one.label_ not in NOT_NAMES)


def _transitions(mentions: Sequence[Mapping[str, int]], place: Mapping[str, int]) -> csr_matrix:
    """The walk's steps, each row adding up to 1, names before passages."""
    edges = [
        (len(place) + at, place[name], count / (sum(found.values()) or 1))
        for at, found in enumerate(mentions)
        for name, count in found.items()
    ]
    edges += [(len(place) + at, len(place) + at + 1, 1.0) for at in range(len(mentions) - 1)]
    rows, columns, values = (np.array(column) for column in zip(*edges, strict=True))
    size = len(place) + len(mentions)
    half = coo_matrix((values, (rows, columns)), shape=(size, size)).tocsr()
    weights = csr_matrix(half + half.T)
    sums = np.asarray(weights.sum(axis=1)).ravel()
    return csr_matrix(diags(1 / np.where(sums > 0, sums, 1)) @ weights)


def _pagerank(steps: csr_matrix, start: Floats) -> Floats:
    """Where a walk is that begins by `start`, and at each step begins anew with probability 1 - `DAMPING`."""
    begin = np.clip(start, 0, None)
    begin = begin / (begin.sum() or 1.0)
    backwards, at = csr_matrix(steps.T), begin
    for _ in range(MOST_STEPS):
        after = (1 - DAMPING) * begin + DAMPING * (backwards @ at)
        if np.abs(after - at).sum() < TOLERANCE:
            return after
        at = after
    return at
