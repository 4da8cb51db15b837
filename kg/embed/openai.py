"""Any OpenAI-compatible /embeddings endpoint: OpenAI's own, or a local server such as Ollama or vLLM.

Prefixes that a model's name calls for are part of the text that is sent: such servers add none.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from openai import OpenAI, OpenAIError, omit
from openai.types import CreateEmbeddingResponse

from kg.embed.choose import Prefixes, Vectors, prefixes_of
from kg.endpoints import explain_error
from kg.errors import EmbeddingError
from kg.text.tokens import count_tokens, token_spans

_EMPTY = "-"
_NO_KEY = "none"
_NONE = Prefixes("", "")


class OpenAIEmbedder:
    """A model behind an endpoint, asked in bounded batches with retries.

    Timeouts, lost connections and the statuses 408, 409, 429 and 5xx are tried again with growing pauses,
    or after the pause that Retry-After names; other refusals end at once.
    """

    def __init__(
        self,
        model: str,
        api_key: str = "",
        base_url: str | None = None,
        requested_dimensions: int | None = None,
        max_tokens: int = 8000,
        batch_texts: int = 256,
        batch_tokens: int = 100_000,
        timeout_seconds: float = 60.0,
        max_retries: int = 6,
    ) -> None:
        """Set up for `model`; nothing is sent yet. An empty `api_key` suits servers that want none."""
        self._prefixes = prefixes_of(model) or _NONE
        key = self._prefixes.key if self._prefixes != _NONE else ""
        self.name = f"openai/{model}" + (f"@{requested_dimensions}" if requested_dimensions else "") + key
        self.max_tokens = max_tokens
        self._model = model
        self._key = api_key
        self._requested = requested_dimensions
        self._batch_texts = batch_texts
        self._batch_tokens = batch_tokens
        self._client = OpenAI(
            api_key=api_key or _NO_KEY, base_url=base_url, timeout=timeout_seconds, max_retries=max_retries
        )

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector: as requested, or as the endpoint answers to a short text."""
        return self._requested or self._ask([_EMPTY]).shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages: float32, shape (n, dimensions), rows of length 1.

        Raises:
            EmbeddingError: the endpoint refused, can't be reached, or its answer is not what was asked for.
        """
        return self._embed_batches([self._prefixes.passage + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of queries: float32, shape (n, dimensions), rows of length 1.

        Raises:
            EmbeddingError: as `embed`.
        """
        return self._embed_batches([self._prefixes.query + text for text in texts])

    def _embed_batches(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        done = 0
        for batch in self._batches(texts):
            vectors[done : done + len(batch)] = self._request_batch(batch)
            done += len(batch)
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        total = 0
        for text in texts:
            sent, tokens = _sendable(text, self.max_tokens)
            if batch and (len(batch) == self._batch_texts or total + tokens > self._batch_tokens):
                yield batch
                batch, total = [], 0
            batch.append(sent)
            total += tokens
        if batch:
            yield batch

    def _request_batch(self, batch: list[str]) -> Vectors:
        found = self._ask(batch)
        if found.shape != (len(batch), self.dimensions):
            raise self._error(
                f"answered {found.shape[0]} vectors of {found.shape[1]} numbers to {len(batch)} texts, where "
                f"{self.dimensions} numbers each were expected",
                "Check that the model can give vectors of the length that was asked for.",
            )
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise self._error("answered a vector without a direction", "Try another model.")
        unit: Vectors = (found / lengths).astype(np.float32)
        return unit

    def _ask(self, batch: list[str]) -> NDArray[np.float64]:
        """The raw answer to one request, shape (vectors, numbers), lengths as they came."""
        try:
            response = self._client.embeddings.create(
                input=batch,
                model=self._model,
                dimensions=self._requested or omit,
                encoding_format="float",
            )
        except (OpenAIError, ValueError) as error:
            # Without the cause: what the server sent back may quote the key.
            raise self._error(*explain_error(error, self._key)) from None
        return self._vectors(response)

    def _vectors(self, response: CreateEmbeddingResponse) -> NDArray[np.float64]:
        malformed = "Check that the base URL leads to an OpenAI-compatible API; it often ends in /v1."
        data = getattr(response, "data", None)
        if not data or sorted(row.index for row in data) != list(range(len(data))):
            raise self._error("answered without a list of vectors", malformed)
        rows = [row.embedding for row in sorted(data, key=lambda row: row.index)]
        if len({len(row) for row in rows}) != 1:
            raise self._error("answered vectors of different lengths", malformed)
        return np.array(rows, np.float64)

    def _error(self, what: str, remedy: str) -> EmbeddingError:
        host = self._client.base_url.host
        return EmbeddingError(f'The embedding endpoint at {host} for "{self._model}" {what}.', remedy)


def _sendable(text: str, max_tokens: int) -> tuple[str, int]:
    """What is sent for a text and its tokens: cut to `max_tokens`, never empty, encodable as UTF-8."""
    tokens = count_tokens(text)
    if tokens > max_tokens:
        text, tokens = text[: token_spans(text)[max_tokens - 1][1]], max_tokens
    text = text.encode("utf-8", "replace").decode("utf-8")
    return (text, tokens) if text.strip() else (_EMPTY, 1)
