"""What a judge's errors, as his calibration found them, make of a difference in accuracy."""

from dataclasses import replace

from services.evaluate.statistics.clustered_means import ClusteredMean
from services.evaluate.statistics.intervals import Interval, score_size
from services.evaluate.statistics.judge_error import Corrected, JudgeError, corrected_difference
from services.standard.analysis.content import Adjusted
from services.standard.analysis.contrasts import Contrasted
from services.standard.calibration.figures import CalibrationFigures, Figure
from services.standard.protocol import Measure

JUDGED = "accuracy"
"""The measure that is a share of right verdicts, to which sensitivity and specificity apply."""


def allow_for_judge(found: Contrasted, judge: CalibrationFigures) -> Adjusted:
    """The difference of true accuracies that a judge's verdicts imply (Rogan and Gladen 1978)."""
    if found.contrast.measure != JUDGED:
        return Adjusted(None, None, "for accuracy only")
    if found.clustered.standard_error is None:
        return Adjusted(None, None, "too few clusters")
    error = _error(judge)
    corrected = None if error is None else _corrected(found.clustered, error)
    if error is None or corrected is None:
        return Adjusted(
            None, None, "the judge tells right from wrong no better than chance, or was not tried"
        )
    if found.clustered.standard_error == 0:
        return _without_spread(found.clustered, corrected, error.discernment)
    return Adjusted(corrected.value, corrected.interval, "")


def allowed_for(
    difference: ClusteredMean, measure: Measure, judge: CalibrationFigures, margin: float
) -> tuple[ClusteredMean, float]:
    """The difference and the margin that an equivalence is decided by, where the judge is to be adjusted.

    A judge who errs on both systems alike makes them look more alike than they are. Where nothing varies
    there is no error to be corrected, and the margin shrinks as the judge's verdicts would shrink it.
    """
    error = _error(judge) if judge.verdict == "adjusted" and measure == JUDGED else None
    corrected = None if error is None else _corrected(difference, error)
    if error is None or corrected is None:
        return difference, margin
    if difference.standard_error == 0:
        return difference, margin * error.discernment
    return replace(difference, mean=corrected.value, standard_error=corrected.standard_error), margin


def _without_spread(found: ClusteredMean, corrected: Corrected, discernment: float) -> Adjusted:
    """Where nothing varies, an error of 0 says nothing: what may have gone unseen widens the interval, by as
    much more as the difference itself is larger."""
    if found.interval is None or found.mean is None:
        return Adjusted(None, None, "no spread")
    low = corrected.interval.low - (found.mean - found.interval.low) / discernment
    high = corrected.interval.high + (found.interval.high - found.mean) / discernment
    return Adjusted(corrected.value, Interval(max(-1.0, low), min(1.0, high)), "")


def _corrected(clustered: ClusteredMean, error: JudgeError) -> Corrected | None:
    if clustered.mean is None or clustered.standard_error is None:
        return None
    freedom = float("inf") if clustered.freedom is None else clustered.freedom
    return corrected_difference(clustered.mean, clustered.standard_error, error, freedom)


def _error(judge: CalibrationFigures) -> JudgeError | None:
    right, wrong = judge.sensitivity, judge.specificity
    if right is None or wrong is None:
        return None
    return JudgeError(right.value, _worth(right), wrong.value, _worth(wrong))


def _worth(figure: Figure) -> float:
    """How many independent answers say as much as those that he was tried with, several a question."""
    return min(float(figure.n), score_size(figure.value, figure.high - figure.low))
