"""From a role and the settings to a model that can be asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kg.llm.budget import Budget, RateLimits
from kg.llm.cache import response_cache
from kg.llm.protocol import Model, Role
from kg.llm.roles import role_endpoint
from kg.settings import Settings


@contextmanager
def open_model(
    role: Role,
    settings: Settings,
    budget: Budget | None = None,
    sleep: Callable[[float], None] | None = None,
) -> Iterator[Model]:
    """The model of a role, with its cache, limits and budget; nothing is sent before it is asked.

    A command that opens a model twice hands the same `budget` to both; by default it is the settings'.
    `sleep` waits between tries; by default a wait ends when the asking stops.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    # The openai package takes half a second to load, which commands without a model should not pay.
    from kg.llm.client import Asking, EndpointModel  # noqa: PLC0415

    endpoint = role_endpoint(role, settings)
    budget = role_budget(role, settings) if budget is None else budget
    limits = RateLimits(
        settings.hopgrade_model_requests_per_minute, settings.hopgrade_model_tokens_per_minute
    )
    asking = Asking(
        concurrency=settings.hopgrade_model_concurrency,
        timeout_seconds=settings.hopgrade_model_timeout_seconds,
        retries=settings.hopgrade_model_retries,
        sleep=sleep,
    )
    with response_cache(settings) as cache:
        model = EndpointModel(endpoint, cache, budget, limits, asking)
        try:
            yield model
        finally:
            model.close()


def role_budget(role: Role, settings: Settings) -> Budget:
    """The settings' budget at the prices of the role's model.

    Raises:
        SettingsError: no model is set for the role, or there is a budget in money and it has no price.
    """
    price = settings.hopgrade_model_prices.get(role_endpoint(role, settings).model)
    return Budget(settings.hopgrade_budget_tokens, settings.hopgrade_budget_money, price)
