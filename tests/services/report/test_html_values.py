"""Numbers and names as a page writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.report.html_values import (
    duration,
    name,
    p_text,
    percent,
    percent_range,
    plural,
    points_range,
    signed,
    visible,
)
from services.statistics.intervals import Interval


@pytest.mark.parametrize(
    ("share", "written"),
    [(0, "0%"), (0.001, "<1%"), (0.314, "31%"), (0.996, ">99%"), (1, "100%")],
)
def test_a_share_that_is_not_quite_none_or_all_is_not_written_as_such(share: float, written: str) -> None:
    assert percent(share) == written


def test_intervals_signs_and_p_values() -> None:
    assert percent_range(Interval(0.204, 0.449)) == "20\u201345%"
    assert points_range(Interval(-0.1204, 0.02)) == "\u221212.0 to +2.0"
    assert [signed(0.714), signed(-0.2), signed(-0.0), signed(-0.001)] == [
        "+0.71",
        "\u22120.20",
        "0.00",
        "0.00",
    ]
    assert [p_text(0.0004), p_text(0.0342)] == ["<0.001", "0.034"]


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.04, "0.0 s"), (41.3, "41 s"), (372.4, "6 min 12 s"), (7_384, "2 h 3 min")],
)
def test_lengths_of_time(seconds: float, written: str) -> None:
    assert duration(seconds) == written


def test_counts_with_nouns() -> None:
    assert [plural(1, "cluster"), plural(1_200, "cluster")] == ["1 cluster", "1,200 clusters"]


def test_a_name_keeps_its_own_direction_and_is_never_markup() -> None:
    assert name("<b>\u05e9\u202e") == "<bdi>&lt;b&gt;\u05e9\\u202e</bdi>"


@given(st.text(st.characters()))
def test_what_is_visible_can_be_sent_and_turns_nothing_around(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not set(shown) & {chr(code) for code in (0, 7, 27, 0x200B, 0x200F, 0x202E, 0x2066, 0xFEFF)}
    assert visible(shown) == shown


@given(st.text(st.characters(categories=("L", "N", "P", "Zs"))))
def test_letters_of_every_script_stay(text: str) -> None:
    assert visible(text) == text
