"""What one command may spend on a model, in tokens and in money."""

import threading
from dataclasses import dataclass

from kg.errors import BudgetReachedError, SettingsError
from kg.llm.protocol import Usage

MILLION = 1_000_000
"""Prices are for this many tokens."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens set aside for one call, at most as many as it can take."""

    number: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent; `money` is None where the model has no price."""

    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None

    @property
    def tokens(self) -> int:
        """Both kinds together."""
        return self.input_tokens + self.output_tokens


class Budget:
    """A limit that is never passed: a call is reserved at its most before it is made, and settled after it.

    `price` is for a million tokens in and out. None is no limit. Several threads may share one.
    """

    def __init__(
        self,
        tokens: int | None = None,
        money: float | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        if money is not None and price is None:
            raise SettingsError(
                "there is a budget in money, but this model has no price.",
                "Put its prices for a million tokens in and out into HOPGRADE_MODEL_PRICES, "
                'as {"its-name": [0.15, 0.60]}, or unset HOPGRADE_BUDGET_MONEY.',
            )
        self._tokens, self._money, self._price = tokens, money, price
        self._changed = threading.Condition()
        self._open: dict[int, Reservation] = {}
        self._next = 0
        self._calls = 0
        self._used = Usage()

    @property
    def spent(self) -> Spent:
        """What was spent by calls that are settled."""
        with self._changed:
            used = self._used
            return Spent(self._calls, used.input_tokens, used.output_tokens, self.money_of(used))

    def money_of(self, usage: Usage) -> float | None:
        """What these tokens cost, None where the model has no price."""
        if self._price is None:
            return None
        return (usage.input_tokens * self._price[0] + usage.output_tokens * self._price[1]) / MILLION

    def reserve(self, input_tokens: int, output_tokens_at_most: int, wait: bool = False) -> Reservation:
        """Set aside what a call may take.

        A call may not fit only because others under way have set aside more than they will use. With `wait`
        it waits until they are settled; then the caller must not hold a reservation itself.

        Raises:
            BudgetReachedError: the call could pass the limit.
        """
        asked = Usage(input_tokens, output_tokens_at_most)
        with self._changed:
            while not self._fits(asked):
                if not (wait and self._open):
                    raise self._reached(asked)
                self._changed.wait()
            self._next += 1
            reservation = Reservation(self._next, input_tokens, output_tokens_at_most)
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
            self._used = _sum(self._used, usage)
            self._changed.notify_all()

    def _fits(self, asked: Usage) -> bool:
        total = _sum(self._used, asked)
        for held in self._open.values():
            total = _sum(total, Usage(held.input_tokens, held.output_tokens))
        if self._tokens is not None and total.input_tokens + total.output_tokens > self._tokens:
            return False
        money = self.money_of(total)
        return self._money is None or money is None or money <= self._money

    def _reached(self, asked: Usage) -> BudgetReachedError:
        used, under_way = self._used, len(self._open)
        limits, variables = [], []
        if self._tokens is not None:
            limits.append(f"{used.input_tokens + used.output_tokens:,} of {self._tokens:,} tokens")
            variables.append("HOPGRADE_BUDGET_TOKENS")
        if self._money is not None:
            limits.append(f"{self.money_of(used) or 0:.4f} of {self._money:.4f} in money")
            variables.append("HOPGRADE_BUDGET_MONEY")
        more = f", {_calls(under_way)} under way" if under_way else ""
        return BudgetReachedError(
            f"the budget is reached: {' and '.join(limits)} spent in {_calls(self._calls)}{more}, and the "
            f"next call may take {asked.input_tokens + asked.output_tokens:,} tokens.",
            "What was answered is kept. To go on, run the same command again: it may spend as much anew. "
            f"If one call does not fit, raise {' or '.join(variables)}.",
        )


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number:,} calls"


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens)
