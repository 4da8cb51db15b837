"""Break what the main job stands on, again and again; the same commands must end as if nothing had been.

    python -m benchmarks.campaign [--corpus seed,passages] [--kills 100] [--server-kills 20]
                                  [--stops 20] [--clock-changes 10] [--migration-kills 20]
                                  [--seed 1] [--only NAME,...] [--write]

Every command is `kg` as a user types it, in a process of its own, on a managed server in a home of its own.
The commands of a chain (read, build, questions, run, comparison, exports, import) run undisturbed twice: the
fingerprint of the graph and the bytes of the exported dataset must be equal, and each command's time is
taken. Then each fault strikes at a moment drawn between begin and end of a command; the same command is given
again until it ends well. At the end of a chain fingerprint and bytes are compared: what is lost or doubled
shows there. `seed` is the bundled corpus, `passages` are 500 articles made from a seed.
`--write` puts each row into the table of docs/reliability.md as soon as it is there, one of many strikes
after each chain, in place of an older one of the same fault and corpus: a campaign can be had in parts.
Where nothing was wrong, one of more strikes stays. A fault that can't be made is told, and the others go on.
Ends with 1 if anything was lost, doubled or answered by a traceback, or a fault could not be made.
"""

import argparse
import os
import platform
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.campaign.chain import COLUMNS, Bench, Place, Row, repeatedly, undisturbed
from benchmarks.campaign.clock import clock_set_back
from benchmarks.campaign.disks import full_disk, network_home, read_only_home, read_only_store
from benchmarks.campaign.processes import (
    Terminal,
    asleep,
    ends_as_stopped,
    kill_command,
    kill_server,
    port_taken,
    stale_locks,
    two_at_once,
)
from benchmarks.campaign.stores import migrations_killed, newer_store, older_store
from benchmarks.job import ROOT
from benchmarks.made_corpus import write_made_articles
from benchmarks.pages import markdown_table, table_rows, write_between

PAGE = ROOT / "docs" / "reliability.md"
PASSAGES = 500


def marked_tests(bench: Bench) -> Row:
    """pytest's campaign: full disks, storms of an endpoint, growth; each of its tests is one strike."""
    row = Row("tests marked campaign: full disks, storms of an endpoint, growth", bench.place.name)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "campaign"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout)
    counts = {word: int(number) for number, word in found}
    row.struck = counts.get("passed", 0) + counts.get("failed", 0)
    row.differences = counts.get("failed", 0) + counts.get("error", 0)
    row.note = ", ".join(f"{number} {word}" for word, number in counts.items())
    return row


def stopped(bench: Bench, times: int) -> Row:
    """SIGTERM and a closed terminal by turns."""
    terminal = Terminal()
    return repeatedly(
        bench, "SIGTERM, or the terminal is closed", terminal.strike, times, terminal.begin, ends_as_stopped
    )


FAULTS: Mapping[str, Callable[[Bench, argparse.Namespace], Row]] = {
    "kills": lambda bench, given: repeatedly(bench, "SIGKILL to the command", kill_command, given.kills),
    "server-kills": lambda bench, given: repeatedly(
        bench, "SIGKILL to the server", kill_server, given.server_kills
    ),
    "stops": lambda bench, given: stopped(bench, given.stops),
    "ports": lambda bench, _: port_taken(bench),
    "full": lambda bench, _: full_disk(bench),
    "read-only": lambda bench, _: read_only_store(bench),
    "read-only-home": lambda bench, _: read_only_home(bench),
    "network": lambda bench, _: network_home(bench),
    "clock": lambda bench, given: clock_set_back(bench, given.clock_changes),
    "sleep": lambda bench, _: asleep(bench),
    "homes": lambda bench, _: two_at_once(bench),
    "locks": lambda bench, _: stale_locks(bench),
    "migrations": lambda bench, given: migrations_killed(bench, given.migration_kills),
    "newer": lambda bench, _: newer_store(bench),
    "older": lambda bench, _: older_store(bench),
    "tests": lambda bench, _: marked_tests(bench),
}


def articles_of(name: str, folder: Path) -> Path:
    """The articles of a corpus that the campaign knows."""
    if name == "seed":
        return ROOT / "seed" / "articles"
    return write_made_articles(folder / f"{name}.jsonl", PASSAGES, seed=1)


@contextmanager
def opened(name: str, seed: int, told: Callable[[Row], None]) -> Iterator[Bench]:
    """A corpus in a home of its own, run undisturbed."""
    with TemporaryDirectory(prefix="hopgrade-campaign-") as folder:
        place = Place(name, Path(folder), articles_of(name, Path(folder)), Path(folder) / "home")
        try:
            whole, seconds = undisturbed(place)
            yield Bench(place, whole, seconds, random.Random(seed), told)
        finally:
            place.kg("server", "stop")


def main() -> int:
    """Run the campaign; 1 where something went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="seed,passages")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--server-kills", type=int, default=20)
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--clock-changes", type=int, default=10)
    parser.add_argument("--migration-kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(FAULTS))
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()

    def told(row: Row) -> None:
        row.when = f"{datetime.now(UTC):%Y-%m-%d}, seed {given.seed}"
        print(" | ".join(row.cells()), flush=True)
        if given.write:
            _write(row)

    rows, whole = list[Row](), True
    for name in given.corpus.split(","):
        with opened(name, given.seed, told) as bench:
            print(f"{name}: undisturbed {sum(bench.seconds):.0f} s", flush=True)
            for fault in given.only.split(","):
                try:
                    rows.append(FAULTS[fault](bench, given))
                except (SystemExit, subprocess.SubprocessError, OSError) as unmade:
                    whole = False
                    print(f"{name}, {fault}: {unmade}", file=sys.stderr, flush=True)
                else:
                    told(rows[-1])
    print(markdown_table(COLUMNS, [row.cells() for row in rows]))
    return 0 if whole and all(row.good for row in rows) else 1


def _write(row: Row) -> None:
    rows = table_rows(PAGE, "campaign")
    others = [cells for cells in rows if cells[:2] != [row.fault, row.corpus]]
    if row.good and any(int(cells[2]) > row.struck for cells in rows if cells not in others):
        return
    text = f"{platform.system()}, {os.cpu_count()} cores:"
    write_between(PAGE, "campaign", f"{text}\n\n{markdown_table(COLUMNS, [*others, row.cells()])}")


if __name__ == "__main__":
    sys.exit(main())
