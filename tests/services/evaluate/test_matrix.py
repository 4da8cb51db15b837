"""The difficulty matrix.

Error rates by the number of borders that the evidence of questions crosses.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, pointbiserialr

from kg.errors import UserError
from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import (
    BINS,
    SMALL,
    AnswerVerdict,
    crossing_tables,
    difficulty_matrix,
    error_slope,
)
from services.statistics.clustered_means import cluster_interval
from services.statistics.intervals import wilson
from services.statistics.trend import trend_test

ROWS = st.lists(
    st.tuples(
        st.sampled_from(DEPTHS),
        st.sampled_from(BINS),
        st.floats(0, 1),
        st.booleans(),
        st.sampled_from("abcdef"),
    ),
    max_size=80,
).map(lambda drawn: [AnswerVerdict(f"q{i}", *values) for i, values in enumerate(drawn)])

# Errors among ten answers, by depth and bin.
ERRORS = [[1, 2, 2, 4], [2, 3, 4, 4], [3, 3, 5, 6], [4, 5, 6, 8]]


def _table(errors: list[list[int]], n: int = 10) -> list[AnswerVerdict]:
    """Ten questions a cell, each in a cluster of its own, all of a cell of one difficulty."""
    return [
        AnswerVerdict(
            f"q{hops}{quartile}{i}",
            hops,
            quartile,
            quartile / 10 + hops / 100,
            i < wrong,
            f"c{hops}{quartile}{i}",
        )
        for hops, row in zip(DEPTHS, errors, strict=True)
        for quartile, wrong in zip(BINS, row, strict=True)
        for i in range(n)
    ]


def test_the_slope_is_what_each_step_adds_to_the_error_rate() -> None:
    matrix = difficulty_matrix(_table(ERRORS))
    # 9, 13, 17 and 23 of 40: (-1.5 * 9 - 0.5 * 13 + 0.5 * 17 + 1.5 * 23) / (5 * 40).
    assert error_slope(matrix.by_depth) == pytest.approx(0.115)
    assert error_slope(matrix.by_bin) == pytest.approx(0.1)
    assert error_slope(difficulty_matrix(_table(ERRORS)[:10]).by_depth) is None


@given(ROWS)
def test_the_slope_goes_where_the_trend_goes(rows: list[AnswerVerdict]) -> None:
    matrix = difficulty_matrix(rows)
    for trend, totals in ((matrix.depth_trend, matrix.by_depth), (matrix.overall.trend, matrix.by_bin)):
        slope = error_slope(totals)
        if trend is not None and abs(trend.z) > 1e-6:
            assert slope is not None
            assert slope * trend.z > 0


def test_cells_and_totals_of_a_table() -> None:
    matrix = difficulty_matrix(_table(ERRORS))
    assert [[matrix.cell(h, b).errors for b in BINS] for h in DEPTHS] == ERRORS
    assert [(c.hops, c.bin) for c in matrix.cells] == [(h, b) for h in DEPTHS for b in BINS]
    assert [(c.hops, c.bin, c.errors, c.n) for c in matrix.by_depth] == [
        (2, None, 9, 40), (3, None, 13, 40), (4, None, 17, 40), (5, None, 23, 40),
    ]  # fmt: skip
    assert [(c.hops, c.bin, c.errors, c.n) for c in matrix.by_bin] == [
        (None, 1, 10, 40), (None, 2, 13, 40), (None, 3, 17, 40), (None, 4, 22, 40),
    ]  # fmt: skip
    assert (matrix.total.errors, matrix.total.n, matrix.total.error_rate) == (62, 160, 62 / 160)
    cell = matrix.cell(5, 4)
    assert (cell.error_rate, cell.interval) == (0.8, wilson(8, 10))
    assert cell.clusters == 10


def test_small_cells_are_marked_up_to_nineteen() -> None:
    nineteen = difficulty_matrix(_table(ERRORS, 19))
    twenty = difficulty_matrix(_table(ERRORS, 20))
    assert (nineteen.small_cells, twenty.small_cells) == (16, 0)
    assert nineteen.cell(2, 1).small
    assert not twenty.cell(2, 1).small
    assert not nineteen.by_depth[0].small


def test_correlations_of_a_table() -> None:
    rows = _table(ERRORS)
    matrix = difficulty_matrix(rows)
    for association, errors in zip(matrix.associations, ERRORS, strict=True):
        assert association.bins is not None
        assert association.bins.r == pytest.approx(pearsonr(BINS, errors).statistic)
        inside = [row for row in rows if row.hops == association.hops]
        assert association.questions is not None
        assert association.questions.n == association.n == 40
        assert association.questions.r == pytest.approx(
            pointbiserialr([row.wrong for row in inside], [row.difficulty for row in inside]).statistic
        )
        assert association.trend is not None
        assert association.trend.z > 0
    assert matrix.diagonal is not None
    assert matrix.diagonal.r == pytest.approx(pearsonr(BINS, [1, 3, 5, 8]).statistic)
    assert matrix.overall.bins is not None
    assert matrix.overall.bins.r == pytest.approx(pearsonr(BINS, [10, 13, 17, 22]).statistic)
    assert matrix.overall.questions is not None
    assert matrix.overall.questions.n == 160
    assert matrix.depth_trend is not None
    assert matrix.depth_trend.z > 3
    assert matrix.depth_trend.p_value < 0.01


def test_a_matrix_that_falls_is_reported_as_falling() -> None:
    matrix = difficulty_matrix(_table([row[::-1] for row in ERRORS[::-1]]))
    assert matrix.diagonal is not None
    assert matrix.diagonal.r < -0.9
    assert matrix.depth_trend is not None
    assert matrix.depth_trend.z < -3
    assert all(
        association.trend is not None and association.trend.z < 0 for association in matrix.associations
    )


def test_nothing_is_zero_where_nothing_was_judged() -> None:
    matrix = difficulty_matrix([])
    assert matrix.small_cells == 16
    for cell in (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total):
        assert (cell.n, cell.errors) == (0, 0)
        assert (cell.error_rate, cell.interval, cell.clustered) == (None, None, None)
    for association in (*matrix.associations, matrix.overall):
        assert (association.bins, association.questions, association.trend) == (None, None, None)
    assert (matrix.diagonal, matrix.depth_trend) == (None, None)


def test_correlations_are_undefined_where_nothing_varies() -> None:
    matrix = difficulty_matrix(_table([[10] * 4] * 4))
    assert matrix.total.error_rate == 1
    assert (matrix.diagonal, matrix.depth_trend) == (None, None)
    assert (matrix.overall.questions, matrix.overall.bins, matrix.overall.trend) == (None, None, None)


def test_diagonal_leaves_empty_cells_out() -> None:
    rows = [row for row in _table(ERRORS) if (row.hops, row.bin) != (3, 2)]
    diagonal = difficulty_matrix(rows).diagonal
    assert diagonal is not None
    assert diagonal.n == 3
    assert diagonal.r == pytest.approx(pearsonr([1, 3, 4], [1, 5, 8]).statistic)
    assert difficulty_matrix([row for row in rows if row.hops != 5]).diagonal is None


def test_shared_evidence_widens_intervals_and_is_counted() -> None:
    rows = [replace(row, cluster=row.question_id[-1]) for row in _table(ERRORS)]
    shared, alone = difficulty_matrix(rows), difficulty_matrix(_table(ERRORS))
    assert shared.clusters.groups == 10
    assert shared.clusters.effective == pytest.approx(10)
    for one, other in zip(shared.by_depth, alone.by_depth, strict=True):
        assert one.clustered is not None
        assert other.clustered is not None
        assert one.clustered.high - one.clustered.low > 1.1 * (other.clustered.high - other.clustered.low)
        assert one.interval == other.interval


def test_one_cluster_leaves_the_clustered_interval_undefined() -> None:
    matrix = difficulty_matrix([replace(row, cluster="giant") for row in _table(ERRORS)])
    assert matrix.total.interval is not None
    assert matrix.total.clustered is None
    assert matrix.total.clusters == 1
    assert matrix.overall.trend is not None
    assert matrix.overall.trend.p_clustered is None


@settings(deadline=None)
@given(ROWS)
def test_totals_add_up_and_intervals_hold_the_rate(rows: list[AnswerVerdict]) -> None:
    matrix = difficulty_matrix(rows)
    for parts in (matrix.cells, matrix.by_depth, matrix.by_bin):
        assert sum(cell.n for cell in parts) == matrix.total.n == len(rows)
        assert sum(cell.errors for cell in parts) == matrix.total.errors == sum(row.wrong for row in rows)
    for total in matrix.by_depth:
        assert total.n == sum(matrix.cell(total.hops or 0, b).n for b in BINS)
    for total in matrix.by_bin:
        assert total.n == sum(matrix.cell(h, total.bin or 0).n for h in DEPTHS)
    for cell in (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total):
        assert (cell.error_rate is None) == (cell.interval is None) == (cell.n == 0)
        assert (cell.clustered is None) == (cell.clusters < 2)
        for interval in (cell.interval, cell.clustered):
            if interval is not None and cell.error_rate is not None:
                assert 0 <= interval.low <= cell.error_rate <= interval.high <= 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (AnswerVerdict("q", 1, 1, 0.5, False, "c"), "has 1 hops"),
        (AnswerVerdict("q", 6, 1, 0.5, False, "c"), "has 6 hops"),
        (AnswerVerdict("q", 2, 0, 0.5, False, "c"), "can't have bin 0"),
        (AnswerVerdict("q", 2, 1, float("nan"), False, "c"), "difficulty nan"),
        (AnswerVerdict("q210", 2, 1, 0.5, False, "c"), "judged twice"),
    ],
)
def test_rows_without_a_place_are_refused(row: AnswerVerdict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        difficulty_matrix([*_table(ERRORS), row])


def test_there_is_no_cell_outside() -> None:
    with pytest.raises(KeyError):
        difficulty_matrix([]).cell(1, 1)


def _row(
    number: int, crossings: dict[str, int], wrong: bool, cluster: str = "a", hops: int = 2
) -> AnswerVerdict:
    return AnswerVerdict(f"q{number}", hops, 1, number / 10, wrong, cluster, (), crossings)


CROSSED_ROWS = [
    _row(1, {"place": 0, "claims": 1}, wrong=False),
    _row(2, {"place": 0, "claims": 0}, wrong=True, cluster="b"),
    _row(3, {"place": 2, "claims": 1}, wrong=True, cluster="b", hops=3),
    _row(4, {"place": 2}, wrong=True, cluster="a", hops=4),
    _row(5, {}, wrong=False, cluster="c"),
]


def test_a_table_for_each_border_over_the_questions_that_it_is_known_of() -> None:
    place, claims = crossing_tables(CROSSED_ROWS)
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
    place = crossing_tables(CROSSED_ROWS)[0]
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
