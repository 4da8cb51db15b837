"""Answers: SQuAD normalisation, exact match, answer match, token F1, abstention.

GoalSeeking's table: accuracy, goals achieved and iterations by query type.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.answer_match import match_answer
from services.answers import exact_match, is_abstention, normalise_answer, token_f1
from services.evaluate.run_analysis import (
    GoalRow,
    SoughtAnswer,
    goal_rows,
    read_answers,
    read_goal_rows,
    sought_answers,
)
from services.rag.agents.goal_seeking.primitives import Ending, ending_text, read_ending
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from tests.examples import examples
from tests.small_world import tools


@examples("text, normalised")
def test_normalise(text: str, normalised: str) -> None:
    assert normalise_answer(text) == normalised


@settings(deadline=None)
@given(st.text(max_size=60))
def test_normalising_leaves_no_ascii_punctuation_nor_spare_blanks(text: str) -> None:
    normalised = normalise_answer(text)
    assert not set(normalised) & set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    assert normalised == " ".join(normalised.split())


def test_exact_match_takes_an_alias() -> None:
    assert exact_match("the New York Times.", "New York Times")
    assert not exact_match("NYT", "New York Times")
    assert exact_match("N.Y.T.", "New York Times", ["NYT"])


def test_answers_of_which_normalising_leaves_nothing_are_not_all_alike() -> None:
    assert exact_match("a", "A")
    assert not exact_match("the", "A")
    assert not exact_match("", "A")
    assert token_f1("?!", "A") == 0.0


def test_f1_worked_example() -> None:
    # Two tokens shared ("new", "york"), three predicted, four in the gold answer: 2 * 2 / 7.
    assert token_f1("New York City", "the New York Stock Exchange") == pytest.approx(4 / 7)
    # Repeated words count as often as both have them.
    assert token_f1("very very very good", "very very bad") == pytest.approx(2 * 2 / 7)


def test_f1_takes_the_best_alias() -> None:
    assert token_f1("United States", "USA") == 0.0
    assert token_f1("United States", "USA", ["United States of America"]) == pytest.approx(2 * 2 / 6)


def test_empty_answers() -> None:
    assert token_f1("", "") == 1.0
    assert token_f1("", "Paris") == 0.0
    assert token_f1("Paris", "") == 0.0


@settings(deadline=None)
@given(st.text("ab the.", max_size=20), st.text("ab the.", max_size=20))
def test_f1_is_symmetric_within_bounds_and_full_on_a_match(one: str, other: str) -> None:
    score = token_f1(one, other)
    assert 0 <= score <= 1
    assert score == token_f1(other, one)
    if exact_match(one, other):
        assert score == 1


DATA = Path(__file__).parents[2] / "data"
SENTENCES = yaml.safe_load((DATA / "abstentions.yaml").read_text(encoding="utf-8"))
MATCHES = yaml.safe_load((DATA / "answer_matches.yaml").read_text(encoding="utf-8"))


def test_abstentions_are_told_from_answers() -> None:
    """Both recall and precision; decision 57 has them over sentences that no form was made for."""
    missed = [text for text in SENTENCES["abstain"] if not is_abstention(text)]
    mistaken = [text for text in SENTENCES["say"] if is_abstention(text)]
    assert (missed, mistaken) == ([], [])
    assert (len(SENTENCES["abstain"]), len(SENTENCES["say"])) >= (320, 210)


@pytest.mark.parametrize("case", MATCHES, ids=lambda case: case["given"][:60])
def test_answers_in_sentences_say_the_gold_answer_or_not(case: dict[str, Any]) -> None:
    found = match_answer(
        case["given"],
        case["gold"],
        case.get("accepted", ()),
        case.get("question", ""),
        case.get("chain", ()),
    )
    assert found.right is case["right"], found.why


ACHIEVED, STOPPED = Ending("achieved", 1), Ending("stopped", 5)
ANSWERS = (
    SoughtAnswer("inference", True, "a", ACHIEVED),
    SoughtAnswer("inference", False, "b", Ending("achieved", 3)),
    SoughtAnswer("inference", False, "c", STOPPED),
    SoughtAnswer("inference", False, "c", None),
    SoughtAnswer("null", True, "d", STOPPED),
    SoughtAnswer("bridge", True, "e", ACHIEVED),
)


def values(row: GoalRow) -> tuple[float | None, float | None, float | None, float | None, int]:
    return (
        row.accuracy.value,
        row.achieved.value,
        row.right_when_achieved.value,
        row.iterations.value,
        row.errors,
    )


def test_a_line_for_each_query_type_and_one_for_all() -> None:
    rows = goal_rows(ANSWERS)
    assert [row.query_type for row in rows] == ["inference", "null", "bridge", "all"]
    assert values(rows[0]) == (1 / 4, 2 / 3, 1 / 2, 3.0, 1)
    assert values(rows[1]) == (1.0, 0.0, None, 5.0, 0)
    assert values(rows[3]) == (1 / 2, 3 / 5, 2 / 3, 3.0, 1)
    assert rows[3].accuracy.n == 6
    assert rows[3].iterations.n == 5


def test_intervals_hold_their_figures_and_allow_for_clusters() -> None:
    lone = goal_rows([SoughtAnswer("null", n % 2 == 0, str(n), ACHIEVED) for n in range(20)])
    pairs = goal_rows([SoughtAnswer("null", n % 4 < 2, str(n // 2), ACHIEVED) for n in range(20)])
    (one,), (other,) = lone, pairs
    assert one.accuracy.value == other.accuracy.value == 0.5
    assert one.accuracy.interval is not None
    assert other.accuracy.interval is not None
    assert one.accuracy.interval.low < 0.5 < one.accuracy.interval.high
    assert other.accuracy.interval.low < one.accuracy.interval.low


def test_without_answers_there_is_no_table() -> None:
    assert goal_rows([]) == ()


@given(st.sampled_from([ACHIEVED, STOPPED, Ending("stopped", 0), Ending("achieved", 12)]), st.text())
def test_an_ending_is_read_as_it_was_told(ending: Ending, reason: str) -> None:
    assert read_ending(ending_text(ending, reason)) == ending


@pytest.mark.parametrize(
    "thought", ["", "achieved", "it was achieved after 2 iterations", "achieved after two iterations: yes"]
)
def test_other_thoughts_tell_no_ending(thought: str) -> None:
    assert read_ending(thought) is None


def test_the_table_of_a_run_is_read_from_its_steps(graph: Graph, small_corpus: str) -> None:
    name = "goals"
    options = RunOptions(system="goal-seeking", name=name, question_limit=6, most_iterations=2)
    try:
        start_run(graph, small_corpus, options, Settings(), tools().embedder, Silent())
        rows = read_goal_rows(graph, small_corpus, name)
        answers = read_answers(graph, run_id(small_corpus, name))
    finally:
        drop_run(graph, small_corpus, name)
    total = rows[-1]
    assert total.accuracy.n == len(answers) == 6
    assert total.accuracy == goal_rows(sought_answers(answers, {}))[-1].accuracy
    assert total.errors == 0
    assert total.achieved.n == 6
    assert total.iterations.value is not None
    assert 1 <= total.iterations.value <= 2


def test_a_run_that_seeks_no_goals_has_no_table(graph: Graph, small_corpus: str) -> None:
    assert read_goal_rows(graph, small_corpus, "single-step") == ()
