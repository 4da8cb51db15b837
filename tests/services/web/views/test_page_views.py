"""Values that the page's views are made of: periods, pieces of text, differences of cells."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.web.views.corpora import MOST_BARS, Growth, grouped
from services.web.views.page_entity import marked_pieces
from services.web.views.page_question import excerpt_of, mark_sentences
from services.web.views.runs import CellView, Place, differences

SPANS = st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=6)


@given(st.text(max_size=50), SPANS)
def test_pieces_are_the_whole_text_and_mark_just_the_spans(body: str, spans: list[tuple[int, int]]) -> None:
    pieces = marked_pieces(body, spans)
    assert "".join(piece.text for piece in pieces) == body
    marked = [flag for piece in pieces for flag in [piece.marked] * len(piece.text)]
    assert marked == [any(low <= at < high for low, high in spans) for at in range(len(body))]


def test_an_excerpt_is_what_is_marked_and_some_words_around_it() -> None:
    text = f"{'before ' * 40}The club\nwas sold. {'between ' * 40}Oda bought it. {'behind ' * 40}"
    sentences = ["The club was sold.", "Oda bought it.", "It stands nowhere.", ""]
    pieces = mark_sentences(text, sentences)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.text for piece in pieces if piece.marked] == ["The club\nwas sold.", "Oda bought it."]
    before, *marked, behind = excerpt_of(pieces, around=20)
    assert marked == [*pieces[1:4]]
    assert (before.text, behind.text) == ("\u2026 before before ", " behind behind \u2026")
    assert excerpt_of(mark_sentences(text, ["It stands nowhere."])) == ()
    whole = mark_sentences("Oda bought it. Gladly.", ["Oda bought it."])
    assert "".join(piece.text for piece in excerpt_of(whole)) == "Oda bought it. Gladly."


@pytest.mark.parametrize(("days", "unit"), [(30, "day"), (400, "month"), (365 * 5, "year")])
def test_growth_is_grouped_by_the_finest_unit_that_can_be_drawn(days: int, unit: str) -> None:
    first = date(2031, 1, 1)
    given_days = [Growth((first + timedelta(days=day)).isoformat(), 1, 2) for day in range(days)]
    found, growth = grouped(given_days)
    assert found == unit
    assert len(growth) <= MOST_BARS
    assert (sum(one.articles for one in growth), sum(one.entities for one in growth)) == (days, 2 * days)


def test_growth_of_nothing() -> None:
    assert grouped([])[1] == ()


def test_a_difference_is_the_second_s_rate_less_the_first_s() -> None:
    first: dict[Place, CellView] = {
        (2, 1): CellView(2, 1, 40, 10, 0.25, None, None),
        (2, 2): CellView(2, 2, 0, 0, None, None, None),
    }
    second: dict[Place, CellView] = {
        (2, 1): CellView(2, 1, 10, 5, 0.5, None, None),
        (2, 2): CellView(2, 2, 9, 3, 1 / 3, None, None),
        (2, 3): CellView(2, 3, 9, 3, 1 / 3, None, None),
    }
    found = differences(first, second)
    assert found.keys() == {(2, 1), (2, 2)}
    assert found[2, 1].difference == pytest.approx(0.25)
    assert found[2, 1].small
    assert found[2, 2].difference is None
