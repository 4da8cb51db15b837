"""The parts of the analysis by worked examples."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from benchmarks.made_comparison import PlantedEffects, made_comparison
from services.comparison.analysis.analyse import analyse, grounds_rows
from services.comparison.analysis.content import ClusterFacts, Look, MeasureRow
from services.comparison.analysis.contrasts import Contrast, allow_for_judge, contrast_all, judge_errors
from services.comparison.analysis.hypotheses import claim, claimable
from services.comparison.analysis.limits import design_limits, evidence_limits, result_limits
from services.comparison.analysis.measures_table import measure_table, tables_so_far
from services.comparison.archive import Look as ArchivedLook
from services.comparison.judging.calibration import calibration_figures
from services.comparison.protocol import Direction, Inference, Judge
from services.comparison.report.sentences import replication_sentences
from services.statistics.clustered_means import share_interval
from tests.examples import examples
from tests.services.comparison.analysis.planted_protocol import planted_protocol
from tests.services.comparison.made_comparison import made_comparison as small_comparison

CONTRAST = Contrast("genetic", "top-k", "accuracy", "judge")


@examples("clusters, direction, hypotheses, possible")
def test_what_so_few_clusters_can_show(
    clusters: int, direction: Direction, hypotheses: int, possible: bool
) -> None:
    assert claimable(clusters, direction, 0.05 / hypotheses) is possible
    assert claimable(clusters, direction, None) is (direction == "equivalent" and possible)


def test_naive_tests_are_student_s_paired_ones_and_mcnemar_s_of_verdicts() -> None:
    table = measure_table(made_comparison(planted_protocol(), PlantedEffects()))
    halved = table.values["none", "f1"] * np.where(np.arange(len(table.questions)) % 2, 0.5, 1.0)[:, None]
    table = replace(table, values={**table.values, ("none", "f1"): halved})
    of_words = Contrast("genetic", "top-k", "f1", "none")
    verdicts, words = contrast_all(table, [CONTRAST, of_words], 1_000, 0)
    pair = table.column("none", "f1", "genetic"), table.column("none", "f1", "top-k")
    two_sided = stats.ttest_rel(*pair).pvalue
    greater = stats.ttest_rel(*pair, alternative="greater").pvalue
    assert words.naive_p("different") == pytest.approx(float(two_sided))
    assert words.naive_p("greater") == pytest.approx(float(greater))
    assert words.naive_p("less") == pytest.approx(1 - float(greater))
    gained = table.column("judge", "accuracy", "genetic") - table.column("judge", "accuracy", "top-k")
    more, fewer = int((gained > 0).sum()), int((gained < 0).sum())
    assert verdicts.naive_p("different") == pytest.approx(stats.binomtest(more, more + fewer).pvalue)
    assert verdicts.naive_p("greater") == pytest.approx(
        stats.binomtest(more, more + fewer, alternative="greater").pvalue
    )
    assert verdicts.naive_p("less") == pytest.approx(
        stats.binomtest(more, more + fewer, alternative="less").pvalue
    )


def test_a_contrast_leaves_out_what_either_system_lacks() -> None:
    table = measure_table(made_comparison(planted_protocol(), PlantedEffects()))
    values = table.values["judge", "accuracy"].copy()
    values[:5, table.systems.index("genetic")] = np.nan
    values[5:9, table.systems.index("top-k")] = np.nan
    holed = replace(table, values={**table.values, ("judge", "accuracy"): values})
    found = contrast_all(holed, [CONTRAST], 1_000, 0)[0]
    assert (found.clustered.n, found.undefined) == (391, 9)
    assert found.mean == pytest.approx(float(values[9:, table.systems.index("genetic")].mean()))


def test_further_contrasts_change_nothing_of_the_first() -> None:
    table = measure_table(made_comparison(planted_protocol(), PlantedEffects()))
    alone = contrast_all(table, [CONTRAST], 1_000, 0)[0]
    first, _ = contrast_all(table, [CONTRAST, replace(CONTRAST, system="mmr")], 1_000, 0)
    assert (first.percentile, first.bca) == (alone.percentile, alone.bca)


def test_an_earlier_look_is_after_its_first_whole_clusters() -> None:
    table = measure_table(made_comparison(planted_protocol(), PlantedEffects(questions=100, clusters=9)))
    inference = Inference(looks=(0.3, 1.0))
    early, now = tables_so_far(table, ArchivedLook(2, 100, 100), inference)
    assert now is table
    assert 30 <= len(early.questions) < 100
    inside, outside = (
        {one.cluster for one in early.questions},
        {one.cluster for one in table.questions[len(early.questions) :]},
    )
    assert not inside & outside
    assert early.parts.size == len(inside)
    before = {one.cluster for one in table.questions[:29]}
    assert inside == before | {table.questions[29].cluster}


def test_claims_are_sentences() -> None:
    base = {"id": "H", "system": "a", "against": "b", "smallest": 0.05}
    protocol = planted_protocol()
    hypothesis = protocol.hypotheses[0].model_copy(update=base)
    told = [
        claim(hypothesis.model_copy(update={"direction": way}))
        for way in ("greater", "less", "different", "equivalent")
    ]
    assert told == [
        "a has a higher accuracy than b",
        "a has a lower accuracy than b",
        "a and b differ in accuracy",
        "a and b differ in accuracy by less than 5 points",
    ]


@examples("clusters, said")
def test_limits_say_what_the_clusters_cannot_bear(clusters: tuple[Any, ...], said: str) -> None:
    protocol = planted_protocol()
    told = list(design_limits(protocol, (), Look(1, 1, 100, 100, 0.05), ClusterFacts(*clusters)))
    assert any(said in limit for limit in told)


def test_limits_tell_of_means_over_unlike_questions() -> None:
    results = analyse(made_comparison(planted_protocol(), PlantedEffects(questions=60, clusters=12)))

    def unlike(measures: tuple[MeasureRow, ...]) -> list[str]:
        limits = result_limits((), measures, (), {}, ())
        return [limit for limit in limits if "means do not compare systems" in limit]

    assert not unlike(results.measures)
    fewer = tuple(
        replace(one, n=20) if (one.system, one.measure) == ("graph", "evidence alignment") else one
        for one in results.measures
    )
    assert [limit.split(",")[0] for limit in unlike(fewer)] == [
        "Evidence Alignment is defined for 20 to 60 questions"
    ]


def test_limits_name_an_early_look_and_systems_from_outside() -> None:
    comparison = made_comparison(planted_protocol(), PlantedEffects())
    runs = (replace(comparison.runs[0], ours=False), *comparison.runs[1:])
    clusters = ClusterFacts("articles", 100, 50, 3, 45.0)
    told = list(design_limits(comparison.protocol, runs, Look(1, 2, 100, 200, 0.01), clusters))
    assert any("look 1 of 2, after 100 of 200" in limit for limit in told)
    assert any("top-k was run outside" in limit for limit in told)


def test_passages_without_facts_leave_the_judges_nothing_to_differ_over() -> None:
    comparison = made_comparison(planted_protocol(), PlantedEffects(questions=20, clusters=5))
    bare = [
        replace(one, gold=tuple(replace(gold, claim="") for gold in one.gold)) for one in comparison.questions
    ]
    overlap = Judge(kind="rules", name="overlap")
    protocol = comparison.protocol.model_copy(update={"second_judge": overlap})
    assert not list(evidence_limits(protocol, comparison.questions))
    assert not list(evidence_limits(protocol, [*comparison.questions[:1], *bare[1:]]))
    assert "the other finds too" in next(evidence_limits(protocol, bare))


def test_two_judges_by_rules_are_no_replication() -> None:
    # "good" has nine of twelve right and "poor" none, by both rules.
    clusters = tuple(replace(one, cluster=one.id) for one in small_comparison().questions)
    results = analyse(replace(small_comparison(), questions=clusters))
    (claimed,) = results.hypotheses
    assert [one.decision for one in claimed.by] == ["supported", "supported"]
    assert claimed.survives is None
    assert results.replication.share_code
    assert (results.replication.survived, results.replication.lost) == ((), ())
    assert any("replicates nothing" in limit for limit in results.limits)
    assert "they are not two judges" in " ".join(replication_sentences(results))


@pytest.mark.parametrize("against", [0.0, 1.0])
def test_systems_that_never_differ_are_not_known_to_be_alike_for_sure(against: float) -> None:
    comparison = made_comparison(planted_protocol(), PlantedEffects(questions=40, clusters=40))
    table = measure_table(comparison)
    values = table.values["judge", "accuracy"].copy()
    values[:, table.systems.index("genetic")] = 0.0
    values[:, table.systems.index("top-k")] = against
    alike = replace(table, values={**table.values, ("judge", "accuracy"): values})
    judge = calibration_figures(
        comparison.protocol.judge, comparison.calibration["judge"], comparison.protocol.calibration
    )
    found = contrast_all(alike, [CONTRAST], 1_000, 0, judge_errors({"judge": judge}))[0]
    unadjusted, adjusted = found.clustered.interval, allow_for_judge(found).interval
    assert unadjusted is not None
    assert adjusted is not None
    # 1 - .025 ** (1 / 40): so large a share may differ and stay unseen in 40 questions.
    assert unadjusted.high - unadjusted.low > 0.08
    assert adjusted.low <= unadjusted.low
    assert adjusted.high >= unadjusted.high


def test_right_answers_for_the_wrong_reason_are_counted_by_judge_depth_and_distance() -> None:
    whole = small_comparison()
    # "good" is right on nine of twelve, with both hops shown; on four of these the judge now finds less.
    less: dict[str, dict[str, Any]] = {
        "question-01": {"hops": (True, False)},
        "question-02": {"hops": (False, False), "supports": {"chunk-02b": False}},
        "question-05": {"hops": (False, True)},
        "question-07": {"hops": (), "supports": {}},
    }
    rows = tuple(replace(one, **less.get(one.question, {})) for one in whole.judgements["judge"]["good"])
    judged = {**whole.judgements, "judge": {**whole.judgements["judge"], "good": rows}}
    table = measure_table(replace(whole, judgements=judged))
    found = {(one.role, one.system, one.hops, one.bin): one for one in grounds_rows(table)}
    first = found["judge", "good", None, None]
    # Question 7 has no gold, as a null question has none.
    assert (first.n, first.every, first.some, first.none, first.unrelated) == (8, 5, 2, 1, 1)
    assert first.rate == pytest.approx(3 / 8)
    lacking = [one.question in less for one in rows if one.score == 1 and one.hops]
    places = {one.id: one.cluster for one in whole.questions}
    clusters = [places[one.question] for one in rows if one.score == 1 and one.hops]
    assert first.interval == share_interval(lacking, clusters)
    # Quartile 2 has the questions 1, 5 and 9.
    second = found["judge", "good", 2, 2]
    assert (second.n, second.every, second.some, second.none) == (3, 1, 2, 0)
    assert found["second_judge", "good", 2, None].rate == 0
    assert not [key for key in found if key[1] == "poor"]


def test_exact_match_needs_no_judge_and_to_abstain_is_exact_on_a_null_question() -> None:
    whole = small_comparison()
    first, second, *rest = whole.answers["good"]
    places = {one.id: one for one in whole.questions}
    key = places[first.question].answer
    answers = (
        replace(first, text=f"The {key.upper()}!"),
        replace(second, text="I don't know.", abstained=True),
    )
    null = tuple(
        replace(one, kind="null", answer="Insufficient information") if one.id == second.question else one
        for one in whole.questions
    )
    table = measure_table(
        replace(whole, questions=null, answers={**whole.answers, "good": (*answers, *rest)})
    )
    exact = table.column("none", "exact match", "good")
    assert exact[:2].tolist() == [1, 1]
    # All others but every fourth are the key.
    assert exact[2:].sum() == sum(int(one.question[-2:]) % 4 > 0 for one in rest)
    assert table.column("none", "exact match", "poor").sum() == 0
