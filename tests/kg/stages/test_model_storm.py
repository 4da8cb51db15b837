"""Articles read through a storm of faults, stopped and killed in between: nothing is lost, nothing doubled.

The graph that is left is compared, node by node and edge by edge, with the one of a calm day.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.errors import BudgetReachedError, ModelUnavailableError
from kg.llm.budget import Budget
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.articles import chunk_articles, rejects
from kg.stages.extraction import extract_claims, retry_failed
from kg.store.graph import Graph
from tests import scripted_reader
from tests.conftest import ServerAddress
from tests.graph_reading import value
from tests.kg.stages.test_model_extraction import Stopped
from tests.names import unique_name
from tests.scripted_endpoint import (
    FOR_NOW,
    SILENCE_SECONDS,
    Answer,
    Asked,
    FaultName,
    Storm,
    scripted_endpoint,
)
from tests.valley import OPTIONS, bodies, extractor, ingest, tools

ROOT = Path(__file__).parents[3]
ARTICLES = bodies(32, seed=4)
SPOILT: tuple[FaultName, ...] = ("invalid json", "prose", "refusal", "length", "empty", "content filter")
# Silence lasts as long as the time-out: a few of them will do.
WEATHER: tuple[FaultName, ...] = (*[fault for fault in FOR_NOW if fault != "silence"] * 4, "silence")
AT_ONCE = 2
MANY, FAULTS = 550, 2_000
"""Articles of a large storm, and the faults that they meet at least."""
UNDER_WAY = 4
"""Articles begun at once: half of what all 32 cost is more than four can, whatever comes first."""
READ = "MATCH (a:Article {corpus: $corpus}) RETURN count(a.extracted)"
FACTS = "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() RETURN count(r)"


def prepare(graph: Graph, corpus: str, settings: Settings, articles: list[str] = ARTICLES) -> None:
    ingest(graph, corpus, articles, tools(settings))
    chunk_articles(graph, corpus, OPTIONS.chunk_size, Silent())


def read_on(graph: Graph, corpus: str, settings: Settings, budget: Budget | None = None) -> None:
    extract_claims(graph, corpus, lambda: extractor(settings, budget, UNDER_WAY), Silent())


def read_until_nothing_fails(graph: Graph, corpus: str, settings: Settings) -> None:
    for _ in range(6):
        read_on(graph, corpus, settings)
        if retry_failed(graph, corpus) == 0:
            return
    raise AssertionError(list(rejects(graph, corpus)))


class Calm(NamedTuple):
    """A corpus, the fingerprint of its graph when nothing goes wrong, and what that took."""

    corpus: str
    fingerprint: str
    tokens: int


@pytest.fixture(scope="module")
def calm(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calm]:
    """The articles read on a calm day."""
    budget = Budget()
    name = unique_name("test", "module")
    with scripted_endpoint(scripted_reader.read) as endpoint:
        settings = endpoint.settings(tmp_path_factory.mktemp("calm"))
        prepare(graph, name, settings)
        read_on(graph, name, settings, budget)
        assert set(endpoint.answered.values()) == {1}
    assert value(graph, FACTS, corpus=name) > 100
    yield Calm(name, fingerprint(graph, name), budget.spending.tokens)
    drop_corpus(graph, name)


@pytest.mark.parametrize(
    ("seed", "kinds"),
    [
        pytest.param(1, WEATHER, id="an unreliable endpoint", marks=pytest.mark.campaign),
        pytest.param(3, (*WEATHER, *SPOILT * 3), id="an unreliable endpoint and model"),
    ],
)
def test_nothing_is_lost_or_doubled(
    graph: Graph, calm: Calm, tmp_path: Path, seed: int, kinds: tuple[FaultName, ...]
) -> None:
    corpus, expected, tokens = calm
    drop_corpus(graph, corpus)
    storm = Storm(seed, share=0.35, kinds=kinds)
    with scripted_endpoint(scripted_reader.read, storm=storm) as endpoint:
        settings = endpoint.settings(tmp_path, hopgrade_model_timeout_seconds=SILENCE_SECONDS)
        prepare(graph, corpus, settings)
        with pytest.raises(BudgetReachedError):
            read_on(graph, corpus, settings, Budget(tokens=tokens // 2))
        assert 0 < value(graph, READ, corpus=corpus) < 32
        with pytest.raises(KeyboardInterrupt):
            extract_claims(graph, corpus, lambda: Stopped(settings, after=7), Silent())
        read_until_nothing_fails(graph, corpus, settings)
    assert fingerprint(graph, corpus) == expected
    assert set(kinds) == set(storm.met)
    # An answer that was spoilt is asked for again, as no answer; all others are paid for once.
    spoilt = sum(storm.met[kind] for kind in SPOILT)
    assert endpoint.answered.total() - len(endpoint.answered) <= spoilt


@pytest.mark.campaign
@pytest.mark.timeout(3_600)
def test_two_thousand_faults_cost_nothing(graph: Graph, corpus: str, tmp_path: Path) -> None:
    """Many articles on a calm day, and then in a storm that spares no task."""
    articles = bodies(MANY, seed=5)
    with scripted_endpoint(scripted_reader.read) as endpoint:
        settings = endpoint.settings(tmp_path / "calm")
        prepare(graph, corpus, settings, articles)
        read_on(graph, corpus, settings)
        asked = set(endpoint.answered)
    expected = fingerprint(graph, corpus)
    drop_corpus(graph, corpus)
    kinds = (*(fault for fault in FOR_NOW if fault != "silence"), *SPOILT)
    storm = Storm(7, share=0.5, kinds=kinds)
    with scripted_endpoint(scripted_reader.read, storm=storm) as endpoint:
        settings = endpoint.settings(tmp_path / "storm")
        prepare(graph, corpus, settings, articles)
        for _ in range(20):
            read_on(graph, corpus, settings)
            if retry_failed(graph, corpus) == 0:
                break
    assert storm.met.total() >= FAULTS
    assert fingerprint(graph, corpus) == expected
    spoilt, answered = sum(storm.met[kind] for kind in SPOILT), set(endpoint.answered)
    assert asked <= answered
    # What a model could not answer whole is asked for in halves; nothing else is asked that was not before.
    assert len(answered - asked) <= 2 * spoilt
    assert endpoint.answered.total() - len(answered) <= spoilt


def test_an_endpoint_that_is_gone_ends_the_stage_with_what_is_left(
    graph: Graph, calm: Calm, tmp_path: Path
) -> None:
    corpus, expected, _ = calm
    drop_corpus(graph, corpus)
    with scripted_endpoint(scripted_reader.read) as endpoint:
        settings = endpoint.settings(tmp_path, hopgrade_model_retries=0)
        prepare(graph, corpus, settings)
        endpoint.faults = [*[None] * 30, *["500"] * 500]  # type: ignore[list-item]
        with pytest.raises(
            ModelUnavailableError, match=r"\d+ of 32 articles are read and written, \d+ are left"
        ):
            read_on(graph, corpus, settings)
        assert 0 < value(graph, READ, corpus=corpus) < 32
        endpoint.faults = []
        read_until_nothing_fails(graph, corpus, settings)
    assert fingerprint(graph, corpus) == expected
    assert set(endpoint.answered.values()) == {1}


@pytest.mark.campaign
def test_a_reading_that_is_killed_again_and_again_pays_for_nothing_twice(
    graph: Graph, calm: Calm, tmp_path: Path, server_address: ServerAddress
) -> None:
    corpus, expected, _ = calm
    drop_corpus(graph, corpus)
    with scripted_endpoint(scripted_reader.read) as endpoint:
        settings = endpoint.settings(tmp_path, hopgrade_model_concurrency=AT_ONCE)
        prepare(graph, corpus, settings)
        environment = {
            **os.environ,
            **server_address.environment(),
            **endpoint.environment(),
            "HOPGRADE_HOME": str(tmp_path),
            "HOPGRADE_MODEL_CONCURRENCY": str(AT_ONCE),
        }

        def reading(*order: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", "tests.kg.stages.killed_reading", corpus, *order]
            return subprocess.Popen(command, cwd=ROOT, env=environment)

        def kill_after_forty(asked: Asked) -> Answer:
            if len(endpoint.requests) == 40:
                victim.kill()
            return scripted_reader.read(asked)

        endpoint.responder = kill_after_forty
        victim = reading()
        assert victim.wait(600) == -signal.SIGKILL
        assert value(graph, READ, corpus=corpus) < 32
        endpoint.responder = scripted_reader.read
        for write, when in (("3", "uncommitted"), ("9", "committed")):
            assert reading(write, when).wait(600) == -signal.SIGKILL
            assert value(graph, READ, corpus=corpus) < 32
        read_on(graph, corpus, settings)
    assert fingerprint(graph, corpus) == expected
    # Each of the three deaths loses the answers that were on their way, and no other.
    assert endpoint.answered.total() - len(endpoint.answered) <= 3 * AT_ONCE
