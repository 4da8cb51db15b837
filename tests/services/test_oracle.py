"""The whole way with a known truth: a model errs with its cell's probability, and the matrix finds it.

The questions are planted, 40 a cell; the scripted endpoint answers each wrongly with the probability of its
cell, through the single-step system over a real retriever. Matrix, intervals and correlations must find what
was put in, as far as they claim to.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from kg.corpus import CorpusSettings, drop_corpus, open_corpus
from kg.ledger import record_stage
from kg.paths.protocol import DEPTHS
from kg.progress import Silent
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.matrix import BINS, Matrix
from services.evaluate.write_back import read_matrix
from services.rag.run_options import RunOptions
from services.report.collect import collect_report
from services.runs.start import start_run
from tests.graph_reading import change
from tests.names import unique_name
from tests.scripted_endpoint import Asked, scripted_endpoint
from tests.small_world import tools

A_CELL, ARTICLES, SEED = 40, 64, 11
TRUE = {
    (hops, quartile): 0.15 + 0.1 * depth + 0.12 * place
    for depth, hops in enumerate(DEPTHS)
    for place, quartile in enumerate(BINS)
}
"""Error probability by depth and bin: from .15 to .81."""

ARTICLES_AND_CHUNKS = """
UNWIND range(0, $articles - 1) AS i
CREATE (a:Article {id: $corpus + '-a' + i, corpus: $corpus, title: 'Article ' + i, source: 'Planted'})
CREATE (c:Chunk {id: $corpus + '-c' + i, corpus: $corpus, article: a.id, text: 'Chunk ' + i, position: 0})
CREATE (a)-[:HAS_CHUNK {position: 0}]->(c)
"""


def unit_vectors(count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Unit vectors (count, 384) in no direction."""
    drawn = rng.standard_normal((count, 384))
    lengths = np.sqrt((drawn**2).sum(axis=1, keepdims=True))
    return np.asarray(drawn / lengths, np.float32)


def plant(graph: Graph, corpus: str) -> None:
    """Articles of one chunk, and the same number of questions in every cell, spread over the articles."""
    rng = np.random.default_rng(SEED)
    open_corpus(graph, corpus, CorpusSettings("builtin", tools().embedder.name, 384, "128-256/50", "rules"))
    change(graph, ARTICLES_AND_CHUNKS, corpus=corpus, articles=ARTICLES)
    chunks = [f"{corpus}-c{i}" for i in range(ARTICLES)]
    vectors = unit_vectors(ARTICLES, rng)
    graph.rows(
        query("search/write_embeddings"),
        target="chunks",
        rows=[{"id": chunk, "vector": vector} for chunk, vector in zip(chunks, vectors, strict=True)],
    )
    cells = [cell for cell in TRUE for _ in range(A_CELL)]
    texts = unit_vectors(len(cells), rng)
    rows = [
        {
            "question": {
                "id": f"{corpus}-q{number}", "text": f"What is number-{number}?", "answer": f"Right {number}",
                "accepted": [], "kind": "chain", "query_type": "inference", "hops": hops, "bin": quartile,
                "status": "kept", "generator": "planted",
                "difficulty_min": (quartile - rng.random()) / len(BINS),
                "difficulty_mean": 0.5, "difficulty_power": 0.5,
            },
            "vector": texts[number],
            "path": "",
            "asks_about": [],
            "answered_by": "",
            "claims": [],
            "support": [
                {"chunk": chunks[int(place)], "hop": hop, "similarity": 0.5}
                for hop, place in enumerate(rng.choice(ARTICLES, hops, replace=False), start=1)
            ],
            "prefixes": [],
        }
        for number, (hops, quartile) in enumerate(cells)
    ]  # fmt: skip
    graph.write_rows(query("questions/write_questions"), rows, size=200, corpus=corpus)
    record_stage(graph, corpus, "questions", "planted", {"kept": len(rows)})


def errs_by_cell(asked: Asked) -> str:
    """What the endpoint answers: wrong with the probability of the question's cell, the same each time."""
    number = int(re.findall(r"number-(\d+)", asked.question)[-1])
    true = list(TRUE.values())[number // A_CELL]
    wrong = np.random.default_rng([SEED, number]).random() < true
    return f"Wrong {number}" if wrong else f"Right {number}"


@pytest.fixture(scope="module")
def answered(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    corpus = unique_name("test", "module")
    plant(graph, corpus)
    home: Path = tmp_path_factory.mktemp("home")
    with scripted_endpoint(errs_by_cell, faults=["429", "500"]) as endpoint:
        options = RunOptions(generator="model", name="oracle", top=2)
        start_run(graph, corpus, options, endpoint.settings(home), tools().embedder, Silent())
    yield corpus
    drop_corpus(graph, corpus)


@pytest.fixture(scope="module")
def matrix(graph: Graph, answered: str) -> Matrix:
    return read_matrix(graph, answered, "oracle")


@pytest.mark.campaign
def test_the_intervals_of_cells_hold_what_was_put_in(matrix: Matrix) -> None:
    assert [cell.n for cell in matrix.cells] == [A_CELL] * 16
    plain, clustered = 0, 0
    for cell in matrix.cells:
        true = TRUE[cell.hops or 0, cell.bin or 0]
        assert cell.interval is not None
        assert cell.clustered is not None
        plain += cell.interval.low <= true <= cell.interval.high
        clustered += cell.clustered.low <= true <= cell.clustered.high
    # Of 16 at 95 %, 12 or fewer hold it less than once in a hundred times.
    assert plain >= 13
    assert clustered >= 13


def test_errors_scatter_around_the_truth_as_chance_has_it(matrix: Matrix) -> None:
    true = np.array([TRUE[cell.hops or 0, cell.bin or 0] for cell in matrix.cells])
    errors = np.array([cell.errors for cell in matrix.cells])
    distance = float(np.sum((errors - A_CELL * true) ** 2 / (A_CELL * true * (1 - true))))
    assert 0.001 < chi2.sf(distance, len(true)) < 0.999


def test_the_totals_hold_it_too(matrix: Matrix) -> None:
    held = []
    for cell in (*matrix.by_depth, *matrix.by_bin, matrix.total):
        true = np.mean(
            [p for (hops, b), p in TRUE.items() if cell.hops in (None, hops) and cell.bin in (None, b)]
        )
        assert cell.clustered is not None
        held.append(cell.clustered.low <= true <= cell.clustered.high)
    assert sum(held) >= len(held) - 2


def test_correlations_find_the_truth(matrix: Matrix) -> None:
    true = np.array([[TRUE[hops, quartile] for quartile in BINS] for hops in DEPTHS])
    assert matrix.diagonal is not None
    assert matrix.diagonal.r > 0.9
    assert matrix.overall.bins is not None
    assert matrix.overall.bins.r > 0.9
    # Difficulty is even within a bin, so E[d y] is the sum of p (bin - .5) / 16 over bins.
    by_bin, mean = true.mean(axis=0), float(true.mean())
    covariance = float(np.sum(by_bin * (np.arange(1, 5) - 0.5)) / 16) - mean / 2
    expected = covariance / float(np.sqrt(mean * (1 - mean) / 12))
    found = matrix.overall.questions
    assert found is not None
    assert found.r == pytest.approx(expected, abs=2.5 / np.sqrt(16 * A_CELL))
    assert found.p_clustered is not None
    assert found.p_clustered < 0.001
    assert matrix.depth_trend is not None
    assert matrix.depth_trend.p_clustered is not None
    assert matrix.depth_trend.p_clustered < 0.001


@pytest.mark.campaign
def test_the_report_knows_who_answered(graph: Graph, answered: str) -> None:
    report = collect_report(graph, answered, ["oracle"])
    facts = report.runs[0].facts
    assert (facts.generator, facts.answers, facts.errors) == ("scripted", 16 * A_CELL, 0)
    assert facts.input_tokens > 0
    wrong = sum(loss.wrong for loss in report.runs[0].losses)
    assert wrong == report.runs[0].matrix.total.errors
