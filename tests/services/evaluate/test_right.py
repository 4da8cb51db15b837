"""What counts as right is the same wherever it is asked, through every change of mind."""

from kg.ids import run_id
from kg.progress import Silent
from kg.queries import query
from kg.store.graph import Graph
from services.answers import counted_kind, is_right, question_cluster
from services.evaluate.hop_traces import read_traces
from services.evaluate.judge import settle_answers
from services.evaluate.judge_by_hand import revise, undo_revision
from services.evaluate.run_analysis import read_answers
from tests.examples import examples
from tests.graph_reading import change, value
from tests.services.report.planted import Given, Planted, answer, plant

QUESTIONS = (
    Planted("near", hops=2, start=0),
    Planted("silent", hops=2, start=5, kind="null", query_type="null"),
    Planted("foreign", hops=2, start=5, kind="imported", query_type="null"),
    Planted("broken", hops=2, start=1),
)
GIVEN = (
    Given("near", right=True),
    Given("silent", right=True, abstained=True),
    Given("foreign", right=True, abstained=True),
    Given("broken", error="time-out: after 2 s"),
)
JUDGED = """
MATCH (r:Run {id: $run})-[:GAVE]->(a:Answer)
SET r.judge = 'strict', r.judge_scale = 'binary'
CREATE (a)-[:HAS_VERDICT]->(:Verdict {id: a.id + '-v', corpus: $corpus, judge: 'strict', scale: 'binary',
                                      by_hand: false, correct: a.error <> ''})
"""


@examples("fits, null, abstained, failed, expected")
def test_the_rule(fits: bool, null: bool, abstained: bool, failed: bool, expected: bool) -> None:
    assert is_right(fits, null=null, abstained=abstained, failed=failed) is expected


def test_null_questions_are_known_by_their_kind_or_by_their_sets_word() -> None:
    assert counted_kind("imported", "null") == "null" == counted_kind("null", None)
    assert counted_kind("imported", "inference") == "imported"
    assert counted_kind("chain", "null") == "chain"


def test_the_cluster_is_where_the_last_fact_stands() -> None:
    assert question_cluster("q", [(1, "a"), (2, "c"), (2, "b")]) == "b"
    assert question_cluster("q", []) == "q"


def counts(graph: Graph, corpus: str) -> set[int]:
    """How many answers are right, by everyone who says so; one number where all agree."""
    run = run_id(corpus, "run")
    return {
        graph.rows(query("runs/list_runs"), corpus=corpus)[0]["right"],
        graph.rows(query("runs/page_runs"), corpus=corpus, name="")[0]["right"],
        sum(one.right for one in read_answers(graph, run)),
        sum(one.correct for one in read_traces(graph, run)),
        sum(row["correct"] for row in graph.rows(query("answers/read_judged"), run=run)),
    }


def test_lists_report_and_traces_agree_and_a_hand_wins_over_all(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, QUESTIONS)
    answer(graph, corpus, "run", GIVEN)
    run = run_id(corpus, "run")
    assert counts(graph, corpus) == {3}
    # A judge who calls everything wrong but what failed: silence stays right where there is no answer.
    change(graph, JUDGED, corpus=corpus, run=run)
    settle_answers(graph, corpus, "run", Silent())
    assert counts(graph, corpus) == {2}
    silent = value(
        graph,
        "MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(:Question {kind: 'null'}) RETURN a.id",
        run=run,
    )
    assert revise(graph, silent, False, "it could have known", "me", Silent()).correct is False
    assert counts(graph, corpus) == {1}
    assert undo_revision(graph, silent, Silent()).correct is True
    assert counts(graph, corpus) == {2}
