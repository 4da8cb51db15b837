"""Deviations from the mean, as every statistic that does not depend on scale needs them."""

from collections.abc import Sequence
from math import fsum

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
