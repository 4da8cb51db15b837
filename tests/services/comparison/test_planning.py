"""Plans before a comparison: what they ask for, what they refuse, and what a pilot tells them.

What hypotheses can be expected to show.
"""

from math import isclose
from statistics import NormalDist

import pytest

from kg.errors import NothingToDoError, SettingsError
from kg.store.graph import Graph
from services.comparison.planning import (
    ASSUMED_INTRA_CLUSTER,
    ASSUMED_SD,
    ASSUMED_SD_OF_RECALL,
    Aim,
    answering_cost,
    design_for,
    design_of,
    judging_cost,
    planned_calls,
    planned_powers,
    read_pilot,
)
from services.comparison.protocol import Answering, Inference, Judge, Protocol
from services.comparison.records import GoldHop, Question
from services.statistics.paired import PairedSpread
from tests.services.comparison.written_protocol import protocol
from tests.services.report.planted import Given, Planted, answer, plant

SPREAD = PairedSpread(sd=0.5, intra_cluster=0.2, per_cluster=4.0)


def test_a_plan_asks_for_the_clusters_that_its_inverse_needs() -> None:
    planned = design_for(SPREAD, 0.05, Aim())
    assert planned.power is not None
    assert planned.power >= 0.8
    assert planned.detectable <= 0.05
    # 2.8016² (.5 / .05)² = 785 lone questions in the limit, two more for Student's quantiles.
    assert planned.naive_questions == 787
    assert planned.questions == pytest.approx(787 * 1.6, rel=0.01)
    back = design_of(SPREAD, planned.questions, planned.clusters, 0.05, Aim())
    assert (back.power, back.detectable) == (planned.power, planned.detectable)
    fewer = design_of(SPREAD, planned.questions - 4, planned.clusters - 1, 0.05, Aim())
    assert fewer.power is not None
    assert fewer.power < 0.8


def test_more_hypotheses_take_more_and_one_sided_ones_less() -> None:
    plain = design_for(SPREAD, 0.05, Aim()).clusters
    assert design_for(SPREAD, 0.05, Aim(hypotheses=4)).clusters > plain
    assert design_for(SPREAD, 0.05, Aim(two_sided=False)).clusters < plain


def test_questions_in_the_same_clusters_hardly_help() -> None:
    once = design_of(SPREAD, 200, 50, None, Aim())
    often = design_of(SPREAD, 2_000, 50, None, Aim())
    wider = design_of(SPREAD, 2_000, 500, None, Aim())
    assert often.detectable > 0.7 * once.detectable
    assert wider.detectable < 0.35 * once.detectable
    assert once.power is None
    assert often.spread.per_cluster == 40


def test_few_clusters_are_warned_of() -> None:
    assert "can't reach p ≤ 0.05" in design_of(SPREAD, 20, 5, None, Aim()).warnings[0]
    # One-sided, five clusters reach 1/32.
    assert "only roughly" in design_of(SPREAD, 20, 5, None, Aim(two_sided=False)).warnings[0]
    assert design_of(SPREAD, 80, 20, None, Aim()).warnings == ()


@pytest.mark.parametrize(("questions", "clusters"), [(10, 11), (10, 1)])
def test_designs_that_can_not_be_are_refused(questions: int, clusters: int) -> None:
    with pytest.raises(SettingsError, match="clusters"):
        design_of(SPREAD, questions, clusters, None, Aim())
    with pytest.raises(SettingsError, match="more than 100,000,000 clusters"):
        design_for(SPREAD, 1e-7, Aim())


def test_a_pilot_tells_how_differences_vary(graph: Graph, corpus: str) -> None:
    # Two questions in each of 6 clusters: the last claim of a two-hop question that starts at s is s + 1.
    questions = [Planted(f"{start}-{i}", start=start) for start in range(6) for i in range(2)]
    plant(graph, corpus, questions)
    answer(graph, corpus, "one", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "other", [Given(q.name, right=q.start > 1) for q in questions])
    pilot = read_pilot(graph, corpus, "one", "other")
    assert (pilot.questions, pilot.clusters) == (12, 6)
    assert pilot.difference == pytest.approx(-1 / 3)
    # Four of twelve are -1: 12 / 11 (1/3 - 1/9). A cluster is lost as a whole.
    assert pilot.spread.sd == pytest.approx((12 / 11 * 2 / 9) ** 0.5)
    assert pilot.spread.intra_cluster == pytest.approx(1)
    assert (pilot.spread.per_cluster, pilot.spread.uneven) == (2, 0)


def test_a_pilot_that_tells_nothing_is_refused(graph: Graph, corpus: str) -> None:
    questions = [Planted(f"{start}", start=start) for start in range(4)]
    plant(graph, corpus, questions)
    answer(graph, corpus, "one", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "same", [Given(q.name, right=True) for q in questions])
    answer(graph, corpus, "small", [Given("0", right=False)])
    with pytest.raises(SettingsError, match="differ on no question"):
        read_pilot(graph, corpus, "one", "same")
    with pytest.raises(SettingsError, match="from itself"):
        read_pilot(graph, corpus, "one", "one")
    with pytest.raises(NothingToDoError, match="share no questions of two clusters"):
        read_pilot(graph, corpus, "one", "small")
    with pytest.raises(NothingToDoError, match="no run 'none'"):
        read_pilot(graph, corpus, "one", "none")


def question(number: int, cluster: str, hops: int) -> Question:
    gold = tuple(GoldHop(hop, f"chunk-{hop}", "", cluster) for hop in range(1, hops + 1))
    return Question(f"q{number}", "", "", (), "chain", "", hops, None, cluster, gold)


def questions(clusters: int, each: int, hops: int = 2) -> list[Question]:
    return [question(number, f"c{number % clusters}", hops) for number in range(clusters * each)]


def with_changes(base: Protocol, **changes: object) -> Protocol:
    return Protocol.model_validate(base.model_dump() | changes)


def test_with_many_clusters_it_is_what_the_normal_distribution_gives() -> None:
    one = with_changes(protocol(smallest=0.03), inference=Inference(correction="none"))
    effect = 1 + (3 - 1) * ASSUMED_INTRA_CLUSTER
    normal = NormalDist()
    of_measures = list(planned_powers(one, questions(2_000, 3)))
    assert [planned.sd for planned in of_measures] == [ASSUMED_SD_OF_RECALL, ASSUMED_SD]
    for planned in of_measures:
        error = planned.sd * (effect / 6_000) ** 0.5
        chance = normal.cdf(0.03 / error - normal.inv_cdf(0.95))
        assert planned.chance is not None
        assert isclose(planned.chance, chance, abs_tol=2e-3)
        assert planned.detectable is not None
        least = error * (normal.inv_cdf(0.95) + normal.inv_cdf(0.8))
        assert isclose(planned.detectable, least, rel_tol=2e-3)
        assert planned.seen


def test_questions_without_what_a_measure_needs_are_not_counted() -> None:
    mixed = [*questions(30, 2), *(question(100 + number, f"n{number}", 0) for number in range(10))]
    recall, accuracy = planned_powers(protocol(), mixed)
    assert (recall.questions, recall.clusters) == (60, 30)
    assert (accuracy.questions, accuracy.clusters) == (70, 40)


def test_more_hypotheses_need_more_where_they_are_corrected() -> None:
    corrected = next(planned_powers(protocol(), questions(40, 3)))
    plain = with_changes(protocol(), inference=Inference(correction="none"))
    alone = next(planned_powers(plain, questions(40, 3)))
    assert corrected.level == 0.025
    assert corrected.chance is not None
    assert alone.chance is not None
    assert corrected.chance < alone.chance


def test_looks_before_the_end_leave_less_to_the_last_one() -> None:
    planned = {
        spending: next(
            planned_powers(
                with_changes(protocol(), inference=Inference(looks=(0.5, 1.0), spending=spending)),
                questions(40, 3),
            )
        )
        for spending in ("obrien-fleming", "pocock")
    }
    assert planned["pocock"].level < planned["obrien-fleming"].level < 0.025


def test_one_cluster_can_show_nothing() -> None:
    (planned, _) = planned_powers(protocol(), questions(1, 50))
    assert (planned.chance, planned.detectable, planned.seen) == (None, None, False)


def test_an_equivalence_is_planned_as_one() -> None:
    document = protocol(smallest=0.2).model_dump()
    document["hypotheses"][0]["direction"] = "equivalent"
    same = Protocol.model_validate(document)
    few, many = (next(planned_powers(same, questions(count, 2))) for count in (10, 2_000))
    assert few.chance is not None
    assert many.chance is not None
    assert few.chance < many.chance
    assert many.detectable is None


def test_rules_ask_nobody_and_models_once_for_each_answer() -> None:
    calls = planned_calls(protocol(), 40)
    assert (calls.answers, calls.answering, calls.judging, calls.calibrating) == (120, 0, 0, 0)
    asked = with_changes(
        protocol(),
        generator=Answering(kind="model", name="m"),
        second_judge=Judge(kind="model", name="j"),
    )
    calls = planned_calls(asked, 40)
    # Two systems are ours; the third is a run that is there already.
    assert (calls.answering, calls.judging) == (80, 120)
    assert calls.calibrating > 0
    cost = answering_cost(asked, calls, lambda _: None)
    assert (cost.calls, cost.money) == (80, None)
    assert 80 * asked.budget.evidence_tokens < cost.input_tokens < cost.input_tokens_at_most
    judging = judging_cost(asked, calls, lambda usage: float(usage.output_tokens))
    assert (judging["judging"].calls, judging["calibration"].calls) == (120, calls.calibrating)
    assert judging["judging"].money == judging["judging"].output_tokens > 0
    agents = asked.model_dump()
    agents["systems"][0]["system"] = "react"
    walking = Protocol.model_validate(agents)
    calls = planned_calls(walking, 40)
    assert calls.answering is None
    assert answering_cost(walking, calls, lambda _: None).calls > 80
