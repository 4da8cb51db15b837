"""Pools written by hand, and drawn ones."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

from services.rag.selection.protocol import Pool


def made_pool(
    scores: Sequence[float],
    tokens: Sequence[int],
    names: Sequence[Sequence[int]] = (),
    named: Sequence[int] = (),
    vectors: Sequence[Sequence[float]] = (),
    clusters: Sequence[int] = (),
    walked: Sequence[float] = (),
) -> Pool:
    """A pool of an article a chunk; `names` lists for each chunk the entities, of 8, that it names."""
    size = len(scores)
    held = np.zeros((size, 8), dtype=np.float32)
    for row, entities in enumerate(names):
        held[row, list(entities)] = 1
    directions = np.array(vectors or np.eye(size), dtype=np.float32)
    return Pool(
        chunks=tuple(f"chunk-{place}" for place in range(size)),
        scores=np.array(scores, dtype=np.float64),
        vectors=directions / np.linalg.norm(directions, axis=1, keepdims=True) if size else directions,
        tokens=np.array(tokens, dtype=np.int64),
        articles=np.arange(size),
        clusters=np.array(clusters if len(clusters) else range(size), dtype=np.int64),
        entities=csr_matrix(held),
        rarity=1 / np.maximum(held.sum(axis=0), 1).astype(np.float64),
        named=np.isin(np.arange(8), list(named)),
        walked=np.array(walked if len(walked) else [-np.inf] * size, dtype=np.float64),
    )


def drawn_pool(seed: int, size: int) -> Pool:
    """Some pool; two of its scores are often equal, and some of its chunks are too long for any budget."""
    draw = np.random.default_rng(seed)
    return made_pool(
        scores=np.round(np.sort(draw.normal(size=size))[::-1], 1).tolist(),
        tokens=draw.integers(1, 120, size).tolist(),
        names=[draw.choice(8, draw.integers(0, 4), replace=False).tolist() for _ in range(size)],
        named=draw.choice(8, draw.integers(0, 3), replace=False).tolist(),
        vectors=draw.normal(size=(size, 5)).tolist(),
        clusters=draw.integers(0, 4, size).tolist(),
        walked=np.where(draw.random(size) < 0.5, draw.normal(size=size), -np.inf).tolist(),
    )
