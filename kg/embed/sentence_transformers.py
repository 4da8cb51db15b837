"""Any model of sentence-transformers, on a GPU where there is one; needs the extra of that name."""

from collections.abc import Sequence

import numpy as np

from kg.embed.protocol import Vectors
from kg.errors import EmbeddingError

_REMEDY = 'Install it: pip install "hopgrade[sentence-transformers]".'


class SentenceTransformersEmbedder:
    """A sentence-transformers model by its name or folder.

    A vector may differ in its last digits with what is embedded beside it (batches are padded); the
    built-in embedder's does not.
    """

    def __init__(self, model: str, device: str | None = None, batch_texts: int = 32) -> None:
        """Load `model`, fetching it if it is not on this machine; `device` such as "cuda" or "cpu".

        Raises:
            EmbeddingError: sentence-transformers is not installed, or the model can't be loaded.
        """
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - heavy and optional
        except ImportError as error:
            raise EmbeddingError("sentence-transformers is not installed.", _REMEDY) from error
        try:
            self._model = SentenceTransformer(model, device=device)
        except (OSError, ValueError, RuntimeError) as error:
            raise EmbeddingError(
                f'The sentence-transformers model "{model}" can\'t be loaded: {_first_line(error)}',
                "Check its name, and that the network or the model's folder can be reached.",
            ) from error
        self.name = f"sentence-transformers/{model.removeprefix('sentence-transformers/')}"
        self.dimensions = len(self._model.encode("", show_progress_bar=False))
        self.max_tokens = int(self._model.max_seq_length or 512)
        self._batch_texts = batch_texts

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of `texts`: float32, shape (n, dimensions), rows of length 1."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        found = self._model.encode(
            [_encodable(text) for text in texts],
            batch_size=self._batch_texts,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(found, np.float32)


def _encodable(text: str) -> str:
    """The text without lone surrogates, which no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
