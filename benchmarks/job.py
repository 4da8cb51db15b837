"""The main job as a user runs it: `kg run-all` in a process of its own, with its time and peak memory."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from kg.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
KG = (sys.executable, "-c", "from cli.main import main; main()")
"""`kg` as a command that needs no installed script."""
KIB_A_MIB = 1024


@dataclass(frozen=True, slots=True)
class JobMeasures:
    """One run of the job: wall seconds, peak memory of the Python process, and the ledger afterwards."""

    seconds: float
    peak_mib: float
    stages: tuple[Mapping[str, Any], ...]

    def count(self, stage: str, name: str) -> int:
        """A count that a stage left in the ledger."""
        return next(int(line[name]) for line in self.stages if line["name"] == stage)


def environment_of(home: Path) -> dict[str, str]:
    """This shell's environment for commands in a home of their own, on its managed server, with this code."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}
    return outside | {"HOPGRADE_HOME": str(home), "PYTHONPATH": str(ROOT)}


STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which people and terminals stop a command."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Processes that begin meanwhile ignore no signal that stops a command.

    Behind nohup or in the background of a shell we ignore some, and a process inherits that. What is handled
    is not inherited.
    """
    before = {one: signal.signal(one, _nothing) for one in STOPS if signal.getsignal(one) == signal.SIG_IGN}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _nothing(_number: int, _frame: object) -> None:
    """What a signal does that is not ignored and ends nothing."""


def begin_in_terminal(
    words: Sequence[str], terminal: int, environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.Popen[bytes]:
    """`kg` in a session of its own, whose terminal and streams are the one that a file descriptor opened."""
    # Whoever begins a session and opens a terminal then has it for his own.
    opened = ("sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(terminal))
    with ended_by_signals():
        return subprocess.Popen(
            [*opened, *KG, *words], cwd=folder, env=dict(environment), start_new_session=True
        )


def settings_of(home: Path) -> Settings:
    """The settings of such commands, for this process."""
    return Settings.model_validate(Settings().model_dump() | {"hopgrade_home": home, "neo4j_uri": None})


def run_job(corpus: str, files: Sequence[Path], *options: str) -> JobMeasures:
    """Run the whole job on files."""
    started = monotonic()
    _, peak_mib = _kg("run-all", *map(str, files), "--corpus", corpus, *options, "--json")
    seconds = monotonic() - started
    shown, _ = _kg("corpus", "status", "--corpus", corpus, "--json")
    return JobMeasures(seconds, peak_mib, tuple(json.loads(shown)["stages"]))


def drop(corpus: str) -> None:
    """Delete a corpus if it is there."""
    shown, _ = _kg("corpus", "list", "--json")
    if corpus in {row["name"] for row in json.loads(shown)}:
        _kg("corpus", "drop", corpus, "--yes")


def _kg(*arguments: str) -> tuple[str, float]:
    """What the command printed, and the peak memory of its process in MiB."""
    # Files, because nobody empties a pipe while we wait for this very process.
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([*KG, *arguments], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            said = err.read()[-2000:]
            raise SystemExit(f"kg {' '.join(arguments)} ended with {process.returncode}:\n{said}")
        return out.read(), usage.ru_maxrss / KIB_A_MIB
