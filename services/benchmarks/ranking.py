"""How a benchmark sees a retriever: a question's text in, chunks out, whatever lies between."""

from collections.abc import Callable, Mapping, Sequence

from kg.embed.protocol import Embedder
from services.rag.protocol import Asked, Retriever

Rank = Callable[[str], Sequence[str]]
"""The chunks for a question, best first, each once; a StoreError means that this question can't be asked."""


def ranked_by(retriever: Retriever, embedder: Embedder) -> Rank:
    """A retriever as a `Rank`: the question is embedded anew each time, as for a question that just came."""

    def rank(question: str) -> list[str]:
        asked = Asked("question", question, embedder.embed([question])[0])
        return [hit.chunk for hit in retriever.retrieve([asked])[0]]

    return rank


def article_ranking(chunks: Sequence[str], article_of: Mapping[str, str]) -> list[str]:
    """The articles of ranked chunks, each at the rank of its first chunk, counted in articles."""
    return list(dict.fromkeys(article_of[chunk] for chunk in chunks))
