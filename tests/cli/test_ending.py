"""How `kg` ends as a process: stopped, with its reader gone, on a terminal without Unicode."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.job import KG, STOPS, begin_in_terminal, ended_by_signals
from kg.corpus import read_settings
from kg.files import bundled_folder
from kg.store.graph import Graph
from services.runs.records import drop_run, list_runs
from tests.cli.conftest import JOB, Built, Kg
from tests.cli.test_bad_input import bodies, write_rows
from tests.representatives import representatives
from tests.web_system import Received, Sent, web_system

SECONDS = 120


def start(arguments: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    """`kg` as a process with pipes for both streams, that a signal may end."""
    with ended_by_signals():
        return subprocess.Popen(
            [*KG, *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="strict",
        )


@pytest.mark.parametrize("sent", representatives(STOPS, signal.SIGTERM))
def test_a_stop_ends_with_one_sentence_and_loses_nothing(
    graph: Graph, corpus: str, kg: Kg, process_environment: dict[str, str], sent: signal.Signals
) -> None:
    articles = str(bundled_folder("seed") / "articles")
    with start(["run-all", articles, "--corpus", corpus, *JOB], process_environment) as process:
        assert process.stderr is not None
        # The stage after the articles has begun by then, and takes seconds.
        said = next(line for line in process.stderr if line.startswith("  articles:"))
        process.send_signal(sent)
        out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + sent
    assert out == ""
    assert err.splitlines()[-1] == "stopped. Nothing is lost: the same command goes on where it was."
    assert "Traceback" not in err
    assert "Aborted" not in err
    assert read_settings(graph, corpus) is not None
    kept = kg("corpus", "status", "--corpus", corpus, "--json").json["stages"][0]
    assert f" {kept['articles']} articles" in said
    assert len(bodies(graph, corpus)) > 0


def test_a_closed_terminal_ends_a_command_as_a_stop_does(
    corpus: str, process_environment: dict[str, str]
) -> None:
    """Its display can't write any more when it ends, and that is no error of its own."""
    articles = str(bundled_folder("seed") / "articles")
    window, inside = pty.openpty()
    words = ("run-all", articles, "--corpus", corpus, *JOB)
    process = begin_in_terminal(words, inside, process_environment)
    said = b""
    while b"chunks" not in said:
        said += os.read(window, 1 << 16)
    os.close(window)
    os.close(inside)
    assert process.wait(SECONDS) == 128 + signal.SIGHUP


@pytest.mark.parametrize("sent", representatives((signal.SIGINT, signal.SIGTERM), signal.SIGINT))
def test_a_stop_keeps_what_an_outside_system_has_answered(
    graph: Graph, small_corpus: str, kg: Kg, process_environment: dict[str, str], sent: signal.Signals
) -> None:
    """At the fourth question the system is slow, and whoever waits for it sends the signal."""
    asked: list[str] = []
    fourth, over = threading.Event(), threading.Event()

    def respond(request: Received) -> Sent:
        asked.append(json.dumps(request.body))
        if len(asked) == 4:
            fourth.set()
            over.wait(SECONDS)
        return Sent({"answer": "Oda Wexler"})

    try:
        with web_system(respond) as web:
            call = ("evaluate", "endpoint", web.url, "--name", "slow", "--limit", "8", "--no-report")
            once = (*call, "--concurrency", "1", "--corpus", small_corpus)
            with start(once, process_environment) as process:
                assert fourth.wait(SECONDS)
                process.send_signal(sent)
                _, err = process.communicate(timeout=SECONDS)
            over.set()
            assert process.returncode == 128 + sent, err
            assert err.splitlines()[-1] == "stopped. Nothing is lost: the same command goes on where it was."
            again = kg(*once, "--json")
            assert again.json["answers"] == 8
            assert len(asked) == 8 + 1
            assert set(asked[4:]).isdisjoint(asked[:3])
    finally:
        over.set()
        if any(row["name"] == "slow" for row in list_runs(graph, small_corpus)):
            drop_run(graph, small_corpus, "slow")


LOST = """
import signal, time
from cli.main import end_as_by_ctrl_c

class Stopped:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

end_as_by_ctrl_c()
stopped = Stopped()
try:
    del stopped
    print("Python ignored it", flush=True)
    time.sleep(600)
    print("for ever")
except KeyboardInterrupt:
    print("but not twice")
"""


def test_a_stop_that_python_could_only_ignore_comes_again() -> None:
    ended = subprocess.run([sys.executable, "-c", LOST], capture_output=True, encoding="utf-8", check=True)
    assert (ended.stdout, ended.stderr) == ("Python ignored it\nbut not twice\n", "")


IN_THE_BACKGROUND = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
from cli.main import end_as_by_ctrl_c
end_as_by_ctrl_c()
signal.raise_signal(signal.SIGINT)
print("Ctrl-C is not for it")
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("but SIGTERM is")
"""


def test_sigterm_ends_a_command_in_the_background_of_a_shell() -> None:
    run = [sys.executable, "-c", IN_THE_BACKGROUND]
    ended = subprocess.run(run, capture_output=True, encoding="utf-8", check=True)
    assert (ended.stdout, ended.stderr) == ("Ctrl-C is not for it\nbut SIGTERM is\n", "")


@pytest.mark.campaign
def test_ctrl_c_at_a_question_changes_nothing(
    built: Built, kg: Kg, process_environment: dict[str, str]
) -> None:
    with start(["corpus", "drop", built.corpus], process_environment) as process:
        assert process.stderr is not None
        asked = ""
        while not asked.endswith("[y/N]:"):
            asked += process.stderr.read(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert err.strip() == "stopped: nothing was changed."
    assert kg("corpus", "status", "--corpus", built.corpus).code == 0


@pytest.mark.campaign
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_goes_away_is_no_error(
    built: Built, process_environment: dict[str, str], options: tuple[str, ...]
) -> None:
    with start(["corpus", "status", "--corpus", built.corpus, *options], process_environment) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, err = process.communicate(timeout=SECONDS)
    assert err == ""


@pytest.mark.campaign
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_terminal_without_unicode_gets_escapes(
    corpus: str, kg: Kg, process_environment: dict[str, str], tmp_path: Path, options: tuple[str, ...]
) -> None:
    name = f"{corpus} 😀 שלום"
    path = write_rows(
        tmp_path / "good.jsonl", {"title": "😀", "body": "Mara Solberg founded Kestrel Shipping."}
    )
    assert kg("corpus", "ingest", path, "--corpus", name, "--min-tokens", "1").code == 0
    plain = {**process_environment, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    with start(["corpus", "list", *options], plain) as process:
        out, err = process.communicate(timeout=SECONDS)
    assert kg("corpus", "drop", name, "--yes").code == 0
    assert (process.returncode, err) == (0, "")
    if options:
        assert name in [row["name"] for row in json.loads(out)]
    else:
        assert f"{corpus} \\U0001f600" in out
