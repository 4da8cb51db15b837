"""The page served over a small corpus whose names and titles try to be markup, answered by two runs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import httpx
import pytest
import uvicorn

from kg.corpus import drop_corpus
from kg.ids import run_id
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.store.graph import Graph
from services.pipeline import open_for_job, run_job
from services.rag.run_options import RunOptions
from services.runs.start import start_run
from services.web.api.access import Access
from services.web.api.app import create_app
from services.web.pages.parameters import address
from tests.conftest import ServerAddress
from tests.names import unique_name
from tests.services.web.views.planted_standards import ANALYSED, LOCKED, plant_standards
from tests.small_world import ARTICLES, CHAIN, OPTIONS, tools

HOSTILE_TITLE = '<script>document.title = "owned"</script>'
HOSTILE_SOURCE = '"><img src=x onerror="document.title=\'owned\'">'
FIRST, SECOND = "single-step", "words/1:top"


@dataclass(frozen=True, slots=True)
class World:
    """The corpus, and what in it has a page of its own."""

    corpus: str
    question: str
    entity: str
    article: str

    def views(self) -> dict[str, str]:
        """Every view by name, with its address."""
        runs = {"run": FIRST, "with_": SECOND}
        return {
            "corpora": address(),
            "overview": address(self.corpus),
            "statistics": address(self.corpus, "statistics"),
            "graph in figures": address(self.corpus, "graph-quality"),
            "reviews": address(self.corpus, "reviews"),
            "matrix": address(self.corpus, "matrix"),
            "two matrices": address(self.corpus, "matrix", **runs),
            "questions": address(self.corpus, "questions", **runs),
            "question": address(self.corpus, "questions", self.question),
            "paths": address(self.corpus, "paths"),
            "around one": address(self.corpus, "paths", from_=CHAIN[1]),
            "between two": address(self.corpus, "paths", from_=CHAIN[0], to=CHAIN[-1]),
            "graph": address(self.corpus, "graph"),
            "explored graph": address(self.corpus, "graph", open=self.entity),
            "entities": address(self.corpus, "entities"),
            "entity": address(self.corpus, "entities", self.entity),
            "article": address(self.corpus, "articles", self.article),
            "runs": address(self.corpus, "runs"),
            "run": address(self.corpus, "runs", FIRST),
            "run hop by hop": address(self.corpus, "runs", SECOND, "hops"),
            "run with a slash": address(self.corpus, "runs", SECOND),
            "compare": address(self.corpus, "compare"),
            "jobs": address(self.corpus, "jobs"),
            "standards": address(self.corpus, "standards"),
            "standard": address(self.corpus, "standards", ANALYSED),
            "standard without results": address(self.corpus, "standards", LOCKED),
            "ask": address(self.corpus, "ask", question="Who founded Halden Shipping?", retriever="vector"),
            "not found": address("no such corpus"),
        }


@pytest.fixture(scope="session")
def world(graph: Graph) -> Iterator[World]:
    """The small world under hostile names, with two runs."""
    corpus = f"{unique_name('page/', 'session')} <b>&amp;"
    settings = Settings(neo4j_uri=None)
    open_for_job(graph, corpus, OPTIONS, tools())
    with TemporaryDirectory() as folder:
        file = Path(folder) / "articles.jsonl"
        rows = (
            {"id": name, "title": f"{HOSTILE_TITLE} {name}", "source": HOSTILE_SOURCE, "body": body}
            for name, body in ARTICLES.items()
        )
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        ingest_articles(graph, corpus, [file], {}, ArticleLimits(1, 8_192), Silent())
    run_job(graph, corpus, OPTIONS, tools(), Silent(), settings=settings)
    second = RunOptions(name=SECOND, retriever="words", top=1)
    start_run(graph, corpus, second, settings, tools().embedder, Silent())
    questions = graph.rows(
        query("questions/list_with_answers"),
        corpus=corpus,
        status="kept",
        hops=[3],
        bins=[],
        kinds=["chain"],
        text="",
        run=run_id(corpus, FIRST),
        other="",
        outcome="answered",
        cause="",
        runs=[],
        skip=0,
        limit=1,
    )
    with TemporaryDirectory() as folder:
        plant_standards(graph, corpus, Path(folder))
    entities = graph.rows(query("entities/find_entities"), corpus=corpus, text=CHAIN[2], key="")
    articles = graph.rows(query("articles/read_naming"), id=entities[0]["id"])
    yield World(corpus, questions[0]["id"], entities[0]["id"], articles[0]["id"])
    drop_corpus(graph, corpus)


@dataclass(frozen=True, slots=True)
class GuardedServer:
    """A server that asks for a token: its address, and whom it lets in."""

    address: str
    access: Access


@contextmanager
def _served(server_address: ServerAddress, access: Access) -> Iterator[str]:
    """The address of the application behind a real HTTP server."""
    settings = Settings.model_validate(
        {
            "neo4j_uri": server_address.uri,
            "neo4j_username": server_address.username,
            "neo4j_password": server_address.password,
            "neo4j_database": server_address.database,
        }
    )
    server = uvicorn.Server(uvicorn.Config(create_app(settings, access), port=0, log_level="error"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.02)
    assert server.started, "the application did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(600)


@pytest.fixture(scope="session")
def page_server(server_address: ServerAddress, graph: Graph) -> Iterator[str]:
    """The address of the application as `kg serve --no-token` runs it."""
    with _served(server_address, Access()) as address:
        yield address


@pytest.fixture
def guarded_server(server_address: ServerAddress, graph: Graph) -> Iterator[GuardedServer]:
    """The application as `kg serve` runs it, just started."""
    access = Access("a token that is long enough")
    with _served(server_address, access) as address:
        yield GuardedServer(address, access)


@pytest.fixture(scope="session")
def client(page_server: str) -> Iterator[httpx.Client]:
    """A client that asks the application."""
    with httpx.Client(base_url=page_server, timeout=600) as opened:
        yield opened
