"""Error rates on the graph and the cells of a matrix, computed once more in Python from the answers.

Where an answer was lost.

The oracle: where every cell's true error probability is known, the figures recover it as they claim.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from kg.corpus import fingerprint
from kg.paths.protocol import DEPTHS
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.evaluate.matrix import BINS, AnswerVerdict, Matrix, difficulty_matrix
from services.evaluate.write_back import Loss, find_loss, read_matrix, write_matrix
from services.questions.choice import QuestionChoice
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from services.statistics.intervals import wilson
from tests.examples import examples
from tests.graph_reading import read
from tests.small_world import run_small_job, tools, with_paths

RUNS = ("single-step", "narrow")
ANSWERS = """
MATCH (r:Run {corpus: $corpus})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN r.name AS run, q.kind AS kind, a.correct AS correct, q.id AS Question,
       COLLECT { MATCH (q)-[:FOLLOWS]->(p) RETURN p.id } AS Path,
       COLLECT { MATCH (q)-[:FOLLOWS]->(:Path)-[:VISITS]->(e) RETURN e.id }
         + COLLECT { MATCH (q)-[:ASKS_ABOUT|ANSWERED_BY]->(e) RETURN e.id } AS Entity,
       COLLECT { MATCH (q)-[:RESTS_ON]->(c) RETURN c.id } AS Claim,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(c) RETURN c.id } AS Chunk,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(c) RETURN c.article } AS Article
"""
RATES = """
MATCH (n {corpus: $corpus}) WHERE $label IN labels(n)
RETURN n.id AS id, n.answers AS n, n.error_rate AS rate
"""
CELLS = """
MATCH (:Run {corpus: $corpus, name: $run})-[:HAS_CELL]->(c:Cell)
RETURN c.hops AS hops, c.bin AS bin, c.n AS n, c.errors AS errors, c.error_rate AS rate, c.ci_low AS low,
       c.ci_high AS high, c.clusters AS clusters, c.clustered_low AS clustered_low, c.small AS small
"""


@pytest.fixture(scope="module")
def done(graph: Graph, small_corpus: str) -> Iterator[str]:
    """A corpus with two runs over the same questions."""
    narrow = RunOptions(name="narrow", top=2)
    start_run(graph, small_corpus, narrow, Settings(neo4j_uri=None), tools().embedder, Silent())
    yield small_corpus
    drop_run(graph, small_corpus, "narrow")


def expected_rates(rows: list[Row], label: str) -> dict[str, tuple[int, float]]:
    """For each node its answers, over all runs, and the share of wrong ones."""
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        held = row[label]
        for node in {held} if isinstance(held, str) else set(held):
            verdicts[node].append(not row["correct"])
    return {node: (len(wrong), sum(wrong) / len(wrong)) for node, wrong in verdicts.items()}


@pytest.mark.parametrize("label", ["Question", "Path", "Entity", "Claim", "Chunk", "Article"])
def test_error_rates_are_those_of_the_answers(graph: Graph, done: str, label: str) -> None:
    answers = read(graph, ANSWERS, corpus=done)
    assert {row["run"] for row in answers} == set(RUNS)
    expected = expected_rates(answers, label)
    rows = read(graph, RATES, corpus=done, label=label)
    found = {row["id"]: (row["n"], row["rate"]) for row in rows if row["n"]}
    assert found.keys() == expected.keys()
    assert all(found[node] == pytest.approx(expected[node]) for node in found)
    untouched = [row for row in rows if row["id"] not in expected]
    assert all((row["n"], row["rate"]) == (0, None) for row in untouched)
    assert {rate for _, rate in expected.values()} - {0.0, 1.0}, "the runs differ somewhere"


@pytest.mark.campaign
def test_rates_of_questions_that_are_gone_are_gone(graph: Graph, corpus: str) -> None:
    few = QuestionChoice(target=1, kinds=("chain",))
    run_small_job(graph, corpus, options=replace(with_paths(2), questions=few))
    run_small_job(graph, corpus, options=replace(with_paths(1), questions=few))
    expected = expected_rates(read(graph, ANSWERS, corpus=corpus), "Entity")
    rows = read(graph, RATES, corpus=corpus, label="Entity")
    assert {row["id"] for row in rows if row["n"]} == expected.keys()
    assert all(row["rate"] is None for row in rows if not row["n"])


@pytest.mark.parametrize("run", RUNS)
def test_cells_are_the_matrix(graph: Graph, done: str, run: str) -> None:
    matrix = read_matrix(graph, done, run)
    stored = {(row["hops"], row["bin"]): row for row in read(graph, CELLS, corpus=done, run=run)}
    cells = (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total)
    assert stored.keys() == {(cell.hops, cell.bin) for cell in cells}
    for cell in cells:
        found = stored[cell.hops, cell.bin]
        assert (found["n"], found["errors"], found["clusters"], found["small"]) == (
            *(cell.n, cell.errors, cell.clusters, cell.small),
        )
        assert found["rate"] == cell.error_rate
        bounds = (cell.interval.low, cell.interval.high) if cell.interval else (None, None)
        assert (found["low"], found["high"]) == bounds
        assert found["clustered_low"] == (cell.clustered.low if cell.clustered else None)


def test_a_matrix_counts_its_own_run_only(graph: Graph, done: str) -> None:
    answers = read(graph, ANSWERS, corpus=done)
    for run in RUNS:
        own = [row for row in answers if row["run"] == run and row["kind"] == "chain"]
        total = read_matrix(graph, done, run).total
        assert (total.n, total.errors) == (len(own), sum(not row["correct"] for row in own))


def test_questions_of_one_article_are_one_cluster(graph: Graph, done: str) -> None:
    """The cluster of a question is an article in which its last fact stands."""
    articles = read(
        graph,
        """
        MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'})
        RETURN COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c) WHERE s.hop = q.hops RETURN c.article } AS found
        """,
        corpus=done,
    )
    assert read_matrix(graph, done, "single-step").clusters.groups == len(
        {min(row["found"]) for row in articles}
    )


def test_a_run_that_never_was_has_an_empty_matrix(graph: Graph, done: str) -> None:
    assert read_matrix(graph, done, "nothing") == difficulty_matrix([])


@pytest.mark.campaign
def test_writing_again_changes_nothing(graph: Graph, done: str) -> None:
    before = fingerprint(graph, done)
    counts = write_matrix(graph, done, "narrow", Silent())
    assert fingerprint(graph, done) == before
    total = read_matrix(graph, done, "narrow").total
    assert counts == {"questions": total.n, "wrong": total.errors}


EVIDENCE = st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=12)


@examples("evidence, expected")
def test_a_wrong_answer_is_lost_at_the_first_hop_without_a_chunk(
    evidence: list[tuple[int, bool]], expected: tuple[Any, ...]
) -> None:
    assert find_loss(evidence, correct=False) == Loss(*expected)


def test_what_failed_is_an_error_and_what_is_right_is_not_broken() -> None:
    evidence = [(1, False), (2, True)]
    assert find_loss(evidence, correct=False, failed=True) == Loss((False, True), 1, "error")
    assert find_loss(evidence, correct=True) == Loss((False, True), 1, None)


def test_what_stands_nowhere_can_not_be_lost_in_retrieval() -> None:
    assert find_loss([(1, False)], correct=False, answerable=False) == Loss((False,), None, "reasoning")


@given(EVIDENCE, st.booleans())
def test_retrieval_is_to_blame_exactly_where_a_hop_is_lost(
    evidence: list[tuple[int, bool]], failed: bool
) -> None:
    loss = find_loss(evidence, correct=False, failed=failed)
    assert len(loss.hops_found) == len({hop for hop, _ in evidence})
    assert (loss.first_lost is None) == all(loss.hops_found)
    expected = "error" if failed else "reasoning" if loss.first_lost is None else "retrieval"
    assert loss.broken_by == expected


def test_without_word_of_what_was_retrieved_only_errors_are_known() -> None:
    evidence = [(1, False), (2, False)]
    assert find_loss(evidence, correct=False, told=False) == Loss((), None, "not told")
    assert find_loss(evidence, correct=True, told=False) == Loss((), None, None)
    assert find_loss(evidence, correct=False, failed=True, told=False) == Loss((), None, "error")


SEEDS = 120
A_CELL = 40
TRUE = np.array(
    [[0.15, 0.20, 0.30, 0.45], [0.20, 0.30, 0.40, 0.55], [0.30, 0.40, 0.50, 0.65], [0.40, 0.50, 0.65, 0.80]]
)
"""Error probability by depth and bin."""
CLUSTER_SIZE = 5
SPREAD = 0.15
"""How far a cluster's error probability may lie from its cell's, to either side."""


def sampled(seed: int, spread: float) -> Matrix:
    """A matrix of questions wrong with their cell's probability; with a spread, they fail in clusters."""
    rng = np.random.default_rng(seed)
    rows = []
    for depth, hops in enumerate(DEPTHS):
        for place, quartile in enumerate(BINS):
            number = A_CELL // CLUSTER_SIZE
            rates = np.clip(TRUE[depth, place] + spread * rng.choice([-1, 1], number), 0, 1)
            wrong = rng.random(A_CELL) < np.repeat(rates, CLUSTER_SIZE)
            difficulty = (place + rng.random(A_CELL)) / len(BINS)
            rows += [
                AnswerVerdict(
                    question_id=f"q{hops}{quartile}-{i}",
                    hops=hops,
                    bin=quartile,
                    difficulty=float(difficulty[i]),
                    wrong=bool(wrong[i]),
                    cluster=f"a{hops}{quartile}-{i // CLUSTER_SIZE}" if spread else f"a{hops}{quartile}-{i}",
                )
                for i in range(A_CELL)
            ]
    return difficulty_matrix(rows)


@pytest.fixture(scope="module")
def independent() -> list[Matrix]:
    return [sampled(seed, 0.0) for seed in range(SEEDS)]


@pytest.fixture(scope="module")
def clustered() -> list[Matrix]:
    return [sampled(1_000 + seed, SPREAD) for seed in range(SEEDS)]


def rates(matrices: list[Matrix]) -> NDArray[np.float64]:
    """The error rates of the cells; shape (seeds, 16)."""
    return np.array([[cell.error_rate for cell in matrix.cells] for matrix in matrices], np.float64)


def covered(matrices: list[Matrix], by_cluster: bool) -> float:
    """The share of cells whose interval holds the true probability."""
    hits = []
    for matrix in matrices:
        for cell, true in zip(matrix.cells, TRUE.ravel(), strict=True):
            interval = cell.clustered if by_cluster else cell.interval
            assert interval is not None
            hits.append(interval.low <= true <= interval.high)
    return float(np.mean(hits))


def test_rates_are_unbiased(independent: list[Matrix], clustered: list[Matrix]) -> None:
    for matrices in (independent, clustered):
        assert rates(matrices).mean(axis=0) == pytest.approx(TRUE.ravel(), abs=0.03)


def test_intervals_cover_as_they_claim(independent: list[Matrix], clustered: list[Matrix]) -> None:
    # What Wilson's interval covers at these very rates and this n, summed over all outcomes.
    exact = float(np.mean([exact_coverage(true) for true in TRUE.ravel()]))
    assert 0.94 < exact < 0.96
    assert covered(independent, by_cluster=False) == pytest.approx(exact, abs=0.015)
    assert covered(clustered, by_cluster=False) < 0.92
    assert 0.93 <= covered(clustered, by_cluster=True) <= 0.985


def exact_coverage(true: float) -> float:
    """The chance that Wilson's interval over a cell's questions holds their true error probability."""
    chance = 0.0
    for errors in range(A_CELL + 1):
        interval = wilson(errors, A_CELL)
        assert interval is not None
        if interval.low <= true <= interval.high:
            chance += float(binom.pmf(errors, A_CELL, true))
    return chance


def test_correlations_recover_the_true_ones(independent: list[Matrix]) -> None:
    for depth in range(len(DEPTHS)):
        bins = [matrix.associations[depth].bins for matrix in independent]
        questions = [matrix.associations[depth].questions for matrix in independent]
        # Rates of forty answers scatter, which draws Pearson's r over four bins towards 0.
        found = float(np.mean([one.r for one in bins if one is not None]))
        true = float(np.corrcoef(BINS, TRUE[depth])[0, 1])
        assert true - 0.15 < found <= true
        by_question = float(np.mean([one.r for one in questions if one is not None]))
        assert by_question == pytest.approx(true_point_biserial(TRUE[depth]), abs=0.02)


def true_point_biserial(cells: NDArray[np.float64]) -> float:
    """The correlation of difficulty and error where difficulty is even over [0, 1) and error steps with it.

    With u uniform on a quarter of [0, 1): E[u y] = Σ p_b (b - .5) / 16 over b = 1 to 4.
    """
    mean = float(cells.mean())
    product = float(np.sum(cells * (np.arange(1, 5) - 0.5)) / 16)
    return (product - mean / 2) / float(np.sqrt(mean * (1 - mean) / 12))


def test_trends_are_found_and_the_diagonal_rises(independent: list[Matrix]) -> None:
    depth = [matrix.depth_trend for matrix in independent]
    assert np.mean([one is not None and one.z > 0 and one.p_value < 0.05 for one in depth]) > 0.99
    diagonal = [matrix.diagonal for matrix in independent]
    assert np.mean([one.r for one in diagonal if one is not None]) > 0.9


@pytest.mark.campaign
def test_without_a_trend_none_is_claimed_too_often() -> None:
    rng = np.random.default_rng(3)
    claims = []
    for _ in range(200):
        bins = rng.integers(1, 5, 200)
        wrong = rng.random(200) < np.repeat(0.4 + 0.3 * rng.choice([-1, 1], 40), 5)
        rows = [
            AnswerVerdict(f"q{i}", 2, int(bins[i]), float(bins[i]), bool(wrong[i]), f"a{i // 5}")
            for i in range(200)
        ]
        trend = difficulty_matrix(rows).associations[0].trend
        assert trend is not None
        assert trend.p_clustered is not None
        claims.append(trend.p_clustered < 0.05)
    assert 0.01 <= np.mean(claims) <= 0.09
