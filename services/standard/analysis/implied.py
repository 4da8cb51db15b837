"""The difference of true accuracies that the verdicts of a judge imply, by the errors of his calibration.

A judge of specificity q calls a share 1 - q of wrong answers right, and no silence. So of two systems that
are equally good the one that answers more often seems better. And one that is rightly silent, where there is
no answer, gets all of its due, where what is said well gets only a share of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from services.evaluate.statistics.clustered_means import ClusteredMean, clustered_means
from services.evaluate.statistics.groups import Floats
from services.evaluate.statistics.intervals import score_size
from services.evaluate.statistics.judge_error import JudgeError, implied_truth
from services.standard.analysis.content import Role
from services.standard.analysis.measures_table import JUDGED, MeasureTable
from services.standard.archive import JudgeRole
from services.standard.calibration.figures import CalibrationFigures, Figure

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
