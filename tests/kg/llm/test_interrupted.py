"""What a run that is stopped has paid for is kept, and it does not wait for answers that may never come."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kg.llm.asking import numbered, texts
from tests.kg.llm.conftest import Opened
from tests.scripted_endpoint import Endpoint

ROOT = Path(__file__).resolve().parents[3]
LONG_BEFORE_THE_TIME_OUT_SECONDS = 60


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_ends_soon_and_loses_only_what_is_under_way(
    endpoint: Endpoint, opened: Opened, tmp_path: Path, how: signal.Signals
) -> None:
    endpoint.faults_of = {"question 10": "silence", "question 11": "silence"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.kg.llm.interrupted_run", endpoint.base_url, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as run:
        assert run.stdout is not None
        assert len([run.stdout.readline() for _ in range(10)]) == 10
        run.send_signal(how)
        assert run.wait(LONG_BEFORE_THE_TIME_OUT_SECONDS) != 0
    endpoint.faults_of.clear()
    assert texts(list(opened().ask(numbered(100)))) == [f"question {number}" for number in range(100)]
    assert endpoint.answered == {f"question {number}": 1 for number in range(100)}
