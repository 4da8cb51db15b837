"""p-values of several tests at once, adjusted so that one false alarm among all stays rare."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment (1979), in the order given; None is no test and stays None.

    With p sorted upwards, the i-th of m becomes the largest of (m - j + 1) p_j over j up to i, at most 1: all
    below .05 may be claimed together, with a chance of at most .05 that any claim is false.
    """
    family = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(family):
        highest = max(highest, min(1.0, (len(family) - rank) * p))
        adjusted[place] = highest
    return adjusted
