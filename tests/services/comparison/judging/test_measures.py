"""The three measures by worked examples, and what holds of them whatever is given."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.comparison.judging.measures import hop_steps, judgement_of, measures_of, used_chunks
from services.comparison.judging.rules_judge import RULES, RulesJudge
from services.comparison.records import Answer, GoldHop, Question, Shown
from tests.examples import examples
from tests.services.comparison.judging.lighthouse import QUESTION, UNANSWERABLE, answer, item

EXACT = RulesJudge(RULES["exact"])


def test_all_evidence_in_order_gives_full_measures() -> None:
    found = EXACT.judge_one(item(answer()))
    assert (found.cluster_recall, found.hop_consistency, found.evidence_alignment) == (1, 1, 1)
    assert found.hops == (True, True, True)
    assert found.hop_steps == (1, 1, 2)


def test_cluster_recall_counts_clusters_and_not_chunks() -> None:
    found = EXACT.judge_one(item(answer(shown=(("firm", 1), ("fair", 1), ("boats", 1)))))
    assert found.cluster_recall == pytest.approx(1 / 3)
    assert found.why["cluster recall"] == (
        "Gold evidence was shown from 1 of 3 clusters that it spans; none from coast, art."
    )


def test_a_cluster_that_two_hops_share_counts_once() -> None:
    one_cluster = replace(QUESTION, gold=tuple(replace(gold, cluster="c") for gold in QUESTION.gold))
    assert EXACT.judge_one(item(answer(shown=(("firm", 1),)), one_cluster)).cluster_recall == 1


def test_any_chunk_of_a_hop_will_do_and_each_counts_for_its_own_cluster() -> None:
    twice = replace(QUESTION, gold=(*QUESTION.gold, GoldHop(1, "boats", "x", "quay")))
    found = EXACT.judge_one(item(answer(shown=(("boats", 1), ("keeper", 1), ("lamp", 1))), twice))
    assert found.hops == (True, True, True)
    assert found.cluster_recall == 3 / 4


def test_evidence_that_stands_in_another_chunk_counts_for_the_cluster_of_the_gold_one() -> None:
    found = EXACT.judge_one(item(answer(shown=(("copy", 3),))))
    assert found.hops == (False, False, True)
    assert found.hop_steps == (0, 0, 3)
    assert found.cluster_recall == pytest.approx(1 / 3)
    assert found.supports == {"copy": True}


def test_hops_that_come_the_wrong_way_round_are_not_consistent() -> None:
    found = EXACT.judge_one(item(answer(shown=(("lamp", 1), ("keeper", 2), ("firm", 3)))))
    assert found.hop_consistency == 0
    assert found.why["hop consistency"] == (
        "0 of 2 pairs of adjacent hops came in the order of the chain: hop 1 came by search 3, after hop 2 "
        "by search 2; hop 2 came by search 2, after hop 3 by search 1."
    )


def test_a_pair_needs_both_of_its_hops() -> None:
    found = EXACT.judge_one(item(answer(shown=(("firm", 1), ("keeper", 2)))))
    assert found.hop_consistency == 0.5
    assert "hop 3 was not shown" in found.why["hop consistency"]


def test_alignment_is_over_the_cited_chunks_and_over_all_shown_where_none_is_cited() -> None:
    shown = (("firm", 1), ("fair", 1), ("lamp", 1), ("boats", 1))
    assert EXACT.judge_one(item(answer(shown=shown))).evidence_alignment == 0.5
    found = EXACT.judge_one(item(answer(shown=shown, cited=("lamp", "fair", "firm"))))
    assert found.evidence_alignment == pytest.approx(2 / 3)
    assert found.why["evidence alignment"] == "2 of 3 cited chunks state a gold fact."


def test_what_was_cited_without_having_been_shown_is_not_used() -> None:
    assert used_chunks(answer(cited=("keeper", "bank"))) == ("keeper",)
    assert used_chunks(answer(shown=(("firm", 1),), cited=("bank",))) == ("firm",)


@examples("given_answer, sentence")
def test_alignment_is_undefined_and_not_zero_without_an_answer_or_evidence(
    given_answer: dict[str, Any], sentence: str
) -> None:
    found = EXACT.judge_one(item(answer(**given_answer)))
    assert found.evidence_alignment is None
    assert found.why["evidence alignment"] == sentence
    assert found.cluster_recall is not None


def test_without_gold_nothing_is_defined() -> None:
    found = EXACT.judge_one(item(answer(), UNANSWERABLE))
    assert (found.cluster_recall, found.hop_consistency, found.evidence_alignment) == (None, None, None)
    assert found.hops == ()
    assert found.supports == {}


def test_with_one_hop_there_is_no_order() -> None:
    short = replace(QUESTION, gold=QUESTION.gold[:1], hops=1)
    found = EXACT.judge_one(item(answer(), short))
    assert found.hop_consistency is None
    assert found.cluster_recall == 1


def test_hops_without_evidence_between_them_make_no_pair() -> None:
    gap = replace(QUESTION, gold=(QUESTION.gold[0], QUESTION.gold[2]))
    assert EXACT.judge_one(item(answer(), gap)).hop_consistency is None


def test_every_measure_has_its_sentence() -> None:
    found = EXACT.judge_one(item(answer()))
    assert set(found.why) == {"verdict", "cluster recall", "hop consistency", "evidence alignment"}
    assert all(sentence.endswith(".") for sentence in found.why.values())


CHUNK_IDS = st.sampled_from("abcdef")
QUESTIONS = st.lists(
    st.tuples(st.integers(1, 4), CHUNK_IDS, st.sampled_from(("x", "y", "z"))), min_size=1, max_size=6
).map(
    lambda golds: replace(
        QUESTION, gold=tuple(GoldHop(hop, chunk, "claim", cluster) for hop, chunk, cluster in golds)
    )
)
EVIDENCE = st.lists(st.tuples(CHUNK_IDS, st.integers(1, 3)), max_size=6, unique_by=lambda pair: pair[0])


def _bearers(question: Question) -> list[set[str]]:
    numbers = sorted({gold.hop for gold in question.gold})
    return [{gold.chunk for gold in question.gold if gold.hop == number} for number in numbers]


@given(QUESTIONS, EVIDENCE)
def test_measures_lie_between_0_and_1_and_follow_from_what_the_judgement_holds(
    question: Question, shown: list[tuple[str, int]]
) -> None:
    given_answer = answer(shown=tuple(shown))
    found = judgement_of("exact", item(given_answer, question), 1, "so", _bearers(question))
    again = measures_of(question, given_answer, found.hop_steps, found.supports)
    values = (again.cluster_recall, again.hop_consistency, again.evidence_alignment)
    assert values == (found.cluster_recall, found.hop_consistency, found.evidence_alignment)
    assert all(value is None or 0 <= value <= 1 for value in values)
    assert found.hops == tuple(step > 0 for step in found.hop_steps)
    assert set(found.supports) == {chunk for chunk, _ in shown}


@given(QUESTIONS, EVIDENCE, CHUNK_IDS)
def test_more_evidence_by_the_last_search_never_lowers_cluster_recall(
    question: Question, shown: list[tuple[str, int]], more: str
) -> None:
    fewer = answer(shown=tuple(pair for pair in shown if pair[0] != more))
    last = len(fewer.evidence) + 1
    longer = replace(fewer, evidence=(*fewer.evidence, Shown(more, last, 3)))
    before, after = (
        judgement_of("exact", item(one, question), 1, "so", _held(one, question)).cluster_recall
        for one in (fewer, longer)
    )
    assert before is not None
    assert after is not None
    assert after >= before


def _held(given_answer: Answer, question: Question) -> list[set[str]]:
    shown = {one.chunk for one in given_answer.evidence}
    return [bearers & shown for bearers in _bearers(question)]


@given(EVIDENCE)
def test_ranks_within_a_search_change_nothing(shown: list[tuple[str, int]]) -> None:
    forwards, backwards = answer(shown=tuple(shown)), answer(shown=tuple(reversed(shown)))
    bearers = [_held(one, QUESTION) for one in (forwards, backwards)]
    assert hop_steps(forwards, bearers[0]) == hop_steps(backwards, bearers[1])
