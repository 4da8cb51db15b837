import os
import signal
import socket
import threading

import pytest

from kg.store.faults import hold_interrupts
from kg.store.graph import Graph
from tests.conftest import ServerAddress
from tests.graph_reading import statement
from tests.kg.store.test_transactions import forward


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), hold_interrupts():
        interrupt()
        done.append("the rest of the block")
    assert done == ["the rest of the block"]


def test_a_second_interrupt_goes_through_at_once() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), hold_interrupts():
        interrupt()
        interrupt()
        done.append("never")
    assert not done


def test_an_interrupt_is_not_lost_behind_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), hold_interrupts():
        interrupt()
        raise ValueError


def test_afterwards_an_interrupt_is_one_again() -> None:
    with hold_interrupts():
        pass
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_other_threads_hold_nothing() -> None:
    entered = []

    def enter() -> None:
        with hold_interrupts():
            entered.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [signal.default_int_handler]


def test_an_interrupt_ends_the_tries_of_a_statement_whose_server_is_gone(
    server_address: ServerAddress,
) -> None:
    """At the second try somebody interrupts; a third that was begun by then may end, and none comes after."""
    host, port = server_address.uri.partition("://")[2].split(":")
    tries = []
    with socket.create_server(("127.0.0.1", 0)) as relay, socket.create_connection((host, int(port))) as far:
        near: list[socket.socket] = []

        def relay_once_and_refuse_then() -> None:
            near.append(relay.accept()[0])
            threading.Thread(target=forward, args=(far, near[0])).start()
            forward(near[0], far)
            while True:
                relay.accept()[0].close()
                tries.append("refused")
                if len(tries) == 2:
                    interrupt()

        threading.Thread(target=relay_once_and_refuse_then, daemon=True).start()
        given = (server_address.username, server_address.password, server_address.database)
        address = f"bolt://127.0.0.1:{relay.getsockname()[1]}"
        with Graph.connect(address, *given, patience_seconds=20) as graph:
            near[0].shutdown(socket.SHUT_RDWR)
            with pytest.raises(KeyboardInterrupt):
                graph.rows(statement("RETURN 1 AS one"))
        near[0].close()
    assert len(tries) <= 3
