"""Filling a budget of tokens from an order: whole texts, the first that fits into what is left."""

from collections.abc import Iterable

import numpy as np

from services.rag.selection.protocol import Places, Scores


def packed(order: Iterable[int], tokens: Places, budget_tokens: int) -> Places:
    """The places of an order that fit, in it; one for which there is no room is passed over.

    That is how `services.rag.evidence_budget` pays for a last reading, so all that is packed is shown.
    """
    taken, left = [], budget_tokens
    for place in order:
        if tokens[place] <= left:
            taken.append(int(place))
            left -= int(tokens[place])
    return np.array(taken, dtype=np.int64)


def best_first(scores: Scores) -> Places:
    """All places by their scores, the greatest first; among equals the order of the pool."""
    return np.argsort(-scores, kind="stable").astype(np.int64)


def shares(scores: Scores) -> Scores:
    """Scores moved and scaled to [0, 1], so that those of any retriever can stand beside a cosine.

    Where all are equal, each is 1.
    """
    if not len(scores):
        return scores
    least, most = float(scores.min()), float(scores.max())
    scaled: Scores = (scores - least) / (most - least) if most > least else np.ones(len(scores))
    return scaled
