"""One command at a time writes to a corpus, wherever it runs; what lost its lease writes nothing more."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from kg.errors import CorpusError
from kg.queries import query
from kg.store.graph import Graph
from kg.store.leases import Holder, answering_in, list_holders, reading_whole, writing_to
from tests.conftest import ServerAddress
from tests.graph_reading import change, read, statement, value

ROOT = Path(__file__).parents[3]
LONG = 3_600.0
"""Seconds of a lease that no thread renews while a test lasts."""
ADD = statement("CREATE (:Chunk {id: $id, corpus: $corpus})", "id", "corpus", mode="write", name="test/add")
ADD_ALONE = statement(
    "CALL () { CREATE (:Chunk {id: $id, corpus: $corpus}) } IN TRANSACTIONS OF 1 ROW",
    *("id", "corpus"),
    mode="write alone",
    name="test/add_alone",
)
COUNT = "MATCH (c:Chunk {corpus: $corpus}) RETURN count(c)"
HOLD = """
import sys
from kg.store.graph import Graph
from kg.store.leases import writing_to
uri, username, password, database, corpus = sys.argv[1:]
with Graph.connect(uri, username, password, database) as graph, writing_to(graph, corpus):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def elsewhere(server_address: ServerAddress) -> Iterator[Graph]:
    """The same database by other connections, as another home or another spelling of the address has it."""
    with server_address.connect() as graph:
        yield graph


def refused(graph: Graph, corpus: str, run: str = "") -> str:
    """What is said to one who comes too late."""
    with (
        pytest.raises(CorpusError) as error,
        answering_in(graph, corpus, run) if run else writing_to(graph, corpus),
    ):
        pytest.fail("two writers")
    return str(error.value)


def run_out(graph: Graph, corpus: str) -> None:
    """Let the leases of a corpus be over, by the clock of the database."""
    change(graph, "MATCH (l:Lease {corpus: $corpus}) SET l.until = timestamp() - 1", corpus=corpus)


def test_a_second_writer_is_refused_until_the_first_has_ended(
    graph: Graph, elsewhere: Graph, corpus: str
) -> None:
    odd = f"{corpus} it's 'mine'/../x"
    with writing_to(graph, odd):
        said = refused(elsewhere, odd)
        assert f"another command works on corpus {odd!r}: " in said
        assert "process " in said
        assert "Wait for it to end" in said
        with writing_to(elsewhere, corpus):
            pass
    with writing_to(elsewhere, odd):
        pass
    assert not read(
        graph, "MATCH (l:Lease) WHERE l.corpus IN [$odd, $corpus] RETURN l", odd=odd, corpus=corpus
    )


def test_runs_of_different_names_and_readers_go_side_by_side(graph: Graph, corpus: str) -> None:
    with (
        answering_in(graph, corpus, "react"),
        answering_in(graph, corpus, "single-step"),
        reading_whole(graph, corpus),
        reading_whole(graph, corpus),
    ):
        assert "on run 'react' of" in refused(graph, corpus, "react")
        assert "another command works on" in refused(graph, corpus)
    with writing_to(graph, corpus):
        assert f"on corpus {corpus!r}" in refused(graph, corpus, "react")
        with pytest.raises(CorpusError), reading_whole(graph, corpus):
            pytest.fail("read while it changes")
    with reading_whole(graph, corpus):
        assert f"on corpus {corpus!r}" in refused(graph, corpus)


def test_a_writer_that_was_killed_keeps_nobody_waiting(
    graph: Graph, server_address: ServerAddress, corpus: str
) -> None:
    address = server_address
    where = (address.uri, address.username, address.password, address.database, corpus)
    command = [sys.executable, "-c", HOLD, *where]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert f"process {other.pid} on" in refused(graph, corpus)
        other.send_signal(signal.SIGKILL)
        other.wait()
        with writing_to(graph, corpus):
            pass


def test_a_writer_on_another_machine_keeps_its_corpus_until_its_lease_runs_out(
    graph: Graph, elsewhere: Graph, corpus: str
) -> None:
    """Whether it lives can't be known there, whatever processes there are here."""
    with writing_to(graph, corpus, lease_seconds=LONG):
        far = "MATCH (l:Lease {corpus: $corpus}) SET l.machine = 'far', l.host = 'far', l.pid = 2147483000"
        change(graph, far, corpus=corpus)
        assert "process 2147483000 on far" in refused(elsewhere, corpus)
        run_out(graph, corpus)
        with writing_to(elsewhere, corpus):
            pass


@pytest.mark.parametrize("run", ["", "react"])
def test_a_writer_that_lost_its_lease_writes_nothing(
    graph: Graph, elsewhere: Graph, corpus: str, run: str
) -> None:
    """As a machine that slept: it wakes up, and another one is at work."""
    lease = answering_in(graph, corpus, run, None, LONG) if run else writing_to(graph, corpus, None, LONG)
    with lease as mine:
        mine.rows(ADD, id=f"{corpus}-1", corpus=corpus)
        run_out(graph, corpus)
        mine.rows(ADD, id=f"{corpus}-2", corpus=corpus)  # nobody came: it goes on
        run_out(graph, corpus)
        with writing_to(elsewhere, corpus) as other:
            for late in (ADD, ADD_ALONE):
                with pytest.raises(CorpusError, match=r"no longer held .* another one came\. kg doctor"):
                    mine.rows(late, id=f"{corpus}-late", corpus=corpus)
            other.rows(ADD, id=f"{corpus}-3", corpus=corpus)
            assert value(graph, COUNT, corpus=corpus) == 3


def test_what_ends_late_gives_nobody_elses_lease_back(graph: Graph, elsewhere: Graph, corpus: str) -> None:
    with writing_to(elsewhere, corpus) as other:
        other.rows(ADD, id=corpus, corpus=corpus)
        token = value(graph, "MATCH (l:Lease {corpus: $corpus}) RETURN l.token", corpus=corpus)
        lease = value(graph, "MATCH (l:Lease {corpus: $corpus}) RETURN l.id", corpus=corpus)
        graph.rows(query("store/give_back_lease"), id=lease, token="an older one")
        assert value(graph, "MATCH (l:Lease {corpus: $corpus}) RETURN l.token", corpus=corpus) == token


def test_a_transaction_that_proved_its_lease_ends_before_another_writer_begins(
    graph: Graph, elsewhere: Graph, server_address: ServerAddress, corpus: str
) -> None:
    def seen() -> int:
        with writing_to(elsewhere, corpus) as other:
            return int(value(other, COUNT, corpus=corpus))

    address = server_address
    with (
        writing_to(graph, corpus, lease_seconds=LONG) as mine,
        GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver,
        driver.session(database=address.database) as session,
        ThreadPoolExecutor(1) as threads,
    ):
        assert mine.fence is not None
        over = replace(mine.fence, params={**mine.fence.params, "milliseconds": -1})
        run_out(graph, corpus)
        transaction = session.begin_transaction()
        over.prove(transaction)
        later = threads.submit(seen)
        transaction.run(ADD.text, id=corpus, corpus=corpus).consume()
        transaction.commit()
        assert later.result() == 1


def test_a_lease_is_renewed_by_itself(graph: Graph, corpus: str) -> None:
    until = "MATCH (l:Lease {corpus: $corpus}) RETURN l.until"
    with writing_to(graph, corpus, lease_seconds=2):
        first = value(graph, until, corpus=corpus)
        while value(graph, until, corpus=corpus) == first:
            pass


@pytest.mark.campaign
def test_who_waits_comes_one_after_another(graph: Graph, corpus: str) -> None:
    """Eight read a number and write the next one: no number is lost."""
    most = list[int]()
    waits: list[Holder] = []

    def count(_: int) -> None:
        with writing_to(graph, corpus, waits.append) as mine:
            number = value(mine, COUNT, corpus=corpus)
            mine.rows(ADD, id=f"{corpus}-{number}", corpus=corpus)
            most.append(int(number))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(8)))
    assert sorted(most) == list(range(8))
    assert {one.corpus for one in waits} <= {corpus}


def test_who_waits_can_give_up(graph: Graph, elsewhere: Graph, corpus: str) -> None:
    def stop(other: Holder) -> None:
        raise KeyboardInterrupt(str(other))

    with writing_to(graph, corpus):
        with pytest.raises(KeyboardInterrupt), writing_to(elsewhere, corpus, stop):
            pytest.fail("two writers")
        assert [one.corpus for one in list_holders(graph) if one.corpus == corpus] == [corpus]
