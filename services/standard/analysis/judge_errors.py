"""What a judge's errors, as his calibration found them, make of a difference in accuracy and of its tests."""

from dataclasses import replace

from scipy.special import stdtr

from services.evaluate.statistics.clustered_means import ClusteredMean
from services.evaluate.statistics.intervals import Interval
from services.evaluate.statistics.judge_error import Corrected, Found, corrected_difference
from services.evaluate.statistics.resampling import Alternative
from services.standard.analysis.content import Adjusted
from services.standard.analysis.contrasts import Contrasted
from services.standard.analysis.implied import Implied
from services.standard.analysis.measures_table import JUDGED
from services.standard.calibration.figures import CalibrationFigures


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


def _corrected(implied: Implied) -> Corrected | None:
    found = implied.clustered
    if found.mean is None or found.standard_error is None:
        return None
    freedom = float("inf") if found.freedom is None else found.freedom
    difference = Found(found.mean, found.standard_error, freedom, implied.answered, implied.unweighed)
    return corrected_difference(difference, implied.error)


def _without_spread(found: ClusteredMean, corrected: Corrected, shift: float) -> Adjusted:
    """Where nothing varies, an error of 0 says nothing: what may have gone unseen widens the interval."""
    if found.interval is None or found.mean is None:
        return Adjusted(None, None, "no spread")
    low = corrected.interval.low - (found.mean - found.interval.low)
    high = corrected.interval.high + (found.interval.high - found.mean)
    return Adjusted(corrected.value, Interval(max(-1.0, low), min(1.0, high)), "", shift)
