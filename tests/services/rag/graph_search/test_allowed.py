"""Filters as masks, and rankings under them."""

import numpy as np
import pytest

from kg.errors import SettingsError
from services.rag.graph_search.snapshot import allowed_chunks, best_first
from services.rag.protocol import Filters
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

CHUNKS = made_snapshot(
    [
        Page("A", source="The Post", category="sport", author="Ann", published="2024-01-31"),
        Page("B", source="the  post", category="trade", author="Bo", published="2024-02-01"),
        Page("C", source="Echo", category="sport", author="Ann", published=""),
    ]
).chunks


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        (Filters(), "ABC"),
        (Filters(sources=("THE POST",)), "AB"),
        (Filters(sources=("Echo", "The Post"), authors=("ann",)), "AC"),
        (Filters(categories=("trade",)), "B"),
        (Filters(sources=("Nobody",)), ""),
        (Filters(since="2024-02-01"), "B"),
        (Filters(until="2024-01-31"), "A"),
        (Filters(since="2024-01-31", until="2024-02-01"), "AB"),
        (Filters(since="2024-03-01", until="2024-02-01"), ""),
    ],
)
def test_only_what_fits_every_filter_is_let_through(filters: Filters, titles: str) -> None:
    assert "".join(np.array(CHUNKS.titles)[allowed_chunks(CHUNKS, filters)]) == titles


@pytest.mark.parametrize("filters", [Filters(since="last week"), Filters(until="2024-1-1")])
def test_a_date_that_is_none_is_refused(filters: Filters) -> None:
    with pytest.raises(SettingsError, match="is not a date"):
        allowed_chunks(CHUNKS, filters)


def test_the_best_come_first_and_equal_ones_in_the_order_of_ids() -> None:
    scores = np.array([0.2, 0.5, 0.0, 0.2 * (1 + 1e-12), 0.9, 1e-12])
    allowed = np.array([True, True, True, True, False, True])
    assert [at for at, _ in best_first(scores, allowed, 10)] == [1, 0, 3, 5]
    assert best_first(scores, allowed, 1) == [(1, 0.5)]
    assert best_first(scores, np.zeros(6, dtype=np.bool_), 3) == []
