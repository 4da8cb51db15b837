"""Correlations between difficulty and error: over bins (Pearson) and over questions (point-biserial)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from scipy.special import stdtr

from services.statistics.deviations import scaled_deviations, vary
from services.statistics.trend import trend_test


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation over `n` pairs, with its two-sided p-value from Student's distribution.

    `p_clustered` is the p-value that takes only clusters for independent, where it was asked for and
    there are at least two of them.
    """

    r: float
    n: int
    p_value: float
    p_clustered: float | None = None


def pearson(xs: Sequence[float], ys: Sequence[float]) -> Correlation | None:
    """Pearson's r of paired values; None under three pairs (two always give ±1) or where a side is constant.

    The p-value is that of t = r √((n - 2) / (1 - r²)) with n - 2 degrees of freedom.
    """
    n = len(xs)
    if n != len(ys):
        raise ValueError(f"{n} values can't be paired with {len(ys)}.")
    if n < 3 or not vary(xs) or not vary(ys):
        return None
    dx, dy = scaled_deviations(xs), scaled_deviations(ys)
    product = fsum(x * y for x, y in zip(dx, dy, strict=True))
    r = product / sqrt(fsum(x * x for x in dx) * fsum(y * y for y in dy))
    r = max(-1.0, min(1.0, r))
    unexplained = (1 - r) * (1 + r)
    p_value = 2 * float(stdtr(n - 2, -abs(r) * sqrt((n - 2) / unexplained))) if unexplained > 0 else 0.0
    return Correlation(r=r, n=n, p_value=min(1.0, p_value))


def point_biserial(
    difficulties: Sequence[float], wrong: Sequence[bool], clusters: Sequence[str]
) -> Correlation | None:
    """Pearson's r between each question's difficulty and its error as 0 or 1; None where undefined.

    `p_clustered` is that of the trend test by cluster with the difficulty as the score, whose statistic
    is the same covariance.
    """
    plain = pearson(difficulties, [float(verdict) for verdict in wrong])
    trend = trend_test(difficulties, wrong, clusters)
    if plain is None or trend is None:
        return None
    return Correlation(r=plain.r, n=plain.n, p_value=plain.p_value, p_clustered=trend.p_clustered)
