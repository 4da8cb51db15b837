"""The snapshot of a corpus at hand: kept in memory and in a file, read anew when the graph changed.

A snapshot as two files: numpy's .npz, compressed, and all vectors beside it as .npy.

Nothing in them is ever executed. Vectors are nine tenths of a snapshot, and few of them are looked at for a
question: they stay in their file, mapped into memory, and the system holds what is used of them.
"""

import json
import shutil
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import IO, Generic, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.corpus import drop_corpus
from kg.files import PRIVATE, whole_file
from kg.progress import Progress, Silent
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.rag.graph_search.load import load_snapshot, place_of, read_version
from services.rag.graph_search.snapshot import (
    Chunks,
    Claims,
    Entities,
    Facts,
    Floats,
    Packed,
    Snapshot,
    Spellings,
    Texts,
    packed,
)

SUFFIX = ".npz"
VECTORS_SUFFIX = ".npy"

_Arrays = Mapping[str, NDArray[np.generic]]


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write both files whole or not at all; `path` is that of the .npz, and comes last.

    Raises:
        OSError: they can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path.with_suffix(VECTORS_SUFFIX), PRIVATE) as file:
        _write_vectors(file, snapshot)
    with whole_file(path, PRIVATE) as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(snapshot))


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot in a file and the one beside it; None where one is missing or can't be read."""
    try:
        vectors = np.load(path.with_suffix(VECTORS_SUFFIX), mmap_mode="r", allow_pickle=False)
        with np.load(path, allow_pickle=False) as found:
            return _snapshot(found, np.asarray(vectors))
    except (OSError, EOFError, BadZipFile, zlib.error, ValueError, KeyError, TypeError):
        # Whatever is wrong with the file, the graph still has what it held.
        return None


def _write_vectors(file: IO[bytes], snapshot: Snapshot) -> None:
    """One array of bytes: the vectors of chunks, the scales of all others, and their numbers."""
    others = [packed(of.vectors) for of in (snapshot.entities, snapshot.facts, snapshot.claims)]
    parts = [np.asarray(snapshot.chunks.vectors, "<f4"), *(np.asarray(one.scales, "<f4") for one in others)]
    parts += [one.numbers for one in others]
    header = {"descr": "|u1", "fortran_order": False, "shape": (sum(part.nbytes for part in parts),)}
    np.lib.format.write_array_header_1_0(file, header)
    for part in parts:
        file.write(np.ascontiguousarray(part).data)


def _vectors(data: NDArray[np.generic], rows: Sequence[int], width: int) -> tuple[Floats, list[Packed]]:
    """The vectors of chunks and those of each other kind.

    Raises:
        ValueError: there are more or fewer rows.
    """
    sizes = [4 * width * rows[0], *(4 * count for count in rows[1:]), *(width * count for count in rows[1:])]
    if data.shape != (sum(sizes),):
        raise ValueError("these are not the vectors of this snapshot")
    first, *parts = np.split(data, np.cumsum(sizes[:-1]))
    scales, numbers = parts[: len(rows) - 1], parts[len(rows) - 1 :]
    return first.view("<f4").reshape(-1, width), [
        Packed(some.view(np.int8).reshape(-1, width), by.view("<f4"))
        for some, by in zip(numbers, scales, strict=True)
    ]


def _arrays(snapshot: Snapshot) -> dict[str, NDArray[np.generic]]:
    chunks, entities, facts, claims = snapshot.chunks, snapshot.entities, snapshot.facts, snapshot.claims
    spellings, width = entities.spellings, chunks.vectors.shape[1]
    return {
        "snapshot": _bytes(
            json.dumps([snapshot.corpus, snapshot.version, snapshot.embedder, width]).encode()
        ),
        "vector_rows": np.array([len(of.vectors) for of in (chunks, entities, facts, claims)], np.int64),
        **_column("chunk_ids", chunks.ids),
        **_column("chunk_texts", chunks.texts),
        **_column("titles", chunks.titles),
        **_column("articles", chunks.articles),
        **_column("sources", chunks.sources),
        **_column("categories", chunks.categories),
        **_column("authors", chunks.authors),
        **_column("published", chunks.published),
        **_column("entity_ids", entities.ids),
        **_column("names", entities.names),
        **_column("types", entities.types),
        **_column("spellings", spellings.names),
        **_column("fact_ids", facts.ids),
        **_column("predicates", facts.predicates),
        **_column("claim_ids", claims.ids),
        **_column("claim_texts", claims.texts),
        "spelled": spellings.entities,
        "spelled_counts": np.diff(spellings.ends).astype(np.int32),
        "subjects": facts.subjects,
        "objects": facts.objects,
        **_parts("fact_chunks", facts.chunks),
        **_parts("claim_chunks", claims.chunks),
        **_parts("naming", snapshot.naming),
    }


def _snapshot(found: _Arrays, vectors: NDArray[np.generic]) -> Snapshot:
    corpus, version, embedder, width = json.loads(found["snapshot"].tobytes())
    chunk_ids, entity_ids, fact_ids, claim_ids = (
        _texts(kind, found) for kind in ("chunk_ids", "entity_ids", "fact_ids", "claim_ids")
    )
    rows = found["vector_rows"].tolist()
    of_chunks, (of_entities, of_facts, of_claims) = _vectors(vectors, rows, width)
    return Snapshot(
        corpus=corpus,
        version=version,
        embedder=embedder,
        chunks=Chunks(
            ids=tuple(chunk_ids),
            texts=_texts("chunk_texts", found),
            titles=_few("titles", found),
            articles=_few("articles", found),
            sources=_few("sources", found),
            categories=_few("categories", found),
            authors=_few("authors", found),
            published=_few("published", found),
            vectors=of_chunks,
        ),
        entities=Entities(
            ids=entity_ids,
            names=_texts("names", found),
            types=_few("types", found),
            spellings=Spellings(
                _texts("spellings", found), _ints(found["spelled_counts"]), _ints(found["spelled"])
            ),
            vectors=of_entities,
        ),
        facts=Facts(
            ids=fact_ids,
            subjects=_ints(found["subjects"]),
            objects=_ints(found["objects"]),
            predicates=_few("predicates", found),
            chunks=_matrix("fact_chunks", found),
            vectors=of_facts,
        ),
        claims=Claims(
            ids=claim_ids,
            texts=_texts("claim_texts", found),
            chunks=_matrix("claim_chunks", found),
            vectors=of_claims,
        ),
        naming=_matrix("naming", found),
    )


def _bytes(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def _column(name: str, texts: Sequence[str]) -> dict[str, NDArray[np.generic]]:
    encoded = [text.encode() for text in texts]
    return {
        name: _bytes(b"".join(encoded)),
        f"{name}_lengths": np.array([len(one) for one in encoded], np.int32),
    }


def _texts(name: str, found: _Arrays) -> Texts:
    return Texts(found[name].tobytes(), _ints(found[f"{name}_lengths"]))


def _few(name: str, found: _Arrays) -> tuple[str, ...]:
    """The texts of a column in which many are equal, each of them once."""
    once = dict[str, str]()
    return tuple(once.setdefault(text, text) for text in _texts(name, found))


def _parts(name: str, matrix: csr_matrix) -> dict[str, NDArray[np.generic]]:
    return {
        f"{name}_values": matrix.data,
        f"{name}_columns": matrix.indices,
        f"{name}_starts": matrix.indptr,
        f"{name}_shape": np.array(matrix.shape, np.int64),
    }


def _matrix(name: str, found: _Arrays) -> csr_matrix:
    columns, starts = _ints(found[f"{name}_columns"]), _ints(found[f"{name}_starts"])
    rows, width = found[f"{name}_shape"].tolist()
    values = found[f"{name}_values"].astype(np.float32, copy=False)
    return csr_matrix((values, columns, starts), shape=(rows, width))


def _ints(array: NDArray[np.generic]) -> NDArray[np.int32]:
    return array.astype(np.int32, copy=False)


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


class Prepared(Generic[T]):
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
        self._held: tuple[Snapshot, T] | None = None

    def current(self) -> tuple[Snapshot, T]:
        """The snapshot as it is now, and what was made of it."""
        self._complete()
        snapshot = self._snapshots.current()
        with self._lock:
            if self._held is None or self._held[0] is not snapshot:
                self._held = None
                self._held = snapshot, self._prepare(snapshot)
            return self._held
