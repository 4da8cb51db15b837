"""The snapshot of a corpus at hand: kept in memory and in a file, read anew when the graph changed.

A snapshot as two files: numpy's .npz with the texts as JSON, and all vectors beside it as .npy.

Nothing in them is ever executed. Vectors are nine tenths of a snapshot, and few of them are looked at for a
question: they stay in their file, mapped into memory, and the system holds what is used of them.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import IO, Generic, TypeVar, cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.files import PRIVATE, whole_file
from kg.progress import Progress, Silent
from kg.store.graph import Graph
from services.rag.graph_search.load import load_snapshot, place_of, read_version
from services.rag.graph_search.snapshot import Chunks, Claims, Entities, Facts, Floats, Snapshot

SUFFIX = ".npz"
VECTORS_SUFFIX = ".npy"

_Arrays = Mapping[str, NDArray[np.generic]]
_Texts = dict[str, list[str]]


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write both files whole or not at all; `path` is that of the .npz, and comes last.

    Raises:
        OSError: they can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path.with_suffix(VECTORS_SUFFIX), PRIVATE) as file:
        _write_vectors(file, _vectors(snapshot))
    with whole_file(path, PRIVATE) as file:
        np.savez(file, allow_pickle=False, **_arrays(snapshot))


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot in a file and the one beside it; None where one is missing or can't be read."""
    try:
        vectors = np.load(path.with_suffix(VECTORS_SUFFIX), mmap_mode="r", allow_pickle=False)
        with np.load(path, allow_pickle=False) as found:
            return _snapshot(found, np.asarray(vectors))
    except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError):
        # Whatever is wrong with the file, the graph still has what it held.
        return None


def _vectors(snapshot: Snapshot) -> tuple[Floats, Floats, Floats, Floats]:
    return (
        snapshot.chunks.vectors,
        snapshot.entities.vectors,
        snapshot.facts.vectors,
        snapshot.claims.vectors,
    )


def _write_vectors(file: IO[bytes], parts: tuple[Floats, ...]) -> None:
    """All of them as one array, shape (rows of all, dimensions), without putting it together in memory."""
    shape = (sum(len(part) for part in parts), parts[0].shape[1])
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    for part in parts:
        file.write(np.ascontiguousarray(part, dtype="<f4").data)


def _parted(vectors: NDArray[np.generic], counts: list[int]) -> list[Floats]:
    """The rows of each kind.

    Raises:
        ValueError: there are more or fewer rows.
    """
    if vectors.ndim != 2 or len(vectors) != sum(counts):
        raise ValueError("these are not the vectors of this snapshot")
    return np.split(_floats(vectors), np.cumsum(counts[:-1]))


def _arrays(snapshot: Snapshot) -> dict[str, NDArray[np.generic]]:
    chunks, entities, facts, claims = snapshot.chunks, snapshot.entities, snapshot.facts, snapshot.claims
    claim_of = _first_of(claims.texts)
    texts = {
        "snapshot": [snapshot.corpus, snapshot.version, snapshot.embedder],
        "chunk ids": chunks.ids,
        "chunk texts": chunks.texts,
        "titles": chunks.titles,
        "articles": chunks.articles,
        "sources": chunks.sources,
        "categories": chunks.categories,
        "authors": chunks.authors,
        "published": chunks.published,
        "entity ids": entities.ids,
        "names": entities.names,
        "types": entities.types,
        "spellings": list(entities.spellings),
        "fact ids": facts.ids,
        "predicates": facts.predicates,
        "claim ids": claims.ids,
        "claim texts": claims.texts,
    }
    counts = [len(found) for found in entities.spellings.values()]
    return {
        "texts": np.frombuffer(json.dumps(texts).encode(), dtype=np.uint8),
        "spelled": np.array([one for found in entities.spellings.values() for one in found], np.int32),
        "spelled_counts": np.array(counts, np.int32),
        "sentences": np.array([claim_of[sentence] for sentence in facts.sentences], np.int32),
        "subjects": facts.subjects,
        "objects": facts.objects,
        "following": snapshot.following,
        **_parts("fact_chunks", facts.chunks),
        **_parts("claim_chunks", claims.chunks),
        **_parts("naming", snapshot.naming),
    }


def _snapshot(found: _Arrays, vectors: NDArray[np.generic]) -> Snapshot:
    texts = cast(_Texts, json.loads(found["texts"].tobytes()))
    corpus, version, embedder = texts["snapshot"]
    claim_texts = tuple(texts["claim texts"])
    of_chunks, of_entities, of_facts, of_claims = _parted(
        vectors, [len(texts[kind]) for kind in ("chunk ids", "entity ids", "fact ids", "claim ids")]
    )
    return Snapshot(
        corpus=corpus,
        version=version,
        embedder=embedder,
        chunks=Chunks(
            ids=tuple(texts["chunk ids"]),
            texts=tuple(texts["chunk texts"]),
            titles=tuple(texts["titles"]),
            articles=tuple(texts["articles"]),
            sources=tuple(texts["sources"]),
            categories=tuple(texts["categories"]),
            authors=tuple(texts["authors"]),
            published=tuple(texts["published"]),
            vectors=of_chunks,
        ),
        entities=Entities(
            ids=tuple(texts["entity ids"]),
            names=tuple(texts["names"]),
            types=tuple(texts["types"]),
            spellings=_spellings(texts["spellings"], found),
            vectors=of_entities,
        ),
        facts=Facts(
            ids=tuple(texts["fact ids"]),
            subjects=_ints(found["subjects"]),
            objects=_ints(found["objects"]),
            predicates=tuple(texts["predicates"]),
            sentences=tuple(claim_texts[claim] for claim in _ints(found["sentences"]).tolist()),
            chunks=_matrix("fact_chunks", found),
            vectors=of_facts,
        ),
        claims=Claims(
            ids=tuple(texts["claim ids"]),
            texts=claim_texts,
            chunks=_matrix("claim_chunks", found),
            vectors=of_claims,
        ),
        naming=_matrix("naming", found),
        following=_ints(found["following"]),
    )


def _first_of(texts: tuple[str, ...]) -> dict[str, int]:
    """Where each text stands first; the sentence of a fact is the text of a claim."""
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        first.setdefault(text, index)
    return first


def _spellings(names: list[str], found: _Arrays) -> dict[str, tuple[int, ...]]:
    spelled, counts = _ints(found["spelled"]).tolist(), _ints(found["spelled_counts"])
    ends = np.cumsum(counts).tolist()
    starts = [0, *ends][: len(ends)]
    return {name: tuple(spelled[start:end]) for name, start, end in zip(names, starts, ends, strict=True)}


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
    return csr_matrix((_floats(found[f"{name}_values"]), columns, starts), shape=(rows, width))


def _floats(array: NDArray[np.generic]) -> NDArray[np.float32]:
    return array.astype(np.float32, copy=False)


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
        self._progress = progress or Silent()
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
        loaded = load_snapshot(self.graph, self.corpus, self._progress)
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


def forget_snapshots(graph: Graph, corpus: str, folder: Path) -> None:
    """Delete the files of a corpus below `folder`; what can't be deleted takes room, no more."""
    shutil.rmtree(folder / FOLDER / place_of(graph, corpus), ignore_errors=True)


class Prepared(Generic[T]):
    """What a retriever makes of a snapshot before its first question, made anew with every new snapshot."""

    def __init__(self, snapshots: SnapshotCache, prepare: Callable[[Snapshot], T]) -> None:
        self._snapshots = snapshots
        self._prepare = prepare
        self._lock = RLock()
        self._held: tuple[Snapshot, T] | None = None

    def current(self) -> tuple[Snapshot, T]:
        """The snapshot as it is now, and what was made of it."""
        snapshot = self._snapshots.current()
        with self._lock:
            if self._held is None or self._held[0] is not snapshot:
                self._held = None
                self._held = snapshot, self._prepare(snapshot)
            return self._held
