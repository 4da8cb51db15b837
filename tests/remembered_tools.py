"""The real embedder and extractor, each asked only once a process about the same text.

What they give for a text depends on that text alone (tests/kg/embed and tests/kg/extract prove it), and
dozens of tests take the same few articles the whole way.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import numpy as np

from kg.embed.choose import Embedder, Vectors
from kg.extract.protocol import ExtractionInput, Extractor
from kg.model import Extraction, Span

Key = tuple[str, str, datetime | None, tuple[Span, ...]]


class RememberingEmbedder:
    """An embedder with a memory of its vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.max_tokens = embedder.max_tokens
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as of passages: the embedder makes no difference."""
        return self.embed(texts)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The embedder's vectors, in an array of the caller's own."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._known[text]
        return vectors


class RememberingExtractor:
    """An extractor with a memory of what it read."""

    def __init__(self, extractor: Extractor) -> None:
        self.name = extractor.name
        self._extractor = extractor
        self._known: dict[Key, Extraction] = {}

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """The extractor's results, one article at a time."""
        for item in items:
            key = (item.body, item.title, item.published_at, tuple(item.sentences))
            if key not in self._known:
                (self._known[key],) = self._extractor.extract([item])
            yield self._known[key]
