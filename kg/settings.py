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

    openai_api_key: SecretStr | None = Field(default=None, description="Key of the embedding endpoint.")
    openai_base_url: str | None = Field(
        default=None, description="Base URL of an OpenAI-compatible endpoint."
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
