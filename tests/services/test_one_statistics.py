"""The same answers give the same figures wherever they are shown: one engine of statistics for all."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.made_comparison import PlantedEffects, made_comparison
from services.comparison.analysis.contrasts import Contrast, contrast_all
from services.comparison.analysis.measures_table import measure_table
from services.comparison.judging.calibration import share as calibrated_share
from services.evaluate.hop_aware import mean as hop_aware_mean
from services.evaluate.hop_aware import share as hop_aware_share
from services.evaluate.matrix import AnswerVerdict, difficulty_matrix
from services.evaluate.run_analysis import GivenAnswer
from services.report.comparisons import compare_runs
from services.report.run_facts import rate_of
from services.statistics.rankings import difference_of, mean_of
from tests.services.comparison.analysis.planted_protocol import planted_protocol

SYSTEMS = ("top-k", "genetic")


@pytest.fixture(scope="module")
def runs() -> dict[str, list[GivenAnswer]]:
    """Two runs of answers, as the judged comparison below has them."""
    table = measure_table(made_comparison(planted_protocol(), PlantedEffects()))
    return {
        system: [
            _answer(question.id, question.cluster, bool(right))
            for question, right in zip(
                table.questions, table.column("judge", "accuracy", system), strict=True
            )
        ]
        for system in SYSTEMS
    }


def _answer(question: str, cluster: str, right: bool) -> GivenAnswer:
    return GivenAnswer(
        question=question,
        kind="chain",
        query_type="inference",
        hops=2,
        right=right,
        exact_match=right,
        answer_match=right,
        holds_key=right,
        any_word=right,
        f1=float(right),
        abstained=False,
        error="",
        judged_by="exact match",
        seconds=0.0,
        input_tokens=0,
        output_tokens=0,
        cost=None,
        hops_found=(),
        first_lost=None,
        broken_by=None,
        cluster=cluster,
    )


@pytest.mark.parametrize("seed", [0, 7])
def test_report_benchmark_and_judged_comparison_find_the_same_of_two_systems(
    runs: dict[str, list[GivenAnswer]], seed: int
) -> None:
    table = measure_table(made_comparison(planted_protocol(), PlantedEffects()))
    others = [Contrast(one, "top-k", "f1", "none") for one in table.systems if one != "top-k"]
    judged = Contrast("genetic", "top-k", "accuracy", "judge")
    compared = contrast_all(table, [*others, judged], 10_000, seed)[-1]
    test = compared.test("different")
    first, second = (runs[system] for system in SYSTEMS)
    clusters = [one.cluster for one in first]
    whole = next(one for one in compare_runs(runs, seed) if one.scope == "all")
    benchmark = difference_of([one.right for one in first], [one.right for one in second], clusters, seed)
    assert test is not None
    assert not test.exact
    assert benchmark is not None
    assert whole.p_value == benchmark.p_value == test.p_value
    assert whole.naive_p == benchmark.naive_p == compared.naive_p("different")
    assert whole.difference == benchmark.value == pytest.approx(compared.clustered.mean)
    interval = compared.clustered.interval
    assert interval is not None
    assert benchmark.interval is not None
    assert whole.interval is not None
    assert whole.interval == benchmark.interval
    assert (whole.interval.low, whole.interval.high) == pytest.approx((interval.low, interval.high))
    assert whole.design_effect == pytest.approx(compared.clustered.design_effect)


def test_a_rate_has_one_interval(runs: dict[str, list[GivenAnswer]]) -> None:
    answers = runs["top-k"]
    hits, clusters = [one.right for one in answers], [one.cluster for one in answers]
    reported = rate_of("accuracy", hits, clusters)
    assert reported.interval is not None
    expected = reported.interval
    benchmark = mean_of([float(hit) for hit in hits], clusters)
    calibrated = calibrated_share(hits, clusters)
    assert benchmark is not None
    assert calibrated is not None
    assert benchmark.interval == expected == hop_aware_share(hits, clusters).interval
    assert (calibrated.low, calibrated.high) == (expected.low, expected.high)
    total = difficulty_matrix(
        [
            AnswerVerdict(one.question, one.hops, bin=1, difficulty=0.5, wrong=one.right, cluster=one.cluster)
            for one in answers
        ]
    ).total
    assert total.clustered is not None
    assert (total.clustered.low, total.clustered.high) == (expected.low, expected.high)


def test_a_mean_without_an_end_has_the_error_of_the_others() -> None:
    rng = np.random.default_rng(3)
    clusters = [str(number) for number in rng.integers(12, size=60)]
    values = rng.uniform(0.2, 0.8, 60).tolist()
    bounded, free = hop_aware_mean(values, clusters, high=1.0), hop_aware_mean(values, clusters)
    assert bounded == free
    assert hop_aware_mean([3.0] * 60, clusters) == replace(free, value=3.0, interval=None)
