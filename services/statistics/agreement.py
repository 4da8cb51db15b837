"""How far judges or annotators agree beyond chance: Cohen's kappa for two, Fleiss' for any number.

Both are 1 - observed / expected disagreement: 1 is perfect agreement, 0 what chance would give, and below 0
less than that.

How far two judges agree where questions come in clusters: Cohen's kappa by cluster bootstrap.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from services.statistics.intervals import (
    LEAST_TO_RESAMPLE,
    LEVEL,
    Floats,
    Interval,
    Partition,
    degrees_of_freedom,
    expanded_tails,
)
from services.statistics.resampling import DRAWS, draw_counts

Category = TypeVar("Category", bound=Hashable)

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Kappa:
    """A kappa over `n` items; `observed` and `expected` are shares of agreement in [0, 1].

    `value` is None where everybody always says the same, since then chance alone gives full agreement.
    `standard_error` and `interval` (95 %) are None where `value` is, and for a single item; `interval` also
    where nothing varies without all agreeing, as with one judge who always says the same: his kappa is 0
    whatever the other says.
    """

    value: float | None
    standard_error: float | None
    interval: Interval | None
    n: int
    observed: float
    expected: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges of the same answers agree; `kappa` is Cohen's, None where undefined."""

    first: str
    second: str
    n: int
    agreed: int
    kappa: float | None
    interval: Interval | None


def cohen_kappa(first: Sequence[Category], second: Sequence[Category]) -> Kappa | None:
    """Cohen's kappa of two judges over the same items, paired by place; None where there is no item.

    kappa = (po - pe) / (1 - pe), pe from each judge's own shares (Cohen 1960). The standard error is the
    large-sample one of Fleiss, Cohen and Everitt (1969); for the interval see `_interval`.
    """
    n = len(first)
    if n != len(second):
        raise ValueError(f"{n} verdicts can't be paired with {len(second)}.")
    if n == 0:
        return None
    pairs = Counter(zip(first, second, strict=True))
    of_first, of_second = Counter(first), Counter(second)
    observed = sum(number for (one, other), number in pairs.items() if one == other) / n
    expected = fsum(of_first[name] * of_second[name] for name in of_first) / n**2
    if expected > 1 - _ROUNDING:
        return Kappa(None, None, None, n, observed, expected)
    kappa = (observed - expected) / (1 - expected)
    spread = fsum(
        number / n * ((one == other) - (1 - kappa) * (of_second[one] + of_first[other]) / n) ** 2
        for (one, other), number in pairs.items()
    )
    variance = max(0.0, spread - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2)
    return _kappa(kappa, variance, n, observed, expected)


def fleiss_kappa(items: Sequence[Mapping[Category, int]]) -> Kappa | None:
    """Fleiss' kappa over items, each given as how many annotators chose each category.

    AgenticRAGTracer, section 3.4 and appendix E, has it of three people over questions.
    The annotators need not be the same, nor equally many, for each item; items with fewer than two tell
    nothing of agreement and are left out, and None is returned where none is left. With n_i annotators of
    item i, x_ij of them for category j, N items, M = sum n_i and p_j = sum_i x_ij / M:
    kappa = 1 - sum_i (n_i - sum_j x_ij^2 / n_i) / ((M - N) (1 - sum_j p_j^2)), which for equal numbers is
    Fleiss (1971), for two categories Fleiss and Cuzick (1979), and for more their mean weighted by
    p_j (1 - p_j) (Fleiss, Levin and Paik 2003, section 18.3). The standard error is the infinitesimal
    jackknife over items, so that annotators of an item need not be independent.
    """
    rated = [{name: int(x) for name, x in item.items() if x} for item in items]
    rated = [item for item in rated if sum(item.values()) >= 2]
    n = len(rated)
    if n == 0:
        return None
    sizes = [sum(item.values()) for item in rated]
    total = sum(sizes)
    chosen: Counter[Category] = Counter()
    for item in rated:
        chosen.update(item)
    shares = {name: number / total for name, number in chosen.items()}
    expected = fsum(share**2 for share in shares.values())
    apart = [size - fsum(x**2 for x in item.values()) / size for item, size in zip(rated, sizes, strict=True)]
    observed = 1 - fsum(apart) / (total - n)
    if expected > 1 - _ROUNDING:
        return Kappa(None, None, None, n, observed, expected)
    left = fsum(apart) / ((total - n) * (1 - expected))
    # How the ratio changes when one item counts a little more: through its own disagreement, through the
    # number of its annotators, and through the shares of the categories.
    changes = [
        own
        - left
        * (
            (size - 1) * (1 - expected)
            - 2
            * (total - n)
            / total
            * fsum(shares[name] * (item.get(name, 0) - shares[name] * size) for name in shares)
        )
        for own, item, size in zip(apart, rated, sizes, strict=True)
    ]
    scale = ((total - n) * (1 - expected)) ** 2
    variance = fsum(change**2 for change in changes) / scale * (n / (n - 1) if n > 1 else 0.0)
    return _kappa(1 - left, variance, n, observed, expected)


def _kappa(value: float, variance: float, n: int, observed: float, expected: float) -> Kappa:
    if n < 2:
        return Kappa(value, None, None, n, observed, expected)
    constant = variance <= _ROUNDING and observed < 1 - _ROUNDING
    interval = None if constant else _interval(value, variance, n, expected)
    return Kappa(value, sqrt(variance), interval, n, observed, expected)


def _interval(value: float, variance: float, n: int, expected: float) -> Interval:
    """Wilson's interval of the observed agreement, carried over to kappa.

    kappa plus and minus two standard errors is a point where all agree, and leaves [-1, 1] near it. So the
    agreement that gives this kappa, expected + kappa (1 - expected), is taken as a share of as many items as
    have that share's variance equal to that of kappa (the effective size of Korn and Graubard 1998), at most
    `n` where all agree; the bounds of its score interval (Wilson 1927) are turned back into kappas.
    """
    share = expected + value * (1 - expected)
    spread = share * (1 - share)
    size = n if variance <= _ROUNDING or spread <= _ROUNDING else spread / (variance * (1 - expected) ** 2)
    z2 = float(ndtri((1 + LEVEL) / 2)) ** 2
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = sqrt(z2 * (spread / size + z2 / (4 * size**2))) / (1 + z2 / size)
    low, high = ((bound - expected) / (1 - expected) for bound in (centre - half, centre + half))
    return Interval(max(-1.0, min(value, low)), min(1.0, max(value, high)))


_ROUNDING_OF_KAPPAS = 1e-9


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

    Of the two judges of a comparison, and of a judge and people on a sample of answers, of which
    AgenticRAGTracer (section 4.1, appendix G) has a count.
    Each cluster has its own table of verdicts; the tables of the drawn clusters are added up, and kappa is
    that of the sum. The interval is the expanded percentile one (`intervals.expanded_tails`); draws in
    which both judges always say the same have no kappa and are left out. None where there is no item; no
    interval below `intervals.LEAST_TO_RESAMPLE` clusters.
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
    if not len(kappas) or np.ptp(kappas) <= _ROUNDING_OF_KAPPAS:
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
        observed - expected, apart, out=np.full(len(n), np.nan), where=apart > _ROUNDING_OF_KAPPAS
    )
    return kappas
