"""GoalSeeking's table: accuracy, goals achieved and iterations by query type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.run_analysis import (
    GoalRow,
    SoughtAnswer,
    goal_rows,
    read_goal_rows,
    sought_answers,
)
from services.evaluate.run_answers import read_answers
from services.rag.agents.goal_seeking.primitives import Ending, ending_text, read_ending
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from tests.small_world import tools

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
