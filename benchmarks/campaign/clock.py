"""The server's clock set back by an hour, again and again."""

import mmap
import os
import struct
import subprocess
from itertools import count
from pathlib import Path
from unittest.mock import patch

from benchmarks.campaign.chain import Bench, Place, Process, Row, repeatedly
from benchmarks.campaign.disks import LONGEST_SECONDS
from kg.progress import Silent
from kg.server import ensure_running, launch

HOUR = 3_600
_SECONDS = struct.Struct("l")


def clock_set_back(bench: Bench, times: int) -> Row:
    """The server's clock goes back an hour under a command, again and again, an hour each time.

    Only the server's: its process is started with a library before the system's, which a C compiler makes of
    `set_clock.c`. Leases go by this clock, and by no other.

    Raises:
        SystemExit: there is no C compiler, or another server answers in the end.
    """
    place = bench.place
    library, offset = place.folder / "set_clock.so", place.folder / "clock"
    source = Path(__file__).with_name("set_clock.c")
    made = subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=False)
    if made.returncode:
        raise SystemExit("The server's clock can't be set back without a C compiler named cc.")
    offset.write_bytes(_SECONDS.pack(0))
    variables = {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(offset)}
    hours = count(1)

    def set_back(_: Place, process: Process) -> None:
        _write(offset, -next(hours) * HOUR)
        process.wait(LONGEST_SECONDS)

    place.kg("server", "stop")
    passed = (*launch.KEPT_VARIABLES, *variables)
    with patch.object(launch, "KEPT_VARIABLES", passed), patch.dict(os.environ, variables):
        ensure_running(place.settings(), Silent())
    row = repeatedly(bench, "the server's clock is set back by an hour", set_back, times)
    server = place.server()
    if server is None or server.environ().get("LD_PRELOAD") != variables["LD_PRELOAD"]:
        raise SystemExit("The server whose clock was set back is gone; another one answers in its place.")
    row.note = f"it was {next(hours) - 1} hours back at the end; {row.note}"
    place.kg("server", "stop")
    return row


def _write(offset: Path, seconds: int) -> None:
    """Set the clock, in one piece: the server reads it all the time."""
    with offset.open("r+b") as file, mmap.mmap(file.fileno(), _SECONDS.size) as mapped:
        mapped[:] = _SECONDS.pack(seconds)
