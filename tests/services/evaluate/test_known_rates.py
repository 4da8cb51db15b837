"""The oracle: where every cell's true error probability is known, the figures recover it as they claim."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BINS, Judged, Matrix, difficulty_matrix
from services.statistics.intervals import wilson

SEEDS = 120
A_CELL = 40
TRUE = np.array(
    [[0.15, 0.20, 0.30, 0.45], [0.20, 0.30, 0.40, 0.55], [0.30, 0.40, 0.50, 0.65], [0.40, 0.50, 0.65, 0.80]]
)
"""Error probability by depth and bin."""
CLUSTER_SIZE = 5
SPREAD = 0.15
"""How far a cluster's error probability may lie from its cell's, to either side."""


def sampled(seed: int, spread: float) -> Matrix:
    """A matrix of questions wrong with their cell's probability; with a spread, they fail in clusters."""
    rng = np.random.default_rng(seed)
    rows = []
    for depth, hops in enumerate(DEPTHS):
        for place, quartile in enumerate(BINS):
            number = A_CELL // CLUSTER_SIZE
            rates = np.clip(TRUE[depth, place] + spread * rng.choice([-1, 1], number), 0, 1)
            wrong = rng.random(A_CELL) < np.repeat(rates, CLUSTER_SIZE)
            difficulty = (place + rng.random(A_CELL)) / len(BINS)
            rows += [
                Judged(
                    question_id=f"q{hops}{quartile}-{i}",
                    hops=hops,
                    bin=quartile,
                    difficulty=float(difficulty[i]),
                    wrong=bool(wrong[i]),
                    cluster=f"a{hops}{quartile}-{i // CLUSTER_SIZE}" if spread else f"a{hops}{quartile}-{i}",
                )
                for i in range(A_CELL)
            ]
    return difficulty_matrix(rows)


@pytest.fixture(scope="module")
def independent() -> list[Matrix]:
    return [sampled(seed, 0.0) for seed in range(SEEDS)]


@pytest.fixture(scope="module")
def clustered() -> list[Matrix]:
    return [sampled(1_000 + seed, SPREAD) for seed in range(SEEDS)]


def rates(matrices: list[Matrix]) -> NDArray[np.float64]:
    """The error rates of the cells; shape (seeds, 16)."""
    return np.array([[cell.error_rate for cell in matrix.cells] for matrix in matrices], np.float64)


def covered(matrices: list[Matrix], by_cluster: bool) -> float:
    """The share of cells whose interval holds the true probability."""
    hits = []
    for matrix in matrices:
        for cell, true in zip(matrix.cells, TRUE.ravel(), strict=True):
            interval = cell.clustered if by_cluster else cell.interval
            assert interval is not None
            hits.append(interval.low <= true <= interval.high)
    return float(np.mean(hits))


def test_rates_are_unbiased(independent: list[Matrix], clustered: list[Matrix]) -> None:
    for matrices in (independent, clustered):
        assert rates(matrices).mean(axis=0) == pytest.approx(TRUE.ravel(), abs=0.03)


def test_intervals_cover_as_they_claim(independent: list[Matrix], clustered: list[Matrix]) -> None:
    # What Wilson's interval covers at these very rates and this n, summed over all outcomes.
    exact = float(np.mean([exact_coverage(true) for true in TRUE.ravel()]))
    assert 0.94 < exact < 0.96
    assert covered(independent, by_cluster=False) == pytest.approx(exact, abs=0.015)
    assert covered(clustered, by_cluster=False) < 0.92
    assert 0.93 <= covered(clustered, by_cluster=True) <= 0.985


def exact_coverage(true: float) -> float:
    """The chance that Wilson's interval over a cell's questions holds their true error probability."""
    chance = 0.0
    for errors in range(A_CELL + 1):
        interval = wilson(errors, A_CELL)
        assert interval is not None
        if interval.low <= true <= interval.high:
            chance += float(binom.pmf(errors, A_CELL, true))
    return chance


def test_correlations_recover_the_true_ones(independent: list[Matrix]) -> None:
    for depth in range(len(DEPTHS)):
        bins = [matrix.associations[depth].bins for matrix in independent]
        questions = [matrix.associations[depth].questions for matrix in independent]
        # Rates of forty answers scatter, which draws Pearson's r over four bins towards 0.
        found = float(np.mean([one.r for one in bins if one is not None]))
        true = float(np.corrcoef(BINS, TRUE[depth])[0, 1])
        assert true - 0.15 < found <= true
        by_question = float(np.mean([one.r for one in questions if one is not None]))
        assert by_question == pytest.approx(true_point_biserial(TRUE[depth]), abs=0.02)


def true_point_biserial(cells: NDArray[np.float64]) -> float:
    """The correlation of difficulty and error where difficulty is even over [0, 1) and error steps with it.

    With u uniform on a quarter of [0, 1): E[u y] = Σ p_b (b - .5) / 16 over b = 1 to 4.
    """
    mean = float(cells.mean())
    product = float(np.sum(cells * (np.arange(1, 5) - 0.5)) / 16)
    return (product - mean / 2) / float(np.sqrt(mean * (1 - mean) / 12))


def test_trends_are_found_and_the_diagonal_rises(independent: list[Matrix]) -> None:
    depth = [matrix.depth_trend for matrix in independent]
    assert np.mean([one is not None and one.z > 0 and one.p_value < 0.05 for one in depth]) > 0.99
    diagonal = [matrix.diagonal for matrix in independent]
    assert np.mean([one.r for one in diagonal if one is not None]) > 0.9


@pytest.mark.campaign
def test_without_a_trend_none_is_claimed_too_often() -> None:
    rng = np.random.default_rng(3)
    claims = []
    for _ in range(200):
        bins = rng.integers(1, 5, 200)
        wrong = rng.random(200) < np.repeat(0.4 + 0.3 * rng.choice([-1, 1], 40), 5)
        rows = [
            Judged(f"q{i}", 2, int(bins[i]), float(bins[i]), bool(wrong[i]), f"a{i // 5}") for i in range(200)
        ]
        trend = difficulty_matrix(rows).associations[0].trend
        assert trend is not None
        assert trend.p_clustered is not None
        claims.append(trend.p_clustered < 0.05)
    assert 0.01 <= np.mean(claims) <= 0.09
