import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest

from kg.llm.budget import Budget, RateLimits
from kg.llm.cache import response_cache
from kg.llm.client import Asking, EndpointModel
from kg.llm.protocol import Model
from kg.llm.roles import role_endpoint
from tests.scripted_endpoint import Endpoint, scripted_endpoint

Opened: TypeAlias = Callable[..., Model]


@dataclass
class Hours:
    """Time that passes when somebody sleeps, and at no other moment; `pauses` are those between tries."""

    now: float = 0.0
    pauses: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def clock(self) -> float:
        """The seconds that were slept so far."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Sleep at the gate of the rate limits."""
        with self._lock:
            self.now += seconds

    def pause(self, seconds: float) -> None:
        """Sleep between two tries."""
        with self._lock:
            self.pauses.append(seconds)
            self.now += seconds


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint that answers with what it was asked; change its fields for other answers and faults."""
    with scripted_endpoint() as running:
        yield running


@pytest.fixture
def hours() -> Hours:
    """The time that the models of `opened` live in."""
    return Hours()


@pytest.fixture
def opened(endpoint: Endpoint, tmp_path: Path, hours: Hours) -> Iterator[Opened]:
    """Open a model at `endpoint` whose pauses take no time, with changes to the settings.

    Its time-out is so long that no busy machine reaches it; tests of silence set another.
    """
    with ExitStack() as models:

        def open_with(**changes: object) -> Model:
            settings = endpoint.settings(tmp_path, **changes)
            place = role_endpoint("extract", settings)
            model = EndpointModel(
                place,
                models.enter_context(response_cache(settings)),
                Budget(
                    settings.hopgrade_budget_tokens,
                    settings.hopgrade_budget_money,
                    settings.hopgrade_model_prices.get(place.model),
                ),
                RateLimits(
                    settings.hopgrade_model_requests_per_minute,
                    settings.hopgrade_model_tokens_per_minute,
                    hours.clock,
                    hours.sleep,
                ),
                Asking(
                    settings.hopgrade_model_concurrency,
                    settings.hopgrade_model_timeout_seconds,
                    settings.hopgrade_model_retries,
                    hours.pause,
                ),
                settings.hopgrade_model_prices.get(place.model),
            )
            models.callback(model.close)
            return model

        yield open_with
