"""Could a model have known the answers? Likeness to published sets, beside what it could know before.

A question like one of a published set may have been trained on (AgenticRAGTracer, appendix F, compares by
words and by meaning).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import Embedder, embedder_of
from kg.errors import NothingToDoError, command
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.datasets.choose import read_questions
from services.datasets.import_questions import IMPORTED
from services.datasets.question import BenchmarkQuestion
from services.evaluate.write_back import Age, ClosedBook, article_age, closed_book

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BLOCK = 256
"""Questions of a corpus that are compared with a whole set at once."""
ALIKE_FROM = 0.9
"""From this cosine on two questions ask nearly the same."""


Origin = Literal["made", "imported"]
"""Whether a question was made from the corpus, or came from a set."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The cosine of each question to the nearest one of another set, over those of an origin in a corpus.

    `measure` is "words", of TF-IDF over runs of one to three words, or "meaning", of vectors by the corpus'
    embedder; `alike` counts the questions from ALIKE_FROM on.
    """

    origin: Origin
    questions: int
    measure: Literal["words", "meaning"]
    mean: float
    median: float
    highest: float
    alike: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A question and the one of another set that is most like it, by the larger of both cosines."""

    origin: Origin
    question: str
    other: str
    words: float
    meaning: float


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """Questions that somebody else published; `titles` are those of their evidence, in small letters."""

    name: str
    questions: tuple[str, ...]
    titles: frozenset[str] = frozenset()
    rejected: int = 0


def read_set(path: Path) -> PublishedSet:
    """The questions of a file in one of the forms of `question_files`.

    Raises:
        InputError: the file can't be read, or has no known form.
    """
    rows = list(read_questions(path))
    found = [row for row in rows if isinstance(row, BenchmarkQuestion)]
    titles = frozenset(gold.title.casefold() for one in found for gold in one.gold if gold.title)
    rejected = sum(isinstance(row, Reject) for row in rows)
    return PublishedSet(path.name, tuple(one.text for one in found), titles, rejected)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How like the kept questions of a corpus are to those of a published set.

    `likeness` has questions made here first and imported ones beside them, as far as there are any.
    `titles` are those that an article of the corpus and a piece of evidence of the set share. `nearest` are
    the pairs most alike of each origin, the most first.
    """

    name: str
    questions: int
    rejected: int
    likeness: tuple[Likeness, ...]
    titles: tuple[str, ...]
    nearest: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class Contamination:
    """What a model could have known before; `age` is None where no last day of its data is given."""

    age: Age | None
    closed_book: tuple[ClosedBook, ...]
    sets: tuple[Overlap, ...]

    def as_dict(self) -> dict[str, object]:
        """The same as maps, lists, numbers and strings."""
        return asdict(self)


def read_contamination(
    graph: Graph,
    corpus: str,
    settings: Settings,
    cutoff: date | None,
    published: Sequence[PublishedSet],
    progress: Progress,
    show: int = 5,
) -> Contamination:
    """What a model could have known of a corpus; `cutoff` None stands for the settings' day.

    Raises:
        NothingToDoError: a set is to be compared, and the corpus has no kept question, or the set none.
        EmbeddingError: the corpus' embedder failed.
    """
    day = cutoff or settings.hopgrade_model_cutoff
    age = article_age(graph, corpus, day) if day else None
    overlaps = []
    if published:
        embedder = embedder_of(graph, corpus, settings)
        progress.begin("question sets")
        for one in published:
            progress.step(one.name)
            overlaps.append(compare_with_set(graph, corpus, one, embedder, show))
        progress.end(f"{len(overlaps)} compared")
    return Contamination(age, closed_book(graph, corpus), tuple(overlaps))


def compare_with_set(
    graph: Graph, corpus: str, published: PublishedSet, embedder: Embedder, show: int = 5
) -> Overlap:
    """The likeness of the kept questions of a corpus to those of a published set; `show` pairs of an origin.

    Each question counts by its cosine to the nearest one of the set: of TF-IDF over runs of one to three
    words, and of vectors (AgenticRAGTracer, appendix F). Questions that were imported stand beside those made
    from the articles: how like two published sets are is what ours can be held against.

    Raises:
        NothingToDoError: the corpus has no kept question, or the set none that can be used.
    """
    rows = graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    if not rows:
        raise NothingToDoError(
            f"corpus {corpus!r} has no kept question.",
            f"Make some: {command('questions make --corpus', corpus)}.",
        )
    texts = published.questions
    if not texts:
        raise NothingToDoError(f"{published.name} has no question that can be used.", "Give another set.")
    own = [row["text"] for row in rows]
    in_words, by_words = _nearest_by_words(own, texts)
    in_meaning, by_meaning = _nearest_by_meaning(embedder.embed(own), embedder.embed(texts))
    order = np.argsort(-np.maximum(by_words, by_meaning), kind="stable")
    origins = np.array(["imported" if row["kind"] == IMPORTED else "made" for row in rows])
    likeness, nearest = [], []
    for origin in get_args(Origin):
        if not (of := origins == origin).any():
            continue
        likeness += [_likeness(origin, "words", by_words[of]), _likeness(origin, "meaning", by_meaning[of])]
        for at in order[of[order]][:show]:
            other = (in_words if by_words[at] >= by_meaning[at] else in_meaning)[at]
            cosines = _share(by_words[at]), _share(by_meaning[at])
            nearest.append(Neighbour(origin, own[at], texts[other], *cosines))
    articles = graph.stream(query("articles/list_articles"), corpus=corpus) if published.titles else ()
    return Overlap(
        published.name,
        len(texts),
        published.rejected,
        tuple(likeness),
        tuple(sorted({row["title"] for row in articles if row["title"].casefold() in published.titles})),
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


def _likeness(origin: Origin, measure: Literal["words", "meaning"], cosines: Floats) -> Likeness:
    return Likeness(
        origin,
        len(cosines),
        measure,
        _share(cosines.mean()),
        _share(np.median(cosines)),
        _share(cosines.max()),
        int((cosines >= ALIKE_FROM).sum()),
    )


def _share(value: np.floating | float) -> float:
    return round(float(value), 4)
