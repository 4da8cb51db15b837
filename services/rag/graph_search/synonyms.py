"""Names that mean nearly the same by their vectors, found in cells so that time grows with their number."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from services.rag.graph_search.snapshot import Floats, Indexes

LEAST = 0.8
"""Cosine from which two names are synonyms, as in HippoRAG 2 (Gutiérrez et al., 2025)."""

MOST = 10
"""Synonyms that one name can have; two names are joined where each is among the nearest of the other."""

CELL = 512
"""Names that a cell holds on average."""

LARGEST_CELL = 32 * CELL
"""Names of a cell that are compared; where nearly all vectors are equal, the others go without."""

CELLS_SEARCHED = 8
"""Cells in which a name is looked for: its own and those beside it."""

_NUMBERS_AT_ONCE = 1 << 22

_Found = tuple[Indexes, Indexes, Floats]


def synonyms(vectors: Floats, least: float = LEAST, most: int = MOST) -> csr_matrix:
    """Cosines of the names that are synonyms, symmetric, shape (names, names), nothing on the diagonal.

    Each name is compared with those of its nearest cells only, around names taken at even distances (an
    inverted file: Jégou et al., Product Quantization for Nearest Neighbor Search, 2011). Up to `CELL` names
    the result is exact; of some 20,000 names it has nineteen synonyms in twenty.
    """
    size = len(vectors)
    none = np.zeros(0, np.int32)
    found = [(none, none, np.zeros(0, np.float32)), *_in_cells(vectors, least, most)]
    rows, columns, cosines = (np.concatenate(parts) for parts in zip(*found, strict=True))
    # The nearest first within a row; equally near ones in their order.
    order = np.lexsort((columns, -cosines, rows))
    rows, columns, cosines = rows[order], columns[order], cosines[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = rank < most
    near = coo_matrix((cosines[kept], (rows[kept], columns[kept])), shape=(size, size)).tocsr()
    mutual: csr_matrix = near.minimum(near.T).tocsr()
    mutual.eliminate_zeros()
    mutual.sort_indices()
    return mutual


def _in_cells(vectors: Floats, least: float, most: int) -> Iterator[_Found]:
    """For each name its nearest ones in each of its cells, at most `most` a cell."""
    if not len(vectors):
        return
    cells = max(1, len(vectors) // CELL)
    centres = vectors[np.linspace(0, len(vectors), cells, endpoint=False, dtype=np.int64)]
    nearest = _nearest_centres(vectors, centres)
    for cell in range(len(centres)):
        members = np.flatnonzero(nearest[:, 0] == cell)[:LARGEST_CELL]
        asking = np.flatnonzero((nearest == cell).any(axis=1))
        rows_at_once = max(1, _NUMBERS_AT_ONCE // max(1, len(members)))
        for start in range(0, len(asking), rows_at_once):
            rows = asking[start : start + rows_at_once]
            yield _near(vectors, rows, members, least, most)


def _nearest_centres(vectors: Floats, centres: Floats) -> NDArray[np.int64]:
    """The cells in which each name is looked for, its own first, shape (names, at most `CELLS_SEARCHED`)."""
    count = min(CELLS_SEARCHED, len(centres))
    nearest = np.zeros((len(vectors), count), dtype=np.int64)
    rows_at_once = max(1, _NUMBERS_AT_ONCE // max(1, len(centres)))
    for start in range(0, len(vectors), rows_at_once):
        cosines = vectors[start : start + rows_at_once] @ centres.T
        nearest[start : start + rows_at_once] = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return nearest


def _near(
    vectors: Floats, rows: NDArray[np.int64], members: NDArray[np.int64], least: float, most: int
) -> _Found:
    cosines = vectors[rows] @ vectors[members].T
    cosines[rows[:, None] == members[None, :]] = -1
    if len(members) > most:
        kept = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
    else:
        kept = np.broadcast_to(np.arange(len(members)), cosines.shape)
    values = np.take_along_axis(cosines, kept, axis=1)
    at, place = np.nonzero(values >= least)
    return (
        rows[at].astype(np.int32),
        members[kept[at, place]].astype(np.int32),
        np.minimum(values[at, place], 1).astype(np.float32),
    )
