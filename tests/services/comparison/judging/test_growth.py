"""Judges by rules take time that grows with an answer, and no faster; no test goes by a clock.

The Python of a judgement is counted: the lines that run for an answer of n letters and for one of 2n. What
runs inside expressions and text methods can't be counted. It gets `LETTERS` letters of each unit on which an
expression could go back: a cubic one takes hours, which no test run has.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from services import answer_match, answers
from services.answer_match import MOST_LETTERS, forms_with_their_numbers
from services.answers import is_abstention, normalise_answer, token_f1
from services.comparison.judging import rules_judge
from services.comparison.judging.measures import gold_hops
from services.comparison.judging.rules_judge import judge_by_overlap, judge_exactly
from services.comparison.records import GoldHop, Question, answer_length
from tests.examples import read_examples
from tests.kg.test_growth import UNITS, lines_run, patterns_in
from tests.services.comparison.judging.lighthouse import QUESTION

LETTERS = 20_000
MOST_GROWTH = 2.5
JUDGES: dict[str, Callable[[Question, str], tuple[float, str]]] = {
    "exact": judge_exactly,
    "overlap": judge_by_overlap,
}
MATCHED_AT_THE_START = [answers._any_of(answers._ABSTENTIONS, answers._LEAD)]
"""Expressions that are tried at one place only; at each place of a text they would cost its length."""
EXPRESSIONS = [
    *MATCHED_AT_THE_START,
    answers._any_of(answers._GUESSES, r"\b"),
    *(
        pattern
        for module in (answers, answer_match, rules_judge)
        for value in vars(module).values()
        for pattern in patterns_in(value)
    ),
]

OPENINGS: tuple[str, ...] = read_examples("services/comparison/judging/growth")["openings"]
"""What an expression may have behind it before the repetition begins."""


def answer_of(unit: str, letters: int, opening: str = "Tarn Museum ") -> str:
    """The key, so many letters of a unit, and as many of names: what the review's answer was made of."""
    return f"{opening}{(unit * letters)[: letters // 2]} {('Ab ' * letters)[: letters // 2]}"


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("unit", UNITS)
def test_the_lines_that_run_grow_no_faster_than_an_answer(judge: str, unit: str) -> None:
    def lines(letters: int) -> int:
        return lines_run(lambda: JUDGES[judge](QUESTION, answer_of(unit, letters)))

    small, large = lines(600), lines(1_200)
    assert 0 < large <= MOST_GROWTH * small


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_answer_is_judged(unit: str) -> None:
    for judge in JUDGES.values():
        for opening in ("Tarn Museum ", "Tarn Museum."):
            score, why = judge(QUESTION, answer_of(unit, LETTERS, opening))
            assert score in {0, 0.5, 1}
            assert why


@pytest.mark.campaign
@pytest.mark.parametrize("pattern", EXPRESSIONS, ids=lambda pattern: pattern.pattern[:20])
def test_an_expression_ends_on_every_unit(pattern: re.Pattern[str]) -> None:
    for unit in UNITS:
        for opening in OPENINGS:
            text = f"{opening}{(unit * LETTERS)[:LETTERS]}\0"
            pattern.match(text)
    if pattern in MATCHED_AT_THE_START:
        return
    for unit in UNITS:
        text = f"{(unit * LETTERS)[:LETTERS]}\0"
        # No more matches than characters: an empty one moves on by one.
        assert sum(1 for _ in pattern.finditer(text)) <= len(text) + 1


@pytest.mark.parametrize("unit", UNITS)
def test_what_judges_ask_of_a_text_ends(unit: str) -> None:
    text = (unit * LETTERS)[:LETTERS]
    assert len(normalise_answer(text)) <= LETTERS
    is_abstention(text)
    assert answer_length(text) >= LETTERS // 16


def test_an_answer_is_gone_through_once_however_many_answers_are_accepted() -> None:
    text = "Anton Brask met Kald in 1413. " * 200

    def lines(forms: int) -> int:
        question = replace(QUESTION, accepted=tuple(f"Bank {at}" for at in range(forms)))
        return lines_run(lambda: judge_by_overlap(question, text))

    # Each form costs some lines of its own, far fewer than the text's.
    text_alone, few, many = lines(0), lines(50), lines(100)
    assert few < many <= MOST_GROWTH * few
    assert (many - few) / 50 < text_alone / 10


def test_the_hops_of_gold_evidence_are_gathered_in_one_pass() -> None:
    def lines(hops: int) -> int:
        gold = tuple(GoldHop(at, "lamp", "a claim", "art") for at in range(hops, 0, -1))
        found = replace(QUESTION, gold=gold)
        assert [number for number, _ in gold_hops(found)] == list(range(1, hops + 1))
        return lines_run(lambda: gold_hops(found))

    assert lines(400) <= MOST_GROWTH * lines(200)


@pytest.mark.parametrize("judge", JUDGES)
def test_an_answer_that_no_system_gives_is_not_judged(judge: str) -> None:
    key = "Tarn Museum"
    assert JUDGES[judge](QUESTION, f"{key}{' ' * (MOST_LETTERS - len(key))}")[0] == 1
    score, why = JUDGES[judge](QUESTION, f"{key}{' ' * MOST_LETTERS}")
    assert score == 0
    assert why == "The answer has 100,011 letters, more than the 100,000 that are judged."


def test_forms_are_kept_whose_numbers_stand_in_the_text() -> None:
    forms = ("3 May 1412", "4 May 1412", "May", "1,412 crowns")
    assert forms_with_their_numbers("It was on 3 May 1412.", forms) == ["3 May 1412", "May"]


@pytest.mark.parametrize(
    ("given", "accepted"),
    [("a b b c", "b b b d"), ("Tarn", "Tarn Museum"), ("x y", "z"), ("", ""), ("x", ""), ("", "x")],
)
def test_the_shared_words_are_those_of_both_counts(given: str, accepted: str) -> None:
    one, other = Counter(normalise_answer(given).split()), Counter(normalise_answer(accepted).split())
    words = one.total() + other.total()
    expected = 2 * (one & other).total() / words if words else 1.0
    assert token_f1(given, accepted) == pytest.approx(expected)
