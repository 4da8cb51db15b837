"""Filters as masks over the chunks of a snapshot."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kg.shelves import folded
from services.rag.filter_dates import check_dates
from services.rag.graph_search.snapshot import Chunks
from services.rag.protocol import Filters

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
    names = {folded(name) for name in wanted}
    fitting = {value for value in set(column) if folded(value) in names}
    return np.fromiter((value in fitting for value in column), dtype=np.bool_, count=len(column))
