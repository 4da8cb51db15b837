"""Means of many measures at once over questions in clusters: errors, intervals, what the clusters cost.

    found = clustered_means(values, partition(clusters))      # values: (n, K), NaN where undefined
    found.column(3).interval

The naive figures beside them take every question for independent, to show what that would have claimed.

Score intervals of rates, and of other means that lie in [0, 1], over questions in clusters.

    found = clustered_means(values, partition(clusters), least=0.0)      # values: (n, K), NaN where undefined
    rate_intervals(found).column(3).interval

Student's interval is symmetric, and falls short where a mean is near an end of its range: of a rate of .98
its observed spread says little.

Whether two systems differ by no more than matters: two one-sided tests over clusters.

Several runs of one system on the same questions: what another draw of the model would change.

Questions come in clusters, and runs are draws of the model: two random factors that cross each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import isnan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtr, stdtrit

from services.statistics.intervals import (
    LEVEL,
    Floats,
    Interval,
    Partition,
    adjusted_variances,
    degrees_of_freedom,
    partition,
    score_bounds,
    wilson,
)
from services.statistics.resampling import ClusterTotals, cluster_totals

SAME = 1e-12
"""Squared deviations that add up to less a value are rounding: all values are alike."""


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean over `n` questions in `clusters` clusters, None where there is no question.

    `standard_error` takes only clusters for independent, `interval` is that of Student's distribution on
    `freedom` degrees of freedom; None below two clusters. `design_effect` is how many times larger the
    variance of the mean is than that of independent questions, None where all values are alike;
    `effective_n` the number of independent questions that say as much. `intra_cluster` is the correlation of
    two questions of a cluster, 0 to 1, None where no cluster has two. `naive_error` and `naive_interval`
    ignore clusters.
    """

    n: int
    clusters: int
    mean: float | None
    standard_error: float | None
    freedom: float | None
    interval: Interval | None
    design_effect: float | None
    effective_n: float | None
    intra_cluster: float | None
    naive_error: float | None
    naive_interval: Interval | None


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredMeans:
    """The same of K columns, each array of shape (K,), NaN where undefined; `totals` is for resampling."""

    totals: ClusterTotals
    n: Floats
    clusters: Floats
    mean: Floats
    standard_error: Floats
    freedom: Floats
    low: Floats
    high: Floats
    design_effect: Floats
    effective_n: Floats
    intra_cluster: Floats
    naive_error: Floats
    naive_low: Floats
    naive_high: Floats

    def column(self, column: int) -> ClusteredMean:
        """The figures of one column, None in place of NaN."""
        told = {
            field.name: _none_if_nan(getattr(self, field.name)[column])
            for field in fields(self)
            if field.name != "totals"
        }
        return ClusteredMean(
            n=int(self.n[column]),
            clusters=int(self.clusters[column]),
            mean=told["mean"],
            standard_error=told["standard_error"],
            freedom=told["freedom"],
            interval=_interval(told["low"], told["high"]),
            design_effect=told["design_effect"],
            effective_n=told["effective_n"],
            intra_cluster=told["intra_cluster"],
            naive_error=told["naive_error"],
            naive_interval=_interval(told["naive_low"], told["naive_high"]),
        )


def clustered_means(
    values: Floats, parts: Partition, least: float = -1.0, most: float = 1.0, level: float = LEVEL
) -> ClusteredMeans:
    """Means of the columns of `values` (shape (n, K)), which lie between `least` and `most`.

    The standard error is CR2 with Bell and McCaffrey's degrees of freedom (`intervals`); intervals are cut
    at `least` and `most`. Where all values are alike, no error can be estimated; then up to 1 - p^(1/n*) of
    all questions may still deviate unseen, with p = (1 - level) / 2 and n* = n² / Σ m² the number of lone
    questions that the clusters are worth (the rule of three, Hanley and Lippman-Hand 1983), and the interval
    is where the mean can be if they go to `least` or `most`. Where values differ but the means of clusters do
    not, there is no interval.
    """
    if least >= most:
        raise ValueError(f"Values between {least} and {most} can't differ.")
    totals = cluster_totals(values, parts)
    n, mean = totals.sizes.sum(axis=0), totals.means
    within, squares = _squares(values, totals)
    naive_variance = divide(squares, (n - 1) * n)
    variance = adjusted_variances(totals.sums - totals.sizes * mean, totals.sizes)
    freedom = degrees_of_freedom(totals.sizes)
    alike = squares <= SAME * np.maximum(n, 1)
    worth = divide(n**2, (totals.sizes**2).sum(axis=0))
    effect = np.where(alike, np.nan, divide(variance, naive_variance))
    error, naive_error = np.sqrt(variance), np.sqrt(naive_variance)
    error = np.where(totals.vary | np.isnan(error), error, 0.0)
    low, high = _student(mean, error, np.asarray(stdtrit(freedom, (1 + level) / 2), np.float64))
    unseen = 1 - ((1 - level) / 2) ** (1 / worth)
    several = totals.clusters >= 2
    low = np.where(alike & several, mean - unseen * (mean - least), low)
    high = np.where(alike & several, mean + unseen * (most - mean), high)
    naive_low, naive_high = _student(mean, naive_error, float(ndtri((1 + level) / 2)))
    return ClusteredMeans(
        totals=totals,
        n=n,
        clusters=totals.clusters.astype(np.float64),
        mean=mean,
        standard_error=error,
        freedom=freedom,
        low=np.maximum(low, least),
        high=np.minimum(high, most),
        design_effect=effect,
        effective_n=np.where(alike, worth, n / np.maximum(effect, 1.0)),
        intra_cluster=intra_cluster_correlations(within, squares, totals.sizes),
        naive_error=naive_error,
        naive_low=np.maximum(naive_low, least),
        naive_high=np.minimum(naive_high, most),
    )


def intra_cluster_correlations(within: Floats, squares: Floats, sizes: Floats) -> Floats:
    """The correlation of two values of a cluster by analysis of variance; shape (K,), from 0 to 1.

    (B - W) / (B + (m0 - 1) W) with mean squares B between and W within clusters and
    m0 = (n - Σ m² / n) / (G - 1) for clusters of unequal sizes (Donner 1986, section 2.1). `within` and
    `squares` are the sums of squared deviations from the cluster's and from the whole mean, `sizes` has shape
    (G, K). A negative estimate becomes 0: that questions of a cluster are less alike than others is chance,
    not a reason to plan with fewer of them. NaN where no cluster has two values, or none differ.
    """
    n, clusters = sizes.sum(axis=0), np.count_nonzero(sizes, axis=0)
    between_mean = divide(squares - within, np.maximum(clusters - 1.0, 0))
    within_mean = divide(within, np.maximum(n - clusters, 0))
    size = divide(n - divide((sizes**2).sum(axis=0), n), np.maximum(clusters - 1.0, 0))
    below = between_mean + (size - 1) * within_mean
    usable = (squares > SAME * np.maximum(n, 1)) & (below > 0)
    return np.where(usable, np.clip(divide(between_mean - within_mean, below), 0.0, 1.0), np.nan)


def _squares(values: Floats, totals: ClusterTotals) -> tuple[Floats, Floats]:
    table = np.asarray(values, np.float64).reshape(len(values), -1)
    centred = np.where(np.isfinite(table), table - totals.means, 0.0)
    squares = np.einsum("nk,nk->k", centred, centred)
    residuals = totals.sums - totals.sizes * totals.means
    between = np.divide(residuals**2, totals.sizes, out=np.zeros_like(residuals), where=totals.sizes > 0)
    return np.maximum(squares - between.sum(axis=0), 0.0), squares


def _student(mean: Floats, error: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    half = np.where(error > 0, quantile * error, np.nan)
    return mean - half, mean + half


def divide(above: Floats, below: Floats) -> Floats:
    """above / below, NaN where below is not above 0."""
    quotients: Floats = np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)
    return quotients


def _none_if_nan(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _interval(low: float | None, high: float | None) -> Interval | None:
    return None if low is None or high is None else Interval(low, high)


def rate_intervals(found: ClusteredMeans, level: float = LEVEL) -> ClusteredMeans:
    """The same means with score intervals in place of Student's; values must lie in [0, 1].

    Wilson's formula (1927) with n* in place of n, the effective sample size of Korn and Graubard (1998), as
    Franco, Little, Louis and Slud (2019) recommend:
    n* = p (1 - p) / max(v, v₀) · n / (n - 1) · (t[n - 1] / t[f])², with p the mean, v its variance by
    cluster, v₀ that of independent questions, f the degrees of freedom of v, and t the quantiles of Student's
    distribution. For verdicts p (1 - p) / v₀ is n - 1, so that lone questions have Wilson's own interval; for
    fractions, which spread less, n* is larger than n. Where all are 0 or all 1, n* is n² / Σ m² · (t[n - 1] /
    t[f])²; where all are another value the interval stays as it was, for no spread was seen.

    The naive interval is that with v₀, n - 1 and the normal quantile.
    """
    spread = found.mean * (1 - found.mean)
    independent, clustered = found.naive_error**2, found.standard_error**2
    few = (_quantile(found.n - 1, level) / _quantile(found.freedom, level)) ** 2
    scale = divide(spread * found.n, found.n - 1)
    at_end, inside = spread <= 0, independent * (found.n - 1) > SAME  # as clustered_means calls them unlike
    effective = np.where(at_end, found.effective_n, divide(scale, np.maximum(clustered, independent)))
    low, high = score_bounds(found.mean, effective * few, level)
    lone = np.where(at_end, found.n, divide(scale, independent))
    naive_low, naive_high = score_bounds(found.mean, lone, level)
    usable = (found.clusters >= 2) & (at_end | inside)
    return replace(
        found,
        low=np.where(usable, low, found.low),
        high=np.where(usable, high, found.high),
        naive_low=np.where(at_end | inside, naive_low, found.naive_low),
        naive_high=np.where(at_end | inside, naive_high, found.naive_high),
    )


def _quantile(freedom: Floats, level: float) -> Floats:
    return np.asarray(stdtrit(np.where(freedom > 0, freedom, np.nan), (1 + level) / 2), np.float64)


@dataclass(frozen=True, slots=True)
class ClusterInterval:
    """An interval that allows for the questions of a cluster failing together.

    `design_effect` is how many times larger the variance of the rate is than that of independent
    questions, None where all answers are alike and it can't be estimated; `effective_n` is the number of
    independent questions that would say as much.
    """

    low: float
    high: float
    clusters: int
    design_effect: float | None
    effective_n: float


def cluster_interval(
    hits: Sequence[bool], clusters: Sequence[str], level: float = LEVEL
) -> ClusterInterval | None:
    """The score interval of the share of hits that takes only clusters for independent; see `rate_intervals`.

    One entry a question. The interval always holds Wilson's own, and equals it where every question is a
    cluster of its own. None where there are fewer than two clusters: one shows no spread between clusters,
    and any interval would be made up.

    Raises:
        ValueError: verdicts and clusters differ in number, or `level` is none.
    """
    if len(clusters) != len(hits):
        raise ValueError(f"{len(hits)} verdicts and {len(clusters)} clusters: there must be one a verdict.")
    if not 0 < level < 1:
        raise ValueError(f"A confidence level lies between 0 and 1, not at {level}.")
    if len(set(clusters)) < 2:
        return None
    found = rate_means(np.asarray(hits, np.float64), partition(clusters), level).column(0)
    if found.interval is None or found.effective_n is None:
        return None
    return ClusterInterval(
        found.interval.low, found.interval.high, found.clusters, found.design_effect, found.effective_n
    )


def share_interval(hits: Sequence[bool], clusters: Sequence[str]) -> Interval | None:
    """The interval of a share by cluster, or Wilson's where there are fewer than two clusters."""
    clustered = cluster_interval(hits, clusters)
    return Interval(clustered.low, clustered.high) if clustered else wilson(sum(hits), len(hits))


def rate_means(values: Floats, parts: Partition, level: float = LEVEL) -> ClusteredMeans:
    """`clustered_means` of the columns of values within [0, 1], with the intervals of `rate_intervals`."""
    return rate_intervals(clustered_means(values, parts, least=0.0, level=level), level)


ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A test that a mean difference lies within ±`margin`; it does, at `alpha`, where `p_value` is no larger.

    `interval` is that of Student's distribution with confidence 1 - 2 `alpha`: it lies within the margins
    just where the test says so; None where all differences are alike. `bootstrap_agrees` tells whether the
    bootstrap interval of that confidence gives the same answer, None where there is none.
    """

    margin: float
    alpha: float
    p_value: float
    interval: Interval | None
    bootstrap_agrees: bool | None

    @property
    def equivalent(self) -> bool:
        """Whether a difference of the margin or more can be ruled out."""
        return self.p_value <= self.alpha


def equivalence(
    difference: ClusteredMean,
    margin: float,
    alpha: float = ALPHA,
    bootstrap: Interval | None = None,
    verdicts: bool = False,
) -> Equivalence | None:
    """Two one-sided tests (Schuirmann 1987) by the clustered standard error and its degrees of freedom.

    p is the larger of P(T ≥ (margin + d) / s) and P(T ≥ (margin - d) / s). Where all differences are alike, s
    is 0; for the true mean to lie at the margin then, a share u = (margin - |d|) / (1 + |d|) of all questions
    must deviate by as much as a difference in [-1, 1] can, and p = (1 - u)^n* is the chance to see none of
    them in n* effective questions. Of differences of `verdicts`, which are -1, 0 or 1, no mean at the margin
    m has a variance below m (1 - m): s is at least √(m (1 - m) / n*), for the few differences that were seen
    say little of it. `bootstrap` is an interval of confidence 1 - 2 `alpha`. None below two clusters.
    """
    if not margin > 0:
        raise ValueError(f"A margin of equivalence lies above 0, not at {margin}.")
    mean, error, freedom = difference.mean, difference.standard_error, difference.freedom
    if mean is None or error is None or freedom is None:
        return None
    if error > 0:
        if verdicts and difference.effective_n:
            error = max(error, sqrt(margin * max(0.0, 1 - margin) / difference.effective_n))
        p_value = 1 - float(stdtr(freedom, (margin - abs(mean)) / error))
        half = float(stdtrit(freedom, 1 - alpha)) * error
        interval = Interval(mean - half, mean + half)
    elif difference.effective_n is None or difference.design_effect is not None:
        return None
    else:
        unseen = float(np.clip((margin - abs(mean)) / (1 + abs(mean)), 0, 1))
        p_value, interval = (1 - unseen) ** difference.effective_n, None
    agrees = None
    if bootstrap is not None:
        agrees = (-margin < bootstrap.low and bootstrap.high < margin) == (p_value <= alpha)
    return Equivalence(margin, alpha, p_value, interval, agrees)


@dataclass(frozen=True, slots=True)
class RepeatedMean:
    """The mean of R runs over the same n questions.

    `means` are those of the runs, `spread` their standard deviation. `cluster_error` is the standard error
    that allows for other questions, by cluster; `run_error` what other runs add to it; `standard_error` both
    together, with `interval` on `freedom` degrees of freedom. None below two clusters.
    """

    n: int
    clusters: int
    means: tuple[float, ...]
    mean: float
    spread: float
    cluster_error: float | None
    run_error: float
    standard_error: float | None
    freedom: float | None
    interval: Interval | None


def repeated_mean(values: ArrayLike, clusters: Sequence[str], level: float = LEVEL) -> RepeatedMean:
    """The mean of `values`, shape (n, R) in [0, 1]: a row a question, a column a run, of at least two.

    V = V_c + max(0, V_r - V_rc). V_c is the variance by cluster of the questions' means over runs
    (`clustered_means`), which holds what a run changes question by question. V_r = Σ d_r² / (R (R - 1)), with
    d_r the r-th run's mean less that of all, is that of R independent runs; without an effect of the run as a
    whole it would be V_rc = Σ_r Σ_g e_rg² / (n² R (R - 1)), with e_rg the sum over cluster g of the run's
    values less the questions' means: only what goes beyond is added. So two factors that cross each other
    are allowed for (Cameron, Gelbach and Miller 2011 do so by inclusion and exclusion, which has no sense
    for a mean of few runs), with Satterthwaite's degrees of freedom (1946),
    V² / (V_c² / f_c + (V - V_c)² / (R - 1)). The interval is cut at 0 and 1.

    Raises:
        ValueError: there are fewer than two runs, no question, or not one cluster a question.
    """
    table = np.asarray(values, np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not len(table) == len(clusters) > 0:
        raise ValueError(f"Values of shape {table.shape} with {len(clusters)} clusters are no repeated runs.")
    n, runs = table.shape
    parts = partition(clusters)
    found = clustered_means(table.mean(axis=1, keepdims=True), parts, least=0.0, level=level).column(0)
    beyond = table - table.mean(axis=1, keepdims=True)
    sums = np.stack([parts.sums(column) for column in beyond.T], axis=1)
    shifts = beyond.mean(axis=0)
    pairs = runs * (runs - 1)
    by_run = max(0.0, float((shifts**2).sum() / pairs - (sums**2).sum() / (n**2 * pairs)))
    means = table.mean(axis=0)
    error, freedom, interval = found.standard_error, found.freedom, found.interval
    if error is not None and found.freedom is not None and by_run:
        total = error**2 + by_run
        freedom = total**2 / (error**4 / found.freedom + by_run**2 / (runs - 1))
        half = float(stdtrit(freedom, (1 + level) / 2)) * total**0.5
        middle = float(means.mean())
        interval = Interval(max(0.0, middle - half), min(1.0, middle + half))
        error = total**0.5
    return RepeatedMean(
        n=n,
        clusters=found.clusters,
        means=tuple(means.tolist()),
        mean=float(means.mean()),
        spread=float(means.std(ddof=1)),
        cluster_error=found.standard_error,
        run_error=by_run**0.5,
        standard_error=error,
        freedom=freedom,
        interval=interval,
    )
