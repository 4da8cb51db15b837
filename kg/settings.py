"""Every setting that comes from the environment, with the names that people already use.

Options of one command are not here: what a corpus depends on (`--embedder`, `--chunks`, `--seed`,
`--per-depth`) is recorded with the corpus.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

ENV_FILE = ".env"

_ROLES = ("extract", "generate", "answer", "judge")
_SECRETS: dict[str, tuple[str, ...]] = {
    "neo4j_password": ("neo4j_uri",),
    "openai_api_key": ("openai_base_url",),
    **{f"hopgrade_{role}_api_key": (f"hopgrade_{role}_base_url", "openai_base_url") for role in _ROLES},
    "otel_exporter_otlp_headers": ("otel_exporter_otlp_endpoint",),
    "otel_exporter_otlp_traces_headers": ("otel_exporter_otlp_endpoint",),
}
"""Where each secret is sent: to the first of these addresses that is set."""

_UNITS = {"m": 1 << 20, "g": 1 << 30}


def _from_json(given: object, example: str) -> object:
    """What a setting's text says as JSON; what is no text stays as it is."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError as error:
        raise ValueError(f"give JSON such as {example}") from error


def size_in_bytes(size: str) -> int:
    """What a setting such as "512m" or "1g" says, in bytes."""
    return int(size[:-1]) * _UNITS[size[-1]]


ReasoningEffort: TypeAlias = Literal["off", "minimal", "low", "medium", "high"]
"""How much a model is asked to think before it answers."""


class Settings(BaseSettings):
    """Settings read from the environment, then from a file `.env` in the working folder.

    A secret of the environment is never sent to an address that the file names: whoever works in a folder of
    somebody else's would give it away. Such an address gets what the same file holds, or nothing.

    The variable of a field is its name in capitals: no field may be called like a variable of the system,
    such as HOME.
    """

    model_config = SettingsConfigDict(env_file=ENV_FILE, env_ignore_empty=True, extra="ignore")

    neo4j_uri: str | None = Field(
        default=None, description="A Neo4j of your own; when set, no server is started."
    )
    neo4j_username: str = Field(default="neo4j", description="User name for NEO4J_URI.")
    neo4j_password: SecretStr | None = Field(default=None, description="Password for NEO4J_URI.")
    neo4j_database: str = Field(default="neo4j", description="Database for NEO4J_URI.")

    openai_api_key: SecretStr | None = Field(
        default=None, description="Key of the endpoint for models and embeddings."
    )
    openai_base_url: str | None = Field(
        default=None, description="Base URL of an OpenAI-compatible endpoint."
    )

    anthropic_api_key: SecretStr | None = Field(default=None, description="Key for --provider anthropic.")
    groq_api_key: SecretStr | None = Field(default=None, description="Key for --provider groq.")
    fireworks_api_key: SecretStr | None = Field(default=None, description="Key for --provider fireworks.")

    hopgrade_model: str | None = Field(
        default=None, description="Name of the language model for every role that has none of its own."
    )
    hopgrade_extract_model: str | None = Field(
        default=None, description="Model that reads claims, triples and equivalences out of text."
    )
    hopgrade_extract_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_EXTRACT_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_extract_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_EXTRACT_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_extract_reasoning: ReasoningEffort | None = Field(
        default=None, description="As HOPGRADE_MODEL_REASONING, for HOPGRADE_EXTRACT_MODEL."
    )
    hopgrade_extract_output_room: float | None = Field(
        default=None, ge=1, le=100, description="As HOPGRADE_MODEL_OUTPUT_ROOM, for HOPGRADE_EXTRACT_MODEL."
    )
    hopgrade_extract_extra_body: Annotated[dict[str, Any] | None, NoDecode] = Field(
        default=None,
        description="As HOPGRADE_MODEL_EXTRA_BODY, and on top, for HOPGRADE_EXTRACT_MODEL.",
    )
    hopgrade_generate_model: str | None = Field(default=None, description="Model that writes questions.")
    hopgrade_generate_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_GENERATE_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_generate_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_GENERATE_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_generate_reasoning: ReasoningEffort | None = Field(
        default=None,
        description="How much HOPGRADE_GENERATE_MODEL thinks. Default: HOPGRADE_MODEL_REASONING.",
    )
    hopgrade_generate_output_room: float | None = Field(
        default=None, ge=1, le=100, description="As HOPGRADE_MODEL_OUTPUT_ROOM, for HOPGRADE_GENERATE_MODEL."
    )
    hopgrade_generate_extra_body: Annotated[dict[str, Any] | None, NoDecode] = Field(
        default=None,
        description="As HOPGRADE_MODEL_EXTRA_BODY, and on top, for HOPGRADE_GENERATE_MODEL.",
    )
    hopgrade_answer_model: str | None = Field(default=None, description="Model that answers questions.")
    hopgrade_answer_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_ANSWER_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_answer_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_ANSWER_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_answer_reasoning: ReasoningEffort | None = Field(
        default=None, description="As HOPGRADE_MODEL_REASONING, for HOPGRADE_ANSWER_MODEL."
    )
    hopgrade_answer_output_room: float | None = Field(
        default=None, ge=1, le=100, description="As HOPGRADE_MODEL_OUTPUT_ROOM, for HOPGRADE_ANSWER_MODEL."
    )
    hopgrade_answer_extra_body: Annotated[dict[str, Any] | None, NoDecode] = Field(
        default=None,
        description="As HOPGRADE_MODEL_EXTRA_BODY, and on top, for HOPGRADE_ANSWER_MODEL.",
    )
    hopgrade_judge_model: str | None = Field(default=None, description="Model that judges answers.")
    hopgrade_judge_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_JUDGE_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_judge_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_JUDGE_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_judge_reasoning: ReasoningEffort | None = Field(
        default=None, description="As HOPGRADE_MODEL_REASONING, for HOPGRADE_JUDGE_MODEL."
    )
    hopgrade_judge_output_room: float | None = Field(
        default=None, ge=1, le=100, description="As HOPGRADE_MODEL_OUTPUT_ROOM, for HOPGRADE_JUDGE_MODEL."
    )
    hopgrade_judge_extra_body: Annotated[dict[str, Any] | None, NoDecode] = Field(
        default=None,
        description="As HOPGRADE_MODEL_EXTRA_BODY, and on top, for HOPGRADE_JUDGE_MODEL.",
    )
    hopgrade_rerank_api_key: SecretStr | None = Field(
        default=None, description="Key of the rerank endpoint, where it wants one: --reranker http:URL."
    )
    hopgrade_model_reasoning: ReasoningEffort | None = Field(
        default=None,
        description="How much models think before they answer: off, minimal, low, medium or high. Default: "
        "as the endpoint does it by itself.",
    )
    hopgrade_model_output_room: float = Field(
        default=4.0,
        ge=1,
        le=100,
        description="How many times the tokens of the longest answer a model may write, so that it can think "
        "first; at least 2000 tokens, unless it is 1. Room that is not used costs nothing.",
    )
    hopgrade_model_extra_body: Annotated[dict[str, Any] | None, NoDecode] = Field(
        default=None,
        description="Fields that every request to a model has on top, as JSON, for switches of an endpoint's "
        'own: {"enable_thinking": false}. A null takes a field away.',
    )
    hopgrade_model_concurrency: int = Field(
        default=8, ge=1, le=256, description="Requests to a model that may be under way at once."
    )
    hopgrade_model_requests_per_minute: int | None = Field(
        default=None, ge=1, description="Requests to a model a minute at most. Default: no limit."
    )
    hopgrade_model_tokens_per_minute: int | None = Field(
        default=None, ge=1, description="Tokens to and from a model a minute at most. Default: no limit."
    )
    hopgrade_model_cutoff: date | None = Field(
        default=None,
        description="Last day of what the answering model was trained on, as 2024-06-30: a run by it, and "
        "its reports, say how many articles were published before.",
    )
    hopgrade_model_timeout_seconds: float = Field(
        default=120.0, gt=0, description="Seconds after which a request to a model is tried again."
    )
    hopgrade_model_retries: int = Field(
        default=6, ge=0, le=100, description="How often a request that failed for now is tried again."
    )
    hopgrade_model_prices: Annotated[
        dict[str, tuple[float, float] | tuple[float, float, float]], NoDecode
    ] = Field(
        default_factory=dict,
        description="Prices by model, for a million tokens in and out, as JSON: "
        '{"some-model": [0.15, 0.60]}, and a third one for input from the endpoint\'s own cache of prompts, '
        "where that is cheaper; needed for a budget in money.",
    )
    hopgrade_preflight: bool = Field(
        default=True,
        description="Try each prompt of a job on gold items before a model is asked for the first time; the "
        "option --no-preflight leaves it out once.",
    )
    hopgrade_paths_per_question: int = Field(
        default=4,
        ge=1,
        description="Where a model writes or checks questions: how many paths it is shown at most for each "
        "chain question that is wanted of a depth (`questions make --target`).",
    )
    hopgrade_budget_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens that one command may spend on models; `standard run` on each of its models. "
        "Default: no limit.",
    )
    hopgrade_budget_money: float | None = Field(
        default=None,
        gt=0,
        description="Money that one command may spend on models, in the currency of "
        "HOPGRADE_MODEL_PRICES. Default: no limit.",
    )

    hopgrade_engine: str = Field(
        default="local",
        description="Who does independent work: local, ray (the Ray of this machine or of RAY_ADDRESS), or "
        "ray://HOST:PORT; the latter two need the extra ray. The option --engine goes before it.",
    )
    hopgrade_article_seconds: float = Field(
        default=300.0,
        gt=0,
        allow_inf_nan=False,
        description="Seconds of processor time that the rules may take for one article; a slower one is set "
        "aside with that reason.",
    )

    hopgrade_api_token: SecretStr | None = Field(
        default=None,
        description="Token that every request to `serve` must bring. Default: one that is made at each "
        "start and printed.",
    )

    otel_exporter_otlp_endpoint: str | None = Field(
        default=None,
        description="Base URL of an OpenTelemetry collector (OTLP over HTTP) that takes spans of runs; needs "
        "the extra tracing. Default: no spans.",
    )
    otel_exporter_otlp_headers: SecretStr | None = Field(
        default=None,
        description="Headers for OTEL_EXPORTER_OTLP_ENDPOINT, such as a key: NAME=VALUE,NAME=VALUE.",
    )
    otel_exporter_otlp_traces_headers: SecretStr | None = Field(
        default=None, description="As OTEL_EXPORTER_OTLP_HEADERS, and instead of them, for spans."
    )
    otel_instrumentation_genai_capture_message_content: bool = Field(
        default=False,
        description="Whether spans hold what was asked, found and answered. Default: only what was done.",
    )

    hopgrade_home: Path = Field(
        default_factory=lambda: user_data_path("hopgrade"),
        description="Where the managed server keeps its store, password and logs.",
    )
    hopgrade_cache: Path = Field(
        default_factory=lambda: user_cache_path("hopgrade"),
        description="Where fetched server files and the AOT cache lie; safe to delete.",
    )
    hopgrade_least_free_disk: str = Field(
        default="256m",
        pattern=r"^\d+[mg]$",
        description="Space on the disk of the managed server's store that is to stay free: below it the "
        "server is not started and nothing is written.",
    )
    hopgrade_bolt_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Bolt port of the managed server; refused when taken. Default: 7687 or the next free.",
    )
    hopgrade_http_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Browser port of the managed server; refused when taken. Default: 7474 or the next free.",
    )
    hopgrade_server_training: bool = Field(
        default=True,
        description="Make Java's ahead-of-time cache in the background after the first start, so that later "
        "starts take half the time; a machine that is thrown away afterwards can do without.",
    )
    hopgrade_server_heap: str = Field(
        default="1g",
        pattern=r"^\d+[mg]$",
        description="Java heap of the managed server.",
    )
    hopgrade_server_page_cache: str = Field(
        default="512m",
        pattern=r"^\d+[mg]$",
        description="Page cache of the managed server.",
    )

    @field_validator("hopgrade_model_prices", mode="before")
    @classmethod
    def _prices_are_json(cls, given: object) -> object:
        return _from_json(given, '{"some-model": [0.15, 0.60]}')

    @field_validator(
        "hopgrade_model_extra_body", *(f"hopgrade_{role}_extra_body" for role in _ROLES), mode="before"
    )
    @classmethod
    def _extra_bodies_are_json(cls, given: object) -> object:
        return _from_json(given, '{"enable_thinking": false}')

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the code gives comes first, then the environment as far as it may be used, then `.env`."""
        guarded = _Environment(settings_cls, init_settings, env_settings, dotenv_settings)
        return init_settings, guarded, dotenv_settings, file_secret_settings


@dataclass(frozen=True, slots=True)
class EnvFile:
    """The file `.env` that was read: the settings it decided, and the variables that were not used for it.

    `withheld` are secrets of the environment that would have gone to an address in the file.
    """

    path: Path
    names: tuple[str, ...]
    withheld: tuple[str, ...]


def read_env_file() -> EnvFile | None:
    """What the file `.env` of the working folder decides, by the names of variables; None where nothing."""
    path = Path(ENV_FILE).absolute()
    if not path.is_file():
        return None
    environment, file = EnvSettingsSource(Settings)(), DotEnvSettingsSource(Settings)()
    withheld = frozenset(_withheld({}, environment, file))
    names = [
        name.upper()
        for name in Settings.model_fields
        if name in file and (name not in environment or name in withheld)
    ]
    if not names:
        return None
    return EnvFile(path, tuple(names), tuple(sorted(name.upper() for name in withheld)))


class _Environment(PydanticBaseSettingsSource):
    """The variables of the environment without the secrets whose address only the file `.env` names."""

    def __init__(self, settings_cls: type[BaseSettings], *sources: Callable[[], dict[str, Any]]) -> None:
        super().__init__(settings_cls)
        self._sources = sources

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ANN401
        """Not used: all values come at once."""
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        given, environment, file = (source() for source in self._sources)
        withheld = frozenset(_withheld(given, environment, file))
        return {name: value for name, value in environment.items() if name not in withheld}


def _withheld(
    given: Mapping[str, object], environment: Mapping[str, object], file: Mapping[str, object]
) -> Iterator[str]:
    """The secrets of the environment whose address comes from the file."""
    for secret, addresses in _SECRETS.items():
        used = next((name for name in addresses if name in {**given, **environment, **file}), None)
        if secret in environment and used in file and used not in given and used not in environment:
            yield secret
