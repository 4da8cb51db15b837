"""What a whole job may take, by its size: near the recorded one, and in proportion."""

import json
from itertools import groupby
from pathlib import Path

import pytest

from kg.settings import Settings
from kg.store.graph import Graph
from services.job_projection import (
    RECORDED_ARTICLES,
    RECORDED_LETTERS,
    STEPS,
    ArticleSize,
    largest_corpus,
    project_job,
)
from tests.graph_reading import change

RECORDED = Path(__file__).parents[2] / "docs" / "evaluation" / "model" / "second" / "results.json"
FACTOR = 1.5
PRICED = Settings(
    hopgrade_model="m", openai_base_url="http://127.0.0.1:1/v1", hopgrade_model_prices={"m": (1.0, 10.0)}
)


def test_the_steps_are_near_those_of_the_recorded_job() -> None:
    found = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert found["counts"]["articles"] == RECORDED_ARTICLES
    # Agents are no part of the projection.
    rows = [row for row in found["requests"] if not row["prompt"].startswith("walk-")]
    stages = {stage: list(some) for stage, some in groupby(rows, key=lambda row: row["stage"])}
    assert list(stages) == [step.name for step in STEPS]
    for step in STEPS:
        for mine, key in ((step.calls, "requests"), (step.input_tokens, "input_tokens")):
            taken = sum(row[key] for row in stages[step.name])
            assert taken / FACTOR <= mine <= taken * FACTOR, step.name


def test_twice_the_letters_take_twice_as_much_and_answers_as_much_as_before() -> None:
    one = project_job(ArticleSize("", 42, RECORDED_LETTERS), PRICED)
    two = project_job(ArticleSize("", 84, 2 * RECORDED_LETTERS), PRICED)
    for step, small, large in zip(STEPS, one.steps, two.steps, strict=True):
        times = 2 if step.scale == "articles" else 1
        assert large.calls == times * small.calls
        assert large.input_tokens == times * small.input_tokens
        assert small.money == pytest.approx((small.input_tokens + 10 * small.output_tokens) / 1_000_000)
    assert one.money == pytest.approx(sum(step.money or 0 for step in one.steps))
    assert one.steps[0].calls == STEPS[0].calls


def test_without_a_price_there_is_no_money() -> None:
    free = PRICED.model_copy(update={"hopgrade_model_prices": {}})
    assert project_job(ArticleSize("", 1, 1_000), free).money is None


def test_the_largest_corpus_is_at_hand(graph: Graph, corpus: str) -> None:
    write = (
        "CREATE (:Corpus {id: $corpus, name: $corpus, embedder: 'builtin', created_at: datetime()}), "
        "(:Article {id: $corpus + 'a', corpus: $corpus, body: $body}), "
        "(:Article {id: $corpus + 'b', corpus: $corpus, body: 'short'})"
    )
    change(graph, write, corpus=corpus, body="x" * 3_000_000)
    assert largest_corpus(graph) == ArticleSize(corpus, 2, 3_000_005)
