"""Whether errors become more frequent as a score rises: the Cochran-Armitage test, plain and by cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np
from scipy.special import ndtr, stdtr

from services.evaluate.statistics.deviations import scaled_deviations, vary
from services.evaluate.statistics.groups import partition

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


def trend_test(scores: Sequence[float], wrong: Sequence[bool], clusters: Sequence[str]) -> Trend | None:
    """Cochran-Armitage test of a linear trend of the error rate over scores, one entry a question.

    U = Σ (s - mean s)(y - p), z = U / √(p (1 - p) Σ (s - mean s)²) (Cochran 1954, Armitage 1955), so that
    z² = n r² for Pearson's r between score and error. By cluster, U is split into the parts e_g of each
    of the G clusters, and the mean of the e_g is tested against 0 with Student's t on G - 1 degrees of
    freedom. That is the generalised score test of Boos (1992) with the parts centred at their own mean,
    without which it could never reject at .05 with six clusters or fewer.
    None where all scores or all answers are alike: there is no trend to test.
    """
    n = len(scores)
    if not n == len(wrong) == len(clusters):
        raise ValueError(
            f"{n} scores, {len(wrong)} verdicts and {len(clusters)} clusters: one each a question."
        )
    if not vary(scores) or len(set(wrong)) < 2:
        return None
    deviations = scaled_deviations(scores)
    share = sum(wrong) / n
    parts = (
        partition(clusters).sums(np.asarray(deviations) * (np.asarray(wrong, np.float64) - share)).tolist()
    )
    total = fsum(parts)
    z = total / sqrt(share * (1 - share) * fsum(deviation**2 for deviation in deviations))
    return Trend(
        z=z,
        n=n,
        p_value=min(1.0, 2 * float(ndtr(-abs(z)))),
        clusters=len(parts),
        p_clustered=_clustered_p(parts, n),
    )


def _clustered_p(parts: list[float], n: int) -> float | None:
    g = len(parts)
    # A deviation is at most 1 and so a part at most n; a spread far below that is rounding.
    if g < 2 or max(parts) - min(parts) <= _ROUNDING * n:
        return None
    mean = fsum(parts) / g
    error = sqrt(fsum((part - mean) ** 2 for part in parts) / (g - 1) / g)
    return min(1.0, 2 * float(stdtr(g - 1, -abs(mean) / error)))
