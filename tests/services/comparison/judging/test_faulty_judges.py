"""Judges with known faults: each fault is found, named, and has its consequence."""

from dataclasses import replace

import pytest

from services.comparison.judging.calibration import CalibrationFigures, calibration_figures
from services.comparison.judging.known_answers import VARIED
from services.comparison.judging.measures import Item
from services.comparison.judging.model_judge import rules_judge
from services.comparison.protocol import Judge
from services.comparison.records import Judgement
from services.comparison.rejudging import try_judge
from tests.services.comparison.judging.valley_questions import (
    BOUNDS,
    COUNT,
    MODEL,
    OWN,
    Fault,
    FaultyJudge,
    chance,
    items,
    tried,
)


def _first_is_gold(item: Item) -> bool:
    first = min(item.answer.evidence, key=lambda one: one.rank)
    return first.chunk in {gold.chunk for gold in item.question.gold}


def _only_what_comes_first(item: Item, found: Judgement) -> Judgement:
    return found if _first_is_gold(item) else replace(found, score=0.0)


def _turned_by_order(item: Item, found: Judgement) -> Judgement:
    """Right becomes wrong and wrong right where the evidence comes the other way round: the mean stays."""
    assert found.score is not None
    return found if _first_is_gold(item) else replace(found, score=1 - found.score)


def _length_impresses(item: Item, found: Judgement) -> Judgement:
    return replace(found, score=1.0) if len(item.answer.text.split()) > 15 else found


def _length_tires(item: Item, found: Judgement) -> Judgement:
    return replace(found, score=0.0) if len(item.answer.text.split()) > 25 else found


def _likes_own_words(item: Item, found: Judgement) -> Judgement:
    return replace(found, score=1.0) if item.answer.text.startswith(OWN) else found


def _coin(item: Item, found: Judgement) -> Judgement:
    return replace(found, score=float(chance(item, str(item.trial)) < 0.5))


def _lenient(_: Item, found: Judgement) -> Judgement:
    return replace(found, score=1.0)


def _harsh(_: Item, found: Judgement) -> Judgement:
    return replace(found, score=0.0)


def _sees_evidence_everywhere(_: Item, found: Judgement) -> Judgement:
    return replace(found, hops=(True,) * len(found.hops), supports=dict.fromkeys(found.supports, True))


def _often_silent(item: Item, found: Judgement) -> Judgement:
    silent = replace(found, score=None, failed="refusal", hops=(), supports={})
    return silent if chance(item) < 0.25 else found


def _moody(item: Item, found: Judgement) -> Judgement:
    """Fair at first, and of another mind one time in three when asked again."""
    assert found.score is not None
    return replace(found, score=1 - found.score) if item.trial and chance(item) < 1 / 3 else found


def _now_and_then_lenient(item: Item, found: Judgement) -> Judgement:
    return replace(found, score=1.0) if int(item.question.id[1:]) % 6 == 0 else found


def test_a_fair_judge_is_accepted() -> None:
    found = tried()
    assert found.verdict == "accepted"
    assert found.discernment is not None
    assert found.discernment.value == 1
    assert found.questions == COUNT
    assert found.failed == 0
    for bias in (found.position, found.length, found.self_preference):
        assert bias.worst == 0
        assert bias.flips is not None
        assert bias.flips.value == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (_only_what_comes_first, "Position bias changes the mean score of right answers by -1.00"),
        (_turned_by_order, "Position bias changes the mean score of right answers by -1.00"),
        (_length_impresses, "Length bias changes the mean score of other answers by"),
        (_length_tires, "Length bias changes the mean score of right answers by -1.00"),
        (_likes_own_words, "Self-preference changes the mean score of other answers by +1.00"),
        (_coin, "The share of scores that repeat is"),
        (_moody, "The share of scores that repeat is"),
        (_lenient, "Discernment of answers (Youden's J) is 0.00"),
        (_harsh, "Discernment of answers (Youden's J) is 0.00"),
        (_sees_evidence_everywhere, "Discernment of the evidence of hops (Youden's J) is 0.00"),
        (_often_silent, "There is no verdict on"),
    ],
)
def test_a_fault_is_found_and_the_judge_rejected(fault: Fault, reason: str) -> None:
    found = tried(fault)
    assert found.verdict == "rejected"
    assert any(told.startswith(reason) for told in found.reasons), found.reasons


def test_errors_that_are_alike_for_every_system_are_adjusted_for() -> None:
    found = tried(_now_and_then_lenient)
    assert found.verdict == "adjusted"
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert found.sensitivity.value == 1
    assert found.specificity.value == pytest.approx(1 - 1 / 6)
    assert found.reasons[0] == (
        "Sensitivity is 1.00 and specificity 0.83: shares of right answers are also given adjusted for them."
    )


def test_a_change_that_the_mean_would_hide_is_told_by_the_flips() -> None:
    found = tried(_turned_by_order)
    assert found.position.right is not None
    assert found.position.wrong is not None
    assert found.position.flips is not None
    assert found.position.right.value == -1
    assert found.position.wrong.value > 0
    assert found.position.flips.value == pytest.approx(2 / len(VARIED))


@pytest.mark.parametrize("name", ["exact", "overlap"])
def test_judges_by_rule_are_tried_like_others_and_words_of_their_own_they_have_none(name: str) -> None:
    found = _tried_by_rule(name)
    assert found.verdict == "accepted", found.reasons
    assert found.self_preference.worst is None
    assert found.reasons[-1] == "Self-preference was not measured: rules word no answers."
    partly = next(one for one in found.categories if one.category == "partly right")
    assert partly.mean == {"exact": 0, "overlap": 0.5}[name]


def _tried_by_rule(name: str) -> CalibrationFigures:
    return calibration_figures(Judge(kind="rules", name=name), try_judge(rules_judge(name), items()), BOUNDS)


def test_a_judge_who_loses_what_an_answer_says_has_no_self_preference_to_measure() -> None:
    judge = FaultyJudge(reword_one=lambda _: "Who can say?")
    found = calibration_figures(MODEL, try_judge(judge, items()), BOUNDS)
    assert found.self_preference.worst is None
    assert "he worded no answer so that it could be used" in found.self_preference.why
    assert found.verdict == "accepted"
