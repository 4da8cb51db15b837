"""What the graph retriever knows of a corpus, as arrays: chunks, entities, facts, and which holds which.

Filters as masks over the chunks of a snapshot.

From scores of all chunks to the best of those that the filters let through.

Whatever grows with the corpus and is not looked at for every question lies in arrays of bytes: texts, and
vectors that have a byte a number.
"""

import json
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.ids import fold_name
from services.rag.protocol import Filters, check_dates

Floats = NDArray[np.float32]
Indexes = NDArray[np.int32]

ROWS_AT_ONCE = 8192
"""Rows of packed vectors that are numbers of four bytes at one time."""

TEXTS_A_BLOCK = 64
"""Texts compressed together: they take two fifths of the room, and a tenth of a millisecond to read."""


@dataclass(frozen=True, slots=True)
class QuantizedVectors:
    """Vectors with a byte a number, shape (rows, dimensions): a row is `scales` times `numbers`.

    A number is off by at most 1/254 of the greatest of its row; a cosine of 384 dimensions by some .0005.
    """

    numbers: NDArray[np.int8]
    scales: Floats

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Floats:
        return self.numbers[rows].astype(np.float32) * self.scales[rows, None]

    def __matmul__(self, vector: Floats) -> Floats:
        parts = (self.numbers[at : at + ROWS_AT_ONCE] for at in range(0, len(self), ROWS_AT_ONCE))
        products = [part.astype(np.float32) @ vector for part in parts]
        return np.concatenate(products) * self.scales if products else np.zeros(0, np.float32)


def quantize(vectors: "Floats | QuantizedVectors") -> QuantizedVectors:
    """Vectors with a byte a number."""
    if isinstance(vectors, QuantizedVectors):
        return vectors
    scales: Floats = np.abs(vectors).max(axis=1, initial=0.0) / np.float32(127)
    divisors = np.where(scales > 0, scales, np.float32(1))
    return QuantizedVectors(np.rint(vectors / divisors[:, None]).astype(np.int8), scales)


class Texts(Sequence[str]):
    """Strings that lie in compressed blocks, one after the other, and are made when they are asked for.

    `data` holds the blocks, `ends` tells where each of them ends, from 0 on. The block read last is kept.
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64], count: int) -> None:
        self._data = data
        self._ends = ends
        self._count = count
        self._last: tuple[int, list[str]] = (-1, [])

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice):
            return tuple(self[one] for one in range(len(self))[at])
        block, place = divmod(range(len(self))[at], TEXTS_A_BLOCK)
        # Another thread may put its own in the place of what is read here.
        last = self._last
        if last[0] != block:
            last = self._last = block, self._read_block(block)
        return last[1][place]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(self._read_block, range(len(self._ends) - 1)))

    def _read_block(self, block: int) -> list[str]:
        start, end = self._ends[block : block + 2].tolist()
        texts: list[str] = json.loads(zlib.decompress(self._data[start:end].data))
        return texts


def text_blocks(texts: Iterable[str]) -> Iterator[bytes]:
    """Strings as `Texts` has them, block by block."""
    left = iter(texts)
    while block := list(islice(left, TEXTS_A_BLOCK)):
        yield zlib.compress(json.dumps(block, ensure_ascii=False, separators=(",", ":")).encode())


class Spellings(Mapping[str, tuple[int, ...]]):
    """Entities by each of their names, which are sorted; `counts` tells how many each has of `entities`."""

    def __init__(self, names: Sequence[str], counts: Indexes, entities: Indexes) -> None:
        self.names = names
        self.entities = entities
        self.ends: NDArray[np.int64] = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))

    def __getitem__(self, name: str) -> tuple[int, ...]:
        at = bisect_left(self.names, name)
        if at == len(self) or self.names[at] != name:
            raise KeyError(name)
        return tuple(self.entities[self.ends[at] : self.ends[at + 1]].tolist())

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def pairs(self) -> Iterator[tuple[str, list[int]]]:
        """Each name with its entities, as `items` has them, in a time in proportion to their number."""
        places = pairwise(self.ends.tolist())
        return (
            (name, self.entities[start:end].tolist())
            for name, (start, end) in zip(self.names, places, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a corpus in the order of their ids; the article columns repeat their article's."""

    ids: tuple[str, ...]
    texts: Sequence[str]
    titles: tuple[str, ...]
    articles: tuple[str, ...]
    sources: tuple[str, ...]
    categories: tuple[str, ...]
    authors: tuple[str, ...]
    published: tuple[str, ...]
    """ISO dates, empty where unknown."""
    vectors: Floats
    """Unit vectors of title and text, shape (chunks, dimensions)."""


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of a corpus in the order of their ids, and every name that stands for one."""

    ids: Sequence[str]
    names: Sequence[str]
    types: Sequence[str]
    spellings: Spellings
    """Entities by each of their names and aliases, in lower case, words joined by single spaces."""
    vectors: Floats | QuantizedVectors
    """Unit vectors of the names, shape (entities, dimensions); no rows where none were embedded."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The triples of a corpus in the order of their ids."""

    ids: Sequence[str]
    subjects: Indexes
    objects: Indexes
    """Indexes of entities."""
    predicates: Sequence[str]
    chunks: csr_matrix
    """Which chunks state a fact, shape (facts, chunks), ones."""
    vectors: Floats | QuantizedVectors
    """Unit vectors, shape (facts, dimensions); no rows where none were embedded."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a corpus in the order of their ids."""

    ids: Sequence[str]
    texts: Sequence[str]
    chunks: csr_matrix
    """Which chunks hold a claim, shape (claims, chunks), ones."""
    vectors: Floats | QuantizedVectors
    """Unit vectors, shape (claims, dimensions)."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A corpus as the graph held it at `version`, which changes with every change of the graph.

    `naming` tells how often a chunk names an entity, shape (chunks, entities).
    """

    corpus: str
    version: str
    embedder: str
    chunks: Chunks
    entities: Entities
    facts: Facts
    claims: Claims
    naming: csr_matrix


Mask = NDArray[np.bool_]


def allowed_chunks(chunks: Chunks, filters: Filters) -> Mask:
    """Which chunks the filters let through, shape (chunks,); see `Filters` for what each field means.

    Raises:
        SettingsError: a date is none.
    """
    check_dates(filters)
    mask = np.ones(len(chunks.ids), dtype=np.bool_)
    for column, wanted in (
        (chunks.sources, filters.sources),
        (chunks.categories, filters.categories),
        (chunks.authors, filters.authors),
    ):
        if wanted:
            mask &= _among(column, wanted)
    if filters.since or filters.until:
        dates = np.array(chunks.published, dtype=np.str_)
        mask &= dates != ""
        if filters.since:
            mask &= dates >= filters.since
        if filters.until:
            mask &= dates <= filters.until
    return mask


def _among(column: Sequence[str], wanted: Sequence[str]) -> Mask:
    names = {fold_name(name) for name in wanted}
    fitting = {value for value in set(column) if fold_name(value) in names}
    return np.fromiter((value in fitting for value in column), dtype=np.bool_, count=len(column))


DIGITS = 6
"""Significant digits of a score; scores that agree in them are equal, and the chunk's id decides."""

Scores = NDArray[np.float64]


def best_first(scores: Scores, allowed: Mask, limit: int) -> list[tuple[int, float]]:
    """The `limit` best allowed chunks with their scores, best first, without those that have none."""
    found = np.flatnonzero(allowed & (scores > 0))
    rounded = significant(scores[found])
    # Chunks stand in the order of their ids, and a stable sort keeps it among equals.
    order = np.argsort(-rounded, kind="stable")[:limit]
    return [(int(found[at]), float(rounded[at])) for at in order]


def best_places(scores: Scores, count: int) -> NDArray[np.int64]:
    """Where the `count` greatest scores stand, the greatest first, equal ones in their order.

    As a stable sort of all, in a time that grows with their number alone.
    """
    if count == 1 and len(scores):
        return np.array([np.argmax(scores)])
    places = np.arange(len(scores))
    if 0 < count < len(scores):
        places = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
    return places[np.argsort(-scores[places], kind="stable")[:count]]


def significant(scores: Scores) -> Scores:
    """Positive numbers to `DIGITS` significant digits: what the noise of an engine adds is gone."""
    unit = 10.0 ** (np.floor(np.log10(scores)) - (DIGITS - 1))
    return np.round(scores / unit) * unit


def round_score(value: float) -> float:
    """A score's part to `DIGITS` significant digits."""
    return float(f"{value:.{DIGITS}g}")
