"""The snapshot of a corpus at hand: kept in memory and in a file, read anew when the graph changed.

A snapshot as a file: numpy's .npy, mapped into memory.

Nothing in it is ever executed. Vectors are nine tenths of a snapshot, and few of them are looked at for a
question, as few texts are: all stay in their file, and the system holds what is used of them.

A retriever that searches the snapshot of a corpus by a pure function.
"""

import json
import math
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import IO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.corpus import drop_corpus
from kg.embed.choose import Vectors
from kg.errors import NothingToDoError
from kg.files import PRIVATE, whole_file
from kg.progress import Progress, Silent
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.rag.graph_search.explanation import Explanation
from services.rag.graph_search.load import load_snapshot, place_of, read_version
from services.rag.graph_search.snapshot import (
    Chunks,
    Claims,
    Entities,
    Facts,
    QuantizedVectors,
    Snapshot,
    Spellings,
    Texts,
    quantize,
    text_blocks,
)
from services.rag.protocol import Hit, RagQuestion

SUFFIX = ".npy"

_MAGIC = b"Hopgrade snapshot"
_ALIGNED_TO = 64

_Array = NDArray[np.generic]
_Arrays = Mapping[str, _Array]


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write the file whole or not at all.

    It is numpy's array of bytes: what this is, the length of the table of contents, that table, and what is
    told in it, vectors first.

    Raises:
        OSError: it can't be written.
    """
    parts, place = dict[str, Sequence[_Array]](), 0
    table = dict[str, tuple[str, list[int], int]]()
    for name, arrays in _parts(snapshot):
        parts[name] = arrays
        rows = sum(len(one) for one in arrays)
        table[name] = arrays[0].dtype.str, [rows, *arrays[0].shape[1:]], place
        place += _align(sum(one.nbytes for one in arrays))
    contents = json.dumps([snapshot.corpus, snapshot.version, snapshot.embedder, table]).encode()
    head = _MAGIC + len(contents).to_bytes(8, "little") + contents
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, PRIVATE) as file:
        header = {"descr": "|u1", "fortran_order": False, "shape": (_align(len(head)) + place,)}
        np.lib.format.write_array_header_1_0(file, header)
        _write(file, [np.frombuffer(head, np.uint8)])
        for arrays in parts.values():
            _write(file, arrays)


def _align(size: int) -> int:
    return -(-size // _ALIGNED_TO) * _ALIGNED_TO


def _write(file: IO[bytes], arrays: Sequence[_Array]) -> None:
    for one in arrays:
        file.write(np.ascontiguousarray(one).data)
    size = sum(one.nbytes for one in arrays)
    file.write(bytes(_align(size) - size))


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot in a file, mapped into memory; None where it is missing or can't be read."""
    try:
        data = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        start = len(_MAGIC) + 8
        if data.dtype != np.uint8 or data[: len(_MAGIC)].tobytes() != _MAGIC:
            return None
        end = start + int.from_bytes(data[len(_MAGIC) : start].tobytes(), "little")
        corpus, version, embedder, table = json.loads(data[start:end].tobytes())
        held = data[_align(end) :]
        return _snapshot(
            corpus, version, embedder, {name: _array(held, *told) for name, told in table.items()}
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
        # Whatever is wrong with the file, the graph still has what it held.
        return None


def _array(held: _Array, dtype: str, shape: Sequence[int], place: int) -> _Array:
    kind = np.dtype(dtype)
    return held[place : place + kind.itemsize * math.prod(shape)].view(kind).reshape(shape)


def _parts(snapshot: Snapshot) -> Iterator[tuple[str, Sequence[_Array]]]:
    """Each array of a snapshot with its name, one after the other or in pieces."""
    chunks, entities, facts, claims = snapshot.chunks, snapshot.entities, snapshot.facts, snapshot.claims
    yield "chunk_vectors", [np.asarray(chunks.vectors, "<f4")]
    for kind, vectors in (
        ("entity_vectors", quantize(entities.vectors)),
        ("fact_vectors", quantize(facts.vectors)),
        ("claim_vectors", quantize(claims.vectors)),
    ):
        yield f"{kind}_scales", [np.asarray(vectors.scales, "<f4")]
        yield kind, [vectors.numbers]
    yield "spelled", [entities.spellings.entities]
    yield "spelled_counts", [np.diff(entities.spellings.ends).astype(np.int32)]
    yield "subjects", [facts.subjects]
    yield "objects", [facts.objects]
    for name, matrix in (
        ("fact_chunks", facts.chunks),
        ("claim_chunks", claims.chunks),
        ("naming", snapshot.naming),
    ):
        # Whole numbers, and small ones as a rule.
        greatest = np.min_scalar_type(int(matrix.data.max(initial=0)))
        yield f"{name}_values", [matrix.data.astype(greatest)]
        yield f"{name}_columns", [matrix.indices]
        yield f"{name}_starts", [matrix.indptr]
    columns: Mapping[str, Sequence[str]] = {
        "chunk_ids": chunks.ids,
        "chunk_texts": chunks.texts,
        "titles": chunks.titles,
        "articles": chunks.articles,
        "sources": chunks.sources,
        "categories": chunks.categories,
        "authors": chunks.authors,
        "published": chunks.published,
        "entity_ids": entities.ids,
        "names": entities.names,
        "types": entities.types,
        "spellings": entities.spellings.names,
        "fact_ids": facts.ids,
        "predicates": facts.predicates,
        "claim_ids": claims.ids,
        "claim_texts": claims.texts,
    }
    for name, texts in columns.items():
        blocks = [np.frombuffer(block, np.uint8) for block in text_blocks(texts)]
        ends = np.cumsum([0, *map(len, blocks)], dtype=np.int64)
        yield name, blocks or [np.zeros(0, np.uint8)]
        yield f"{name}_ends", [ends]
        yield f"{name}_count", [np.array([len(texts)], np.int64)]


def _snapshot(corpus: str, version: str, embedder: str, found: _Arrays) -> Snapshot:
    of_chunks, of_entities, of_facts, of_claims = (
        _texts(kind, found) for kind in ("chunk_ids", "entity_ids", "fact_ids", "claim_ids")
    )
    chunks, entities, facts, claims = map(len, (of_chunks, of_entities, of_facts, of_claims))
    return Snapshot(
        corpus=corpus,
        version=version,
        embedder=embedder,
        chunks=Chunks(
            ids=tuple(of_chunks),
            texts=_texts("chunk_texts", found),
            titles=_few("titles", found),
            articles=_few("articles", found),
            sources=_few("sources", found),
            categories=_few("categories", found),
            authors=_few("authors", found),
            published=_few("published", found),
            vectors=_as_type(found["chunk_vectors"], np.float32),
        ),
        entities=Entities(
            ids=of_entities,
            names=_texts("names", found),
            types=_texts("types", found),
            spellings=Spellings(
                _texts("spellings", found), _ints(found["spelled_counts"]), _ints(found["spelled"])
            ),
            vectors=_vectors("entity_vectors", found),
        ),
        facts=Facts(
            ids=of_facts,
            subjects=_ints(found["subjects"]),
            objects=_ints(found["objects"]),
            predicates=_texts("predicates", found),
            chunks=_matrix("fact_chunks", found, (facts, chunks)),
            vectors=_vectors("fact_vectors", found),
        ),
        claims=Claims(
            ids=of_claims,
            texts=_texts("claim_texts", found),
            chunks=_matrix("claim_chunks", found, (claims, chunks)),
            vectors=_vectors("claim_vectors", found),
        ),
        naming=_matrix("naming", found, (chunks, entities)),
    )


def _texts(name: str, found: _Arrays) -> Texts:
    blocks, ends = _as_type(found[name], np.uint8), _as_type(found[f"{name}_ends"], np.int64)
    return Texts(blocks, ends, int(found[f"{name}_count"][0]))


def _few(name: str, found: _Arrays) -> tuple[str, ...]:
    """The texts of a column in which many are equal, each of them once."""
    once = dict[str, str]()
    return tuple(once.setdefault(text, text) for text in _texts(name, found))


def _vectors(name: str, found: _Arrays) -> QuantizedVectors:
    return QuantizedVectors(_as_type(found[name], np.int8), _as_type(found[f"{name}_scales"], np.float32))


def _matrix(name: str, found: _Arrays, shape: tuple[int, int]) -> csr_matrix:
    values = _as_type(found[f"{name}_values"], np.float32)
    return csr_matrix((values, _ints(found[f"{name}_columns"]), _ints(found[f"{name}_starts"])), shape=shape)


def _ints(array: _Array) -> NDArray[np.int32]:
    return _as_type(array, np.int32)


N = TypeVar("N", bound=np.generic)


def _as_type(array: _Array, kind: type[N]) -> NDArray[N]:
    """The array, as what it must be; a copy where another machine wrote it otherwise."""
    return array.astype(kind, copy=False)


FOLDER = "snapshots"

T = TypeVar("T")


class SnapshotCache:
    """The snapshot of one corpus; several threads may ask for it.

    `folder` is where files are kept, HOPGRADE_CACHE as a rule; with None there is no file. In it each graph
    of a corpus has a folder that holds the files of one version. A file that can't be read or written costs
    time and memory, no more.
    """

    def __init__(
        self, graph: Graph, corpus: str, folder: Path | None = None, progress: Progress | None = None
    ) -> None:
        self.graph = graph
        self.corpus = corpus
        self._folder = folder
        self.progress = progress or Silent()
        self._lock = RLock()
        self._held: Snapshot | None = None

    def current(self) -> Snapshot:
        """The snapshot of the graph as it is now; costs one short statement where nothing changed.

        Raises:
            NothingToDoError: its graph is not built, or is being built.
        """
        with self._lock:
            version = read_version(self.graph, self.corpus)
            if self._held is None or self._held.version != version.key:
                # The old one goes first: two at a time may be more than fits.
                self._held = None
                self._held = self._from_file(version.place, version.key) or self._from_graph(version.place)
            return self._held

    def _from_file(self, place: str, version: str) -> Snapshot | None:
        if self._folder is None:
            return None
        found = read_snapshot(self._folder / FOLDER / place / f"{version}{SUFFIX}")
        return found if found is not None and found.version == version else None

    def _from_graph(self, place: str) -> Snapshot:
        loaded = load_snapshot(self.graph, self.corpus, self.progress)
        if self._folder is not None:
            folder = self._folder / FOLDER / place
            with suppress(OSError):
                write_snapshot(folder / f"{loaded.version}{SUFFIX}", loaded)
                for old in folder.iterdir():
                    if old.stem != loaded.version:
                        old.unlink(missing_ok=True)
            # From its file it takes a tenth of the memory.
            return self._from_file(place, loaded.version) or loaded
        return loaded


def drop_whole(graph: Graph, corpus: str, folder: Path) -> None:
    """Delete a corpus, and its files below `folder`; of these, what can't be deleted takes room, no more."""
    with writing_to(graph, corpus) as mine:
        drop_corpus(mine, corpus)
    shutil.rmtree(folder / FOLDER / place_of(graph, corpus), ignore_errors=True)


class SnapshotIndex(Generic[T]):
    """What a retriever makes of a snapshot before its first question, made anew with every new snapshot.

    `complete` brings to the graph what the snapshot is to hold and a build leaves out.
    """

    def __init__(
        self,
        snapshots: SnapshotCache,
        prepare: Callable[[Snapshot], T],
        complete: Callable[[], None] = lambda: None,
    ) -> None:
        self._snapshots = snapshots
        self._prepare = prepare
        self._complete = complete
        self._lock = RLock()
        self._current: tuple[Snapshot, T] | None = None

    def current(self) -> tuple[Snapshot, T]:
        """The snapshot as it is now, and what was made of it."""
        self._complete()
        snapshot = self._snapshots.current()
        with self._lock:
            if self._current is None or self._current[0] is not snapshot:
                self._current = None
                self._current = snapshot, self._prepare(snapshot)
            return self._current


Embed = Callable[[Sequence[str]], Vectors]
"""Gives the vectors of texts, shape (texts, dimensions)."""

Search = Callable[[Snapshot, T, Sequence[RagQuestion], Embed, int], list[list[Hit]]]
"""Finds at most so many chunks for each question in a snapshot and what was prepared of it."""

Explain = Callable[[Snapshot, T, RagQuestion, Embed, Sequence[int]], Explanation]
"""Tells why a question finds some chunks, given by their indexes."""


@dataclass(frozen=True, slots=True)
class SnapshotRetriever(Generic[T]):
    """Finds chunks by `search`; whether the graph changed is looked up once a batch of questions."""

    kind: str
    index: SnapshotIndex[T]
    search: Search[T]
    why: Explain[T]
    embed: Embed
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"{self.kind}-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question its hits, best first.

        Raises:
            NothingToDoError: the graph of the corpus is not built, or is being built.
        """
        if not questions:
            return []
        snapshot, prepared = self.index.current()
        return self.search(snapshot, prepared, questions, self.embed, self.limit)

    def explain(self, question: RagQuestion, hits: Sequence[Hit]) -> Explanation:
        """Why a question has these hits, in their order.

        Raises:
            NothingToDoError: the graph changed since they were found, and one of them is gone.
        """
        snapshot, prepared = self.index.current()
        rows = {chunk: row for row, chunk in enumerate(snapshot.chunks.ids)}
        if any(hit.chunk not in rows for hit in hits):
            raise NothingToDoError("the graph changed meanwhile.", "Ask once more.")
        return self.why(snapshot, prepared, question, self.embed, [rows[hit.chunk] for hit in hits])
