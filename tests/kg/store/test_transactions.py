"""Statements on a real server: bounded batches, retries of what passes, no retries of what doesn't."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from threading import Barrier, BrokenBarrierError, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, TransientError
from neo4j.vector import Vector
from numpy.typing import NDArray

from kg.corpus import drop_corpus
from kg.errors import QueryFileError, StoreError, StoreUnavailableError
from kg.queries import Query
from kg.store.faults import refusal
from kg.store.graph import Graph, Row, batches, sendable, vector_of
from tests.conftest import ServerAddress
from tests.graph_reading import change, read, statement, value

WRITE = statement(
    "UNWIND $rows AS row CREATE (:Chunk {id: row.id, corpus: $corpus})",
    *("rows", "corpus"),
    mode="write",
    name="test/write",
)
CROSSING = """
MATCH (a:Chunk {id: $first}) SET a.n = a.n + 1
WITH a UNWIND range(1, 200000) AS i WITH a, sum(i) AS busy
MATCH (b:Chunk {id: $second}) SET b.n = b.n + 1
"""
"""Holds one node while it works, then wants the other: two of them the other way round block each other."""
THREADS, ROUNDS = 2, 4
ROOT = Path(__file__).parents[3]


class CountingGraph(Graph):
    """A graph that keeps how many rows each statement was given."""

    sizes: list[int]

    def rows(self, statement: Query, **params: object) -> list[Row]:
        for name in ("rows", "ids"):
            if isinstance(given := params.get(name), list):
                self.sizes.append(len(given))
        return super().rows(statement, **params)


@pytest.fixture
def counting(server_address: ServerAddress) -> Iterator[CountingGraph]:
    address = server_address
    with CountingGraph.connect(address.uri, address.username, address.password, address.database) as graph:
        graph.sizes = []
        yield graph


@given(st.lists(st.integers(), max_size=50), st.integers(1, 12))
def test_batches_are_full_but_for_the_last(items: list[int], size: int) -> None:
    found = list(batches(iter(items), size))
    assert [item for batch in found for item in batch] == items
    assert all(len(batch) == size for batch in found[:-1])
    assert all(1 <= len(batch) <= size for batch in found[-1:])


def test_rows_are_written_in_bounded_batches_and_counted(counting: CountingGraph, corpus: str) -> None:
    rows = ({"id": f"{corpus}-{i}"} for i in range(25))
    assert counting.write_rows(WRITE, rows, size=10, corpus=corpus) == 25
    assert counting.sizes == [10, 10, 5]
    assert value(counting, "MATCH (c:Chunk {corpus: $corpus}) RETURN count(c)", corpus=corpus) == 25
    assert counting.write_rows(WRITE, [], corpus=corpus) == 0


def test_ids_are_read_in_bounded_batches(counting: CountingGraph, corpus: str) -> None:
    ids = [f"{corpus}-{i}" for i in range(25)]
    counting.write_rows(WRITE, ({"id": name} for name in ids), corpus=corpus)
    counting.sizes.clear()
    asked = statement("UNWIND $ids AS id MATCH (c:Chunk {id: id}) RETURN c.id AS id", "ids")
    assert [row["id"] for row in counting.read_in_batches(asked, ids, size=10)] == ids
    assert counting.sizes == [10, 10, 5]


def test_a_batch_that_fails_leaves_nothing_of_itself(graph: Graph, corpus: str) -> None:
    rows = [{"id": f"{corpus}-{i}"} for i in (0, 1, 2, 3, 2)]
    with pytest.raises(StoreError, match="test/write"):
        graph.write_rows(WRITE, rows, size=3, corpus=corpus)
    assert value(graph, "MATCH (c:Chunk {corpus: $corpus}) RETURN count(c)", corpus=corpus) == 3


def test_a_stream_gives_the_same_records(graph: Graph, corpus: str) -> None:
    graph.write_rows(WRITE, ({"id": f"{corpus}-{i}"} for i in range(2_500)), corpus=corpus)
    asked = statement("MATCH (c:Chunk {corpus: $corpus}) RETURN c.id AS id ORDER BY id", "corpus")
    assert list(graph.stream(asked, corpus=corpus)) == graph.rows(asked, corpus=corpus)
    begun = graph.stream(asked, corpus=corpus)
    next(begun)
    assert len(graph.rows(asked, corpus=corpus)) == 2_500, "another statement runs while a stream is open"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("RETURN 1 +", "Invalid input"), ("RETURN 1 / 0 AS x", "by zero"), ("MATCH (n:Chunk) RETURN m", "m")],
)
def test_a_refused_statement_is_named_with_the_words_of_the_server(
    graph: Graph, text: str, complaint: str
) -> None:
    with pytest.raises(StoreError, match=r"Neo4j refused area/name: .*" + complaint) as caught:
        graph.rows(statement(text, name="area/name"))
    assert not isinstance(caught.value, StoreUnavailableError)


def test_a_missing_parameter_never_reaches_the_server(graph: Graph) -> None:
    with pytest.raises(QueryFileError, match="missing parameters"):
        graph.rows(WRITE, rows=[])


@pytest.mark.campaign
def test_a_deadlock_is_retried(graph: Graph, corpus: str) -> None:
    _two_counters(graph, corpus)
    crossing = statement(CROSSING, "first", "second", mode="write")
    _in_both_directions(corpus, lambda first, second: graph.rows(crossing, first=first, second=second))
    assert _counted(graph, corpus) == [THREADS * ROUNDS] * 2


@pytest.mark.campaign
def test_a_deadlock_of_a_statement_with_its_own_transactions_is_retried(graph: Graph, corpus: str) -> None:
    _two_counters(graph, corpus)
    lone = statement(
        f"UNWIND [1] AS x CALL (x) {{ {CROSSING} }} IN TRANSACTIONS OF 1 ROW",
        "first",
        "second",
        mode="write alone",
    )
    _in_both_directions(corpus, lambda first, second: graph.rows(lone, first=first, second=second))
    assert _counted(graph, corpus) == [THREADS * ROUNDS] * 2


def test_these_statements_do_deadlock_without_a_retry(
    graph: Graph, server_address: ServerAddress, corpus: str
) -> None:
    """Shows that the two tests above meet what they are about."""
    _two_counters(graph, corpus)
    auth = (server_address.username, server_address.password)
    with GraphDatabase.driver(server_address.uri, auth=auth) as driver:

        def once(first: str, second: str) -> None:
            with driver.session(database=server_address.database) as session:
                session.run(CROSSING, first=first, second=second).consume()

        with pytest.raises(TransientError, match=r"(?i)deadlock"):
            _in_both_directions(corpus, once)


def test_what_is_wrong_for_good_is_not_retried(graph: Graph, corpus: str) -> None:
    """The first of its transactions is committed at each try, so that the counter tells the tries."""
    _two_counters(graph, corpus)
    failing = statement(
        "UNWIND [1, 0] AS x CALL (x) { MATCH (a:Chunk {id: $id}) SET a.n = a.n + 1 / x } "
        "IN TRANSACTIONS OF 1 ROW",
        "id",
        mode="write alone",
    )
    with pytest.raises(StoreError, match="by zero"):
        graph.rows(failing, id=f"{corpus}-a")
    assert _counted(graph, corpus) == [1, 0]


def test_a_broken_constraint_is_the_callers_to_see(graph: Graph, corpus: str) -> None:
    change(graph, "CREATE (:Chunk {id: $id, corpus: $corpus})", id=corpus, corpus=corpus)
    with pytest.raises(StoreError, match="already exists"):
        change(graph, "CREATE (:Chunk {id: $id, corpus: $corpus})", id=corpus, corpus=corpus)


@pytest.mark.parametrize("dimensions", [1, 3, 384])
def test_a_vector_comes_back_bit_for_bit(graph: Graph, corpus: str, dimensions: int) -> None:
    vectors = np.random.default_rng(7).normal(size=(4, dimensions)).astype(np.float32)
    vectors[0, 0] = np.nextafter(np.float32(1), np.float32(2))
    graph.write_rows(WRITE, ({"id": f"{corpus}-{i}"} for i in range(4)), corpus=corpus)
    graph.rows(
        statement(
            "UNWIND $rows AS row MATCH (c:Chunk {id: row.id}) "
            "CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)",
            "rows",
            mode="write",
        ),
        rows=[{"id": f"{corpus}-{i}", "vector": vector} for i, vector in enumerate(vectors)],
    )
    stored = read(
        graph, "MATCH (c:Chunk {corpus: $corpus}) RETURN c.embedding AS v ORDER BY c.id", corpus=corpus
    )
    sent = read(
        graph,
        "CYPHER 25 MATCH (c:Chunk {corpus: $corpus}) "
        "RETURN vector(c.embedding, size(c.embedding), FLOAT32) AS v ORDER BY c.id",
        corpus=corpus,
    )
    for rows in (stored, sent):
        back = np.stack([vector_of(row["v"]) for row in rows])
        assert back.dtype == np.float32
        assert np.array_equal(back, vectors)
    drop_corpus(graph, corpus)


def test_nodes_and_paths_come_as_maps_and_lists_wherever_they_are(graph: Graph, corpus: str) -> None:
    change(
        graph,
        "CREATE (:Chunk {id: $id + '-1', corpus: $id})-[:NEXT]->(:Chunk {id: $id + '-2', corpus: $id})",
        id=corpus,
    )
    (row,) = read(
        graph,
        "MATCH p = (a:Chunk {id: $id + '-1'})-[r:NEXT]->(b) RETURN p, a, r, [1, [{node: b}]] AS deep, "
        "{numbers: [1, 2.5, null], none: []} AS plain, datetime('2019-01-04T00:00Z') AS day",
        id=corpus,
    )
    first, second = ({"id": f"{corpus}-{number}", "corpus": corpus} for number in (1, 2))
    assert row["p"] == [first, "NEXT", second]
    assert row["a"] == first
    assert row["r"] == (first, "NEXT", second)
    assert row["deep"] == [1, [{"node": second}]]
    assert row["plain"] == {"numbers": [1, 2.5, None], "none": []}
    assert row["day"].year == 2019
    drop_corpus(graph, corpus)


def test_arrays_are_sent_as_vectors_wherever_they_are() -> None:
    array: NDArray[np.float64] = np.array([0.5, -2.0])
    sent = sendable({"rows": [{"v": array, "n": 1}], "text": "a", "pair": (array, None)})
    assert isinstance(sent["rows"][0]["v"], Vector)
    assert sent["rows"][0]["v"].to_numpy().tolist() == [0.5, -2.0]
    assert sent["rows"][0]["v"].to_numpy().dtype.itemsize == 4
    assert isinstance(sent["pair"][0], Vector)
    assert (sent["rows"][0]["n"], sent["text"], sent["pair"][1]) == (1, "a", None)


def _two_counters(graph: Graph, corpus: str) -> None:
    change(
        graph,
        "UNWIND ['a', 'b'] AS x CREATE (:Chunk {id: $corpus + '-' + x, corpus: $corpus, n: 0})",
        corpus=corpus,
    )


def _counted(graph: Graph, corpus: str) -> list[int]:
    rows = read(graph, "MATCH (c:Chunk {corpus: $corpus}) RETURN c.n AS n ORDER BY c.id", corpus=corpus)
    return [row["n"] for row in rows]


def _in_both_directions(corpus: str, run: Callable[[str, str], object]) -> None:
    """Run a statement over two nodes in threads that take them in opposite order, together in each round."""
    together = Barrier(THREADS)

    def rounds(first: str, second: str) -> None:
        try:
            for _ in range(ROUNDS):
                together.wait(timeout=600)
                run(f"{corpus}-{first}", f"{corpus}-{second}")
        except BaseException:
            together.abort()
            raise

    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(rounds, *order) for order in (("a", "b"), ("b", "a"))]
        errors = [error for future in futures if (error := future.exception()) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, BrokenBarrierError)):
        raise error


LOSE = """
import sys
from kg.errors import StoreUnavailableError
from kg.store.graph import Graph
from tests.graph_reading import statement
graph = Graph.connect(*sys.argv[1:5], patience_seconds=2)
print("open", flush=True)
sys.stdin.readline()
try:
    graph.rows(statement("CREATE (:Chunk {id: 'lost'})", mode="write"))
except StoreUnavailableError as error:
    print(error.message)
"""


def forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)


@pytest.mark.campaign
def test_what_the_driver_warns_of_is_not_printed(server_address: ServerAddress) -> None:
    """Its tries of a transaction on a server that is gone; what comes of them is one sentence of ours."""
    host, port = server_address.uri.partition("://")[2].split(":")
    with socket.create_server(("127.0.0.1", 0)) as relay, socket.create_connection((host, int(port))) as far:
        address = f"bolt://127.0.0.1:{relay.getsockname()[1]}"
        given = (address, server_address.username, server_address.password, server_address.database)
        command = [sys.executable, "-W", "ignore", "-c", LOSE, *given]
        with subprocess.Popen(command, cwd=ROOT, text=True, stdin=PIPE, stdout=PIPE, stderr=PIPE) as child:
            near, _ = relay.accept()
            for ends in ((near, far), (far, near)):
                Thread(target=forward, args=ends, daemon=True).start()
            assert child.stdout is not None
            assert child.stdout.readline() == "open\n"
            relay.close()
            for end in (near, far):
                end.shutdown(socket.SHUT_RDWR)
            said, warned = child.communicate("\n", timeout=600)
        near.close()
    assert said.startswith(f"Neo4j at {address} went away during ")
    assert warned == ""


def test_a_trace_of_the_server_is_no_part_of_what_is_told() -> None:
    trace = "\n\tat org.some.Directory.open(Directory.java:33)\n\t... 52 more"
    error = DriverError(f"it failed.{trace}\nCaused by: java.io.IOException: no such device{trace}")
    told = str(refusal(error, "bolt://127.0.0.1:7687", "area/name"))
    assert told == "Neo4j refused area/name: it failed.\nCaused by: java.io.IOException: no such device"
