"""Never more than allowed in any 60 seconds, and never slower than that asks for."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.llm.budget import WINDOW_SECONDS, RateLimits


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self._lock = threading.Lock()

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        with self._lock:
            self.now += seconds


def limits(clock: Clock, requests: int | None = None, tokens: int | None = None) -> RateLimits:
    return RateLimits(requests, tokens, clock.read, clock.sleep)


def fullest_window(passed: list[tuple[float, int]]) -> tuple[int, int]:
    """The most requests, and the most tokens, in any 60 seconds."""
    windows = [
        [tokens for moment, tokens in passed if start <= moment < start + WINDOW_SECONDS - 1e-9]
        for start, _ in passed
    ]
    return max(map(len, windows), default=0), max(map(sum, windows), default=0)


def test_what_a_request_did_not_take_is_free_for_others_at_once() -> None:
    clock = Clock()
    gate = limits(clock, tokens=100)
    passage = gate.wait(90)
    gate.settle(passage, 10)
    gate.wait(90)
    assert clock.now == 1_000.0
    gate.wait(10)
    assert clock.now >= 1_000.0 + WINDOW_SECONDS
    gate.settle(passage, 0)  # it has left the window
    gate.wait(90)
    assert clock.now >= 1_000.0 + WINDOW_SECONDS


STEPS = st.lists(
    st.tuples(st.integers(0, 120), st.floats(0, 40), st.one_of(st.none(), st.floats(0, 90))), max_size=30
)


@given(st.one_of(st.none(), st.integers(1, 5)), st.one_of(st.none(), st.integers(1, 100)), STEPS)
def test_no_window_holds_more_than_the_limit(
    requests: int | None, tokens: int | None, steps: list[tuple[int, float, float | None]]
) -> None:
    clock = Clock()
    gate = limits(clock, requests, tokens)
    passed: list[tuple[float, int]] = []
    for asked, idle, pause in steps:
        clock.now += idle
        held_until = clock.now
        if pause is not None:
            gate.pause(pause)
            held_until += pause
        gate.wait(asked)
        assert clock.now >= held_until - 1e-9
        passed.append((clock.now, asked if tokens is None else min(asked, tokens)))
    most_requests, most_tokens = fullest_window(passed)
    assert requests is None or most_requests <= requests
    assert tokens is None or most_tokens <= tokens


def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    gate = limits(clock)
    for _ in range(1_000):
        gate.wait(10**6)
    assert clock.now == 1_000.0


def test_it_is_no_slower_than_the_limit() -> None:
    clock = Clock()
    gate = limits(clock, requests=3)
    moments = []
    for _ in range(7):
        gate.wait(1)
        moments.append(clock.now - 1_000)
    assert moments == pytest.approx([0, 0, 0, 60, 60, 60, 120])


def test_tokens_wait_for_as_many_to_leave_the_window_as_they_need() -> None:
    clock = Clock()
    gate = limits(clock, tokens=100)
    gate.wait(60)
    clock.now += 10
    gate.wait(40)
    gate.wait(50)
    assert clock.now == pytest.approx(1_060)
    gate.wait(30)
    assert clock.now == pytest.approx(1_070)


def test_a_request_beyond_a_minute_s_tokens_takes_a_minute() -> None:
    clock = Clock()
    gate = limits(clock, tokens=100)
    gate.wait(1_000)
    gate.wait(1)
    assert clock.now == pytest.approx(1_060)


def test_a_pause_holds_back_those_who_wait_already() -> None:
    clock = Clock()
    gate: RateLimits

    def sleep(seconds: float) -> None:
        if clock.now < 1_060:
            gate.pause(200)
        clock.sleep(seconds)

    gate = RateLimits(1, None, clock.read, sleep)
    gate.wait(1)
    gate.wait(1)
    assert clock.now == pytest.approx(1_200)


def test_a_shorter_pause_does_not_end_a_longer_one() -> None:
    clock = Clock()
    gate = limits(clock)
    gate.pause(30)
    gate.pause(5)
    gate.wait(1)
    assert clock.now == pytest.approx(1_030)


def test_threads_share_the_gate() -> None:
    clock = Clock()
    gate = limits(clock, requests=5)
    passed: list[float] = []

    def send(_: int) -> None:
        gate.wait(1)
        passed.append(clock.now)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(send, range(20)))
    assert len(passed) == 20
    # Four windows' worth takes three waits; a thread may note its time after a later one has slept.
    assert clock.now == pytest.approx(1_180)
