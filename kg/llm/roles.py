"""Which model, endpoint and key belong to a role, from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from urllib.parse import urlsplit

from pydantic import SecretStr

from kg.errors import SettingsError
from kg.llm.protocol import JsonValue, Role
from kg.settings import ReasoningEffort, Settings

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
    def described(self) -> str:
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
