"""Whether errors become more frequent as a score rises: the Cochran-Armitage test, and correlation."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np
from scipy.special import ndtr, stdtr

from services.statistics.intervals import partition

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Trend:
    """A two-sided trend test; `z` above 0 means that errors become more frequent as the score rises.

    `p_value` takes the questions for independent, `p_clustered` only the clusters; it is None where there
    are fewer than two, or where all bear alike on the trend and so show no spread. A large gap between
    them says how much of the plain finding rests on questions that share evidence.
    """

    z: float
    n: int
    p_value: float
    clusters: int
    p_clustered: float | None


def trend_test(
    scores: Sequence[float],
    wrong: Sequence[bool],
    clusters: Sequence[str],
    strata: Sequence[Hashable] | None = None,
) -> Trend | None:
    """Cochran-Armitage test of a linear trend of the error rate over scores, one entry a question.

    U = Σ (s - mean s)(y - p), z = U / √(p (1 - p) Σ (s - mean s)²) (Cochran 1954, Armitage 1955), so that
    z² = n r² for Pearson's r between score and error. By cluster, U is split into the parts e_g of each
    of the G clusters, and the mean of the e_g is tested against 0 with Student's t on G - 1 degrees of
    freedom. That is the generalised score test of Boos (1992) with the parts centred at their own mean,
    without which it could never reject at .05 with six clusters or fewer.
    With `strata`, one a question, means and p are those of its stratum, and U and the variance are sums
    over strata (Cochran 1954; Mantel's factor n / (n - 1) matters only for strata of few questions): whether
    errors rise with the score among questions that are alike in this. Strata must be few and large beside
    the clusters, which may span them: with pairs of questions both p-values would be far too small.
    A stratum whose scores or answers are all alike tells nothing and is left out; None where all are.
    """
    n = len(scores)
    alike = [None] * n if strata is None else strata
    if not n == len(wrong) == len(clusters) == len(alike):
        raise ValueError(
            f"{n} scores, {len(wrong)} verdicts, {len(clusters)} clusters and {len(alike)} strata: "
            "one each a question."
        )
    told = [rows for rows in _rows_of(alike) if _tells(scores, wrong, rows)]
    if not told:
        return None
    widest = max(_widest(scores, rows) for rows in told)
    products, variances = [], []
    for rows in told:
        share = sum(wrong[row] for row in rows) / len(rows)
        deviations = np.asarray(scaled_deviations([scores[row] for row in rows]))
        deviations *= _widest(scores, rows) / widest
        products.append(deviations * (np.asarray([wrong[row] for row in rows], np.float64) - share))
        variances.append(share * (1 - share) * fsum(deviations**2))
    names = [clusters[row] for rows in told for row in rows]
    parts = partition(names).sums(np.concatenate(products)).tolist()
    z = fsum(parts) / sqrt(fsum(variances))
    return Trend(
        z=z,
        n=len(names),
        p_value=min(1.0, 2 * float(ndtr(-abs(z)))),
        clusters=len(parts),
        p_clustered=_clustered_p(parts, len(names)),
    )


def _rows_of(strata: Sequence[Hashable]) -> list[list[int]]:
    rows: dict[Hashable, list[int]] = {}
    for row, stratum in enumerate(strata):
        rows.setdefault(stratum, []).append(row)
    return list(rows.values())


def _tells(scores: Sequence[float], wrong: Sequence[bool], rows: Sequence[int]) -> bool:
    """Whether both the scores and the answers of a stratum differ."""
    return vary([scores[row] for row in rows]) and len({wrong[row] for row in rows}) == 2


def _widest(scores: Sequence[float], rows: Sequence[int]) -> float:
    """The largest deviation of some scores from their mean."""
    mean = fsum(scores[row] for row in rows) / len(rows)
    return max(abs(scores[row] - mean) for row in rows)


def _clustered_p(parts: list[float], n: int) -> float | None:
    g = len(parts)
    # A deviation is at most 1 and so a part at most n; a spread far below that is rounding.
    if g < 2 or max(parts) - min(parts) <= _ROUNDING * n:
        return None
    mean = fsum(parts) / g
    error = sqrt(fsum((part - mean) ** 2 for part in parts) / (g - 1) / g)
    return min(1.0, 2 * float(stdtr(g - 1, -abs(mean) / error)))


_SAME = 1e-12
"""Values whose spread is below this share of their size differ by rounding only."""


def vary(values: Sequence[float]) -> bool:
    """Whether there are values and they differ by more than rounding."""
    return bool(values) and max(values) - min(values) > _SAME * max(abs(value) for value in values)


def scaled_deviations(values: Sequence[float]) -> list[float]:
    """(value - mean) divided by the largest such deviation, so that squares of tiny ones don't vanish.

    The values must `vary`.
    """
    mean = fsum(values) / len(values)
    deviations = [value - mean for value in values]
    largest = max(abs(deviation) for deviation in deviations)
    return [deviation / largest for deviation in deviations]


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
