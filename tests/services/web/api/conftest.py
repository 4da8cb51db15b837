"""The application in this process, over the session's server."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from kg.settings import Settings
from services.web.api.access import Access
from services.web.api.app import create_app
from tests.conftest import ServerAddress

HERE = "http://127.0.0.1:8700"
TOKEN = "a token that is long enough"


@pytest.fixture(scope="session")
def api_settings(server_address: ServerAddress, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings that lead to the session's server, with nothing of the user's."""
    folder = tmp_path_factory.mktemp("api")
    return Settings.model_validate(
        {
            "neo4j_uri": server_address.uri,
            "neo4j_username": server_address.username,
            "neo4j_password": server_address.password,
            "neo4j_database": server_address.database,
            "hopgrade_home": folder / "home",
            "hopgrade_cache": folder / "cache",
            "hopgrade_preflight": False,
        }
    )


@pytest.fixture(scope="session")
def api(api_settings: Settings) -> Iterator[TestClient]:
    """A client of the application without a token."""
    with TestClient(create_app(api_settings), base_url=HERE) as client:
        yield client


@pytest.fixture(scope="session")
def at(small_corpus: str) -> str:
    """The address of the small world's corpus."""
    return f"/api/corpora/{small_corpus}"


@contextmanager
def behind_http(app: FastAPI) -> Iterator[str]:
    """The address of an application behind a real HTTP server."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        listening.listen()
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(600)


@pytest.fixture(scope="session")
def served(api_settings: Settings) -> Iterator[str]:
    """The address of the application without a token behind a real HTTP server."""
    with behind_http(create_app(api_settings)) as address:
        yield address


@pytest.fixture(scope="session")
def served_with_token(api_settings: Settings) -> Iterator[str]:
    """The address of an application that asks for `TOKEN`."""
    with behind_http(create_app(api_settings, Access(TOKEN))) as address:
        yield address
