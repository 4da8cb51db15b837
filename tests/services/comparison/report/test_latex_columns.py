"""Widths of the columns of a LaTeX table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.report.written import (
    GAP,
    LONGEST_WORD,
    column_form,
    column_shares,
    row_height,
)

LINES = st.lists(st.text("ab ", max_size=60), max_size=4)


def test_what_fits_stays_as_it_is() -> None:
    columns = [["a" * 20], ["b" * 44]]
    assert column_shares(columns, 20 + 44 + 2 * GAP) is None
    assert column_shares(columns, 20 + 44 + 2 * GAP - 1) is not None
    assert column_form(None, ["l", "r"]) == "lr"


def test_what_is_left_goes_to_the_longest_lines() -> None:
    name, text = column_shares([["hypothesis"], ["word " * 30]], 60) or ()
    # Ten letters and the gap of 60, rounded down; the rest is the text's.
    assert name == pytest.approx((10 + GAP) / 60, abs=0.001)
    assert text == pytest.approx(1 - name, abs=0.002)


def test_a_hash_takes_no_more_than_it_must() -> None:
    shares = column_shares([["f" * 64], ["two words " * 9]], 60)
    assert shares is not None
    assert shares[0] < 0.6
    assert row_height([["f" * 64], ["x"]], shares, 60) >= 64 // 60 + 1


def test_words_alone_may_be_too_many() -> None:
    shares = column_shares([["w" * LONGEST_WORD]] * 8, 60)
    assert shares == pytest.approx([1 / 8] * 8, abs=0.001)


@given(st.lists(LINES, min_size=1, max_size=8), st.integers(20, 90))
def test_shares_never_take_more_than_the_line(columns: list[list[str]], room: int) -> None:
    shares = column_shares(columns, room)
    if shares is None:
        return
    assert len(shares) == len(columns)
    assert all(share > 0 for share in shares)
    assert 1 - 0.001 * len(columns) - 1e-9 <= sum(shares) <= 1 + 1e-9
    assert row_height(columns, shares, room) >= max(map(len, columns), default=0) or any(
        not line for column in columns for line in column
    )
    assert column_form(shares, ["r"] * len(columns)).count("linewidth") == len(columns)
