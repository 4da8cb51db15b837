"""Two systems on the same questions: by hand, by scipy, and on simulated clusters.

Power and plans: against scipy's noncentral t, published tables, and simulation.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, nct, t

from services.statistics.clustered_means import clustered_means, equivalence
from services.statistics.intervals import Partition
from services.statistics.paired import (
    PairedComparison,
    PairedSpread,
    compare_paired,
    detectable,
    mcnemar,
    plan_questions,
    power_of,
    power_of_equivalence,
)
from tests.services.statistics.clustered_pairs import clustered_pairs
from tests.services.statistics.correlated_verdicts import correlated_differences

ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from("abcdefgh")), min_size=1, max_size=60)


def compared(rows: list[tuple[bool, bool, str]], seed: int = 0, draws: int = 500) -> PairedComparison:
    found = compare_paired(
        [row[0] for row in rows],
        [row[1] for row in rows],
        [row[2] for row in rows],
        seed,
        draws,
    )
    assert found is not None
    return found


def test_worked_example() -> None:
    # Differences 1, 1 in a; 0, 0 in b; -1, 1 in c: mean 1/3, cluster sums 2, 0, 0.
    # e = 2 - 2/3, -2/3, -2/3: v = 3/2 (16/9 + 4/9 + 4/9) / 36 = 1/9; s² = (4 - 6/9) / 5 = 2/3.
    # Design effect: 1/9 * 6 / (2/3) = 1. Student's t on 2 degrees: 1/3 ± 4.3 / 3, cut at -1 and 1.
    rows = [
        (False, True, "a"), (False, True, "a"), (True, True, "b"), (False, False, "b"),
        (True, False, "c"), (False, True, "c"),
    ]  # fmt: skip
    found = compared(rows)
    assert (found.n, found.clusters) == (6, 3)
    assert found.difference == pytest.approx(1 / 3)
    assert found.standard_error == pytest.approx(1 / 3)
    assert found.design_effect == pytest.approx(1)
    assert found.effective_n == pytest.approx(6)
    assert found.test is not None
    assert found.test.p_value == 1.0
    assert found.naive_p == pytest.approx(2 * 5 / 16)
    half = 1.959964 * (2 / 3 / 6) ** 0.5
    assert found.naive_interval is not None
    assert found.naive_interval.low == pytest.approx(1 / 3 - half, abs=1e-6)
    assert found.naive_interval.high == pytest.approx(1 / 3 + half, abs=1e-6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (3, 3), (8, 1), (0, 12), (40, 61)])
def test_mcnemar_is_the_binomial_test(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected)
    if gained + lost:
        assert mcnemar(gained, lost, "greater") == pytest.approx(
            binomtest(gained, gained + lost, alternative="greater").pvalue
        )
        assert mcnemar(gained, lost, "less") == pytest.approx(
            binomtest(gained, gained + lost, alternative="less").pvalue
        )


@settings(deadline=None)
@given(ROWS)
def test_swapping_the_systems_turns_the_sign_and_nothing_else(rows: list[tuple[bool, bool, str]]) -> None:
    one, other = compared(rows), compared([(second, first, name) for first, second, name in rows])
    assert other.difference == pytest.approx(-one.difference)
    assert other.naive_p == one.naive_p
    assert other.design_effect == pytest.approx(one.design_effect)
    assert other.test == one.test
    assert (one.test is None) == (one.clusters < 2)
    assert one.interval is None or one.clusters > 1
    if one.naive_interval is not None:
        assert one.naive_interval.low <= one.difference <= one.naive_interval.high
    if one.effective_n is not None:
        assert one.effective_n <= one.n + 1e-9


@settings(deadline=None)
@given(ROWS)
def test_alike_systems_do_not_differ(rows: list[tuple[bool, bool, str]]) -> None:
    found = compared([(first, first, name) for first, _, name in rows])
    assert (found.difference, found.naive_p, found.design_effect) == (0.0, 1.0, None)
    assert found.test is None or found.test.p_value == 1.0


def test_copies_of_a_question_prove_nothing_more() -> None:
    once = [(i % 5 == 0, i % 5 != 1, str(i)) for i in range(30)]
    copied = compared([row for row in once for _ in range(20)])
    alone = compared(once)
    assert copied.naive_p is not None
    assert copied.naive_p < 1e-6
    assert alone.test is not None
    assert copied.test is not None
    assert copied.test.p_value == pytest.approx(alone.test.p_value, abs=0.02)
    assert copied.effective_n == pytest.approx(30, rel=0.1)


def test_nothing_to_compare() -> None:
    assert compare_paired([], [], []) is None
    with pytest.raises(ValueError, match="1 and 2 values"):
        compare_paired([True], [True, False], ["a"])


def test_on_clustered_data_it_covers_and_keeps_its_level_where_the_naive_ones_do_not() -> None:
    rng = np.random.default_rng(17)
    runs, difference = 300, 0.1
    covered = naive_covered = rejected = naive_rejected = 0
    for _ in range(runs):
        found = compare_paired(*clustered_pairs(rng, 60, difference), draws=1_000)
        assert found is not None
        assert found.interval is not None
        assert found.naive_interval is not None
        covered += found.interval.low <= difference <= found.interval.high
        naive_covered += found.naive_interval.low <= difference <= found.naive_interval.high
        null = compare_paired(*clustered_pairs(rng, 60, 0.0), draws=1_000)
        assert null is not None
        assert null.test is not None
        assert null.naive_p is not None
        rejected += null.test.p_value < 0.05
        naive_rejected += null.naive_p < 0.05
    assert 0.91 <= covered / runs <= 0.98
    assert 0.02 <= rejected / runs <= 0.085
    assert naive_covered / runs < 0.85
    assert naive_rejected / runs > 0.12


SPREADS = st.builds(
    PairedSpread, st.floats(0.05, 1), st.floats(0, 1), st.floats(1, 30), st.sampled_from([0.0, 0.6, 1.5])
)


@pytest.mark.parametrize(("shift", "freedom"), [(0.0, 4), (1.0, 2), (2.0, 3), (3.0, 10), (2.8, 149)])
def test_power_is_that_of_the_noncentral_t_distribution(shift: float, freedom: float) -> None:
    bound = t.ppf(0.975, freedom)
    expected = 1 - nct.cdf(bound, freedom, shift) + nct.cdf(-bound, freedom, shift)
    assert power_of(shift, 1.0, freedom) == pytest.approx(expected, abs=2e-6)
    one_sided = 1 - nct.cdf(t.ppf(0.95, freedom), freedom, shift)
    assert power_of(shift, 1.0, freedom, two_sided=False) == pytest.approx(one_sided, abs=2e-6)


@pytest.mark.parametrize(("effect", "pairs"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_lone_pairs_have_the_numbers_of_the_textbook(effect: float, pairs: int) -> None:
    # Paired t test, power .8 at .05 two-sided; Cohen's (1988) small, medium and large effects, as in G*Power.
    assert plan_questions(PairedSpread(1.0, 0.0, 1.0), effect).questions == pairs


def test_clusters_cost_their_design_effect() -> None:
    # 1 + (4 - 1) .2 = 1.6: for the normal 2.8016 (.5 / .05)² = 785 questions become 1,256, and a few for t.
    plan = plan_questions(PairedSpread(0.5, 0.2, 4.0), 0.05)
    assert 1_256 <= plan.questions <= 1_268
    assert plan.questions == 4 * plan.clusters
    assert PairedSpread(0.5, 0.2, 4.0, 1.0).design_effect == pytest.approx(1 + 7 * 0.2)
    assert PairedSpread(0.5, 1.0, 4.0).standard_error(100) == pytest.approx(0.05)


@settings(deadline=None, max_examples=30)
@given(SPREADS, st.floats(0.01, 0.5), st.sampled_from([0.5, 0.8, 0.95]), st.booleans())
def test_a_plan_is_the_smallest_that_does_and_its_inverse_leads_back(
    spread: PairedSpread, difference: float, power: float, two_sided: bool
) -> None:
    plan = plan_questions(spread, difference, power, 0.05, two_sided)
    assert plan.power >= power
    if plan.clusters > 2:
        fewer = plan.clusters - 1
        error, freedom = spread.standard_error(fewer), spread.freedom(fewer)
        assert power_of(difference, error, freedom, 0.05, two_sided) < power
        assert detectable(error, freedom, power, 0.05, two_sided) > difference
    error, freedom = spread.standard_error(plan.clusters), spread.freedom(plan.clusters)
    least = detectable(error, freedom, power, 0.05, two_sided)
    assert least <= difference * (1 + 1e-9)
    assert power_of(least, error, freedom, 0.05, two_sided) == pytest.approx(power, abs=1e-6)


def test_simulated_clusters_have_the_power_that_was_planned() -> None:
    rng = np.random.default_rng(0)
    parts = Partition(np.repeat(np.arange(40), 6), 40)
    difference, correlation = 0.15, 0.2
    found = clustered_means(correlated_differences(rng, parts, difference, correlation, 2_000), parts)
    # Differences of two independent verdicts around .5: variance 2 (.25 - (.15 / 2)²).
    spread = PairedSpread((2 * (0.25 - 0.075**2)) ** 0.5, correlation, 6.0)
    planned = power_of(difference, spread.standard_error(40), spread.freedom(40))
    assert found.standard_error.mean() == pytest.approx(spread.standard_error(40), rel=0.03)
    assert np.mean(found.low > 0) + np.mean(found.high < 0) == pytest.approx(planned, abs=0.035)


def test_simulated_equivalence_has_the_power_that_was_planned() -> None:
    rng = np.random.default_rng(1)
    parts = Partition(np.repeat(np.arange(60), 6), 60)
    found = clustered_means(correlated_differences(rng, parts, 0.0, 0.1, 1_000), parts)
    spread = PairedSpread(0.5**0.5, 0.1, 6.0)
    planned = power_of_equivalence(0.12, spread.standard_error(60), spread.freedom(60))
    tests = [equivalence(found.column(column), 0.12) for column in range(1_000)]
    assert np.mean([one is not None and one.equivalent for one in tests]) == pytest.approx(planned, abs=0.05)
    assert power_of_equivalence(0.01, 0.1, 20) == 0.0


def test_what_can_not_be_planned() -> None:
    spread = PairedSpread(0.5, 0.2, 4.0)
    with pytest.raises(ValueError, match="difference of 0"):
        plan_questions(spread, 0.0)
    with pytest.raises(ValueError, match="more than 100,000,000 clusters"):
        plan_questions(spread, 1e-7)
    with pytest.raises(ValueError, match="between alpha"):
        detectable(0.1, 10, power=0.01)
    assert detectable(0.0, 10) == 0.0
