"""What one command may spend on a model, in tokens and in money, and how fast: budget and rate limits.

How many tokens a text may be for a model whose tokenizer nobody here has.
"""

import re
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

from kg.errors import BudgetReachedError, SettingsError
from kg.llm.protocol import Usage

_PIECE = re.compile(r"[A-Za-z]{1,4}| {2,}|[^A-Za-z ]")


def estimate_tokens(text: str) -> int:
    """An estimate that is rarely too low, for budgets and rate limits; time is linear in the text's length.

    Counted are four letters of a word at most, each digit, each other mark and line end, a run of spaces,
    and each byte of UTF-8 beyond ASCII, which is the most that a byte-level tokenizer can make of it. A
    single space is counted with the word behind it, as tokenizers do. English news comes out about a third
    above the WordPiece tokens of BERT.
    """
    ascii_only, beyond = _parts(text)
    return len(_PIECE.findall(ascii_only)) + beyond


def likely_tokens(text: str) -> int:
    """An estimate that is right on the average, for what a user is told before he pays.

    English has about four letters, blanks included, to a token (OpenAI, "What are tokens and how to count
    them?"); beyond ASCII, three bytes of UTF-8 are counted as one.
    """
    ascii_only, beyond = _parts(text)
    return ceil(len(ascii_only) / 4 + beyond / 3)


def _parts(text: str) -> tuple[str, int]:
    """The ASCII of a text, and the bytes of UTF-8 of all else."""
    ascii_only = text.encode("ascii", "ignore").decode("ascii")
    return ascii_only, len(text.encode("utf-8", "surrogatepass")) - len(ascii_only)


MILLION = 1_000_000
"""Prices are for this many tokens."""

WINDOW_SECONDS = 60.0
_SHORTEST_SLEEP_SECONDS = 0.001
"""Below it, rounding could leave a waiter where it was."""

Price: TypeAlias = tuple[float, float] | tuple[float, float, float]
"""What a million tokens cost: in, out, and in from the endpoint's cache of prompts, where that is told."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens set aside for one call, at most as many as it can take."""

    number: int
    at_most: Usage
    price: Price | None


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent; `money` is None where the model has no price.

    `cached_input_tokens` are part of the input, `reasoning_tokens` of the output; see `Usage`.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Both kinds together."""
        return self.input_tokens + self.output_tokens


class Budget:
    """A limit that is never passed: a call is reserved at its most before it is made, and settled after it.

    None is no limit. Several threads may share one, and models of several prices. `on_call` is called behind
    each call, in its thread, so that a count goes on while one slow answer holds back the others.
    """

    def __init__(
        self,
        tokens: int | None = None,
        money: float | None = None,
        price: Price | None = None,
    ) -> None:
        """Set up; `price` is that of models which name none of their own."""
        self._tokens, self._money, self.price = tokens, money, price
        self.require_price(price)
        self._changed = threading.Condition()
        self._open: dict[int, Reservation] = {}
        self._next = 0
        self._calls = 0
        self.on_call: Callable[[], None] = lambda: None
        self._used = Usage()
        self._cost: float | None = None if price is None else 0.0

    def require_price(self, price: Price | None) -> None:
        """See to it that a budget in money isn't spent on a model whose price nobody knows.

        Raises:
            SettingsError: there is a budget in money, and no price.
        """
        if self._money is not None and price is None:
            raise SettingsError(
                "there is a budget in money, but this model has no price.",
                "Put its prices for a million tokens in and out into HOPGRADE_MODEL_PRICES, "
                'as {"its-name": [0.15, 0.60]}, or unset HOPGRADE_BUDGET_MONEY.',
            )

    @property
    def spending(self) -> Spending:
        """What was spent by calls that are settled."""
        with self._changed:
            used = self._used
            return Spending(
                self._calls,
                used.input_tokens,
                used.output_tokens,
                self._cost,
                used.cached_input_tokens,
                used.reasoning_tokens,
            )

    def money_of(self, usage: Usage) -> float | None:
        """What these tokens cost at the budget's own price, None where it has none."""
        return cost_of(usage, self.price)

    def reserve(self, at_most: Usage, price: Price | None, wait: bool = False) -> Reservation:
        """Set aside what a call may take, at the price of its model.

        A call may not fit only because others under way have set aside more than they will use. With `wait`
        it waits until they are settled; then the caller must not hold a reservation itself.

        Raises:
            BudgetReachedError: the call could pass the limit.
        """
        with self._changed:
            self._next += 1
            reservation = Reservation(self._next, at_most, price)
            while not self._fits(reservation):
                if not (wait and self._open):
                    raise self._limit_error(at_most)
                self._changed.wait()
            self._open[reservation.number] = reservation
            return reservation

    def settle(self, reservation: Reservation, usage: Usage) -> None:
        """Replace what was set aside by what the endpoint counted.

        Raises:
            ValueError: it was settled before.
        """
        with self._changed:
            if self._open.pop(reservation.number, None) is None:
                raise ValueError(f"reservation {reservation.number} is not open")
            self._calls += 1
            self._used += usage
            cost = cost_of(usage, reservation.price)
            known = self._cost is not None or self._calls == 1
            self._cost = (self._cost or 0.0) + cost if cost is not None and known else None
            self._changed.notify_all()
        self.on_call()

    def _fits(self, asked: Reservation) -> bool:
        tokens, cost = self._used.tokens, self._cost or 0.0
        for one in (*self._open.values(), asked):
            tokens += one.at_most.tokens
            cost += cost_of(one.at_most, one.price) or 0.0
        within = self._tokens is None or tokens <= self._tokens
        return within and (self._money is None or cost <= self._money)

    def _limit_error(self, asked: Usage) -> BudgetReachedError:
        used, under_way = self._used, len(self._open)
        limits, variables = [], []
        if self._tokens is not None:
            limits.append(f"{used.tokens:,} of {self._tokens:,} tokens")
            variables.append("HOPGRADE_BUDGET_TOKENS")
        if self._money is not None:
            limits.append(f"{self._cost or 0:.4f} of {self._money:.4f} in money")
            variables.append("HOPGRADE_BUDGET_MONEY")
        more = f", {format_calls(under_way)} under way" if under_way else ""
        return BudgetReachedError(
            f"the budget is reached: {' and '.join(limits)} spent in {format_calls(self._calls)}{more}, and "
            f"the next call may take {asked.tokens:,} tokens.",
            "What was answered is kept. To go on, run the same command again: it may spend as much anew. "
            f"If one call does not fit, raise {' or '.join(variables)}.",
        )


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """What tokens cost, in the currency of the price; None where there is none.

    Input from the endpoint's own cache costs as much as other input where no price for it is told.
    """
    if price is None:
        return None
    given, made, *rest = price
    cached = usage.cached_input_tokens
    fresh = usage.input_tokens - cached
    return (fresh * given + cached * (rest[0] if rest else given) + usage.output_tokens * made) / MILLION


def format_calls(number: int) -> str:
    """A number of calls in words: "1 call", "1,200 calls"."""
    return "1 call" if number == 1 else f"{number:,} calls"


@dataclass(slots=True)
class Passage:
    """A request that passes the gate, and the tokens that count for it as long as it is in the window."""

    tokens: int
    at_seconds: float = 0.0
    counts: bool = False


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
        self._passed: deque[Passage] = deque()
        self._passed_tokens = 0
        self._held_until = float("-inf")

    def wait(self, tokens: int) -> Passage:
        """Wait until a request that takes this many tokens at most may be sent; to be settled after it.

        One that takes more than a minute's tokens counts as a minute's: the number is an upper estimate.
        """
        if self._tokens is not None:
            tokens = min(tokens, self._tokens)
        # The first one sleeps with the turn in hand: small requests can't overtake a big one for ever.
        with self._turn:
            passage = Passage(tokens)
            while (seconds := self._enter(passage)) > 0:
                self._sleep(max(seconds, _SHORTEST_SLEEP_SECONDS))
        return passage

    def settle(self, passage: Passage, tokens: int) -> None:
        """Count what a request really took: the room for thinking that it left is free for others at once."""
        with self._state:
            spared = max(0, passage.tokens - tokens)
            passage.tokens -= spared
            if passage.counts:
                self._passed_tokens -= spared

    def pause(self, seconds: float) -> None:
        """Hold everybody back for some time, as the endpoint asked; a shorter pause changes nothing."""
        with self._state:
            self._held_until = max(self._held_until, self._clock() + seconds)

    def _enter(self, passage: Passage) -> float:
        """Pass, and return 0, or return the seconds after which to try again."""
        with self._state:
            now = self._clock()
            if now < self._held_until:
                return self._held_until - now
            while self._passed and self._passed[0].at_seconds + WINDOW_SECONDS <= now:
                left = self._passed.popleft()
                left.counts = False
                self._passed_tokens -= left.tokens
            open_at = self._open_at(passage.tokens)
            if open_at > now:
                return open_at - now
            if self._requests is not None or self._tokens is not None:
                passage.at_seconds, passage.counts = now, True
                self._passed.append(passage)
                self._passed_tokens += passage.tokens
            return 0.0

    def _open_at(self, tokens: int) -> float:
        """When enough of those that passed will have left the window."""
        open_at = float("-inf")
        if self._requests is not None and len(self._passed) >= self._requests:
            open_at = self._passed[len(self._passed) - self._requests].at_seconds + WINDOW_SECONDS
        if self._tokens is not None:
            left = self._passed_tokens
            for passed in self._passed:
                if left + tokens <= self._tokens:
                    break
                left -= passed.tokens
                open_at = max(open_at, passed.at_seconds + WINDOW_SECONDS)
        return open_at
