"""What models would take, told before anything is sent or written."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kg.corpus import fingerprint
from kg.errors import SettingsError
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.build import build_graph
from kg.stages.resolution import link_finder
from kg.store.graph import Graph
from services.settled_options import BuildEstimate, SettledTools, estimate_build
from tests import scripted_reader
from tests.scripted_endpoint import Endpoint, scripted_endpoint
from tests.scripted_reader import task
from tests.valley import OPTIONS, bodies, ingest, tools

BOTH = SettledTools("builtin", "model", "model")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(scripted_reader.read) as running:
        yield running


@pytest.fixture
def settings(endpoint: Endpoint, tmp_path: Path) -> Settings:
    return endpoint.settings(tmp_path, hopgrade_model_prices={"scripted": (0.15, 0.6)})


def test_rules_take_nothing_and_need_no_model(graph: Graph, corpus: str) -> None:
    none = Settings(hopgrade_model=None, hopgrade_extract_model=None)
    found = estimate_build(graph, corpus, SettledTools("builtin", "rules", "rules"), 0, none)
    assert found == BuildEstimate(None, None)
    with pytest.raises(SettingsError, match="HOPGRADE_EXTRACT_MODEL"):
        estimate_build(graph, corpus, BOTH, 0, none)


def test_claims_can_be_told_at_once_and_links_are_an_expectation_until_the_first_build(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    used = replace(tools(settings), link_finder=link_finder("model", settings))
    ingest(graph, corpus, bodies(8), used)
    before = fingerprint(graph, corpus)
    first = estimate_build(graph, corpus, BOTH, 0, settings)
    assert fingerprint(graph, corpus) == before
    assert endpoint.requests == []
    assert first.links_expected
    assert first.links is not None
    assert first.links.calls > 0
    assert first.links.cached == 0
    assert first.claims is not None
    price = (first.claims.input_tokens_at_most * 0.15 + first.claims.output_tokens_at_most * 0.6) / 1_000_000
    assert first.claims.money_at_most == pytest.approx(price)
    assert first.claims.money is not None
    assert 0 < first.claims.money < price

    build_graph(graph, corpus, OPTIONS, replace(used, link_finder=tools(settings).link_finder), Silent())
    assert 0 < len(endpoint.requests) <= first.claims.calls
    endpoint.requests.clear()
    built = fingerprint(graph, corpus)
    second = estimate_build(graph, corpus, BOTH, 0, settings)
    assert fingerprint(graph, corpus) == built
    assert endpoint.requests == []
    assert not second.links_expected
    assert second.claims is not None
    assert second.claims.calls == 0
    assert second.links is not None

    build_graph(graph, corpus, OPTIONS, used, Silent())
    assert {task(asked) for asked in endpoint.requests} == {"pairs"}
    assert len(endpoint.requests) == second.links.calls - second.links.cached
    third = estimate_build(graph, corpus, BOTH, 0, settings)
    assert third.links is not None
    assert third.links.cached == third.links.calls == second.links.calls
    assert third.links.money_at_most == 0
