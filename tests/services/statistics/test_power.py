"""Power and plans: against scipy's noncentral t, published tables, and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t

from services.statistics.clustered_means import clustered_means, equivalence
from services.statistics.groups import Partition
from services.statistics.power import (
    PairedSpread,
    detectable,
    plan_questions,
    power_of,
    power_of_equivalence,
)
from tests.services.statistics.correlated_verdicts import correlated_differences

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
