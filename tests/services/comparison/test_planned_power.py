"""What hypotheses can be expected to show."""

from math import isclose
from statistics import NormalDist

from services.comparison.planning import (
    ASSUMED_INTRA_CLUSTER,
    ASSUMED_SD,
    ASSUMED_SD_OF_RECALL,
    answering_cost,
    judging_cost,
    planned_calls,
    planned_powers,
)
from services.comparison.protocol import Answering, Inference, Judge, Protocol
from services.comparison.records import GoldHop, Question
from tests.services.comparison.written_protocol import protocol


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
