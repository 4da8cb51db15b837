"""What a judge's errors, as his calibration found them, make of a difference in accuracy."""

from dataclasses import replace

from services.evaluate.statistics.clustered_means import ClusteredMean
from services.evaluate.statistics.judge_error import Corrected, JudgeError, corrected_difference
from services.standard.analysis.content import Adjusted
from services.standard.analysis.contrasts import Contrasted
from services.standard.calibration.figures import CalibrationFigures

JUDGED = "accuracy"
"""The measure that is a share of right verdicts, to which sensitivity and specificity apply."""


def allow_for_judge(found: Contrasted, judge: CalibrationFigures) -> Adjusted:
    """The difference of true accuracies that a judge's verdicts imply (Rogan and Gladen 1978)."""
    if found.contrast.measure != JUDGED:
        return Adjusted(None, None, "no share of right answers")
    if found.clustered.standard_error is None:
        return Adjusted(None, None, "too few clusters")
    corrected = _corrected(found.clustered, judge)
    if corrected is None:
        return Adjusted(None, None, "he tells right from wrong no better than chance, or was not tried")
    return Adjusted(corrected.value, corrected.interval, "")


def allowed_for(found: Contrasted, judge: CalibrationFigures) -> ClusteredMean:
    """The difference that an equivalence is decided by: the corrected one where the judge is to be adjusted.

    A judge who errs on both systems alike makes them look more alike than they are. Tests against 0 need no
    correction: it divides the difference and its error by the same number.
    """
    clustered = found.clustered
    if judge.verdict != "adjusted" or found.contrast.measure != JUDGED:
        return clustered
    corrected = _corrected(clustered, judge)
    if corrected is None:
        return clustered
    return replace(clustered, mean=corrected.value, standard_error=corrected.standard_error)


def _corrected(clustered: ClusteredMean, judge: CalibrationFigures) -> Corrected | None:
    right, wrong = judge.sensitivity, judge.specificity
    if right is None or wrong is None or clustered.mean is None or clustered.standard_error is None:
        return None
    error = JudgeError(right.value, right.n, wrong.value, wrong.n)
    freedom = float("inf") if clustered.freedom is None else clustered.freedom
    return corrected_difference(clustered.mean, clustered.standard_error, error, freedom)
