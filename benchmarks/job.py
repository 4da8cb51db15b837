"""The main job as a user runs it: `kg run-all` in a process of its own, with its time and peak memory."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

KG = (sys.executable, "-c", "from cli.main import main; main()")


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of the job: wall seconds, peak memory of the Python process, and the ledger afterwards."""

    seconds: float
    peak_mib: float
    stages: tuple[Mapping[str, Any], ...]

    def count(self, stage: str, name: str) -> int:
        """A count that a stage left in the ledger."""
        return next(int(line[name]) for line in self.stages if line["name"] == stage)


def run_job(corpus: str, files: Sequence[Path], *options: str) -> Measured:
    """Run the whole job on files; `peak_mib` is of the largest job so far, so run the largest last."""
    started = monotonic()
    _kg("run-all", *map(str, files), "--corpus", corpus, *options, "--json")
    seconds = monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    status = json.loads(_kg("status", "--corpus", corpus, "--json"))
    return Measured(seconds, peak, tuple(status["stages"]))


def drop(corpus: str) -> None:
    """Delete a corpus if it is there."""
    known = json.loads(_kg("corpus", "list", "--json"))
    if corpus in {row["name"] for row in known}:
        _kg("corpus", "drop", corpus, "--yes")


def _kg(*arguments: str) -> str:
    ended = subprocess.run([*KG, *arguments], capture_output=True, text=True, env=os.environ, check=False)
    if ended.returncode:
        raise SystemExit(f"kg {' '.join(arguments)} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
    return ended.stdout
