"""A connection is made, or refused in one sentence that helps and gives no secret away."""

import socket
from uuid import uuid4

import pytest

from kg.errors import HopgradeError, SettingsError, StoreTooOldError, StoreUnavailableError
from kg.progress import Silent
from kg.settings import Settings
from kg.store import version
from kg.store.connect import check_version, open_graph
from kg.store.graph import Graph
from kg.store.version import refuse_old, version_numbers
from tests.conftest import ServerAddress
from tests.graph_reading import value

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
        assert version_numbers(check_version(graph)) >= version.LEAST_VERSION


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


def test_an_old_server_is_refused_before_any_statement(
    server_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "LEAST_VERSION", (9999, 1))
    with pytest.raises(StoreTooOldError, match=r"is version 20\d\d.* needs 9999\.01 or newer"):
        Graph.connect(server_address.uri, server_address.username, server_address.password)


@pytest.mark.parametrize("old", ["5.26.30", "2025.12.1", "4.4", "unknown", "", "v5.11.0 compatible"])
def test_old_versions_and_other_products_are_refused(old: str) -> None:
    with pytest.raises(StoreTooOldError, match=r"needs 2026\.01 or newer"):
        refuse_old(old, "bolt://x")


@pytest.mark.parametrize("new", ["2026.01.0", "2026.08.1", "2026.08.1-SNAPSHOT", "2027.1"])
def test_new_versions_are_taken(new: str) -> None:
    refuse_old(new, "bolt://x")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2026.08.1-SNAPSHOT", (2026, 8, 1)), ("5.26.30", (5, 26, 30)), ("unknown", ()), ("2026.8", (2026, 8))],
)
def test_a_version_is_read_as_numbers(text: str, numbers: tuple[int, ...]) -> None:
    assert version_numbers(text) == numbers


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
