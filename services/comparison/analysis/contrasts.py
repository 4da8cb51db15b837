"""Differences of two systems in a measure, many at once.

The difference of true accuracies that the verdicts of a judge imply, by the errors of his calibration.

A judge of specificity q calls a share 1 - q of wrong answers right, and no silence. So of two systems that
are equally good the one that answers more often seems better. And one that is rightly silent, where there is
no answer, gets all of its due, where what is said well gets only a share of it.

What a judge's errors, as his calibration found them, make of a difference in accuracy and of its tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from scipy.special import stdtr

from services.comparison.analysis.content import Adjusted, Role
from services.comparison.analysis.measures_table import JUDGED, MeasureTable
from services.comparison.archive import JudgeRole
from services.comparison.judging.calibration import CalibrationFigures, Figure
from services.comparison.protocol import Measure
from services.statistics.clustered_means import ClusteredMean, clustered_means
from services.statistics.intervals import Floats, Interval, score_size
from services.statistics.paired import naive_p, paired_means
from services.statistics.resampling import Alternative, SignFlip, SignFlips, cluster_bootstraps
from services.statistics.several_tests import (
    CorrectedDifference,
    JudgeError,
    MeanDifference,
    corrected_difference,
    implied_truth,
)

UNEQUAL = 0.001
"""A smaller shift of a difference by unequal silence is neither told nor tested for."""


@dataclass(frozen=True, slots=True)
class Implied:
    """The mean difference of two systems' implied truths, the judge's errors being taken for known.

    `answered` is the difference of the shares of questions that they answered, `unweighed` the part of the
    difference from answers that no judge had to weigh.
    """

    error: JudgeError
    clustered: ClusteredMean
    answered: float
    unweighed: float

    @property
    def shift(self) -> float:
        """By how much unlike silence makes the difference that a judge finds exceed J times the true one.

        With w the true difference from answers that were weighed, a that of having answered and u the one of
        the others, he finds J w + (1 - q) a + u on average: J (w + u) + (1 - q) a + (1 - J) u.
        """
        lenient = (1 - self.error.specificity) * self.answered
        return lenient + (1 - self.error.discernment) * self.unweighed

    @property
    def shifted(self) -> bool:
        """Whether that is worth telling and testing for."""
        return abs(self.shift) >= UNEQUAL


def judge_errors(judges: Mapping[JudgeRole, CalibrationFigures]) -> dict[Role, JudgeError]:
    """The errors of each judge, without those who weren't tried or do no better than chance."""
    found: dict[Role, JudgeError | None] = {role: _error(judge) for role, judge in judges.items()}
    return {role: error for role, error in found.items() if error is not None and error.discernment > 0}


def implied_difference(
    table: MeasureTable, role: Role, system: str, against: str, error: JudgeError
) -> Implied:
    """What a judge's verdicts imply of two systems, over the questions on which both have one."""
    ours, theirs = table.systems.index(system), table.systems.index(against)
    verdicts, silent = table.values[role, JUDGED][:, [ours, theirs]], table.silent[:, [ours, theirs]]
    defined = np.isfinite(verdicts).all(axis=1)
    truth = implied_truth(verdicts, silent, error)
    answered, unweighed = np.where(silent, 0.0, 1.0), np.where(silent, verdicts, 0.0)
    most = 1 / error.discernment
    found = clustered_means((truth[:, 0] - truth[:, 1])[:, None], table.parts, -most, most)

    def apart(values: Floats) -> float:
        return float((values[defined, 0] - values[defined, 1]).mean()) if defined.any() else 0.0

    return Implied(error, found.column(0), apart(answered), apart(unweighed))


def _error(judge: CalibrationFigures) -> JudgeError | None:
    right, wrong = judge.sensitivity, judge.specificity
    if right is None or wrong is None:
        return None
    return JudgeError(right.value, _worth(right), wrong.value, _worth(wrong))


def _worth(figure: Figure) -> float:
    """How many independent answers say as much as those that he was tried with, several a question."""
    return min(float(figure.n), score_size(figure.value, figure.high - figure.low))


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

    `differences` holds one a question, NaN where one is missing; `implied` is there for accuracy by a judge
    whose errors are known.
    """

    contrast: Contrast
    undefined: int
    mean: float | None
    mean_against: float | None
    differences: Floats
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
        """The p-value that takes all questions for independent."""
        return naive_p(self.differences, self.clustered, alternative)


def contrast_all(
    table: MeasureTable,
    contrasts: Sequence[Contrast],
    draws: int,
    seed: int,
    errors: Mapping[Role, JudgeError] = MappingProxyType({}),
) -> list[Contrasted]:
    """Every contrast with its intervals and tests, in the order given.

    What comes out of one depends on no other. `errors` are those of the judges.
    """
    if not contrasts:
        return []
    first = np.column_stack([table.column(one.role, one.measure, one.system) for one in contrasts])
    second = np.column_stack([table.column(one.role, one.measure, one.against) for one in contrasts])
    differences = first - second
    defined = np.isfinite(differences)
    found, flips = paired_means(differences, table.parts, seed, draws)
    bootstraps = cluster_bootstraps(found.totals, np.random.default_rng([seed, 0]), draws)
    means, means_against = _means(first, defined), _means(second, defined)
    return [
        Contrasted(
            contrast=one,
            undefined=len(table.questions) - int(found.n[column]),
            mean=means[column],
            mean_against=means_against[column],
            differences=differences[:, column],
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


def allow_for_judge(found: Contrasted) -> Adjusted:
    """The difference of true accuracies that a judge's verdicts imply (Rogan and Gladen 1978)."""
    if found.contrast.measure != JUDGED:
        return Adjusted(None, None, "for accuracy only")
    if found.clustered.standard_error is None:
        return Adjusted(None, None, "too few clusters")
    if found.implied is None:
        return Adjusted(
            None, None, "the judge tells right from wrong no better than chance, or was not tried"
        )
    corrected, clustered = _corrected(found.implied), found.implied.clustered
    if corrected is None:
        return Adjusted(None, None, "no spread")
    shift = found.implied.shift
    if clustered.standard_error == 0:
        return _without_spread(clustered, corrected, shift)
    return Adjusted(corrected.value, corrected.interval, "", shift)


def tested_difference(
    found: Contrasted, judge: CalibrationFigures, margin: float
) -> tuple[ClusteredMean, float]:
    """The difference and the margin that an equivalence is decided by.

    A judge who errs on both systems alike makes them look more alike than they are, and one who is lenient
    favours the system that answers more often. Where nothing varies there is no error to be corrected, and
    the margin shrinks as the judge's verdicts would shrink it.
    """
    implied = found.implied
    if implied is None or not (judge.verdict == "adjusted" or implied.shifted):
        return found.clustered, margin
    corrected = _corrected(implied)
    if corrected is None:
        return found.clustered, margin
    if implied.clustered.standard_error == 0:
        return found.clustered, margin * implied.error.discernment
    true = replace(implied.clustered, mean=corrected.value, standard_error=corrected.standard_error)
    return true, margin


def implied_p(found: Contrasted, alternative: Alternative) -> float | None:
    """Student's test of the corrected difference; None where both systems are silent alike.

    There a judge's errors change the size of a difference and not its sign, and his verdicts are tested.
    """
    if found.implied is None or not found.implied.shifted:
        return None
    corrected, freedom = _corrected(found.implied), found.implied.clustered.freedom
    if corrected is None or freedom is None or not corrected.standard_error:
        return None
    above = float(stdtr(freedom, -corrected.value / corrected.standard_error))
    match alternative:
        case "greater":
            return above
        case "less":
            return 1 - above
    return min(1.0, 2 * min(above, 1 - above))


def tested_error(found: Contrasted) -> float | None:
    """The standard error of what decides: that of the verdicts, or of the corrected difference if larger."""
    error = found.clustered.standard_error
    if error is None or found.implied is None or not found.implied.shifted:
        return error
    corrected = _corrected(found.implied)
    return error if corrected is None else max(error, corrected.standard_error)


def _corrected(implied: Implied) -> CorrectedDifference | None:
    found = implied.clustered
    if found.mean is None or found.standard_error is None:
        return None
    freedom = float("inf") if found.freedom is None else found.freedom
    difference = MeanDifference(
        found.mean, found.standard_error, freedom, implied.answered, implied.unweighed
    )
    return corrected_difference(difference, implied.error)


def _without_spread(found: ClusteredMean, corrected: CorrectedDifference, shift: float) -> Adjusted:
    """Where nothing varies, an error of 0 says nothing: what may have gone unseen widens the interval."""
    if found.interval is None or found.mean is None:
        return Adjusted(None, None, "no spread")
    low = corrected.interval.low - (found.mean - found.interval.low)
    high = corrected.interval.high + (found.interval.high - found.mean)
    return Adjusted(corrected.value, Interval(max(-1.0, low), min(1.0, high)), "", shift)
