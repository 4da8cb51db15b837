"""Runs that repeat each other: two crossed factors, by hand and by simulation."""

import numpy as np
import pytest

from services.statistics.clustered_means import clustered_means
from services.statistics.groups import partition
from services.statistics.repeats import repeated_mean

CLUSTERS = ["a", "a", "b", "c"]


def test_what_runs_add_to_questions_by_hand() -> None:
    # The second run is right on two more questions than the first, the third on one more.
    table = np.array([[1, 1, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]], np.float64)
    found = repeated_mean(table, CLUSTERS)
    assert found.means == (1 / 4, 3 / 4, 2 / 4)
    assert (found.mean, found.n, found.clusters) == (1 / 2, 4, 3)
    assert found.spread == pytest.approx(1 / 4)
    # By run, squared: (1/16 + 1/16 + 0) / 6. Of cluster a the second question deviates by -2/3, 1/3, 1/3, of
    # b by -1/3, 2/3, -1/3, of c by none: (4 + 1 + 1 + 1 + 4 + 1) / 9 over 16 and 6.
    by_run, by_chance = (1 / 8) / 6, (12 / 9) / 16 / 6
    assert found.run_error == pytest.approx((by_run - by_chance) ** 0.5)
    questions = clustered_means(table.mean(axis=1, keepdims=True), partition(CLUSTERS), least=0.0).column(0)
    assert found.cluster_error == questions.standard_error
    assert questions.standard_error is not None
    assert questions.freedom is not None
    total = questions.standard_error**2 + by_run - by_chance
    assert found.standard_error == pytest.approx(total**0.5)
    assert found.freedom == pytest.approx(
        total**2 / (questions.standard_error**4 / questions.freedom + (by_run - by_chance) ** 2 / 2)
    )


def test_runs_that_are_alike_leave_the_interval_by_cluster() -> None:
    alike = np.repeat([[1.0], [0.0], [1.0], [0.0]], 3, axis=1)
    found = repeated_mean(alike, CLUSTERS)
    lone = clustered_means(alike[:, :1], partition(CLUSTERS), least=0.0).column(0)
    assert (found.spread, found.run_error) == (0, 0)
    assert (found.standard_error, found.interval) == (lone.standard_error, lone.interval)


@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_the_variance_is_that_of_other_questions_and_other_runs(shift: float) -> None:
    dice = np.random.default_rng(11)
    clusters = [f"c{place // 4}" for place in range(160)]
    means, variances = [], []
    for _ in range(400):
        common = np.repeat(dice.normal(0, 0.15, 40), 4)[:, None] + dice.normal(0, shift, (1, 4))
        rows = (dice.random((160, 4)) < np.clip(0.5 + common, 0, 1)).astype(np.float64)
        found = repeated_mean(rows, clusters)
        assert found.standard_error is not None
        means.append(found.mean)
        variances.append(found.standard_error**2)
    assert np.mean(variances) == pytest.approx(np.var(means, ddof=1), rel=0.2)


def test_one_run_is_no_repetition() -> None:
    with pytest.raises(ValueError, match="no repeated runs"):
        repeated_mean([[1.0], [0.0]], ["a", "b"])
