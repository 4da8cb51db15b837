"""Every setting that comes from the environment, with the names that people already use.

Options of one command are not here: what a corpus depends on (`--embedder`, `--chunks`, `--seed`,
`--per-depth`) is recorded with the corpus.
"""

from pathlib import Path

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Settings read from the environment, then from a file `.env` in the working folder.

    The variable of a field is its name in capitals: no field may be called like a variable of the system,
    such as HOME.
    """

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore")

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
    hopgrade_generate_model: str | None = Field(default=None, description="Model that writes questions.")
    hopgrade_generate_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_GENERATE_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_generate_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_GENERATE_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_answer_model: str | None = Field(default=None, description="Model that answers questions.")
    hopgrade_answer_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_ANSWER_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_answer_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_ANSWER_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_judge_model: str | None = Field(default=None, description="Model that judges answers.")
    hopgrade_judge_base_url: str | None = Field(
        default=None, description="Endpoint of HOPGRADE_JUDGE_MODEL. Default: OPENAI_BASE_URL."
    )
    hopgrade_judge_api_key: SecretStr | None = Field(
        default=None,
        description="Key for HOPGRADE_JUDGE_BASE_URL; without that address, instead of OPENAI_API_KEY.",
    )
    hopgrade_rerank_api_key: SecretStr | None = Field(
        default=None, description="Key of the rerank endpoint, where it wants one: --reranker http:URL."
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
    hopgrade_model_timeout_seconds: float = Field(
        default=120.0, gt=0, description="Seconds after which a request to a model is tried again."
    )
    hopgrade_model_retries: int = Field(
        default=6, ge=0, le=100, description="How often a request that failed for now is tried again."
    )
    hopgrade_model_prices: dict[str, tuple[float, float]] = Field(
        default_factory=dict,
        description="Prices by model, for a million tokens in and out, as JSON: "
        '{"some-model": [0.15, 0.60]}; needed for a budget in money.',
    )
    hopgrade_budget_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens that one command may spend on models; kg standard run on each of its models. "
        "Default: no limit.",
    )
    hopgrade_budget_money: float | None = Field(
        default=None,
        gt=0,
        description="Money that one command may spend on models, in the currency of "
        "HOPGRADE_MODEL_PRICES. Default: no limit.",
    )

    hopgrade_api_token: SecretStr | None = Field(
        default=None,
        description="Token that every request to `kg serve` must bring. Default: none, and only this machine "
        "may ask.",
    )

    otel_exporter_otlp_endpoint: str | None = Field(
        default=None,
        description="Base URL of an OpenTelemetry collector (OTLP over HTTP) that takes spans of runs; needs "
        "hopgrade[tracing]. Default: no spans.",
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
