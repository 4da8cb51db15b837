"""`kg serve`: where it listens, whom it answers, and how it ends."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx
import pytest

from benchmarks.job import KG
from tests.cli.conftest import Built, Kg
from tests.examples import examples
from tests.representatives import representatives

PATIENCE_SECONDS = 600
"""How long a test waits for what should come within seconds on a machine with nothing else to do."""


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """A file with a token that only its owner may read."""
    file = tmp_path / "token"
    file.write_text("a token that is in a file\n", encoding="utf-8")
    file.chmod(0o600)
    return file


class Serving:
    """`kg serve --json` as a process, with what it told at its start."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        lines: list[str] = []
        while lines[-1:] != ["}\n"]:
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr and process.stderr.read()
        self.told = json.loads("".join(lines))

    def end(self, sent: signal.Signals) -> tuple[int, str]:
        """The exit code after a signal, and the log."""
        self.process.send_signal(sent)
        _, log = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, log


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[Serving]:
    with subprocess.Popen(
        [*KG, "serve", *arguments, "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Serving(process)
        finally:
            process.kill()


@pytest.mark.parametrize("from_file", representatives([False, True], True))
def test_it_says_where_it_is_answers_who_has_the_token_and_ends_at_ctrl_c(
    process_environment: dict[str, str], token_file: Path, from_file: bool
) -> None:
    arguments = ("--token-file", str(token_file)) if from_file else ()
    with serving(process_environment, *arguments) as served:
        told = served.told
        # A token that the caller gave is not printed.
        assert ("token" in told) is not from_file
        token = told.get("token") or token_file.read_text(encoding="utf-8").strip()
        assert token not in told["link"]
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{told['api']}/corpora")
        assert refused.value.code == 401
        asked = Request(f"{told['api']}/corpora", headers={"Authorization": f"Bearer {token}"})
        with urlopen(asked) as answer:
            assert answer.status == 200
        code, log = served.end(signal.SIGINT)
    assert code == 0, log
    assert token not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert [line["status"] for line in lines if line["event"] == "request"] == [401, 200]


@pytest.mark.campaign
def test_each_start_has_a_token_and_a_link_of_its_own(process_environment: dict[str, str]) -> None:
    told = []
    for _ in range(2):
        with serving(process_environment) as served:
            told.append(served.told)
            with httpx.Client(follow_redirects=True) as browser:
                page = browser.get(served.told["link"])
                assert (page.status_code, page.url.path, page.url.query) == (200, "/", b"")
                assert browser.get(f"{served.told['api']}/corpora").status_code == 200
            code, log = served.end(signal.SIGTERM)
            assert code == 0, log
            assert served.told["link"].partition("=")[2] not in log
    assert told[0]["token"] != told[1]["token"]
    assert told[0]["link"] != told[1]["link"]


@pytest.mark.campaign
@pytest.mark.parametrize("state", representatives(["a job", "a stream", "half a request"], "a job"))
def test_it_ends_soon_after_sigterm_whatever_it_is_at(
    built: Built, process_environment: dict[str, str], state: str
) -> None:
    with ExitStack() as opened:
        # A model that takes a request and never answers: the job comes to no further step.
        model = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        model.settimeout(PATIENCE_SECONDS)
        endpoint = {
            "HOPGRADE_ANSWER_MODEL": "silent",
            "HOPGRADE_ANSWER_BASE_URL": f"http://127.0.0.1:{model.getsockname()[1]}/v1",
            "HOPGRADE_MODEL_TIMEOUT_SECONDS": "600",
        }
        served = opened.enter_context(serving({**process_environment, **endpoint}))
        bearer = {"Authorization": f"Bearer {served.told['token']}"}
        api = opened.enter_context(httpx.Client(base_url=served.told["api"], headers=bearer, timeout=600))
        if state == "half a request":
            port = int(served.told["url"].rpartition(":")[2])
            half = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            half.sendall(b"GET / HTTP/1.1\r\nHost: ")
        else:
            wanted = {"generator": "model", "name": state.replace(" ", "-")}
            job = api.post(f"/corpora/{built.corpus}/runs", json=wanted)
            assert job.status_code == 202, job.text
            try:
                opened.enter_context(model.accept()[0])
            except TimeoutError:
                raise AssertionError(api.get(f"/jobs/{job.json()['id']}").text) from None
            if state == "a stream":
                events = opened.enter_context(api.stream("GET", f"/jobs/{job.json()['id']}/events"))
                assert next(events.iter_lines())
        code, log = served.end(signal.SIGTERM)
    assert code == 0, log
    assert "Traceback" not in log


@pytest.mark.campaign
def test_without_a_token_nothing_is_asked_of_a_model(
    built: Built, process_environment: dict[str, str]
) -> None:
    with serving(process_environment, "--no-token") as served:
        assert served.told.keys() == {"url", "api"}
        path = f"{served.told['api']}/corpora/{built.corpus}"
        assert httpx.get(path, timeout=600).status_code == 200
        refused = httpx.post(f"{path}/runs", json={"generator": "model"}, timeout=600)
        assert refused.status_code == 403
        assert "spends on no model" in refused.json()["detail"]
        served.end(signal.SIGTERM)


@examples("arguments, named")
def test_what_is_not_safe_or_not_possible_is_refused(kg: Kg, arguments: tuple[str, ...], named: str) -> None:
    ended = kg("serve", *arguments)
    assert ended.code == 2
    assert named in ended.err


def test_a_short_token_of_the_environment_is_refused(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPGRADE_API_TOKEN", "short")
    ended = kg("serve")
    assert ended.code == 2
    assert "at least 16" in ended.err


def test_a_token_comes_from_a_file_before_it_comes_from_the_environment(
    kg: Kg, token_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPGRADE_API_TOKEN", "short")
    ended = kg("serve", "--token-file", str(token_file), "--host", "no.such.host.invalid")
    assert ended.code == 2
    assert "no address to listen on" in ended.err


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_file_of_a_token_that_others_can_read_or_change_is_refused(
    kg: Kg, token_file: Path, mode: int
) -> None:
    token_file.chmod(mode)
    ended = kg("serve", "--token-file", str(token_file))
    assert ended.code == 2
    assert f"{mode:o}" in ended.err
    assert "chmod 600" in ended.err
    assert "a token that" not in ended.err


@pytest.mark.parametrize(
    ("held", "arguments", "named"),
    [
        (b"", (), "at least 16"),
        (b"\xff" * 20, (), "at least 16"),
        (b"x" * 5_000, (), "more than a token"),
        (b"x" * 20, ("--no-token",), "Give one of them"),
    ],
)
def test_a_file_that_holds_no_token_is_refused(
    kg: Kg, token_file: Path, held: bytes, arguments: tuple[str, ...], named: str
) -> None:
    token_file.write_bytes(held)
    ended = kg("serve", "--token-file", str(token_file), *arguments)
    assert ended.code == 2
    assert named in ended.err


def test_a_file_of_a_token_that_is_not_there_is_told(kg: Kg, tmp_path: Path) -> None:
    ended = kg("serve", "--token-file", str(tmp_path / "none"))
    assert ended.code == 2
    assert "can't be read" in ended.err


def test_a_taken_port_is_told(kg: Kg) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = kg("serve", "--port", str(taken.getsockname()[1]))
    assert ended.code == 2
    assert "taken" in ended.err
