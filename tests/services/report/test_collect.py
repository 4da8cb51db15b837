"""A report over a planted corpus, number by number, and as it stands in the graph afterwards.

What is said where an interval and the adjusted p-value seem to contradict each other.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.errors import NothingToDoError
from kg.ids import run_id
from kg.progress import Silent
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.write_back import write_matrix
from services.report.collect import choose_runs, collect_report, read_worst_nodes
from services.report.content import Report, RunSection
from services.report.make import make_report
from services.report.run_facts import several_tests_note
from services.statistics.intervals import Interval
from tests.graph_reading import change, read, value
from tests.names import unique_name
from tests.services.report.planted import Given, Planted, answer, plant, question_id

QUESTIONS = (
    Planted("near", hops=2, start=0, bin=1, difficulty=0.1, exact=True),
    Planted("far", hops=2, start=1, bin=4, difficulty=0.9),
    Planted("three", hops=3, start=2, bin=2, difficulty=0.4, exact=True, context=True),
    Planted("deep", hops=3, start=4, bin=3, difficulty=0.6, context=True),
    Planted("more", hops=2, start=0, bin=2, difficulty=0.3),
    Planted("nowhere", hops=2, start=5, kind="null", query_type="null"),
    Planted("vain", hops=2, start=5, kind="null", query_type="null"),
    Planted("same", hops=1, start=6, kind="comparison", query_type="comparison"),
    Planted("gone", hops=2, start=0, status="dropped"),
)

SMALL = (
    Given("near", right=True, chunks=(0, 1), cited=(1,)),
    # The second hop's chunk is missing, then the first one's, then none.
    Given("far", chunks=(1,)),
    Given("three", chunks=(3, 4), abstained=True),
    Given("deep", chunks=(4, 5, 6, 8)),
    Given("more", error="time-out: after 2 s"),
    Given("nowhere", right=True, chunks=(5,), abstained=True),
    Given("vain", chunks=(), right=False),
    Given("same", right=True, chunks=(6,)),
    Given("gone", right=True, chunks=(0,)),
)

LARGE = tuple(
    Given(one.question, right=True, chunks=(0, 1, 2, 3, 4, 5, 6)) for one in SMALL if one.question != "vain"
)


@pytest.fixture(scope="module")
def planted(graph: Graph) -> Iterator[str]:
    name = unique_name("test", "module")
    plant(graph, name, QUESTIONS)
    answer(graph, name, "small", SMALL)
    answer(graph, name, "large", LARGE, dataset="v-0", judge="some-judge", generator="some-model")
    yield name
    drop_corpus(graph, name)


@pytest.fixture(scope="module")
def report(graph: Graph, planted: str) -> Report:
    return make_report(graph, planted, ["small", "large"], Silent())


@pytest.fixture
def small(report: Report) -> RunSection:
    return report.runs[0]


def test_facts_are_those_of_the_run_and_its_answers(small: RunSection, report: Report) -> None:
    facts = small.facts
    assert (facts.name, facts.generator, facts.judge, facts.top) == ("small", "planted", "exact match", 10)
    assert (facts.questions, facts.answers, facts.errors, facts.abstained) == (8, 8, 1, 2)
    assert (facts.input_tokens, facts.output_tokens, facts.cost) == (80, 16, None)
    assert (facts.cached_input_tokens, facts.reasoning_tokens) == (24, 8)
    assert facts.seconds == pytest.approx(2.0)
    began, ended = datetime.fromisoformat(facts.started_at), datetime.fromisoformat(facts.finished_at)
    assert ended >= began > datetime(2026, 1, 1, tzinfo=UTC)
    assert (report.dataset, report.generators, report.bins) == ("v-1", ("planted-1",), "depth")


def test_the_matrix_has_kept_chain_questions_only(small: RunSection) -> None:
    matrix = small.matrix
    assert (matrix.total.n, matrix.total.errors) == (5, 4)
    cells = {(cell.hops, cell.bin): (cell.n, cell.errors) for cell in matrix.cells if cell.n}
    assert cells == {(2, 1): (1, 0), (2, 2): (1, 1), (2, 4): (1, 1), (3, 2): (1, 1), (3, 3): (1, 1)}
    # The answers stand in the articles 1, 2, 4, 6 and 1; by all articles of evidence all questions meet.
    assert (matrix.clusters.groups, matrix.clusters.largest, matrix.clusters.components) == (4, 2, 1)


def test_kinds_have_multihop_rags_query_types_and_abstaining_is_right_for_null(small: RunSection) -> None:
    rows = {(row.kind, row.query_type): row for row in small.kinds}
    assert rows.keys() == {
        ("chain", "inference"), ("comparison", "comparison"), ("null", "null"), ("all", "all")
    }  # fmt: skip
    null = rows["null", "null"]
    assert (null.accuracy.hits, null.accuracy.n, null.abstained, null.exact_match) == (1, 2, 1, 0.5)
    whole = rows["all", "all"].accuracy
    assert (whole.hits, whole.n, whole.rate, whole.small) == (3, 8, 3 / 8, True)


def test_losses_say_which_hop_broke_first(small: RunSection) -> None:
    two, three = small.losses
    assert (two.hops, two.wrong, two.retrieval, two.reasoning, two.errors, two.abstained) == (
        *(2, 2, (0, 1), 0, 1, 0),
    )
    assert (three.hops, three.wrong, three.retrieval, three.reasoning, three.errors, three.abstained) == (
        *(3, 2, (1, 0, 0), 1, 0, 1),
    )
    shares = {rate.name: (rate.hits, rate.n) for rate in small.hop_recall}
    assert shares == {"hop 1": (3, 5), "hop 2": (3, 5), "hop 3": (2, 2), "every hop": (2, 5)}


def test_right_answers_rest_on_what_was_retrieved_and_on_what_they_cite(small: RunSection) -> None:
    # Right and answerable: "near", which cites its second hop only, and "same", no chain.
    rows = [(one.by, one.hops, one.bin, one.every, one.some, one.none) for one in small.grounds]
    assert rows == [
        ("retrieved", None, None, 2, 0, 0), ("retrieved", 2, None, 1, 0, 0), ("retrieved", 2, 1, 1, 0, 0),
        ("cited", None, None, 0, 1, 0), ("cited", 2, None, 0, 1, 0), ("cited", 2, 1, 0, 1, 0),
    ]  # fmt: skip


def test_rankings_are_measured_over_all_kinds_but_null(small: RunSection) -> None:
    # Ranks of the pieces: near 1 2, far 1 -, three - 1 2, deep 1 2 3, more (an error) - -, same 1.
    values = {name: mean.value for name, mean in small.retrieval.items()}
    assert {mean.n for mean in small.retrieval.values()} == {6}
    assert values["MRR@10"] == values["Hits@4"] == values["Hits@10"] == pytest.approx(5 / 6)
    # P is 1 at every rank that gains a piece: near 1, far 1/2, three 2/3, deep 1, more 0, same 1.
    assert values["MAP@10"] == values["Recall@4"] == pytest.approx((1 + 1 / 2 + 2 / 3 + 1 + 0 + 1) / 6)
    assert values["AllGold@10"] == pytest.approx(3 / 6)
    interval = small.retrieval["MRR@10"].interval
    assert interval is not None
    assert interval.low < 5 / 6 < interval.high


def test_the_losses_stand_on_the_answers(graph: Graph, planted: str, report: Report) -> None:
    assert report.runs
    rows = read(
        graph,
        """
        MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
        RETURN q.id AS question, a.hops_found AS found, a.first_lost AS lost, a.broken_by AS broken
        """,
        run=run_id(planted, "small"),
    )
    seen = {row["question"]: (row["found"], row["lost"], row["broken"]) for row in rows}
    assert seen[question_id(planted, "near")] == ([True, True], None, None)
    assert seen[question_id(planted, "far")] == ([True, False], 2, "retrieval")
    assert seen[question_id(planted, "three")] == ([False, True, True], 1, "retrieval")
    assert seen[question_id(planted, "deep")] == ([True, True, True], None, "reasoning")
    assert seen[question_id(planted, "more")] == ([False, False], 1, "error")
    # What a null question asks for can't be retrieved.
    assert seen[question_id(planted, "vain")] == ([False], None, "reasoning")


def test_links_are_shares_of_kept_questions(report: Report) -> None:
    assert [(s.hops, s.questions, s.exact, s.context, s.either) for s in report.links] == [
        (2, 3, 1, 0, 1), (3, 2, 1, 2, 2),
    ]  # fmt: skip


def test_the_ablation_cuts_each_aggregates_own_bins(small: RunSection) -> None:
    by_name = {item.aggregate: item for item in small.ablation}
    assert by_name.keys() == {"min", "mean", "power"}
    # Three questions of two hops, at .1, .3 and .9, wrong from the second on, each in a bin of its own.
    two_hops = by_name["min"].by_depth[2]
    assert two_hops is not None
    assert two_hops.n == 3
    assert by_name["min"].average == pytest.approx(two_hops.r)
    assert by_name["min"].by_depth[3] is None


def test_runs_are_compared_on_the_questions_that_both_answered(report: Report) -> None:
    scopes = {one.scope: one for one in report.comparisons}
    assert scopes.keys() == {"all", "2 hops", "3 hops"}
    assert all((one.first, one.second) == ("small", "large") for one in report.comparisons)
    whole = scopes["all"]
    # Seven of eight questions: small has near, nowhere and same right, large all.
    assert whole.n == 7
    assert whole.difference == pytest.approx(4 / 7)
    assert whole.naive_p == pytest.approx(2 / 2**4)
    assert whole.p_error == 0
    assert scopes["2 hops"].difference == pytest.approx(2 / 3)
    assert not any(one.decided for one in report.comparisons)


def test_cost_stands_beside_accuracy_on_the_common_questions(report: Report) -> None:
    # Twelve tokens for each of seven questions, of which small has three right and large all.
    told = [
        (one.run, one.accuracy.hits, one.accuracy.n, one.tokens, one.beaten_in_tokens) for one in report.costs
    ]
    assert told == [("large", 7, 7, 12_000, ""), ("small", 3, 7, 12_000, "large")]


def test_notes_tell_what_a_reader_must_know(report: Report) -> None:
    told = " ".join(report.notes)
    assert "Run 'large' answered version v-0 of the questions, now v-1." in told
    assert "different versions of the questions (v-0, v-1)" in told
    assert "Run 'small' failed on 1 question, which count as wrong." in told
    assert "Run 'small' has 1 answer to questions that are kept no longer" in told
    assert "Run 'large' answered 7 of 8 questions." in told
    assert "Run 'large': on 7 answers its judge gave no verdict" in told
    assert "16 of 16 cells have fewer than 20 answers" in told
    assert "fall into 4 clusters that share evidence" in told
    assert "over so few are rough" in told
    # What holds of several runs is said once.
    assert len(said := [note for note in report.notes if note.startswith("Runs ")]) == len({*said})
    assert said
    assert all("'large'" in note and "'small'" in note for note in said)


def test_what_the_report_says_stands_in_the_graph(graph: Graph, planted: str, report: Report) -> None:
    rows = read(
        graph,
        """
        MATCH (r:Run {corpus: $corpus})-[:HAS_FINDING]->(f:Finding)
        RETURN r.name AS run, f.measure AS measure, f.scope AS scope, f.aggregate AS aggregate,
               f.other_run AS other, f.embedder AS embedder, f.about AS about, f.value AS value, f.n AS n,
               f.low AS low, f.high AS high, f.p AS p, f.p_clustered AS p_clustered, f.p_naive AS p_naive
        """,
        corpus=planted,
    )
    places = ("run", "measure", "scope", "aggregate", "other", "embedder", "about")
    found = {tuple(row[place] for place in places): row for row in rows}
    assert len(found) == len(rows) > 150
    nothing = (None, None, None, None)
    total = report.runs[0].matrix.total
    error = found["small", "error rate", "all", *nothing]
    assert total.interval is not None
    assert (error["value"], error["n"], error["low"]) == (0.8, 5, total.interval.low)
    assert found["small", "lost at hop 2", "2 hops", *nothing]["value"] == 0.5
    assert found["small", "evidence retrieved", "every hop", *nothing]["value"] == pytest.approx(0.4)
    assert found["small", "right for the wrong reason, by citations", "2 hops", *nothing]["value"] == 1.0
    assert found["small", "false answers", "all", *nothing]["value"] == 0.5
    mean = report.runs[0].retrieval["MAP@10"]
    assert (found["small", "MAP@10", "all", *nothing]["value"], mean.n) == (mean.value, 6)
    assert found["large", "need of exact links", "2 hops", *nothing]["value"] == pytest.approx(1 / 3)
    compared = found["small", "difference in accuracy", "all", None, "large", None, None]
    whole = report.comparisons[0]
    assert (compared["value"], compared["p"], compared["p_clustered"], compared["p_naive"]) == (
        *(whole.difference, whole.p_holm, whole.p_value, whole.naive_p),
    )


def test_a_report_again_changes_nothing_and_the_order_turns_a_comparison(
    graph: Graph, planted: str, report: Report
) -> None:
    before = fingerprint(graph, planted)
    assert make_report(graph, planted, ["small", "large"], Silent()) == report
    assert fingerprint(graph, planted) == before
    other = make_report(graph, planted, ["large", "small"], Silent())
    assert other.comparisons[0].difference == pytest.approx(-report.comparisons[0].difference)
    pairs = """
    MATCH (f:Finding {corpus: $corpus}) WHERE f.other_run IS NOT NULL RETURN DISTINCT f.other_run AS other
    """
    assert [row["other"] for row in read(graph, pairs, corpus=planted)] == ["small"]
    make_report(graph, planted, ["small", "large"], Silent())
    assert fingerprint(graph, planted) == before


def test_a_report_on_one_run_leaves_what_was_said_of_two(graph: Graph, planted: str, report: Report) -> None:
    assert report.comparisons
    before = fingerprint(graph, planted)
    alone = make_report(graph, planted, ["small"], Silent())
    assert alone.comparisons == ()
    assert fingerprint(graph, planted) == before


@pytest.mark.campaign
def test_findings_go_with_their_run_and_with_the_run_that_they_are_about(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, QUESTIONS)
    answer(graph, corpus, "one", SMALL)
    answer(graph, corpus, "two", LARGE)
    make_report(graph, corpus, [], Silent())
    graph.rows(query("runs/delete_run"), id=run_id(corpus, "two"))
    left = "MATCH (f:Finding {corpus: $corpus}) RETURN count(f), count(f.other_run)"
    (row,) = read(graph, left, corpus=corpus)
    assert (row["count(f)"] > 0, row["count(f.other_run)"]) == (True, 0)
    graph.rows(query("runs/delete_runs"), corpus=corpus)
    assert value(graph, "MATCH (f:Finding {corpus: $corpus}) RETURN count(f)", corpus=corpus) == 0


def test_matrices_of_other_embedders_have_their_own_bins(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, QUESTIONS)
    answer(graph, corpus, "one", SMALL)
    change(
        graph,
        """
        CREATE (g:Rating {id: $corpus + '-g', corpus: $corpus, embedder: 'other', chunking: '64-128/25'})
        SET g.bins = 'depth'
        WITH g
        MATCH (q:Question {corpus: $corpus, kind: 'chain'}) WHERE q.id <> $left_out
        CREATE (g)-[:RATES {min: 0.25, mean: 0.2, power: 0.2, bin: 3}]->(q)
        """,
        corpus=corpus,
        left_out=question_id(corpus, "deep"),
    )
    (section,) = collect_report(graph, corpus, ["one"]).runs
    (other,) = section.rebinned
    assert (other.embedder, other.chunking, other.bins) == ("other", "64-128/25", "depth")
    assert (other.matrix.cell(2, 3).n, other.matrix.cell(2, 3).errors) == (3, 2)
    assert other.matrix.total.n == 4
    change(graph, "MATCH (g:Rating {corpus: $corpus}) DETACH DELETE g", corpus=corpus)


def test_the_worst_nodes_need_five_answers(graph: Graph, corpus: str) -> None:
    # Six questions from entity 0 along the claims 0 and 1, four from entity 5; all but one wrong.
    often = [Planted(f"often{i}", start=0, bin=1) for i in range(6)]
    seldom = [Planted(f"seldom{i}", start=5, bin=1) for i in range(4)]
    plant(graph, corpus, [*often, *seldom])
    given = [Given(one.name, right=one.name == "often0", chunks=(0,)) for one in (*often, *seldom)]
    answer(graph, corpus, "run", given)
    worst = make_report(graph, corpus, ["run"], Silent()).runs[0].worst
    assert {
        plural: [(one.name, one.wrong, one.answers) for one in found] for plural, found in worst.items()
    } == {
        "entities": [(f"Entity {i}", 5, 6) for i in range(3)],
        "claims": [(f"Claim {i}", 5, 6) for i in range(2)],
        "articles": [(f"Article {i}", 5, 6) for i in range(2)],
    }


def test_runs_that_are_not_there_are_told(graph: Graph, planted: str, corpus: str) -> None:
    assert choose_runs(graph, planted, []) == ["large", "small"]
    assert choose_runs(graph, planted, ["small", "small"]) == ["small"]
    with pytest.raises(NothingToDoError, match=r"has no run 'medium'.* It has: 'large', 'small'"):
        choose_runs(graph, planted, ["small", "medium"])
    with pytest.raises(NothingToDoError, match="has no run yet"):
        choose_runs(graph, corpus, [])


def test_a_run_that_answered_few_questions_is_compared_only_where_it_is_named(
    graph: Graph, corpus: str
) -> None:
    plant(graph, corpus, QUESTIONS)
    answer(graph, corpus, "large", LARGE)
    answer(graph, corpus, "small", SMALL)
    answer(graph, corpus, "limited", SMALL[:2])
    assert choose_runs(graph, corpus, []) == ["large", "small"]
    assert choose_runs(graph, corpus, ["limited"]) == ["limited"]
    report = make_report(graph, corpus, [], Silent())
    assert [run.facts.name for run in report.runs] == ["large", "small"]
    assert "than the 9 of the fullest run: limited (2). Name runs to have them in." in report.notes[0]
    assert "limited" not in " ".join(make_report(graph, corpus, ["large", "small"], Silent()).notes)


def test_the_matrix_stage_analyses_too(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, QUESTIONS)
    answer(graph, corpus, "run", SMALL)
    assert write_matrix(graph, corpus, "run", Silent()) == {"questions": 5, "wrong": 4}
    broken = "MATCH (a:Answer {corpus: $corpus}) RETURN count(a.broken_by)"
    assert value(graph, broken, corpus=corpus) == 5


def test_articles_older_than_the_data_of_a_runs_model_are_told_of_that_run(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, QUESTIONS)
    days = "MATCH (a:Article {corpus: $corpus}) SET a.published_at = datetime($day)"
    change(graph, days, corpus=corpus, day="2031-01-08T12:00Z")
    answer(graph, corpus, "by heart", SMALL, model_cutoff="2031-01-08")
    answer(graph, corpus, "older", SMALL, model_cutoff="2031-01-07")
    answer(graph, corpus, "rules", SMALL)
    (note,) = [one for one in collect_report(graph, corpus, []).notes if "by heart." in one]
    articles = value(graph, "MATCH (a:Article {corpus: $corpus}) RETURN count(a)", corpus=corpus)
    assert note.startswith(f"Run 'by heart': {articles} of {articles} dated articles were published before")


def test_a_question_without_a_quartile_is_left_out_of_the_matrix_and_told(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, [Planted("placed"), Planted("loose", start=2, bin=None)])
    answer(graph, corpus, "run", [Given("placed", right=True), Given("loose", right=True)])
    report = make_report(graph, corpus, ["run"], Silent())
    assert report.runs[0].matrix.total.n == 1
    assert report.runs[0].kinds[0].accuracy.n == 2
    assert "Run 'run': its matrix leaves out 1 chain question without a quartile." in report.notes


def test_entities_with_twenty_answers_come_before_those_that_fail_more_of_few(
    graph: Graph, corpus: str
) -> None:
    near = [Planted(f"near{i}", start=0) for i in range(20)]
    far = [Planted(f"far{i}", start=5) for i in range(19)]
    plant(graph, corpus, [*near, *far])
    answer(graph, corpus, "run", [Given(one.name, right=one.name == "near0") for one in (*near, *far)])
    answer(graph, corpus, "another", [Given(one.name) for one in far])
    worst = read_worst_nodes(graph, run_id(corpus, "run"))["entities"]
    assert [(one.name, one.wrong, one.answers) for one in worst] == [
        *((f"Entity {i}", 19, 20) for i in range(3)),
        *((f"Entity {i}", 19, 19) for i in range(5, 8)),
    ]


ABOVE, ACROSS = Interval(0.01, 0.3), Interval(-0.1, 0.3)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("all", ABOVE, True), ("2 hops", ACROSS, False)], ""),
        ([("all", ABOVE, True), ("2 hops", None, False)], ""),
        ([("all", ACROSS, False), ("2 hops", ABOVE, False), ("3 hops", ABOVE, True)], "2 hops"),
        ([("all", Interval(-0.3, -0.01), False), ("2 hops", ABOVE, False)], "all, 2 hops"),
    ],
)
def test_rows_are_named_that_are_shown_only_alone(
    rows: list[tuple[str, Interval | None, bool]], told: str
) -> None:
    note = several_tests_note(rows)
    assert note.partition(":")[0] == told
    assert ("Holm" in note) == bool(told)
