"""What a whole job may take, by its size: what recorded jobs took, and in proportion."""

import gzip
import json
from collections import Counter

import pytest

from kg.settings import Settings
from kg.store.graph import Graph
from services.job_projection import (
    RECORDED_ANSWERS,
    RECORDED_LETTERS,
    RECORDED_QUESTIONS,
    STEPS,
    USUAL_QUESTIONS,
    ArticleSize,
    largest_corpus,
    project_job,
)
from tests.graph_reading import change
from tests.model_path import FACTOR, Manifest, manifests

JOBS = [
    one
    for one in manifests()
    if any(command.startswith("run judge") for command in one.commands)
    and not any("--limit" in command for command in one.commands)
]
"""The recordings of whole jobs; one of few easy questions tells nothing of another's size."""
PRICED = Settings(
    hopgrade_model="m", openai_base_url="http://127.0.0.1:1/v1", hopgrade_model_prices={"m": (1.0, 10.0)}
)


def taken(manifest: Manifest) -> tuple[int, int, Counter[str], Counter[str]]:
    """Letters, kept questions, requests and tokens in of a recorded job by step; agents are no part of it."""
    found = json.loads(manifest.results.read_text(encoding="utf-8"))
    articles = gzip.decompress(manifest.articles.read_bytes()).decode().splitlines()
    calls, given = Counter[str](), Counter[str]()
    for row in found["requests"]:
        if not row["prompt"].startswith("walk-"):
            calls[row["stage"]] += row["requests"]
            given[row["stage"]] += row["input_tokens"]
    letters = sum(len(row.get("body") or row["text"]) for row in map(json.loads, articles))
    return letters, found["counts"]["kept questions"], calls, given


def test_the_steps_are_what_the_recorded_jobs_took() -> None:
    jobs = [taken(manifest) for manifest in JOBS]
    assert sum(letters for letters, *_ in jobs) == RECORDED_LETTERS
    assert sum(kept for _, kept, *_ in jobs) == RECORDED_QUESTIONS
    calls, given = Counter[str](), Counter[str]()
    for *_, its_calls, its_given in jobs:
        calls.update(its_calls)
        given.update(its_given)
    assert {step.name: step.calls for step in STEPS} == dict(calls)
    assert {step.name: step.input_tokens for step in STEPS} == dict(given)
    assert calls["answering"] == RECORDED_ANSWERS


@pytest.mark.parametrize("manifest", JOBS, ids=lambda one: one.name)
def test_a_job_of_the_size_of_a_recorded_one_is_projected_near_it(manifest: Manifest) -> None:
    letters, kept, calls, given = taken(manifest)
    projected = project_job(ArticleSize("", 1, letters), PRICED)
    # As many questions as were kept there, each answered as often.
    asked = kept / USUAL_QUESTIONS
    answered = calls["answering"] / USUAL_QUESTIONS
    shares = {
        "writing questions": asked,
        "checking questions": asked,
        "answering": answered,
        "judging": answered,
    }
    for said, theirs in (
        (sum(one.calls * shares.get(one.name, 1) for one in projected.steps), calls),
        (sum(one.input_tokens * shares.get(one.name, 1) for one in projected.steps), given),
    ):
        assert 1 / FACTOR <= said / theirs.total() <= FACTOR


def test_twice_the_letters_take_twice_as_much_and_answers_as_much_as_before() -> None:
    one = project_job(ArticleSize("", 42, RECORDED_LETTERS), PRICED)
    two = project_job(ArticleSize("", 84, 2 * RECORDED_LETTERS), PRICED)
    for step, small, large in zip(STEPS, one.steps, two.steps, strict=True):
        times = 2 if step.scale == "letters" else 1
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
