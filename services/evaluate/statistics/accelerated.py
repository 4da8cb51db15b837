"""The BCa interval: how far bias and acceleration shift the shares of resampled means that are left out."""

import numpy as np
from scipy.special import ndtr, ndtri

from services.evaluate.statistics.groups import Floats

_SAME = 1e-12


def bca_tails(drawn: Floats, mean: float, acceleration: float, tail: float) -> tuple[float, float]:
    """The shares of `drawn` means that lie below the BCa interval's low bound and below its high one.

    Φ(z0 + (z0 + z) / (1 - a (z0 + z))) for z = ±Φ⁻¹(tail), z0 = Φ⁻¹(share of draws below the mean, equal
    ones counting half), and acceleration a (Efron 1987; Davison and Hinkley 1997, section 5.3.2). The tail
    should be the expanded one, since BCa too takes a normal quantile where few clusters need Student's.
    """
    slack = _SAME * max(1.0, abs(mean))
    below = np.count_nonzero(drawn < mean - slack)
    level_with = np.count_nonzero(np.abs(drawn - mean) <= slack)
    share = (below + level_with / 2) / len(drawn)
    # A mean that all draws lie on one side of has no finite bias: the share is that of half a draw.
    bias = ndtri(np.clip(share, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    shifted = bias + np.array((ndtri(tail), -ndtri(tail)))
    slowed = np.maximum(1 - acceleration * shifted, _SAME)
    low, high = ndtr(bias + shifted / slowed)
    return float(low), float(high)


def accelerations(sums: Floats, sizes: Floats) -> Floats:
    """How fast the spread of each column's mean changes with the mean: Σ u³ / (6 (Σ u²)^1.5) over clusters.

    u is by how much the mean of all clusters but one, from sums and sizes of shape (G, K), lies below the
    mean of these (the jackknife of Efron 1987, by cluster). 0 where no cluster matters: all are alike.
    """
    left_sums, left_sizes = sums.sum(axis=0) - sums, sizes.sum(axis=0) - sizes
    usable = (sizes > 0) & (left_sizes > 0)
    without = np.divide(left_sums, left_sizes, out=np.zeros_like(sums), where=usable)
    number = np.maximum(np.count_nonzero(usable, axis=0), 1)
    influence = np.where(usable, without.sum(axis=0) / number - without, 0.0)
    largest = np.abs(influence).max(axis=0)
    scaled = np.divide(influence, largest, out=np.zeros_like(influence), where=largest > _SAME)
    squares = (scaled**2).sum(axis=0)
    slopes: Floats = np.divide(
        (scaled**3).sum(axis=0), 6 * squares**1.5, out=np.zeros_like(squares), where=squares > 0
    )
    return slopes
