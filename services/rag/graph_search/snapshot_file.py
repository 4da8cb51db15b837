"""A snapshot as one file: numpy's .npz, the texts in it as JSON. Nothing in it is ever executed."""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from services.rag.graph_search.snapshot import Chunks, Claims, Entities, Facts, Snapshot

SUFFIX = ".npz"

_Arrays = Mapping[str, NDArray[np.generic]]
_Texts = dict[str, list[str]]


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write the file whole or not at all.

    Raises:
        OSError: it can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            np.savez(part, allow_pickle=False, **_arrays(snapshot))
            part.close()
            Path(part.name).replace(path)
        except BaseException:
            part.close()
            Path(part.name).unlink(missing_ok=True)
            raise


def read_snapshot(path: Path) -> Snapshot | None:
    """The snapshot in a file; None where there is none, or what is there can't be read."""
    try:
        with np.load(path, allow_pickle=False) as found:
            return _snapshot(found)
    except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError):
        # Whatever is wrong with the file, the graph still has what it held.
        return None


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
        "chunk_vectors": chunks.vectors,
        "entity_vectors": entities.vectors,
        "fact_vectors": facts.vectors,
        "claim_vectors": claims.vectors,
        **_parts("fact_chunks", facts.chunks),
        **_parts("claim_chunks", claims.chunks),
        **_parts("naming", snapshot.naming),
    }


def _snapshot(found: _Arrays) -> Snapshot:
    texts = cast(_Texts, json.loads(found["texts"].tobytes()))
    corpus, version, embedder = texts["snapshot"]
    claim_texts = tuple(texts["claim texts"])
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
            vectors=_floats(found["chunk_vectors"]),
        ),
        entities=Entities(
            ids=tuple(texts["entity ids"]),
            names=tuple(texts["names"]),
            types=tuple(texts["types"]),
            spellings=_spellings(texts["spellings"], found),
            vectors=_floats(found["entity_vectors"]),
        ),
        facts=Facts(
            ids=tuple(texts["fact ids"]),
            subjects=_ints(found["subjects"]),
            objects=_ints(found["objects"]),
            predicates=tuple(texts["predicates"]),
            sentences=tuple(claim_texts[claim] for claim in _ints(found["sentences"]).tolist()),
            chunks=_matrix("fact_chunks", found),
            vectors=_floats(found["fact_vectors"]),
        ),
        claims=Claims(
            ids=tuple(texts["claim ids"]),
            texts=claim_texts,
            chunks=_matrix("claim_chunks", found),
            vectors=_floats(found["claim_vectors"]),
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
