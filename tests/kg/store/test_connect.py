"""A connection is made, or refused in one sentence that helps and gives no secret away."""

import socket
from uuid import uuid4

import pytest

from kg.connect import LEAST_VERSION, open_graph, refuse_old
from kg.errors import HopgradeError, SettingsError, StoreError, StoreTooOldError, StoreUnavailableError
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from tests.conftest import ServerAddress
from tests.graph_reading import statement, value

SECRET = "geheim-4711"


def settings_for(address: ServerAddress) -> Settings:
    return Settings.model_validate(
        {
            "neo4j_uri": address.uri,
            "neo4j_username": address.username,
            "neo4j_password": address.password,
            "neo4j_database": address.database,
        }
    )


def test_a_given_server_is_opened_with_its_schema(server_address: ServerAddress) -> None:
    with open_graph(settings_for(server_address), Silent()) as graph:
        assert graph.uri == server_address.uri
        assert value(graph, "MATCH (m:Migration) RETURN count(m)") > 0
        assert graph.server_version().startswith("20")


def test_a_closed_port_is_told_with_the_address(unused_port: int) -> None:
    uri = f"bolt://127.0.0.1:{unused_port}"
    with pytest.raises(StoreUnavailableError, match="does not answer") as caught:
        Graph.connect(uri, "neo4j", SECRET)
    assert uri in caught.value.message
    assert "NEO4J_URI" in caught.value.remedy
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("uri", ["", "localhost:7687", "http://localhost:7474", "ftp://x", "bolt:/localhost"])
def test_what_is_no_address_of_a_neo4j_is_told_how_to_give_one(uri: str) -> None:
    with pytest.raises(StoreUnavailableError, match="is not an address of a Neo4j") as caught:
        Graph.connect(uri, "neo4j", SECRET)
    assert "bolt://HOST:7687" in caught.value.remedy


def test_a_wrong_password_is_told_without_it(server_address: ServerAddress) -> None:
    user = f"nobody-{uuid4().hex[:6]}"  # a wrong password of the real user would lock it for all tests
    with pytest.raises(StoreUnavailableError, match=f"refused user '{user}'") as caught:
        Graph.connect(server_address.uri, user, SECRET, server_address.database)
    assert "NEO4J_PASSWORD" in caught.value.remedy
    assert SECRET not in everything_said(caught.value)


@pytest.mark.parametrize("uri", [f"bolt://neo4j:{SECRET}@127.0.0.1:7687", f"http://neo4j:{SECRET}@localhost"])
def test_a_password_in_the_address_is_refused_and_not_shown(uri: str) -> None:
    with pytest.raises(StoreUnavailableError) as caught:
        Graph.connect(uri, "neo4j", "")
    assert SECRET not in everything_said(caught.value)
    assert "NEO4J_PASSWORD" in caught.value.remedy


def test_an_unknown_database_is_named(server_address: ServerAddress) -> None:
    with pytest.raises(StoreUnavailableError, match="database 'nowhere'"):
        Graph.connect(server_address.uri, server_address.username, server_address.password, "nowhere")


def test_an_address_without_a_password_is_a_mistake_in_the_settings(unused_port: int) -> None:
    settings = Settings(neo4j_uri=f"bolt://127.0.0.1:{unused_port}", neo4j_password=None)
    with pytest.raises(SettingsError, match="without NEO4J_PASSWORD"):
        open_graph(settings, Silent())


def test_a_server_that_goes_away_is_told_so(server_address: ServerAddress) -> None:
    graph = Graph.connect(server_address.uri, server_address.username, server_address.password)
    graph.close()
    with pytest.raises(HopgradeError):
        value(graph, "RETURN 1 AS one")


def test_a_server_that_lacks_what_is_needed_is_refused_with_its_version(graph: Graph) -> None:
    unknown = statement("CYPHER 25\nMATCH (n) SEARCH n BY SMELL RETURN n")
    with pytest.raises(StoreTooOldError, match=r"\(version 20\d+\..* has no filtered") as caught:
        refuse_old(graph, unknown)
    assert LEAST_VERSION in caught.value.remedy
    assert "NEO4J_URI" in caught.value.remedy


def test_a_new_server_is_taken_whether_its_indexes_are_made_or_not(graph: Graph) -> None:
    refuse_old(graph)
    made_later = query("search/search_chunks").text.replace("chunk_embedding", "made_later")
    refuse_old(graph, statement(made_later, "corpus", "rows", "limit"))


def test_another_refusal_is_not_taken_for_an_old_server(graph: Graph) -> None:
    with pytest.raises(StoreError, match=r"no\.such") as caught:
        refuse_old(graph, statement("CYPHER 25\nCALL no.such() YIELD x RETURN x"))
    assert not isinstance(caught.value, StoreTooOldError)


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def everything_said(error: HopgradeError) -> str:
    """The error with all that led to it, as a traceback would show it."""
    parts: list[str] = []
    link: BaseException | None = error
    while link is not None:
        parts.append(repr(link) + str(link))
        link = link.__cause__ or link.__context__
    return " ".join(parts)
