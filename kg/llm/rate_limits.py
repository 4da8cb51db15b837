"""No more requests and tokens a minute than an endpoint allows."""

import threading
import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 60.0
_SHORTEST_SLEEP_SECONDS = 0.001
"""Below it, rounding could leave a waiter where it was."""


class RateLimits:
    """A gate that opens as often as allowed within any 60 seconds; threads pass it one after the other.

    None is no limit. `clock` counts seconds and never goes back.
    """

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._requests, self._tokens = requests_per_minute, tokens_per_minute
        self._clock, self._sleep = clock, sleep
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._passed: deque[tuple[float, int]] = deque()
        self._passed_tokens = 0
        self._held_until = float("-inf")

    def wait(self, tokens: int) -> None:
        """Wait until a request that takes this many tokens may be sent.

        One that takes more than a minute's tokens counts as a minute's: the number is an upper estimate.
        """
        if self._tokens is not None:
            tokens = min(tokens, self._tokens)
        # The first one sleeps with the turn in hand: small requests can't overtake a big one for ever.
        with self._turn:
            while (seconds := self._enter(tokens)) > 0:
                self._sleep(max(seconds, _SHORTEST_SLEEP_SECONDS))

    def pause(self, seconds: float) -> None:
        """Hold everybody back for some time, as the endpoint asked; a shorter pause changes nothing."""
        with self._state:
            self._held_until = max(self._held_until, self._clock() + seconds)

    def _enter(self, tokens: int) -> float:
        """Pass, and return 0, or return the seconds after which to try again."""
        with self._state:
            now = self._clock()
            if now < self._held_until:
                return self._held_until - now
            while self._passed and self._passed[0][0] + WINDOW_SECONDS <= now:
                self._passed_tokens -= self._passed.popleft()[1]
            open_at = self._open_at(tokens)
            if open_at > now:
                return open_at - now
            if self._requests is not None or self._tokens is not None:
                self._passed.append((now, tokens))
                self._passed_tokens += tokens
            return 0.0

    def _open_at(self, tokens: int) -> float:
        """When enough of those that passed will have left the window."""
        open_at = float("-inf")
        if self._requests is not None and len(self._passed) >= self._requests:
            open_at = self._passed[len(self._passed) - self._requests][0] + WINDOW_SECONDS
        if self._tokens is not None:
            left = self._passed_tokens
            for moment, taken in self._passed:
                if left + tokens <= self._tokens:
                    break
                left -= taken
                open_at = max(open_at, moment + WINDOW_SECONDS)
        return open_at
