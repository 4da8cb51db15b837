"""The walk by the graph data science plugin against the walk in memory."""

from collections.abc import Iterator

import pytest

from kg.connect import open_graph
from kg.corpus import drop_corpus
from kg.errors import StoreTooOldError
from kg.progress import Silent
from kg.queries import area_queries, query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.graph_search.cache import SnapshotCache
from services.rag.protocol import Filters
from services.rag.retrieval.choose import open_retriever
from tests.names import unique_name
from tests.services.rag.retrieval.valley_press import asked, build_press
from tests.small_world import tools

pytestmark = pytest.mark.campaign

QUESTIONS = (
    "Who founded Halden Shipping?",
    "What links Mira Tolland to Greta Lindqvist and the NHB?",
    "Which university did the founder of Halden Shipping attend?",
    "pigeons",
    "",
)


def has_plugin(graph: Graph) -> bool:
    return bool(graph.rows(query("gds/is_installed"))[0]["installed"])


@pytest.fixture(scope="module")
def with_plugin(gds_settings: Settings) -> Iterator[Graph]:
    """A server that has the plugin."""
    with open_graph(gds_settings, Silent()) as opened:
        yield opened


@pytest.fixture(scope="module")
def press(with_plugin: Graph) -> Iterator[str]:
    corpus = unique_name("gds", "module")
    build_press(with_plugin, corpus)
    yield corpus
    drop_corpus(with_plugin, corpus)


@pytest.mark.parametrize(
    "filters", [Filters(), Filters(sources=("Norholm Echo",)), Filters(since="2022-01-01")]
)
def test_both_engines_rank_alike(with_plugin: Graph, press: str, filters: Filters) -> None:
    snapshots = SnapshotCache(with_plugin, press)
    questions = asked(*QUESTIONS, filters=filters)
    memory, plugin = (
        open_retriever(name, with_plugin, press, tools().embedder, 50, snapshots).retrieve(questions)
        for name in ("pagerank", "pagerank-gds")
    )
    assert any(memory)
    for one, other in zip(memory, plugin, strict=True):
        assert [hit.chunk for hit in one] == [hit.chunk for hit in other]
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], rel=1e-5)


def test_the_projection_is_kept_until_the_graph_changes(with_plugin: Graph, press: str) -> None:
    def projected() -> set[str]:
        rows = with_plugin.rows(query("gds/list_graphs"), prefix="hopgrade-")
        return {row["name"] for row in rows}

    older, snapshots = projected(), SnapshotCache(with_plugin, press)
    retriever = open_retriever("pagerank-gds", with_plugin, press, tools().embedder, 3, snapshots)
    retriever.retrieve(asked(QUESTIONS[0]))
    (mine,) = {name for name in projected() if name.endswith(snapshots.current().version)}
    outdated = f"{mine.rpartition('-')[0]}-older"
    with_plugin.rows(query("gds/project_edges"), name=outdated, starts=[0], ends=[1], weights=[1.0])
    retriever.retrieve(asked(QUESTIONS[1]))
    assert projected() == older | {mine}
    for _ in range(2):
        with_plugin.rows(query("gds/drop_graph"), name=mine)
    assert projected() == older - {mine}


def test_a_server_plans_the_statements_as_declared(with_plugin: Graph) -> None:
    for statement in area_queries("gds"):
        columns, deprecated = with_plugin.explain(statement)
        assert columns == list(statement.returns)
        assert deprecated == []


def test_without_the_plugin_it_is_told_how_to_have_it(graph: Graph, corpus: str) -> None:
    if has_plugin(graph):
        pytest.skip("the session's server has the plugin")
    with pytest.raises(StoreTooOldError, match="kg server start --gds"):
        open_retriever("pagerank-gds", graph, corpus, tools().embedder)
