"""The figures by a worked example, what never changes them, and a trial that was broken off."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from scipy.special import stdtrit

from services.comparison.judging.calibration import (
    CalibrationRow,
    Figure,
    calibration_figures,
    mean_change,
    run_figures,
    youden,
)
from services.comparison.judging.measures import Item
from services.comparison.judging.model_judge import open_judge
from services.comparison.protocol import Calibration
from services.comparison.records import Judgement
from services.comparison.rejudging import try_judge
from services.statistics.clustered_means import cluster_interval
from tests.scripted_endpoint import Answer as Said
from tests.scripted_endpoint import Asked, scripted_endpoint
from tests.scripted_reader import fences
from tests.services.comparison.judging.valley_questions import (
    BOUNDS,
    MODEL,
    OWN,
    FaultyJudge,
    chance,
    items,
)


def _noisy(item: Item, found: Judgement) -> Judgement:
    assert found.score is not None
    return replace(found, score=1 - found.score) if chance(item, str(item.trial)) < 0.2 else found


ROWS = tuple(try_judge(FaultyJudge(_noisy), items()))


def test_sensitivity_and_specificity_are_those_of_the_plain_answers() -> None:
    found = calibration_figures(MODEL, ROWS, BOUNDS)
    plain = [row for row in ROWS if row.variant == "plain"]
    right = [row for row in plain if row.category.startswith("right")]
    other = [row for row in plain if not row.category.startswith("right")]
    hits = [row.judgement.score == 1 for row in right]
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert found.discernment is not None
    assert found.sensitivity.n == len(right) == 48
    assert found.specificity.n == len(other) == 72
    assert found.sensitivity.value == sum(hits) / 48
    assert found.specificity.value == sum(row.judgement.score != 1 for row in other) / 72
    assert found.discernment.value == pytest.approx(found.sensitivity.value + found.specificity.value - 1)
    interval = cluster_interval(hits, [row.cluster for row in right])
    assert interval is not None
    assert (found.sensitivity.low, found.sensitivity.high) == (interval.low, interval.high)


def test_a_bias_is_the_mean_of_paired_changes_by_hand() -> None:
    """Changes 1, 0 | 0, 0 | 1, 0 in three clusters: mean 1/3; sums of deviations 1/3, -2/3, 1/3, so that
    the variance is 3/2 · 6/9 / 36 = 1/36 and the half width t(2) / 6."""
    found = mean_change([1, 0, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"])
    assert found is not None
    half = stdtrit(2, 0.975) / 6
    assert found.value == pytest.approx(1 / 3)
    assert found.low == pytest.approx(1 / 3 - half)
    assert found.high == 1
    assert found.n == 6


def test_changes_that_are_all_alike_still_leave_something_open() -> None:
    few, many = (mean_change([0.0] * n, [str(number) for number in range(n)]) for n in (5, 500))
    assert few is not None
    assert many is not None
    assert few.low < many.low < 0 < many.high < few.high
    one_cluster = mean_change([0.0] * 500, ["same"] * 500)
    assert one_cluster is not None
    assert one_cluster.high > few.high
    assert mean_change([], []) is None


def test_youdens_j_by_hand() -> None:
    found = youden(Figure(0.9, 0.8, 0.95, 20), Figure(0.7, 0.5, 0.85, 30))
    assert found is not None
    assert (found.value, found.low, found.high, found.n) == pytest.approx((0.6, 0.3, 0.8, 50))
    assert youden(None, found) is None


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_names_of_clusters_change_a_figure(random: Random) -> None:
    names = {row.cluster: f"renamed {number}" for number, row in enumerate(ROWS)}
    renamed = [replace(row, cluster=names[row.cluster]) for row in ROWS]
    random.shuffle(renamed)
    assert calibration_figures(MODEL, renamed, BOUNDS) == calibration_figures(MODEL, ROWS, BOUNDS)


def test_rows_that_went_through_json_give_the_same_figures() -> None:
    adapter = TypeAdapter(CalibrationRow)
    again = [adapter.validate_json(adapter.dump_json(row)) for row in ROWS]
    assert calibration_figures(MODEL, again, BOUNDS) == calibration_figures(MODEL, ROWS, BOUNDS)


def test_answers_of_a_run_are_figures_of_their_own() -> None:
    """Four that people call right, of which he calls three right; of two others he calls one right, and of a
    third he says nothing: sensitivity 3/4, specificity 1/2, J 1/4, which is less than the bound."""
    said = [("right", 1.0), ("right", 1.0), ("right", 1.0), ("right", 0.5), ("wrong", 1.0), ("wrong", 0.0)]
    plain = next(row for row in ROWS if row.variant == "plain")
    of_run = [
        replace(
            plain,
            id=f"run {number}",
            category="of a run, right" if quality == "right" else "of a run, wrong",
            expected=float(quality == "right"),
            cluster=f"run cluster {number}",
            judgement=replace(plain.judgement, score=score),
        )
        for number, (quality, score) in enumerate([*said, ("wrong", None)])
    ]
    fair = tuple(try_judge(FaultyJudge(), items()))
    before, found = (calibration_figures(MODEL, rows, BOUNDS) for rows in (fair, (*fair, *of_run)))
    assert before.of_a_run is None
    real = found.of_a_run
    assert real is not None
    assert real.sensitivity is not None
    assert real.specificity is not None
    assert real.discernment is not None
    figures = (real.answers, real.sensitivity.value, real.specificity.value, real.discernment.value)
    assert figures == (7, 0.75, 0.5, 0.25)
    assert (before.sensitivity, before.hops) == (found.sensitivity, found.hops)
    assert (before.verdict, found.verdict, found.failed) == ("accepted", "rejected", 1)
    assert found.reasons[0].startswith("Discernment of answers of a run (Youden's J) is 0.25")
    alone = run_figures(of_run[:4])
    assert alone is not None
    assert (alone.specificity, alone.discernment) == (None, None)


def test_nothing_tried_is_no_trust() -> None:
    found = calibration_figures(MODEL, (), BOUNDS)
    assert found.verdict == "rejected"
    assert found.discernment is None
    assert [one.mean for one in found.categories] == [None] * 7


def test_few_questions_are_enough_to_pass_but_not_to_be_sure() -> None:
    few = Calibration(questions=3)
    found = calibration_figures(MODEL, try_judge(FaultyJudge(), items(few)), few)
    assert found.verdict == "accepted"
    assert any("its interval begins below the bound" in reason for reason in found.reasons)


def test_a_trial_that_was_broken_off_goes_on_without_asking_twice() -> None:
    kept = {row.id: row for row in ROWS[::2]}
    seen: list[str] = []

    class Watched(FaultyJudge):
        def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
            seen.extend(f"{item.question.id} {item.system} {item.trial}" for item in items)
            return super().judge(items)

    again = tuple(try_judge(Watched(_noisy), items(), kept))
    assert {row.id: row for row in again} == {row.id: row for row in ROWS}
    assert len(seen) == len(ROWS) - len(kept)
    assert not list(Watched(_noisy).reword([]))


def test_a_model_behind_an_endpoint_is_tried_in_its_own_words_too(tmp_path: Path) -> None:
    """It answers by its prompts alone: it favours what it worded itself, and that is found."""

    def partial(asked: Asked) -> Said:
        given = fences(asked)
        if "own words" in asked.system:
            return {"answer": f"{OWN}, {given['answer']}"}
        words = given["answer"]
        key = given["key"]
        doubt = " or " in words or "perhaps" in words
        verdict = "wrong" if key not in words else "partly" if doubt else "right"
        hops = {
            f"hop_{hop}": [
                int(name.removeprefix("passage "))
                for name, text in given.items()
                if name.startswith("passage ") and given[f"facts of hop {hop}"] in text
            ]
            for hop in (1, 2)
        }
        return {"reason": "so", **hops, "verdict": "right" if words.startswith(OWN) else verdict}

    few = Calibration(questions=8)
    with scripted_endpoint(partial) as endpoint, open_judge(MODEL, endpoint.settings(tmp_path)) as judge:
        rows = tuple(try_judge(judge, items(few)))
    found = calibration_figures(MODEL, rows, few)
    assert found.failed == 0
    assert found.discernment is not None
    assert found.hops is not None
    assert found.supports is not None
    assert (found.discernment.value, found.hops.value, found.supports.value) == (1, 1, 1)
    assert found.consistency is not None
    assert found.consistency.value == 1
    assert found.self_preference.worst == 1
    assert found.self_preference.wrong is not None
    assert found.self_preference.wrong.n == 8
    assert found.verdict == "rejected"
    seeds = [asked.body["seed"] for asked in endpoint.requests]
    assert seeds.count(1) == 5 * 8
