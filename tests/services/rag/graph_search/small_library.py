"""A library of four chunks and a question, small enough to count by hand."""

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix

from services.rag.graph_search.evidence import Library, Sought

FILM, DIRECTOR, TOWN, STUDIO = range(4)
"""Chunks, each the page of the node of the same number."""


def library() -> Library:
    """The film names director, studio and a fifth node; the director his town, the studio what the film does.

    The studio has no page.
    """
    names = np.array(
        [
            [1, 1, 0, 1, 1],
            [0, 1, 1, 0, 0],
            [0, 0, 1, 0, 0],
            [0, 1, 0, 1, 1],
        ],
        dtype=np.float64,
    )
    words = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=np.float32)
    return Library(
        vectors=np.eye(4, dtype=np.float32),
        names=csr_matrix(names),
        pages=np.array([FILM, DIRECTOR, TOWN, -1], dtype=np.int32),
        frequency=np.count_nonzero(names, axis=0).astype(np.float64),
        words=csc_matrix(words),
    )


def sought(words: tuple[int, ...] = (0, 1, 2)) -> Sought:
    """A question that names the film and is like the director's chunk, its rest like the town's."""
    return Sought(
        vector=np.array([0, 1, 0, 0], dtype=np.float32),
        relation=np.array([0, 0, 1, 0], dtype=np.float32),
        nodes=np.array([FILM], dtype=np.int32),
        words=np.array(words, dtype=np.int32),
    )
