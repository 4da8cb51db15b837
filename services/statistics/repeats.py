"""Several runs of one system on the same questions: what another draw of the model would change.

Questions come in clusters, and runs are draws of the model: two random factors that cross each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from services.statistics.clustered_means import clustered_means
from services.statistics.groups import partition
from services.statistics.intervals import LEVEL, Interval


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
