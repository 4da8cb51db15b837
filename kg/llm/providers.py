"""Providers of language models that are known by name: where they are, and which setting holds their key.

Each speaks OpenAI's chat completions; any other endpoint is named by its address.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import SecretStr

from kg.errors import SettingsError
from kg.llm.protocol import Role
from kg.settings import Settings


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


def with_provider(settings: Settings, role: Role, provider: str | None, model: str | None) -> Settings:
    """The settings with a provider's endpoint and key for one role, and the model where one is named.

    An address stands for a provider of one's own; it is sent the role's own key, and no other. Without a
    provider the endpoint stays as it is set.

    Raises:
        SettingsError: the provider is unknown, its key isn't set, or no model is named for it.
    """
    if provider is None:
        return _changed(settings, role, model=model)
    if "://" in provider:
        own = getattr(settings, f"hopgrade_{role}_api_key")
        known = Provider(provider, "")
    else:
        known = _known(provider)
        own = _key(settings, provider, known)
    named = model or getattr(settings, f"hopgrade_{role}_model") or settings.hopgrade_model or known.model
    if not named:
        raise SettingsError(
            f"no model is named for the provider {provider}.",
            "Name one: --model NAME, or set HOPGRADE_MODEL.",
        )
    return _changed(settings, role, model=named, base_url=known.base_url, api_key=own or SecretStr(""))


def _known(provider: str) -> Provider:
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


def _changed(settings: Settings, role: Role, **given: str | SecretStr | None) -> Settings:
    fields = {f"hopgrade_{role}_{name}": value for name, value in given.items() if value is not None}
    return settings.model_copy(update=fields)
