"""The whole analysis of planted comparisons: what is claimed, what is not, and that it repeats."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.made_comparison import PlantedEffects, made_comparison
from kg.errors import InputError
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import HypothesisResult, Results, read_results, results_json
from services.comparison.analysis.measures_table import measure_table
from services.comparison.archive import Comparison, JudgeRole
from services.comparison.protocol import Protocol
from services.statistics.clustered_means import clustered_means, rate_intervals
from tests.services.comparison.analysis.planted_protocol import planted_protocol

CLEAR = PlantedEffects(accuracy={"top-k": 0.4, "mmr": 0.4, "genetic": 0.7, "graph": 0.42}, seed=1)


@pytest.fixture(scope="module")
def results() -> Results:
    return analyse(made_comparison(planted_protocol(), CLEAR))


def by_id(results: Results, name: str) -> HypothesisResult:
    return next(one for one in results.hypotheses if one.id == name)


def test_what_was_planted_is_supported_and_its_contrary_contradicted(results: Results) -> None:
    better, backwards, words = (by_id(results, name) for name in ("better", "backwards", "words"))
    assert (better.decision, better.survives) == ("supported", True)
    assert (backwards.decision, backwards.survives) == ("contradicted", True)
    # Token F1 needs no judge, so there is nothing that a second one could replicate.
    assert (words.decision, words.survives, [one.role for one in words.by]) == ("supported", None, ["none"])
    first = better.by[0]
    assert first.mean is not None
    assert first.mean_against is not None
    assert first.estimate == pytest.approx(first.mean - first.mean_against)
    assert first.p_holm is not None
    assert first.p is not None
    assert first.p_holm >= first.p


def test_figures_of_a_mean_are_those_of_the_values_themselves(results: Results) -> None:
    table = measure_table(made_comparison(planted_protocol(), CLEAR))
    column = table.column("judge", "accuracy", "genetic")
    row = next(
        one
        for one in results.measures
        if (one.system, one.measure, one.role) == ("genetic", "accuracy", "judge")
    )
    assert row.mean == pytest.approx(float(column.mean()))
    expected = rate_intervals(clustered_means(column[:, None], table.parts, 0.0, 1.0)).column(0)
    for ours, theirs in ((row.interval, expected.interval), (row.naive, expected.naive_interval)):
        assert ours is not None
        assert theirs is not None
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert row.interval is not None
    assert row.naive is not None
    assert row.interval.high - row.interval.low > row.naive.high - row.naive.low


def test_undefined_values_are_counted_and_never_zero(results: Results) -> None:
    row = next(one for one in results.measures if one.measure == "hop consistency")
    assert (row.n, row.undefined) == (360, 40)


def test_the_same_rows_give_the_same_results_and_json_keeps_all_of_them(results: Results) -> None:
    assert analyse(made_comparison(planted_protocol(), CLEAR)) == results
    text = json.dumps(results_json(results), allow_nan=False)
    assert read_results(text) == results


def test_names_of_clusters_change_nothing(results: Results) -> None:
    renamed = relabelled(made_comparison(planted_protocol(), CLEAR), lambda name: f"x{name[::-1]}")
    assert analyse(renamed) == results


def test_one_cluster_gives_no_claim() -> None:
    one = relabelled(made_comparison(planted_protocol(), CLEAR), lambda _: "all")
    for hypothesis in analyse(one).hypotheses:
        assert hypothesis.decision == "too few clusters to say"
        assert hypothesis.by[0].t_interval is None
        assert hypothesis.by[0].p is None


def test_four_clusters_can_show_nothing_among_three_hypotheses() -> None:
    # 2^-4 is more than .05 / 3: no pattern of signs could be claimed.
    few = made_comparison(planted_protocol(), replace(CLEAR, clusters=4))
    assert {one.decision for one in analyse(few).hypotheses} == {"too few clusters to say"}


def test_a_rejected_judge_claims_nothing_and_the_second_still_speaks() -> None:
    coin = replace(CLEAR, trial_errors={"judge": 0.5, "second_judge": 0.0})
    results = analyse(made_comparison(planted_protocol(), coin))
    better = by_id(results, "better")
    assert results.calibration["judge"].verdict == "rejected"
    assert (better.decision, better.by[1].decision) == ("judge rejected", "supported")
    assert better.by[0].naive_decision == "judge rejected"
    assert by_id(results, "words").decision == "supported"
    assert any("rejected" in limit for limit in results.limits)


def test_a_judge_who_errs_hides_part_of_the_difference_and_the_adjusted_one_has_it_back() -> None:
    planted = replace(
        CLEAR,
        questions=2_000,
        clusters=200,
        errors={"judge": 0.15, "second_judge": 0.0},
        trial_errors={"judge": 0.15, "second_judge": 0.0},
    )
    found = by_id(analyse(made_comparison(planted_protocol(), planted)), "better")
    judged, exact = found.by
    assert exact.estimate is not None
    assert judged.estimate is not None
    assert judged.adjusted.estimate is not None
    assert judged.estimate < exact.estimate - 0.05
    assert abs(judged.adjusted.estimate - exact.estimate) < abs(judged.estimate - exact.estimate)


def test_a_second_judge_who_throws_coins_loses_the_claim() -> None:
    coin = replace(CLEAR, errors={"judge": 0.0, "second_judge": 0.5})
    results = analyse(made_comparison(planted_protocol(), coin))
    better = by_id(results, "better")
    assert (better.decision, better.survives) == ("supported", False)
    assert "better" in results.replication.lost


def test_agreement_counts_flips_either_way(results: Results) -> None:
    every = results.replication.agreement[-1]
    systems = results.replication.agreement[:-1]
    assert every.system == "all"
    assert every.flips == sum(one.flips for one in systems) > 0
    assert every.n == every.both_right + every.both_wrong + every.flips == 1_600


def test_equivalence_is_supported_where_systems_are_the_same_and_contradicted_where_far_apart() -> None:
    protocol = planted_protocol(
        (
            {"id": "same", "system": "graph", "against": "mmr", "direction": "equivalent", "smallest": 0.08},
            {"id": "far", "system": "genetic", "against": "mmr", "direction": "equivalent", "smallest": 0.08},
            {"id": "apart", "system": "graph", "against": "mmr", "direction": "different", "smallest": 0.08},
        )
    )
    planted = replace(
        CLEAR,
        accuracy={"top-k": 0.4, "mmr": 0.5, "genetic": 0.8, "graph": 0.5},
        questions=4_000,
        clusters=800,
        apart=0.02,
    )
    found = analyse(made_comparison(protocol, planted)).hypotheses
    assert [one.decision for one in found] == ["supported", "contradicted", "contradicted"]
    # By t tests, which try no flips.
    assert not any(tested.exact for one in found[:2] for tested in one.by)


def test_an_equivalence_by_a_judge_who_errs_has_one_p_and_the_naive_one_allows_for_him_too() -> None:
    protocol = planted_protocol(
        ({"id": "same", "system": "graph", "against": "mmr", "direction": "equivalent", "smallest": 0.15},)
    )
    errs: dict[JudgeRole, float] = {"judge": 0.12, "second_judge": 0.0}
    # Every question a cluster of its own, so that nothing but clusters could tell the naive test apart.
    planted = replace(CLEAR, questions=150, clusters=150, errors=errs, trial_errors=errs)
    results = analyse(made_comparison(protocol, planted))
    judged, exact = by_id(results, "same").by
    assert results.calibration["judge"].verdict == "adjusted"
    assert judged.equivalence_p == judged.p
    assert judged.p == pytest.approx(judged.naive_p)
    assert exact.p == pytest.approx(exact.naive_p)


def test_answers_on_one_question_count_as_few_in_the_errors_of_a_judge() -> None:
    errs: dict[JudgeRole, float] = {"judge": 0.12, "second_judge": 0.0}
    planted = replace(CLEAR, trial_errors=errs)
    comparison = made_comparison(planted_protocol(), planted)
    apart = tuple(replace(row, cluster=row.id) for row in comparison.calibration["judge"])
    alike = tuple(
        replace(row, cluster=f"g{int(row.question[1:]) // 20}") for row in comparison.calibration["judge"]
    )
    lone, crowded = (
        by_id(
            analyse(replace(comparison, calibration={**comparison.calibration, "judge": rows})), "better"
        ).by[0]
        for rows in (apart, alike)
    )
    assert lone.adjusted.estimate == crowded.adjusted.estimate
    assert lone.adjusted.interval is not None
    assert crowded.adjusted.interval is not None
    assert crowded.adjusted.interval.low < lone.adjusted.interval.low


def test_exploratory_pairs_lead_with_the_interval_of_the_hypotheses(results: Results) -> None:
    table = measure_table(made_comparison(planted_protocol(), CLEAR))
    gained = table.column("judge", "accuracy", "mmr") - table.column("judge", "accuracy", "top-k")
    pair = next(
        one for one in results.pairs if (one.measure, one.first, one.second) == ("accuracy", "top-k", "mmr")
    )
    alone = clustered_means(gained, table.parts).column(0).interval
    assert pair.interval is not None
    assert alone is not None
    assert (pair.interval.low, pair.interval.high) == pytest.approx((alone.low, alone.high))


def test_ignoring_clusters_claims_more_than_it_should() -> None:
    protocol = planted_protocol(
        ({"id": "none", "system": "mmr", "against": "top-k", "direction": "different", "smallest": 0.05},)
    )
    claims = {"naive": 0, "clustered": 0}
    for seed in range(12):
        planted = PlantedEffects(
            accuracy=dict.fromkeys(("top-k", "mmr", "genetic", "graph"), 0.5),
            questions=400,
            clusters=30,
            apart=0.4,
            seed=seed,
        )
        tested = analyse(made_comparison(protocol, planted)).hypotheses[0].by[0]
        claims["naive"] += tested.naive_decision == "supported"
        claims["clustered"] += tested.decision == "supported"
    assert claims["naive"] >= 4
    assert claims["clustered"] <= 2


def test_an_early_claim_stands_at_later_looks() -> None:
    protocol = planted_protocol(looks=(0.5, 1.0), spending="pocock")
    comparison = made_comparison(protocol, replace(CLEAR, seed=2), look=2)
    better = by_id(analyse(comparison), "better").by[0]
    assert (better.decision, better.shown_at) == ("supported", 1)
    half = comparison.questions[: len(comparison.questions) // 2]
    assert len({one.cluster for one in half}) < better.clusters


def test_a_row_about_an_unknown_question_is_refused() -> None:
    comparison = made_comparison(planted_protocol(), CLEAR)
    with pytest.raises(InputError, match="not among those"):
        analyse(replace(comparison, questions=comparison.questions[1:]))


def test_errors_count_as_wrong_and_are_told() -> None:
    comparison = made_comparison(planted_protocol(), CLEAR)
    answers = dict(comparison.answers)
    answers["genetic"] = tuple(replace(one, error="timed out") for one in answers["genetic"])
    results = analyse(replace(comparison, answers=answers))
    row = next(one for one in results.measures if (one.system, one.measure) == ("genetic", "accuracy"))
    assert row.mean == 0
    assert any("genetic has 400 errors" in limit for limit in results.limits)
    assert results.replication.agreement[2].n == 0


def test_pairs_with_a_hypothesis_are_not_exploratory(results: Results) -> None:
    pairs = {(one.measure, one.first, one.second) for one in results.pairs}
    assert ("accuracy", "top-k", "genetic") not in pairs
    assert ("accuracy", "top-k", "mmr") in pairs
    assert len(pairs) == 6 * 6 - 2


def test_crossings_split_the_questions(results: Results) -> None:
    rows = [one for one in results.crossings if (one.facet, one.system) == ("claims", "top-k")]
    assert [one.crossings for one in rows] == [0, 1, 2]
    assert sum(one.n for one in rows) == 400
    assert all(one.rate == pytest.approx(one.errors / one.n) for one in rows)


def relabelled(comparison: Comparison, name: Callable[[str], str]) -> Comparison:
    return replace(
        comparison,
        questions=tuple(replace(one, cluster=name(one.cluster)) for one in comparison.questions),
    )


def test_the_protocol_comes_back_from_the_results(results: Results) -> None:
    assert Protocol.model_validate(results.protocol) == planted_protocol()
