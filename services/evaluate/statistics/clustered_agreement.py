"""How far two judges agree where questions come in clusters: Cohen's kappa by cluster bootstrap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.evaluate.statistics.agreement import Category, Kappa, cohen_kappa
from services.evaluate.statistics.bootstrap import DRAWS
from services.evaluate.statistics.few_clusters import LEAST_TO_RESAMPLE, degrees_of_freedom, expanded_tails
from services.evaluate.statistics.groups import Floats, Partition
from services.evaluate.statistics.intervals import LEVEL, Interval
from services.evaluate.statistics.resampling import draw_counts

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ClusteredKappa:
    """Cohen's kappa with an interval that takes only clusters for independent; `plain` has the naive one.

    `interval` is None below two clusters, and where the draws show no spread, as when all verdicts agree.
    """

    plain: Kappa
    clusters: int
    interval: Interval | None


def clustered_kappa(
    first: Sequence[Category],
    second: Sequence[Category],
    parts: Partition,
    generator: np.random.Generator,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> ClusteredKappa | None:
    """Cohen's kappa of two judges over the same items, with an interval by drawing whole clusters anew.

    Each cluster has its own table of verdicts; the tables of the drawn clusters are added up, and kappa is
    that of the sum. The interval is the expanded percentile one (`few_clusters.expanded_tails`); draws in
    which both judges always say the same have no kappa and are left out. None where there is no item; no
    interval below `few_clusters.LEAST_TO_RESAMPLE` clusters.
    """
    plain = cohen_kappa(first, second)
    if plain is None:
        return None
    if len(parts.codes) != plain.n:
        raise ValueError(f"{plain.n} items and {len(parts.codes)} clusters: there must be one an item.")
    sizes = parts.sizes.astype(np.float64)
    filled = int(np.count_nonzero(sizes))
    if plain.value is None or filled < LEAST_TO_RESAMPLE:
        return ClusteredKappa(plain, filled, None)
    tables = _tables(first, second, parts)
    tables = tables[np.lexsort(tables.T[::-1])]
    kappas = np.concatenate(
        [_kappas(counts @ tables) for counts in draw_counts(generator, parts.size, draws)]
    )
    kappas = kappas[np.isfinite(kappas)]
    if not len(kappas) or np.ptp(kappas) <= _ROUNDING:
        return ClusteredKappa(plain, filled, None)
    tail = float(expanded_tails(degrees_of_freedom(sizes[:, None]), level)[0])
    low, high = np.quantile(kappas, (tail, 1 - tail))
    return ClusteredKappa(plain, filled, Interval(float(low), float(high)))


def _tables(first: Sequence[Category], second: Sequence[Category], parts: Partition) -> Floats:
    number: dict[Category, int] = {}
    for name in (*first, *second):
        number.setdefault(name, len(number))
    cells = np.array(
        [number[one] * len(number) + number[other] for one, other in zip(first, second, strict=True)]
    )
    places = parts.codes * len(number) ** 2 + cells
    counts = np.bincount(places, minlength=parts.size * len(number) ** 2)
    return counts.reshape(parts.size, -1).astype(np.float64)


def _kappas(tables: Floats) -> Floats:
    side = round(tables.shape[1] ** 0.5)
    tables = tables.reshape(-1, side, side)
    n = tables.sum(axis=(1, 2))
    observed = np.einsum("bii->b", tables) / n
    expected = np.einsum("bi,bi->b", tables.sum(axis=2), tables.sum(axis=1)) / n**2
    apart = 1 - expected
    kappas: Floats = np.divide(
        observed - expected, apart, out=np.full(len(n), np.nan), where=apart > _ROUNDING
    )
    return kappas
