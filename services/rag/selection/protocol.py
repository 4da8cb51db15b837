"""What a selector of evidence is given and gives: a question's pool as arrays, and places in it."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.embed.choose import Vectors

Scores = NDArray[np.float64]
Places = NDArray[np.int64]
"""Places in a pool, from 0."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The n candidates of a question, best first; the gold evidence is nowhere in it.

    `scores` tell how well each fits what is looked for, the greater the better; `vectors` are of unit length,
    shape (n, dimensions); `tokens` are those of its text. `articles` and `clusters` number the article and
    the evidence cluster of each, from 0. `entities` tells which of e entities each names, shape (n, e), ones;
    `rarity` is 1 / the number of chunks of the corpus that name an entity, and `named` whether the question
    names it, shape (e,). `walked` is the graph retriever's score, -inf for a chunk that it did not come by.
    """

    chunks: tuple[str, ...]
    scores: Scores
    vectors: Vectors
    tokens: Places
    articles: Places
    clusters: Places
    entities: csr_matrix
    rarity: Scores
    named: NDArray[np.bool_]
    walked: Scores


@dataclass(frozen=True, slots=True)
class SelectionBudget:
    """How much evidence is looked for: at most so many tokens.

    `seed` is the question's own, so that nothing depends on which other questions are asked beside it.
    """

    budget_tokens: int
    seed: int = 0


class Selector(Protocol):
    """A pure function that chooses evidence."""

    def __call__(self, pool: Pool, wanted: SelectionBudget) -> Places:
        """Places in the pool, each once, in the order in which they are shown; together within the budget."""
        ...
