"""Options and settings that can't work: one sentence, exit code 2, no secret told."""

import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Kg
from tests.conftest import ServerAddress
from tests.examples import examples
from tests.kg_command import Ended
from tests.small_world import write_articles

SECRET = "wrong-secret-77"


def refused(ended: Ended, *named: str) -> None:
    """Make sure that a command ended with one sentence that names these things."""
    assert ended.code == 2, ended.err
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    for words in named:
        assert words in ended.err


@examples("options, named")
@pytest.mark.parametrize("command", [("corpus", "ingest"), ("run-all",)], ids=" ".join)
def test_an_option_that_cannot_work(
    corpus: str,
    kg: Kg,
    tmp_path: Path,
    command: tuple[str, ...],
    options: tuple[str, ...],
    named: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    articles = str(write_articles(tmp_path, ("rovers",)))
    refused(kg(*command, articles, "--corpus", corpus, *options), *named)
    assert corpus not in [row["name"] for row in kg("corpus", "list", "--json").json]


@pytest.mark.parametrize("hops", ["0", "6", "2,x", "", "2;3"])
def test_depths_that_there_are_not(kg: Kg, hops: str) -> None:
    refused(kg("questions", "list", "--hops", hops), repr(hops), "1,2,3,4,5")


def test_an_empty_question(kg: Kg) -> None:
    refused(kg("ask", "  "), "empty")


@examples("name, value")
@pytest.mark.parametrize("command", [("corpus", "status"), ("corpus", "list"), ("run-all",)])
def test_a_setting_that_cannot_work(
    kg: Kg,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    name: str,
    value: str,
) -> None:
    monkeypatch.setenv(name, value)
    articles = [str(write_articles(tmp_path, ("rovers",)))] if command == ("run-all",) else []
    refused(kg(*command, *articles), name, repr(value), "docs/reference/settings.md")


@examples("address, named")
def test_a_server_that_cannot_be_reached(
    kg: Kg, monkeypatch: pytest.MonkeyPatch, address: str, named: tuple[str, ...]
) -> None:
    monkeypatch.setenv("NEO4J_URI", address)
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
    ended = kg("corpus", "status")
    refused(ended, *named)
    assert SECRET not in ended.err


def test_a_password_in_the_address_is_not_told(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", f"bolt://neo4j:{SECRET}@127.0.0.1:9")
    ended = kg("corpus", "status")
    refused(ended, "NEO4J_URI")
    assert SECRET not in ended.err


def test_a_wrong_password(kg: Kg, monkeypatch: pytest.MonkeyPatch, server_address: ServerAddress) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
    ended = kg("corpus", "status")
    refused(ended, "refused", server_address.username, "NEO4J_PASSWORD")
    assert SECRET not in ended.err


def test_no_password(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_PASSWORD")
    refused(kg("corpus", "status"), "NEO4J_URI", "NEO4J_PASSWORD")


def test_a_database_that_is_not_there(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_DATABASE", "elsewhere")
    refused(kg("corpus", "status"), "elsewhere", "NEO4J_DATABASE")


def test_a_file_of_the_working_folder_is_named_when_it_is_read(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={SECRET}\nHOPGRADE_MODEL=small\n", encoding="utf-8")
    ended = kg("corpus", "list")
    assert ended.code == 0
    assert f"settings from {tmp_path / '.env'}: OPENAI_API_KEY, HOPGRADE_MODEL\n" in ended.err
    assert SECRET not in ended.err


def test_a_password_is_not_sent_where_a_file_says(
    kg: Kg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEO4J_URI")
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        address = f"bolt://127.0.0.1:{listener.getsockname()[1]}"
        (tmp_path / ".env").write_text(f"NEO4J_URI={address}\n", encoding="utf-8")
        ended = kg("corpus", "list")
        with pytest.raises(TimeoutError):
            listener.accept()
    assert ended.code == 2
    assert "NEO4J_PASSWORD of the environment" in ended.err
    assert "NEO4J_URI is set without NEO4J_PASSWORD" in ended.err
