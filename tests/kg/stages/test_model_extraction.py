"""Articles read by a model into a real graph: what is written, what is kept of failures, and what goes on."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg.errors import BudgetReachedError
from kg.extract.protocol import ExtractionInput
from kg.ledger import counts_of, read_stage
from kg.llm.budget import Budget
from kg.llm.roles import open_model
from kg.model import Extraction
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.articles import rejects
from kg.stages.build import build_graph
from kg.stages.extraction import estimate_extraction, extract_claims, retry_failed
from kg.stages.resolution import link_finder
from kg.stages.resolution_links import retry_failed_links
from kg.store.graph import Graph
from tests import scripted_reader
from tests.graph_reading import read, value
from tests.kg.extract.conftest import as_input
from tests.scripted_endpoint import Endpoint, Said, scripted_endpoint
from tests.scripted_reader import changed, fact
from tests.valley import OPTIONS, bodies, extractor, ingest, tools

REFUSAL = Said(content=None, refusal="I can't help with that.")
TWO = [
    "Mira Tolland founded Halden Shipping. Ivo Darrow perhaps leads Kald Foods. It was a sad day.",
    "Anton Brask never founded Halden Shipping. Anton Brask was born in Verrin.",
]
TRIPLES = """
MATCH (:Entity {corpus: $corpus})-[r:RELATES]->()
MATCH (c:Claim {id: r.claim})<-[:HAS_CLAIM]-()<-[:HAS_CHUNK]-(a)
RETURN DISTINCT r.subject AS subject, r.predicate AS predicate, r.object AS object, r.negated AS negated,
       substring(a.body, r.start, r.end - r.start) AS sentence, c.verified AS verified, c.doubt AS doubt
ORDER BY subject, predicate
"""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(scripted_reader.read) as running:
        yield running


@pytest.fixture
def settings(endpoint: Endpoint, tmp_path: Path) -> Settings:
    return endpoint.settings(tmp_path)


def build(graph: Graph, corpus: str, settings: Settings, budget: Budget | None = None) -> None:
    build_graph(graph, corpus, OPTIONS, tools(settings, budget), Silent())


def claims_line(graph: Graph, corpus: str) -> tuple[str, dict[str, Any]]:
    line = read_stage(graph, corpus, "claims")
    assert line is not None
    return line["state"], counts_of(line)


def test_claims_and_triples_are_written_with_places_and_doubts(
    graph: Graph, corpus: str, settings: Settings
) -> None:
    ingest(graph, corpus, TWO, tools(settings))
    build(graph, corpus, settings)
    rows = [tuple(row.values()) for row in read(graph, TRIPLES, corpus=corpus)]
    assert rows == [
        ("Anton Brask", "founded", "Halden Shipping", True, TWO[1].split(". ")[0] + ".", True, None),
        ("Anton Brask", "was born in", "Verrin", False, TWO[1].split(". ")[1], True, None),
        ("Mira Tolland", "founded", "Halden Shipping", False, TWO[0].split(". ")[0] + ".", True, None),
    ]
    doubts = read(
        graph, "MATCH (c:Claim {corpus: $corpus, verified: false}) RETURN c.doubt AS doubt", corpus=corpus
    )
    assert [row["doubt"] for row in doubts] == ["says more than its sentence: the sentence leaves it open"]
    state, counts = claims_line(graph, corpus)
    assert state == "done"
    assert counts == {
        "claims": 4, "factual": 4, "triples": 3, "unverified": 1, "failed": 0, "dropped": 0
    }  # fmt: skip
    named = read(
        graph,
        "MATCH (:Chunk {corpus: $corpus})-[n:NAMES]->(e) RETURN DISTINCT n.name AS name ORDER BY name",
        corpus=corpus,
    )
    assert [row["name"] for row in named] == ["Anton Brask", "Halden Shipping", "Mira Tolland", "Verrin"]


def test_triples_of_a_claim_in_doubt_are_written_but_in_no_path(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    endpoint.responder = changed(
        checks=lambda _, answer: {
            "checks": [{**one, "verdict": "different", "reason": "wrong"} for one in answer["checks"]]
        }
    )
    ingest(graph, corpus, TWO, tools(settings))
    build(graph, corpus, settings)
    stated = read(
        graph, "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() RETURN r.in_paths AS it", corpus=corpus
    )
    assert [row["it"] for row in stated] == [False] * 3


def test_the_budget_leaves_whole_articles_and_a_stage_that_goes_on(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    ingest(graph, corpus, bodies(24), tools(settings))
    with pytest.raises(
        BudgetReachedError, match=r"(\d+) of 24 articles are read and written, (\d+) are left"
    ):
        build(graph, corpus, settings, Budget(tokens=30_000))
    done = value(graph, "MATCH (a:Article {corpus: $corpus}) RETURN count(a.extracted)", corpus=corpus)
    assert 0 < done < 24
    written = value(
        graph, "MATCH (c:Claim {corpus: $corpus}) RETURN count(DISTINCT c.article)", corpus=corpus
    )
    assert written == done
    assert claims_line(graph, corpus)[0] == "running"
    build(graph, corpus, settings)
    assert claims_line(graph, corpus)[0] == "done"
    assert set(endpoint.answered.values()) == {1}


class Stopped:
    """An extractor during which somebody presses Ctrl-C."""

    def __init__(self, settings: Settings, after: int) -> None:
        self._inner = extractor(settings)
        self._after = after
        self.closed = False

    @property
    def name(self) -> str:
        return self._inner.name

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        try:
            for number, extraction in enumerate(self._inner.extract(items)):
                if number == self._after:
                    raise KeyboardInterrupt
                yield extraction
        finally:
            self.closed = True


@pytest.mark.campaign
def test_ctrl_c_keeps_what_was_finished(graph: Graph, corpus: str, settings: Settings) -> None:
    used = tools(settings)
    ingest(graph, corpus, bodies(24), used)
    build_graph_until_claims(graph, corpus, settings)
    stopped = Stopped(settings, after=19)
    with pytest.raises(KeyboardInterrupt, match="19 of 24 articles are read and written, 5 are left"):
        extract_claims(graph, corpus, lambda: stopped, Silent())
    assert stopped.closed
    assert value(graph, "MATCH (a:Article {corpus: $corpus}) RETURN count(a.extracted)", corpus=corpus) == 19


def build_graph_until_claims(graph: Graph, corpus: str, settings: Settings) -> None:
    with pytest.raises(BudgetReachedError):
        build(graph, corpus, settings, Budget(tokens=1))


def test_an_error_of_the_graph_ends_the_model_too(graph: Graph, corpus: str, settings: Settings) -> None:
    used = tools(settings)
    ingest(graph, corpus, bodies(24), used)
    build_graph_until_claims(graph, corpus, settings)
    stopped = Stopped(settings, after=1000)

    class FullGraph(Graph):
        def rows(self, statement: Any, **params: object) -> Any:  # noqa: ANN401
            if statement.name == "claims/write_claims":
                raise OSError("no space left")
            return super().rows(statement, **params)

    full = FullGraph(graph._driver, graph.database, graph.uri)
    with pytest.raises(OSError, match="no space"):
        extract_claims(full, corpus, lambda: stopped, Silent())
    assert stopped.closed


@pytest.mark.campaign
def test_failures_are_listed_and_read_again_on_demand(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    ingest(graph, corpus, [*bodies(5), TWO[0]], tools(settings))
    endpoint.responder = changed(
        sentences=lambda asked, answer: REFUSAL if "News 5" in asked.question else answer
    )
    build(graph, corpus, settings)
    failed = [row for row in rejects(graph, corpus) if row["kind"] == "failed"]
    article = value(graph, "MATCH (a:Article {corpus: $corpus, given_id: '5'}) RETURN a.id", corpus=corpus)
    assert {row["place"] for row in failed} == {
        f'"News 5" ({article}), sentences 1-2',
        f'"News 5" ({article}), sentence 3',
    }
    assert all(row["reason"].startswith("claims: refusal") for row in failed)
    assert claims_line(graph, corpus)[1]["failed"] == 2
    build(graph, corpus, settings)
    assert claims_line(graph, corpus)[1]["failed"] == 2
    endpoint.responder = scripted_reader.read
    sent = len(endpoint.requests)
    assert retry_failed(graph, corpus) == 1
    build(graph, corpus, settings)
    assert claims_line(graph, corpus) == ("done", claims_line(graph, corpus)[1] | {"failed": 0})
    assert all("News 5" in asked.question for asked in endpoint.requests[sent:])
    assert [row for row in rejects(graph, corpus) if row["kind"] == "failed"] == []
    assert retry_failed(graph, corpus) == 0


@pytest.mark.campaign
def test_links_that_failed_are_asked_for_again_on_demand(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    used = replace(tools(settings), link_finder=link_finder("model", settings))
    ingest(graph, corpus, bodies(8), used)
    endpoint.responder = changed(pairs=lambda _, __: REFUSAL)
    build_graph(graph, corpus, OPTIONS, used, Silent())
    failed = [row for row in rejects(graph, corpus) if row["kind"] == "failed link"]
    assert failed
    assert all(row["reason"].startswith("links: refusal") for row in failed)
    endpoint.responder = scripted_reader.read
    sent = len(endpoint.requests)
    build_graph(graph, corpus, OPTIONS, used, Silent())
    assert len(endpoint.requests) == sent
    assert retry_failed_links(graph, corpus) == len(failed)
    build_graph(graph, corpus, OPTIONS, used, Silent())
    assert len(endpoint.requests) == sent + len(failed)
    assert [row for row in rejects(graph, corpus) if row["kind"] == "failed link"] == []
    assert retry_failed_links(graph, corpus) == 0


@pytest.mark.campaign
def test_what_was_extracted_before_is_replaced_when_an_article_is_read_again(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint, tmp_path: Path
) -> None:
    """With another answer this time, as after the cache was cleared."""
    ingest(graph, corpus, TWO, tools(settings))
    endpoint.responder = changed(
        sentences=lambda _, answer: {"sentences": [one for one in answer["sentences"] if one["number"] == 1]},
        statements=lambda _, answer: {
            "statements": [
                {**one, "facts": [{**fact_, "predicate": "once founded"} for fact_ in one["facts"]]}
                for one in answer["statements"]
            ]
        },
    )
    build(graph, corpus, settings)
    endpoint.responder = scripted_reader.read
    assert retry_failed(graph, corpus) == 2
    fresh = endpoint.settings(tmp_path / "fresh")
    build(graph, corpus, fresh)
    rows = read(graph, TRIPLES, corpus=corpus)
    assert [(row["subject"], row["predicate"]) for row in rows] == [
        ("Anton Brask", "founded"),
        ("Anton Brask", "was born in"),
        ("Mira Tolland", "founded"),
    ]


def test_dropped_triples_are_noted_with_their_number(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    wrong = fact("Mira Tolland", "met", "Napoleon")
    endpoint.responder = changed(
        statements=lambda _, answer: {
            "statements": [{**one, "facts": [*one["facts"], wrong]} for one in answer["statements"]]
        }
    )
    ingest(graph, corpus, TWO[:1], tools(settings))
    build(graph, corpus, settings)
    (row,) = rejects(graph, corpus)
    assert row["kind"] == "dropped"
    assert row["reason"] == "2 triples dropped: its object is not in the article"
    assert claims_line(graph, corpus)[1]["dropped"] == 1
    assert retry_failed(graph, corpus) == 0


@pytest.mark.campaign
def test_the_estimate_counts_unread_articles_only(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    texts = bodies(6)
    ingest(graph, corpus, texts, tools(settings))
    with open_model("extract", settings) as model:
        before = estimate_extraction(graph, corpus, model)
        assert endpoint.requests == []
        build(graph, corpus, settings)
        assert 0 < len(endpoint.requests) <= before.calls
        ingest(graph, corpus, [*texts, TWO[0]], tools(settings))
        assert estimate_extraction(graph, corpus, model).calls == 3


def test_the_reader_of_the_valley_is_right_about_it(settings: Settings) -> None:
    """Else the tests above could pass on nothing."""
    found = list(extractor(settings).extract(as_input(body) for body in bodies(10)))
    assert sum(len(one.claims) for one in found) > 30
    assert sum(len(claim.triples) for one in found for claim in one.claims) > 25
    assert not [one.failures for one in found if one.failures]
