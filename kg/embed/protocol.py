"""What every embedder offers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors, whose dot product is then their cosine similarity."""

    @property
    def name(self) -> str:
        """Provider, model and variant, as recorded with a corpus."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text count; the rest of a longer text is cut off."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of `texts` in order: float32, shape (len(texts), dimensions), rows of length 1.

        An empty text has a vector too, always the same.

        Raises:
            EmbeddingError: the model or its endpoint failed.
        """
        ...
