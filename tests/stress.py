"""The whole suite in random order on a machine that is busy with other things.

    python -m tests.stress [--seed N] [--workers N] [--busy N] [--cores N] [TESTS...]

A seed that is not given is drawn and printed, so that an order can be had again. `--busy` processes keep
cores from the tests (default: one for each core); `--cores 0.5` gives all tests together half a core,
through a control group, which needs root.
"""

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
GROUPS = Path("/sys/fs/cgroup")
PERIOD_MICROSECONDS = 100_000
BUSY = "while True: pass"


def main() -> int:
    """Run pytest; its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cores", type=float)
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    sys.stdout.write(f"seed {given.seed}, {given.workers} workers, {given.busy} busy processes\n")
    sys.stdout.flush()
    command = [
        *(sys.executable, "-m", "pytest", "-o", "addopts=", "-q", "--strict-markers", "-m", "not campaign"),
        *(f"--randomly-seed={given.seed}", "-n", str(given.workers), "--dist", "loadfile", *given.tests),
    ]
    with ExitStack() as stack:
        for _ in range(given.busy):
            stack.enter_context(busy())
        group = stack.enter_context(quota(given.cores)) if given.cores else None
        if group:
            # The tests' processes are born into the group that their parent is in.
            (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
        return subprocess.run(command, cwd=ROOT, check=False).returncode


@contextmanager
def busy() -> Iterator[None]:
    """A process that does nothing for as long as it may."""
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def quota(cores: float) -> Iterator[Path]:
    """A control group whose processes together get so many cores; of version 1 or 2."""
    newer = (GROUPS / "cgroup.controllers").exists()
    group = (GROUPS if newer else GROUPS / "cpu") / f"hopgrade-stress-{os.getpid()}"
    group.mkdir()
    micros = int(cores * PERIOD_MICROSECONDS)
    try:
        if newer:
            (group / "cpu.max").write_text(f"{micros} {PERIOD_MICROSECONDS}", encoding="ascii")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS), encoding="ascii")
            (group / "cpu.cfs_quota_us").write_text(str(micros), encoding="ascii")
        yield group
    finally:
        for left in (group / "cgroup.procs").read_text(encoding="ascii").split():
            ((GROUPS if newer else GROUPS / "cpu") / "cgroup.procs").write_text(left, encoding="ascii")
        group.rmdir()


if __name__ == "__main__":
    sys.exit(main())
