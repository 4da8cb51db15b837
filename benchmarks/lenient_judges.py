"""How often a judge who errs makes equal systems look unequal, where one of them leaves more unanswered.

    python -m benchmarks.lenient_judges [--repetitions 1000]

Two systems are equally often right on 400 questions in 60 clusters; one says nothing on some questions on
which it would be wrong. A judge errs on a share of all answers, as his calibration on 40 questions finds out,
and never takes a silence for right. For each share of silence and of errors: the mean difference that he
finds and the one that his verdicts imply, in points, and how often the hypothesis that the system which
answers more is better has p ≤ .05, by his verdicts alone and as a judged comparison tests it. The table is
printed as Markdown.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.made_comparison import PlantedEffects, made_comparison
from services.comparison.analysis.contrasts import Contrast, contrast_all, judge_errors
from services.comparison.analysis.hypotheses import PValue, tests_of
from services.comparison.analysis.measures_table import measure_table
from services.comparison.judging.calibration import calibration_figures
from services.comparison.protocol import Hypothesis
from tests.services.comparison.analysis.planted_protocol import planted_protocol

SILENT, ANSWERS = "top-k", "genetic"
ALIKE = PlantedEffects(accuracy={"top-k": 0.5, "mmr": 0.5, "genetic": 0.5, "graph": 0.5})
CONTRAST = Contrast(ANSWERS, SILENT, "accuracy", "judge")
HIGHER = Hypothesis(id="H1", system=ANSWERS, against=SILENT, smallest=0.05)


@dataclass(frozen=True, slots=True)
class Trial:
    """A comparison: p of the verdicts alone and as it is tested, the difference found and the one implied."""

    plain: PValue
    tested: PValue
    found: float
    implied: float


def main() -> None:
    """Print the table row by row."""
    parser = argparse.ArgumentParser(description="Check what lenient judges make of unequal silence.")
    parser.add_argument("--repetitions", type=int, default=1_000)
    repetitions = parser.parse_args().repetitions
    columns = ("silent", "judge errs", "found", "implied", "p ≤ .05 by verdicts", "p ≤ .05 as tested")
    print(f"| {' | '.join(columns)} |\n|{' ---: |' * len(columns)}")
    for silent in (0.0, 0.1, 0.2, 0.4):
        for errs in (0.05, 0.1, 0.2):
            rows = [run_trial(with_silence(silent, errs, seed)) for seed in range(repetitions)]
            found, implied = (100 * np.mean([(one.found, one.implied) for one in rows], axis=0)).tolist()
            seen = [(one.plain.value <= 0.05, one.tested.value <= 0.05) for one in rows]
            plain, tested = (100 * np.mean(seen, axis=0)).tolist()
            print(
                f"| {silent:.0%} | {errs:.0%} | {found:+.1f} | {implied:+.1f} | {plain:.1f} | {tested:.1f} |",
                flush=True,
            )


def with_silence(silent: float, errs: float, seed: int) -> PlantedEffects:
    """Equally good systems of which one leaves a share of the questions unanswered, before such a judge."""
    errors = replace(ALIKE, errors={"judge": errs, "second_judge": 0.0}, silent={SILENT: silent}, seed=seed)
    return replace(errors, trial_errors=errors.errors)


def run_trial(planted: PlantedEffects) -> Trial:
    """What the first judge's verdicts come to."""
    comparison = made_comparison(planted_protocol(), planted)
    protocol = comparison.protocol
    judge = calibration_figures(protocol.judge, comparison.calibration["judge"], protocol.calibration)
    errors = judge_errors({"judge": judge})
    (found,) = contrast_all(measure_table(comparison), [CONTRAST], 1_000, 0, errors)
    tested = tests_of(HIGHER, found, judge).claimed
    plain = tests_of(HIGHER, replace(found, implied=None), judge).claimed
    if plain is None or tested is None or found.implied is None:
        raise ValueError("Too few clusters, or a judge no better than chance: nothing is tested.")
    difference, implied = found.clustered.mean, found.implied.clustered.mean
    return Trial(plain, tested, difference or 0.0, implied or 0.0)


if __name__ == "__main__":
    main()
