"""Could a model have known the answers? The age of the articles, and likeness to question sets in the open.

A question whose article was published before a model's training data ends may be answered from memory (GRADE,
section 3.1, took later articles only). A question like one of a published set may have been trained on
(AgenticRAGTracer, appendix F, compares by words and by meaning).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, command
from kg.model import Reject
from kg.queries import query
from kg.store.graph import Graph
from services.datasets.question import BenchmarkQuestion
from services.datasets.question_files import read_questions

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BLOCK = 256
"""Questions of a corpus that are compared with a whole set at once."""
ALIKE_FROM = 0.9
"""From this cosine on two questions ask nearly the same."""


@dataclass(frozen=True, slots=True)
class Age:
    """How many articles of a corpus a model may have read: published up to the last day of its data.

    `undated` articles have no day; `read` is a part of `dated`.
    """

    cutoff: date
    dated: int
    undated: int
    read: int

    @property
    def warning(self) -> str:
        """The sentence for a reader; empty where the model can have read none of them."""
        if not self.read:
            return ""
        return (
            f"{self.read:,} of {self.dated:,} dated articles were published before the model's data ends "
            f"({self.cutoff}): it may know answers by heart."
        )


def article_age(graph: Graph, corpus: str, cutoff: date) -> Age:
    """How many articles are older than the end of a model's training data, its last day included."""
    days = [row["day"] for row in graph.stream(query("articles/list_articles"), corpus=corpus)]
    dated = [day for day in days if day]
    read = sum(date.fromisoformat(day) <= cutoff for day in dated)
    return Age(cutoff, len(dated), len(days) - len(dated), read)


@dataclass(frozen=True, slots=True)
class Likeness:
    """The cosine of each question to the nearest one of another set, over all questions of a corpus."""

    mean: float
    median: float
    highest: float
    alike: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A question and the one of another set that is most like it, by the larger of both cosines."""

    question: str
    other: str
    words: float
    meaning: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """How like the kept questions of a corpus are to those of a published set.

    `words` are cosines of TF-IDF over runs of one to three words, `meaning` cosines of vectors by the corpus'
    embedder. `titles` are those that an article of the corpus and a piece of evidence of the set share.
    `nearest` are the pairs most alike, the most first.
    """

    file: str
    questions: int
    rejected: int
    words: Likeness
    meaning: Likeness
    titles: tuple[str, ...]
    nearest: tuple[Neighbour, ...]


def compare_with_set(graph: Graph, corpus: str, path: Path, embedder: Embedder, show: int = 5) -> Overlap:
    """The likeness of the kept questions of a corpus to those of a file; `show` bounds `nearest`.

    Each question counts by its cosine to the nearest one of the set: of TF-IDF over runs of one to three
    words, and of vectors (AgenticRAGTracer, appendix F).

    Raises:
        InputError: the file can't be read, or has no known form.
        NothingToDoError: the corpus has no kept question, or the file none that can be used.
    """
    rows = list(read_questions(path))
    others = [row for row in rows if isinstance(row, BenchmarkQuestion)]
    rejected = sum(isinstance(row, Reject) for row in rows)
    own = [row["text"] for row in graph.rows(query("questions/list_kept"), corpus=corpus)]
    if not own:
        raise NothingToDoError(
            f"corpus {corpus!r} has no kept question.",
            f"Make some: {command('questions make --corpus', corpus)}.",
        )
    if not others:
        raise NothingToDoError(f"{path} has no question that can be used.", "Give another file.")
    texts = [other.text for other in others]
    in_words, by_words = _nearest_by_words(own, texts)
    in_meaning, by_meaning = _nearest_by_meaning(embedder.embed(own), embedder.embed(texts))
    order = np.argsort(-np.maximum(by_words, by_meaning), kind="stable")[:show]
    nearest = []
    for at in order:
        closest = in_words if by_words[at] >= by_meaning[at] else in_meaning
        nearest.append(Neighbour(own[at], texts[closest[at]], _share(by_words[at]), _share(by_meaning[at])))
    return Overlap(
        str(path),
        len(others),
        rejected,
        _likeness(by_words),
        _likeness(by_meaning),
        _shared_titles(graph, corpus, others),
        tuple(nearest),
    )


Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def _nearest_by_words(own: Sequence[str], others: Sequence[str]) -> tuple[Places, Floats]:
    # scikit-learn takes a second to import, which every start of a run would pay.
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415

    vectors: csr_matrix = TfidfVectorizer(ngram_range=(1, 3)).fit_transform([*own, *others])
    left, right = vectors[: len(own)], vectors[len(own) :].T.tocsr()
    found = [_of_block((left[at : at + BLOCK] @ right).toarray()) for at in range(0, len(own), BLOCK)]
    return np.concatenate([places for places, _ in found]), np.concatenate([most for _, most in found])


def _nearest_by_meaning(own: NDArray[np.float32], others: NDArray[np.float32]) -> tuple[Places, Floats]:
    found = [_of_block(own[at : at + BLOCK] @ others.T) for at in range(0, len(own), BLOCK)]
    return np.concatenate([places for places, _ in found]), np.concatenate([most for _, most in found])


def _of_block(cosines: NDArray[np.floating]) -> tuple[Places, Floats]:
    """For each row the place of the largest cosine, the first of equal ones, and the cosine."""
    places = cosines.argmax(axis=1)
    return places, cosines[np.arange(len(cosines)), places].astype(np.float64)


def _likeness(cosines: Floats) -> Likeness:
    return Likeness(
        _share(cosines.mean()),
        _share(np.median(cosines)),
        _share(cosines.max()),
        int((cosines >= ALIKE_FROM).sum()),
    )


def _share(value: np.floating | float) -> float:
    return round(float(value), 4)


def _shared_titles(graph: Graph, corpus: str, others: Sequence[BenchmarkQuestion]) -> tuple[str, ...]:
    theirs = {gold.title.casefold() for other in others for gold in other.gold if gold.title}
    rows = graph.stream(query("articles/list_articles"), corpus=corpus)
    return tuple(sorted({row["title"] for row in rows if row["title"].casefold() in theirs}))
