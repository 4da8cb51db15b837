"""Error rates by the number of borders that the evidence of questions crosses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evaluate.matrix import SMALL, Judged, crossing_tables
from services.statistics.clustered_means import cluster_interval
from services.statistics.intervals import wilson
from services.statistics.trend import trend_test


def _row(number: int, crossings: dict[str, int], wrong: bool, cluster: str = "a", hops: int = 2) -> Judged:
    return Judged(f"q{number}", hops, 1, number / 10, wrong, cluster, (), crossings)


ROWS = [
    _row(1, {"place": 0, "claims": 1}, wrong=False),
    _row(2, {"place": 0, "claims": 0}, wrong=True, cluster="b"),
    _row(3, {"place": 2, "claims": 1}, wrong=True, cluster="b", hops=3),
    _row(4, {"place": 2}, wrong=True, cluster="a", hops=4),
    _row(5, {}, wrong=False, cluster="c"),
]


def test_a_table_for_each_border_over_the_questions_that_it_is_known_of() -> None:
    place, claims = crossing_tables(ROWS)
    assert (place.facet, place.border, place.n) == ("place", "geographic", 4)
    assert (claims.facet, claims.border, claims.n) == ("claims", "claims", 3)
    none, two = place.cells
    assert (none.crossings, none.n, none.errors, none.error_rate, none.clusters) == (0, 2, 1, 0.5, 2)
    assert none.difficulty == pytest.approx(0.15)
    assert (two.crossings, two.n, two.error_rate, two.hops) == (2, 2, 1.0, None)
    assert two.difficulty == pytest.approx(0.35)
    assert two.small
    assert none.interval == wilson(1, 2)
    assert none.clustered == cluster_interval([False, True], ["a", "b"])
    assert place.trend == trend_test([0, 0, 2, 2], [False, True, True, True], ["a", "b", "b", "a"])
    # Questions of one depth here cross equally many borders, or fare alike.
    assert place.trend_at_depth is None


def test_a_rise_that_is_all_depth_is_none_among_questions_of_one_depth() -> None:
    # Deeper questions cross more borders and fail more often; at each depth a crossing changes nothing.
    rows = [
        _row(number, {"place": hops - 2 + number % 2}, number % 40 < 10 * (hops - 1), f"c{number}", hops)
        for hops in (2, 3, 4)
        for number in range(hops * 1_000, hops * 1_000 + 160)
    ]  # fmt: skip
    (table,) = crossing_tables(rows)
    assert table.trend is not None
    assert table.trend.z > 5
    assert table.trend_at_depth is not None
    assert table.trend_at_depth.z == pytest.approx(0, abs=1e-9)


def test_each_depth_has_cells_of_its_own() -> None:
    place = crossing_tables(ROWS)[0]
    assert [(cell.hops, cell.crossings, cell.n) for cell in place.by_depth] == [
        (2, 0, 2), (3, 2, 1), (4, 2, 1),
    ]  # fmt: skip
    # Three answers of one cluster: there is no interval by cluster.
    assert place.by_depth[1].clustered is None
    assert place.by_depth[1].interval == wilson(1, 1)


def test_nothing_is_told_where_no_crossing_is_known() -> None:
    assert crossing_tables([]) == ()
    assert crossing_tables([_row(1, {}, wrong=True)]) == ()


def test_a_cell_with_enough_answers_is_not_small() -> None:
    (table,) = crossing_tables([_row(n, {"time": 1}, wrong=n % 2 == 0) for n in range(SMALL)])
    assert [cell.small for cell in table.cells] == [False]
    assert table.trend is None


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.sampled_from("abc"), st.integers(2, 5))))
def test_cells_add_up_to_all_questions(rows: list[tuple[int, bool, str, int]]) -> None:
    judged = [
        _row(n, {"domain": crossings}, wrong, cluster, hops)
        for n, (crossings, wrong, cluster, hops) in enumerate(rows)
    ]
    for table in crossing_tables(judged):
        for cells in (table.cells, table.by_depth):
            assert sum(cell.n for cell in cells) == table.n == len(rows)
            assert sum(cell.errors for cell in cells) == sum(wrong for _, wrong, _, _ in rows)
