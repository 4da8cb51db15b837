"""Which model, endpoint and key belong to a role, from the settings.

Providers of language models that are known by name: where they are, and which setting holds their key.

Each speaks OpenAI's chat completions; any other endpoint is named by its address.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from types import MappingProxyType
from urllib.parse import urlsplit

from pydantic import SecretStr

from kg.errors import SettingsError
from kg.llm.budget import Budget, RateLimits
from kg.llm.cache import response_cache
from kg.llm.protocol import JsonValue, Model, Role
from kg.settings import ReasoningEffort, Settings


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider's endpoint is; `key_field` names the setting of its key, empty where it needs none.

    `model` is the one that is asked where the user names none, empty where there is no sensible one.
    """

    base_url: str
    key_field: str
    model: str = ""


PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        "openai": Provider("https://api.openai.com/v1", "openai_api_key"),
        "ollama": Provider("http://localhost:11434/v1", "", "llama3.2"),
        "anthropic": Provider("https://api.anthropic.com/v1", "anthropic_api_key"),
        "groq": Provider("https://api.groq.com/openai/v1", "groq_api_key"),
        "fireworks": Provider(
            "https://api.fireworks.ai/inference/v1",
            "fireworks_api_key",
            "accounts/fireworks/models/gpt-oss-120b",
        ),
    }
)


_VENDOR = re.compile(
    r"(?:[a-z]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|openai|qwen)\."
)
_SNAPSHOT = re.compile(
    r"(?::(?:latest|free)|@latest|-latest|[-@](?:20\d\d-?[01]\d-?[0-3]\d)(?:-v\d+(?::\d+)?)?)+$"
)


def model_behind(name: str) -> str:
    """The model behind a name: what is left without its provider, the day of its snapshot, and capitals.

    "gpt-x", "openai/gpt-x", "azure/GPT-x", "gpt-x-2026-08-06" and "gpt-x:latest" are one, since a model that
    judges favours its own answers whoever serves it. Sizes and other tags stay: "llama:8b" is not
    "llama:70b".
    """
    bare = name.strip().rpartition("/")[2].casefold()
    return _SNAPSHOT.sub("", _VENDOR.sub("", bare, count=1)) or bare


def with_provider(settings: Settings, role: Role, provider: str | None, model: str | None) -> Settings:
    """The settings with a provider's endpoint and key for one role, and the model where one is named.

    An address stands for a provider of one's own; it is sent the role's own key, and no other. Without a
    provider the endpoint stays as it is set.

    Raises:
        SettingsError: the provider is unknown, its key isn't set, or no model is named for it.
    """
    if provider is None:
        return _with_changes(settings, role, model=model)
    if "://" in provider:
        own = getattr(settings, f"hopgrade_{role}_api_key")
        known = Provider(provider, "")
    else:
        known = _find_provider(provider)
        own = _key(settings, provider, known)
    named = model or getattr(settings, f"hopgrade_{role}_model") or settings.hopgrade_model or known.model
    if not named:
        raise SettingsError(
            f"no model is named for the provider {provider}.",
            "Name one: --model NAME, or set HOPGRADE_MODEL.",
        )
    return _with_changes(settings, role, model=named, base_url=known.base_url, api_key=own or SecretStr(""))


def _find_provider(provider: str) -> Provider:
    found = PROVIDERS.get(provider)
    if found is None:
        raise SettingsError(
            f"{provider!r} is not a provider that is known by name.",
            f"Use one of {', '.join(PROVIDERS)}, or the address of an endpoint: http://localhost:8000/v1.",
        )
    return found


def _key(settings: Settings, name: str, provider: Provider) -> SecretStr | None:
    if not provider.key_field:
        return None
    key: SecretStr | None = getattr(settings, provider.key_field)
    if key is None or not key.get_secret_value():
        raise SettingsError(f"the provider {name} needs a key.", f"Set {provider.key_field.upper()}.")
    return key


def _with_changes(settings: Settings, role: Role, **given: str | SecretStr | None) -> Settings:
    fields = {f"hopgrade_{role}_{name}": value for name, value in given.items() if value is not None}
    return settings.model_copy(update=fields)


LEAST_ROOM = 2_000
"""Tokens that a model may write for the shortest answer, thinking included."""


@dataclass(frozen=True, slots=True)
class RoleEndpoint:
    """Where a role's model is; no base URL means OpenAI's own.

    `key_setting`, `url_setting` and `model_setting` name what the reader would change. `reasoning` is how
    much the model is to think, None for what the endpoint does by itself; `output_room` how many times the
    tokens of an answer it may write in all; `extra_body` what every request has on top.
    """

    role: Role
    model: str
    base_url: str | None
    key: SecretStr
    key_setting: str
    url_setting: str
    model_setting: str
    reasoning: ReasoningEffort | None = None
    output_room: float = 1.0
    extra_body: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)

    def room(self, answer_tokens: int) -> int:
        """The tokens that a model may write so that an answer of `answer_tokens` fits behind its thinking."""
        if self.output_room <= 1:
            return answer_tokens
        return max(LEAST_ROOM, ceil(self.output_room * answer_tokens))

    @property
    def description(self) -> str:
        """The endpoint as the subject of a sentence, without credentials."""
        host = urlsplit(self.base_url).hostname if self.base_url else "api.openai.com"
        return f'The endpoint at {host} for the model "{self.model}"'


def role_endpoint(role: Role, settings: Settings) -> RoleEndpoint:
    """The endpoint of a role: its own settings first, then those for every role.

    A role with a base URL of its own is never sent the key of the general endpoint.

    Raises:
        SettingsError: no model is set, or neither a key nor a base URL, or one that can't be sent.
    """
    own = {name: f"hopgrade_{role}_{name}" for name in ("model", "base_url", "api_key")}
    model, model_setting = _first(settings, own["model"], "hopgrade_model")
    base_url, url_setting = _first(settings, own["base_url"], "openai_base_url")
    key, key_setting = _first(settings, own["api_key"], "openai_api_key")
    if key_setting == "OPENAI_API_KEY" and url_setting != "OPENAI_BASE_URL":
        # A role's own endpoint may be anybody's: the general key belongs to the general one.
        key, key_setting = None, own["api_key"].upper()
    if model is None:
        raise SettingsError(
            f'No language model is set for the role "{role}".',
            f"Set {own['model'].upper()}, or HOPGRADE_MODEL for every role, to the name of a model.",
        )
    if key is None and base_url is None:
        raise SettingsError(
            f'The language model "{model}" for the role "{role}" has no key.',
            "Set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none.",
        )
    secret = key if isinstance(key, SecretStr) else SecretStr("")
    address = None if base_url is None else str(base_url)
    if address is not None and not _is_address(address):
        raise SettingsError(
            f"{url_setting} is not the address of an endpoint.",
            "Give one that begins with http:// or https://; it often ends in /v1.",
        )
    if not _can_be_sent(secret):
        raise SettingsError(
            f"{key_setting} holds a blank or a letter that no key has.", "Copy the key once more."
        )
    return RoleEndpoint(
        role,
        str(model),
        address,
        secret,
        key_setting,
        url_setting,
        model_setting,
        getattr(settings, f"hopgrade_{role}_reasoning") or settings.hopgrade_model_reasoning,
        getattr(settings, f"hopgrade_{role}_output_room") or settings.hopgrade_model_output_room,
        {
            **(settings.hopgrade_model_extra_body or {}),
            **(getattr(settings, f"hopgrade_{role}_extra_body") or {}),
        },
    )


def _first(settings: Settings, own: str, general: str) -> tuple[str | SecretStr | None, str]:
    """The value of the first of two settings that is set, and that setting's variable."""
    value: str | SecretStr | None = getattr(settings, own)
    if value is not None:
        return value, own.upper()
    return getattr(settings, general), general.upper()


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _can_be_sent(key: SecretStr) -> bool:
    value = key.get_secret_value()
    return value.isascii() and value.isprintable() and " " not in value


@contextmanager
def open_model(
    role: Role,
    settings: Settings,
    budget: Budget | None = None,
    sleep: Callable[[float], None] | None = None,
) -> Iterator[Model]:
    """The model of a role, with its cache, limits and budget; nothing is sent before it is asked.

    A command that opens several models hands the same `budget` to all; by default it is the settings'. Each
    is charged at its own price.
    `sleep` waits between tries; by default a wait ends when the asking stops.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL; or there is a budget in
            money and the model has no price.
    """
    # The openai package takes half a second to load, which commands without a model should not pay.
    from kg.llm.client import Asking, EndpointModel  # noqa: PLC0415

    endpoint = role_endpoint(role, settings)
    budget = role_budget(role, settings) if budget is None else budget
    prices = settings.hopgrade_model_prices
    price = prices.get(endpoint.model) if prices else budget.price
    budget.require_price(price)
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
        model = EndpointModel(endpoint, cache, budget, limits, asking, price)
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
