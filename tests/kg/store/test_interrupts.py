import os
import signal
import threading

import pytest

from kg.store.faults import interrupts_held


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        interrupt()
        done.append("the rest of the block")
    assert done == ["the rest of the block"]


def test_a_second_interrupt_goes_through_at_once() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        interrupt()
        interrupt()
        done.append("never")
    assert not done


def test_an_interrupt_is_not_lost_behind_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        interrupt()
        raise ValueError


def test_afterwards_an_interrupt_is_one_again() -> None:
    with interrupts_held():
        pass
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_other_threads_hold_nothing() -> None:
    entered = []

    def enter() -> None:
        with interrupts_held():
            entered.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [signal.default_int_handler]
