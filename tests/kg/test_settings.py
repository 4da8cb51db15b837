"""Settings come from their own variables only."""

from pathlib import Path

import pytest

from kg.settings import Settings, read_env_file, size_in_bytes
from tests.examples import examples


def test_variables_of_the_system_are_not_taken_for_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("HOME", "CACHE", "BOLT_PORT", "HTTP_PORT", "SERVER_HEAP"):
        monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("HOPGRADE_HOME", "HOPGRADE_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    settings = Settings()
    assert settings.hopgrade_home.name == "hopgrade"
    assert settings.hopgrade_cache.name == "hopgrade"
    assert tmp_path / "elsewhere" not in (settings.hopgrade_home, settings.hopgrade_cache)
    assert settings.hopgrade_bolt_port is None
    assert settings.hopgrade_server_heap == "1g"


PRODUCTS = ("neo4j_", "openai_", "hopgrade_", "anthropic_", "groq_", "fireworks_", "otel_")


def test_every_setting_begins_with_the_name_of_a_product() -> None:
    assert all(name.startswith(PRODUCTS) for name in Settings.model_fields)


def test_our_own_variables_and_the_file_env_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "mine"))
    monkeypatch.delenv("NEO4J_DATABASE", raising=False)
    (tmp_path / ".env").write_text("NEO4J_DATABASE=other\nUNKNOWN=1\n", encoding="utf-8")
    settings = Settings()
    assert settings.hopgrade_home == tmp_path / "mine"
    assert settings.neo4j_database == "other"


ENVIRONMENT = {
    "NEO4J_PASSWORD": "graph-secret",
    "OPENAI_API_KEY": "sk-general",
    "HOPGRADE_ANSWER_API_KEY": "sk-answers",
    "HOPGRADE_JUDGE_API_KEY": "sk-judge",
    "OTEL_EXPORTER_OTLP_HEADERS": "api-key=otel-secret",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "api-key=otel-secret",
}


@pytest.fixture
def foreign_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working folder, got from others; the secrets of the environment are the user's own."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_env(folder: Path, **values: str) -> None:
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in values.items()))


def secrets(settings: Settings) -> set[str]:
    """The variables whose secret is in use."""
    return {name for name in ENVIRONMENT if getattr(settings, name.lower()) is not None}


@examples("address, withheld")
def test_an_address_from_a_file_gets_no_secret_of_the_environment(
    foreign_folder: Path, address: str, withheld: set[str]
) -> None:
    write_env(foreign_folder, **{address: "http://127.0.0.1:8793/v1"})
    assert secrets(Settings()) == set(ENVIRONMENT) - withheld
    found = read_env_file()
    assert found is not None
    assert (found.path, found.names, set(found.withheld)) == (foreign_folder / ".env", (address,), withheld)


def test_an_address_from_a_file_gets_the_key_of_that_file(foreign_folder: Path) -> None:
    write_env(foreign_folder, OPENAI_BASE_URL="http://127.0.0.1:8793/v1", OPENAI_API_KEY="sk-of-the-file")
    key = Settings().openai_api_key
    assert key is not None
    assert key.get_secret_value() == "sk-of-the-file"
    found = read_env_file()
    assert found is not None
    assert found.names == ("OPENAI_API_KEY", "OPENAI_BASE_URL")


def test_an_address_of_the_environment_or_of_the_code_gets_the_secret(
    foreign_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_env(foreign_folder, OPENAI_BASE_URL="http://127.0.0.1:8793/v1", NEO4J_URI="bolt://127.0.0.1:9")
    given = Settings(openai_base_url="http://own/v1", neo4j_uri=None)
    assert secrets(given) == set(ENVIRONMENT)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://own/v1")
    monkeypatch.setenv("HOPGRADE_JUDGE_BASE_URL", "http://judge/v1")
    assert secrets(Settings()) == set(ENVIRONMENT) - {"NEO4J_PASSWORD"}


def test_a_file_that_decides_nothing_is_not_named(
    foreign_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_env_file() is None
    write_env(foreign_folder, SOMETHING_ELSE="1", HOPGRADE_MODEL="small")
    monkeypatch.setenv("HOPGRADE_MODEL", "large")
    assert read_env_file() is None


def test_a_size_in_bytes() -> None:
    assert (size_in_bytes("512m"), size_in_bytes("2g"), size_in_bytes("0m")) == (512 << 20, 2 << 30, 0)
