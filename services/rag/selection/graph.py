"""The graph retriever's ranking of the pool; what it did not come by follows in the order of the pool."""

import numpy as np

from services.rag.selection.packing import packed
from services.rag.selection.protocol import Places, Pool, Wanted


def by_graph(pool: Pool, wanted: Wanted) -> Places:
    """See `services.rag.selection.protocol.Selector`."""
    return packed(np.lexsort((-pool.scores, -pool.walked)), pool.tokens, wanted.budget_tokens)
