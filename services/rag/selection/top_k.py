"""The best of the pool by their scores, as many as the budget pays for: what a plain RAG system shows."""

from services.rag.selection.packing import best_first, packed
from services.rag.selection.protocol import Places, Pool, Wanted


def top_k(pool: Pool, wanted: Wanted) -> Places:
    """See `services.rag.selection.protocol.Selector`."""
    return packed(best_first(pool.scores), pool.tokens, wanted.budget_tokens)
