"""What people say of questions, from Python: reviews as files, and how far annotators agree."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import Embedder, embedder_of
from kg.store.leases import writing_to
from services.python_api.corpus import Corpus
from services.questions.review import (
    ReviewReport,
    draw_questions,
    parse_pool,
    read_report,
)
from services.questions.review_files import export_reviews, import_reviews


def review_sheet(
    corpus: Corpus,
    annotator: str,
    file: str | Path,
    *,
    sample: int | None = None,
    seed: int = 0,
    status: str = "kept",
) -> int:
    """Write questions with their evidence for somebody to decide on, as JSON lines; how many.

    `sample` None stands for all; with one seed every annotator gets the same. `status` "rejected" is for
    those that the filters rejected. Keep, drop or edit goes into `decision`; what others decided isn't shown.

    Raises:
        SettingsError: there is no such status to review.
        InputError: the file can't be written.

    >>> hopgrade.review_sheet(corpus, "ana", "sheet.jsonl", sample=3)
    3
    """
    pool = parse_pool(status)
    queue = draw_questions(corpus.graph, corpus.name, annotator, pool, sample, seed)
    return export_reviews(corpus.graph, corpus.name, annotator, queue, Path(file))


def take_reviews(corpus: Corpus, file: str | Path, annotator: str | None = None) -> int:
    """Take in the decisions of a filled-in sheet, in the name of `annotator` if given; how many.

    Questions follow them at once, as those of the command questions review.

    Raises:
        InputError: a line is no decision on a question of this corpus; then nothing is written.

    >>> written = hopgrade.review_sheet(corpus, "ana", "sheet.jsonl", sample=3)
    >>> hopgrade.take_reviews(corpus, "sheet.jsonl")  # Nobody has filled it in.
    0
    """
    with writing_to(corpus.graph, corpus.name) as mine:
        embed = _embed(lambda: embedder_of(mine, corpus.name, corpus.settings))
        return import_reviews(mine, corpus.name, annotator, Path(file), datetime.now(UTC), embed)


def review_report(corpus: Corpus) -> ReviewReport:
    """Who decided what, Fleiss' kappa over questions that two decided, and which are open.

    >>> hopgrade.review_report(corpus).questions
    0
    """
    return read_report(corpus.graph, corpus.name)


def _embed(open_embedder: Callable[[], Embedder]) -> Callable[[list[str]], NDArray[np.float32]]:
    """An embedder that is loaded when an edit needs it."""
    loaded = cache(open_embedder)
    return lambda texts: loaded().embed_queries(texts)
