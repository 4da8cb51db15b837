"""From an embedder's short name, as on the command line, to the embedder.

What every embedder offers.

What some models want before a query and before a passage: the table kg/embed/prefixes.yaml.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import yaml
from numpy.typing import NDArray

from kg.engine.choose import LOCAL, Engine, Work, settled
from kg.errors import SettingsError
from kg.settings import Settings

if TYPE_CHECKING:
    from kg.store.graph import Graph

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors, whose dot product is then their cosine similarity."""

    @property
    def name(self) -> str:
        """Provider, model and variant, as recorded with a corpus; under another, vectors differ."""
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
        """The vectors of passages in order: float32, shape (len(texts), dimensions), rows of length 1.

        Whatever is looked for is a passage: chunks, claims, names, facts. An empty text has a vector too,
        always the same.

        Raises:
            EmbeddingError: the model or its endpoint failed.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same for what passages are looked for by: questions, and the words of a search.

        Raises:
            EmbeddingError: the model or its endpoint failed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model wants before a query and before a passage."""

    query: str
    passage: str

    @property
    def key(self) -> str:
        """What stands behind an embedder's name: vectors made with other prefixes are another's."""
        return f"+prefixes-{sha256(repr((self.query, self.passage)).encode()).hexdigest()[:8]}"


def prefixes_of(model: str) -> Prefixes | None:
    """The prefixes that a model wants by its name or folder, None where it wants none that is known."""
    name = model.rstrip("/").rpartition("/")[2].partition(":")[0].lower()
    return next(
        (found for patterns, found in prefix_table() if any(fnmatchcase(name, one) for one in patterns)), None
    )


@cache
def prefix_table() -> tuple[tuple[tuple[str, ...], Prefixes], ...]:
    """The patterns of names that share prefixes, in the order in which they are tried."""
    text = (files("kg.embed") / "prefixes.yaml").read_text(encoding="utf-8")
    return tuple(
        (tuple(entry["models"]), Prefixes(entry["query"], entry["passage"])) for entry in yaml.safe_load(text)
    )


class SpreadEmbedder:
    """An embedder whose long work, that of `in_batches`, goes through an engine; the rest is done here.

    An endpoint is always asked from here, since what it may be asked at once is one limit for all. On this
    machine the embedder's own threads do the work.
    """

    def __init__(self, here: Embedder, spec: str, engine: Engine) -> None:
        self.name = here.name
        self.max_tokens = here.max_tokens
        self.embed = here.embed
        self.embed_queries = here.embed_queries
        self._here = here
        self._spec = spec
        self._engine = engine

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._here.dimensions

    def in_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[Vectors]:
        """The vectors of each batch of texts, in order; some batches are taken ahead.

        Raises:
            EmbeddingError: the model or its endpoint failed.
            EngineError: there is nobody to do the work.
        """
        if asks_endpoint(self._spec) or self._engine.name == LOCAL:
            yield from in_batches(self._here, batches)
            return
        opener = partial(_open_on_one_core, self._spec)
        work: Work[Sequence[str], Vectors] = Work(f"vectors/{self.name}", opener, self.embed)
        for outcome in self._engine.map(work, batches):
            yield settled(outcome)


def in_batches(embedder: Embedder, batches: Iterable[Sequence[str]]) -> Iterator[Vectors]:
    """The vectors of each batch of texts, in order, in the embedder's own way where it has one."""
    if isinstance(embedder, _Streaming):
        return embedder.in_batches(batches)
    return map(embedder.embed, batches)


@runtime_checkable
class _Streaming(Protocol):
    """An embedder that begins a batch before the one before it has ended, or has others do it."""

    def in_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[Vectors]:
        """The vectors of each batch of texts, in order."""
        ...


def _open_on_one_core(spec: str) -> Callable[[Sequence[str]], Vectors]:
    return make_embedder_on_one_core(spec).embed


def make_embedder_on_one_core(spec: str) -> Embedder:
    """The embedder for a worker, which has one core among others that embed as well; none of an endpoint."""
    if spec.strip() == "builtin":
        from kg.embed.local import BuiltinEmbedder  # noqa: PLC0415

        return BuiltinEmbedder(threads=1)
    return make_embedder(spec, Settings())


CHOICES = ("builtin", "sentence-transformers:MODEL", "openai:MODEL")


def make_embedder(spec: str, settings: Settings) -> Embedder:
    """The embedder for `spec`, one of `CHOICES`; the endpoint's key and base URL come from `settings`.

    Raises:
        SettingsError: no such embedder, or no key and no base URL for "openai:MODEL".
        EmbeddingError: the model can't be loaded.
    """
    provider, _, model = spec.strip().partition(":")
    match provider:
        case "builtin" if not model:
            return _builtin()
        case "sentence-transformers" if model:
            return _sentence_transformers(model)
        case "openai" if model:
            return _openai(model, settings)
    raise SettingsError(f'"{spec}" is not an embedder.', f"Use one of: {', '.join(CHOICES)}.")


def embedder_of(graph: "Graph", corpus: str, settings: Settings) -> Embedder:
    """The embedder that a corpus was made with; whatever searches it must use no other.

    Raises:
        CorpusError: there is no such corpus.
        SettingsError: no key and no base URL for the endpoint that it was made with.
        EmbeddingError: the model can't be loaded.
    """
    from kg.corpus import require_corpus  # noqa: PLC0415 - a worker that embeds needs no driver

    return make_embedder(require_corpus(graph, corpus).embedder, settings)


def asks_endpoint(spec: str) -> bool:
    """Whether the embedder for `spec` asks an endpoint, which may cost."""
    return spec.strip().startswith("openai:")


# Each provider's libraries are imported only when it is chosen, since they take up to seconds to load.


def _builtin() -> Embedder:
    from kg.embed.local import BuiltinEmbedder  # noqa: PLC0415

    return BuiltinEmbedder()


def _sentence_transformers(model: str) -> Embedder:
    from kg.embed.local import SentenceTransformersEmbedder  # noqa: PLC0415

    return SentenceTransformersEmbedder(model)


def _openai(model: str, settings: Settings) -> Embedder:
    from kg.embed.openai import OpenAIEmbedder  # noqa: PLC0415

    if settings.openai_api_key is None and settings.openai_base_url is None:
        raise SettingsError(
            f'The embedder "openai:{model}" has no key.',
            "Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.",
        )
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return OpenAIEmbedder(model, key, settings.openai_base_url)
