"""Settings come from their own variables only."""

from pathlib import Path

import pytest

from kg.settings import Settings


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
