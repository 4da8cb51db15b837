"""Real servers in temporary homes. The fetched files come from the user's own cache, so they come once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.progress import Silent
from kg.server import RunningServer, ensure_running, stop
from kg.settings import Settings


def settings_for(home: Path, **more: str | int | Path | None) -> Settings:
    """Settings for a small server in a home of its own, whatever the environment says."""
    values = {
        "hopgrade_home": home, "neo4j_uri": None, "hopgrade_server_heap": "512m",
        "hopgrade_server_page_cache": "64m", "hopgrade_bolt_port": None, "hopgrade_http_port": None,
    }  # fmt: skip
    return Settings.model_validate(Settings().model_dump() | values | more)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of the server that most tests share; its path has a blank and a letter beyond ASCII."""
    chosen = settings_for(tmp_path_factory.mktemp("server") / "my café")
    yield chosen
    stop(chosen)


@pytest.fixture
def running(settings: Settings) -> RunningServer:
    """The shared server, running."""
    return ensure_running(settings, Silent())


@pytest.fixture
def own_settings(tmp_path: Path) -> Iterator[Settings]:
    """Settings of a server that one test has for itself, stopped afterwards."""
    chosen = settings_for(tmp_path / "home")
    yield chosen
    stop(chosen)


@pytest.fixture(scope="session")
def stopped_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose server ran once and was stopped; copy it before you harm it."""
    chosen = settings_for(tmp_path_factory.mktemp("stopped") / "home")
    ensure_running(chosen, Silent())
    stop(chosen)
    return chosen.hopgrade_home
