"""The p-values of a hypothesis and of its contrary, by cluster, and as if questions were independent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from scipy.special import stdtr

from services.evaluate.statistics.clustered_means import ClusteredMean
from services.evaluate.statistics.equivalence import equivalence
from services.evaluate.statistics.resampling import Alternative
from services.standard.analysis.contrasts import Contrasted
from services.standard.analysis.judge_errors import implied_p, tested_difference
from services.standard.analysis.measures_table import JUDGED
from services.standard.calibration.figures import CalibrationFigures
from services.standard.protocol import Hypothesis

CONTRARY: Mapping[str, Alternative] = {"greater": "less", "less": "greater"}


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value; where it was drawn by chance, not `exact`, with its Monte Carlo standard error."""

    value: float
    exact: bool = True
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Tests:
    """The p-values of a hypothesis and of its contrary, by cluster and naive; None where undefined.

    The contrary of "greater" is "less"; that of "different", that the difference is smaller than the smallest
    one of interest; that of "equivalent", that it is larger.
    `within` is that it is smaller, whatever was claimed.
    """

    found: PValue | None
    contrary: PValue | None
    naive: PValue | None
    naive_contrary: PValue | None
    within: PValue | None


def tests_of(one: Hypothesis, found: Contrasted, judge: CalibrationFigures) -> Tests:
    """All tests of a hypothesis.

    An equivalence allows for the errors of a judge who is to be adjusted. Where the systems are not silent
    alike, every test of accuracy allows for what that makes of his verdicts: the larger p counts, that of the
    verdicts or that of the difference which they imply.
    """
    naive = _naive(found)
    within, naive_within = _equivalent(one, found, judge, _within), _equivalent(one, naive, judge, _within)
    match one.direction:
        case "equivalent":
            beyond = _equivalent(one, found, judge, _beyond)
            naive_beyond = _equivalent(one, naive, judge, _beyond)
            return Tests(within, beyond, naive_within, naive_beyond, within)
        case "different":
            return Tests(
                flipped(found, "different"),
                within,
                _by_question(found, naive, "different"),
                naive_within,
                within,
            )
        case direction:
            contrary = CONTRARY[direction]
            return Tests(
                flipped(found, direction),
                flipped(found, contrary),
                _by_question(found, naive, direction),
                _by_question(found, naive, contrary),
                within,
            )


def flipped(found: Contrasted, alternative: Alternative) -> PValue | None:
    """The sign flip by cluster, or Student's test of the implied difference where that has the larger p."""
    test = found.test(alternative)
    by_flips = None if test is None else PValue(test.p_value, test.exact, test.standard_error)
    return _the_larger(by_flips, implied_p(found, alternative))


def _by_question(found: Contrasted, naive: Contrasted, alternative: Alternative) -> PValue | None:
    return _the_larger(_given(found.naive_p(alternative)), implied_p(naive, alternative))


def _the_larger(found: PValue | None, implied: float | None) -> PValue | None:
    if found is None or implied is None or found.value >= implied:
        return found
    return PValue(implied, exact=False)


def _given(p: float | None) -> PValue | None:
    return None if p is None else PValue(p)


def _equivalent(
    one: Hypothesis,
    found: Contrasted,
    judge: CalibrationFigures,
    test: Callable[[ClusteredMean, float, bool], PValue | None],
) -> PValue | None:
    verdicts = found.contrast.measure == JUDGED
    decided = test(*tested_difference(found, judge, one.smallest), verdicts)
    if found.implied is None or not found.implied.shifted:
        return decided
    plain = test(found.clustered, one.smallest, verdicts)
    return _the_larger(plain, None if decided is None else decided.value)


def _within(difference: ClusteredMean, margin: float, verdicts: bool) -> PValue | None:
    found = equivalence(difference, margin, verdicts=verdicts)
    return None if found is None else PValue(found.p_value, exact=False)


def _beyond(difference: ClusteredMean, margin: float, verdicts: bool) -> PValue | None:
    """That the difference is larger than the margin, either way: twice the one-sided p of the nearer side.

    Of `verdicts` and of fractions alike.
    """
    mean, error, freedom = difference.mean, difference.standard_error, difference.freedom
    if mean is None or not error or freedom is None:
        return None
    return PValue(min(1.0, 2 * (1 - float(stdtr(freedom, (abs(mean) - margin) / error)))), exact=False)


def _naive(found: Contrasted) -> Contrasted:
    """The same contrast with the errors and the freedom that independent questions would leave."""
    implied = found.implied
    return replace(
        found,
        clustered=_independent(found.clustered),
        implied=implied and replace(implied, clustered=_independent(implied.clustered)),
    )


def _independent(found: ClusteredMean) -> ClusteredMean:
    return ClusteredMean(
        n=found.n,
        clusters=found.n,
        mean=found.mean,
        standard_error=found.naive_error,
        freedom=max(1.0, found.n - 1.0),
        interval=found.naive_interval,
        design_effect=1.0 if found.naive_error else None,
        effective_n=float(found.n),
        intra_cluster=None,
        naive_error=found.naive_error,
        naive_interval=found.naive_interval,
    )
