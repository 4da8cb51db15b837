"""The asynchronous connection: the rows of the other one, and its errors."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from kg.connect import open_async_graph
from kg.errors import QueryFileError, SettingsError, StoreError, StoreUnavailableError
from kg.queries import query
from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph, Row
from tests.conftest import ServerAddress
from tests.graph_reading import statement

T = TypeVar("T")


def with_graph(address: ServerAddress, work: Callable[[AsyncGraph], Awaitable[T]]) -> T:
    async def run() -> T:
        async with await AsyncGraph.connect(
            address.uri, address.username, address.password, address.database
        ) as graph:
            return await work(graph)

    return asyncio.run(run())


def test_both_connections_give_the_same_rows(
    graph: Graph, server_address: ServerAddress, small_corpus: str
) -> None:
    names = ("articles/list_articles", "runs/list_runs", "chunks/count_chunks")
    wanted = {name: {"corpus": small_corpus} if query(name).params else {} for name in names}

    async def work(graph: AsyncGraph) -> list[list[Row]]:
        return [await graph.rows(query(name), **params) for name, params in wanted.items()]

    found = with_graph(server_address, work)
    assert found == [graph.rows(query(name), **params) for name, params in wanted.items()]


def test_statements_run_side_by_side(server_address: ServerAddress) -> None:
    numbers = statement("UNWIND range(1, $n) AS n RETURN n", "n")

    async def work(graph: AsyncGraph) -> list[int]:
        found = await asyncio.gather(*(graph.rows(numbers, n=n) for n in range(1, 30)))
        return [len(rows) for rows in found]

    assert with_graph(server_address, work) == list(range(1, 30))


def test_a_statement_that_writes_is_refused(server_address: ServerAddress) -> None:
    writes = statement("CREATE (n:AsyncTest)", mode="write")
    with pytest.raises(StoreError, match="only reads"):
        with_graph(server_address, lambda graph: graph.rows(writes))


def test_the_server_itself_lets_nothing_be_written_by_a_statement_that_says_it_reads(
    server_address: ServerAddress,
) -> None:
    with pytest.raises(StoreError, match="test"):
        with_graph(server_address, lambda graph: graph.rows(statement("CREATE (n:AsyncTest)")))


def test_a_refused_statement_is_named(server_address: ServerAddress) -> None:
    with pytest.raises(StoreError, match="refused test: "):
        with_graph(server_address, lambda graph: graph.rows(statement("RETURN 1 / 0 AS n")))


def test_wrong_parameters_are_refused(server_address: ServerAddress) -> None:
    with pytest.raises(QueryFileError, match="missing parameters"):
        with_graph(server_address, lambda graph: graph.rows(query("runs/list_runs")))


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(StoreUnavailableError, match="does not answer"):
            asyncio.run(AsyncGraph.connect(uri, "neo4j", "x"))


def test_a_wrong_password_is_told_without_it(server_address: ServerAddress) -> None:
    with pytest.raises(StoreUnavailableError, match="refused") as caught:
        asyncio.run(AsyncGraph.connect(server_address.uri, "neo4j", "certainly-wrong"))
    assert "certainly-wrong" not in str(caught.value)


def test_an_address_without_a_password_is_a_setting_to_mend() -> None:
    with pytest.raises(SettingsError, match="NEO4J_PASSWORD"):
        asyncio.run(open_async_graph(Settings(neo4j_uri="bolt://127.0.0.1:1", neo4j_password=None)))
