"""Maximal marginal relevance: each next text is relevant and says something else than those before it.

Greedy, by lambda * relevance - (1 - lambda) * greatest cosine to a text that was chosen (Carbonell and
Goldstein, The Use of MMR, 1998, section 2), among the texts for which there is still room. The relevance is
the pool's score scaled to [0, 1].
"""

import numpy as np

from services.rag.selection.packing import shares
from services.rag.selection.protocol import Places, Pool, Wanted

LAMBDA = 0.7


def mmr(pool: Pool, wanted: Wanted) -> Places:
    """See `services.rag.selection.protocol.Selector`."""
    relevance = LAMBDA * shares(pool.scores)
    nearest = np.zeros(len(pool.chunks))
    open_to = np.ones(len(pool.chunks), dtype=np.bool_)
    taken, left = list[int](), wanted.budget_tokens
    while (fits := open_to & (pool.tokens <= left)).any():
        worth = np.where(fits, relevance - (1 - LAMBDA) * nearest, -np.inf)
        best = int(worth.argmax())
        taken.append(best)
        open_to[best] = False
        left -= int(pool.tokens[best])
        likeness = (pool.vectors @ pool.vectors[best]).astype(np.float64)
        nearest = np.maximum(nearest, likeness) if len(taken) > 1 else likeness
    return np.array(taken, dtype=np.int64)
