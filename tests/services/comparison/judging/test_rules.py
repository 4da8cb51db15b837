"""Verdicts by rule: what counts as saying the key, and what doesn't."""

from dataclasses import replace

import pytest

from kg.errors import SettingsError
from kg.settings import Settings
from services.answer_match import MOST_LETTERS, other_names
from services.comparison.judging.model_judge import open_judge, rules_judge
from services.comparison.judging.rules_judge import containment, content_words, judge_exactly
from services.comparison.protocol import Judge
from tests.examples import examples
from tests.services.comparison.judging.lighthouse import CHUNKS, CLAIMS, QUESTION, UNANSWERABLE, answer, item

EXACT, OVERLAP = rules_judge("exact"), rules_judge("overlap")


@examples("text, exact, overlap")
def test_the_strict_and_the_lenient_rules_on_a_name(text: str, exact: float, overlap: float) -> None:
    given = item(answer(text))
    assert EXACT.judge_one(given).score == exact
    assert OVERLAP.judge_one(given).score == overlap


@examples("key, text, right")
def test_decisions_and_numbers(key: str, text: str, right: bool) -> None:
    question = replace(QUESTION, answer=key, accepted=())
    assert EXACT.judge_one(item(answer(text), question)).right is right


def test_dates_of_one_month_are_different_days() -> None:
    question = replace(QUESTION, answer="10 February 2031", accepted=("2031-02-10",))
    for text, score in (("13 February 2031", 0), ("February 10, 2031", 1), ("February 2031", 0)):
        assert OVERLAP.judge_one(item(answer(text), question)).score == score


def test_an_error_is_wrong_and_an_abstention_right_only_where_there_is_no_answer() -> None:
    failed = EXACT.judge_one(item(answer("", error="time-out: no answer\nin 2 s")))
    assert (failed.score, failed.failed) == (0, "")
    assert failed.why["verdict"] == "The system failed: time-out: no answer in 2 s"
    silent = answer("Insufficient information", abstained=True)
    assert EXACT.judge_one(item(silent)).score == 0
    assert EXACT.judge_one(item(silent, UNANSWERABLE)).score == 1
    assert OVERLAP.judge_one(item(answer("Tarn Museum"), UNANSWERABLE)).score == 0


def test_a_chunk_bears_a_hop_by_enough_of_its_words_and_the_title_counts() -> None:
    firm = CHUNKS["firm"]
    assert content_words(CLAIMS[0]) == {"oda", "wexler", "founded", "brandt", "towing"}
    assert containment(CLAIMS[0], firm.text) == 3 / 5
    elsewhere = replace(QUESTION, gold=(replace(QUESTION.gold[0], chunk="unseen"), *QUESTION.gold[1:]))
    shown = item(answer(shown=(("firm", 1),)), elsewhere)
    assert EXACT.judge_one(shown).hops == (True, False, False)
    untitled = replace(shown, chunks={"firm": replace(firm, title="")})
    assert EXACT.judge_one(untitled).hops == (False, False, False)
    assert OVERLAP.judge_one(untitled).hops == (True, False, False)


def test_a_claim_without_words_is_borne_by_nothing_but_its_own_chunk() -> None:
    wordless = replace(QUESTION, gold=tuple(replace(gold, claim="") for gold in QUESTION.gold))
    assert EXACT.judge_one(item(answer(shown=(("copy", 1), ("lamp", 1))), wordless)).hops == (
        False,
        False,
        True,
    )


def test_rules_need_no_settings_and_unknown_ones_are_named() -> None:
    with open_judge(Judge(kind="rules", name="exact"), Settings()) as judge:
        assert [found.score for found in judge.judge([item(answer())] * 2)] == [1, 1]
        assert list(judge.reword([item(answer())])) == []
    with (
        pytest.raises(SettingsError, match=r"no judge by rules is called 'fuzzy'.*exact, overlap"),
        open_judge(Judge(kind="rules", name="fuzzy"), Settings()),
    ):
        pass


@pytest.mark.parametrize("text", ["... Anna", "He said: Anna", '"Anna', "Anna"])
def test_a_word_that_opens_a_sentence_is_no_other_name(text: str) -> None:
    assert other_names(f"{text} met Tarn.", "Tarn", "") == ()


@pytest.mark.parametrize(
    ("text", "names"), [("... met Anna", ("Anna",)), ("a . b Anna , Bo", ("Anna", "Bo"))]
)
def test_a_word_within_a_sentence_is_one(text: str, names: tuple[str, ...]) -> None:
    assert other_names(text, "Tarn", "") == names


def test_an_answer_that_no_system_gives_is_not_judged() -> None:
    score, why = judge_exactly(QUESTION, "Tarn Museum. " * MOST_LETTERS)
    assert score == 0
    assert why == "The answer has 1,300,000 letters, more than the 100,000 that are judged."
