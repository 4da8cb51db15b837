"""Differences of two systems in a measure, many at once over the same draws of clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy.special import stdtr

from services.evaluate.statistics.clustered_means import ClusteredMean, clustered_means
from services.evaluate.statistics.groups import Floats
from services.evaluate.statistics.intervals import Interval
from services.evaluate.statistics.judge_error import JudgeError
from services.evaluate.statistics.resampling import Alternative, SignFlips, cluster_bootstraps, sign_flips
from services.evaluate.statistics.sign_flip import SignFlip
from services.standard.analysis.content import Role
from services.standard.analysis.implied import Implied, implied_difference
from services.standard.analysis.measures_table import JUDGED, MeasureTable
from services.standard.protocol import Measure


@dataclass(frozen=True, slots=True)
class Contrast:
    """What is compared: the mean of `system` less that of `against` in a measure, as one judge has it."""

    system: str
    against: str
    measure: Measure
    role: Role


@dataclass(frozen=True, slots=True, eq=False)
class Contrasted:
    """What the questions say of a contrast, over those where both systems have a value.

    `implied` is there for accuracy by a judge whose errors are known.
    """

    contrast: Contrast
    undefined: int
    mean: float | None
    mean_against: float | None
    clustered: ClusteredMean
    percentile: Interval | None
    bca: Interval | None
    flips: SignFlips
    column: int
    implied: Implied | None

    def test(self, alternative: Alternative) -> SignFlip | None:
        """The sign-flip test by cluster, None below two clusters."""
        return self.flips.test(self.column, alternative)

    def naive_p(self, alternative: Alternative) -> float | None:
        """Student's paired t test, all questions taken for independent; None where nothing varies."""
        found = self.clustered
        if found.mean is None or not found.naive_error:
            return None
        below = float(stdtr(found.n - 1, found.mean / found.naive_error))
        match alternative:
            case "greater":
                return 1 - below
            case "less":
                return below
        return min(1.0, 2 * min(below, 1 - below))


def contrast_all(
    table: MeasureTable,
    contrasts: Sequence[Contrast],
    draws: int,
    seed: int,
    errors: Mapping[Role, JudgeError] = MappingProxyType({}),
) -> list[Contrasted]:
    """Every contrast with its intervals and tests, in the order given; all go by the same drawn clusters.

    What comes out of the first ones does not depend on how many follow. `errors` are those of the judges.
    """
    if not contrasts:
        return []
    first = np.column_stack([table.column(one.role, one.measure, one.system) for one in contrasts])
    second = np.column_stack([table.column(one.role, one.measure, one.against) for one in contrasts])
    differences = first - second
    defined = np.isfinite(differences)
    found = clustered_means(differences, table.parts)
    bootstraps = cluster_bootstraps(found.totals, np.random.default_rng([seed, 0]), draws)
    flips = sign_flips(found.totals, np.random.default_rng([seed, 1]), draws)
    means, means_against = _means(first, defined), _means(second, defined)
    return [
        Contrasted(
            contrast=one,
            undefined=len(table.questions) - int(found.n[column]),
            mean=means[column],
            mean_against=means_against[column],
            clustered=found.column(column),
            percentile=bootstraps.percentile(column),
            bca=bootstraps.bca(column),
            flips=flips,
            column=column,
            implied=_implied(table, one, errors),
        )
        for column, one in enumerate(contrasts)
    ]


def _implied(table: MeasureTable, one: Contrast, errors: Mapping[Role, JudgeError]) -> Implied | None:
    if one.measure != JUDGED or one.role not in errors:
        return None
    return implied_difference(table, one.role, one.system, one.against, errors[one.role])


def _means(values: Floats, defined: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[float | None]:
    sums, sizes = np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0)
    found = zip(sums.tolist(), sizes.tolist(), strict=True)
    return [total / size if size else None for total, size in found]
