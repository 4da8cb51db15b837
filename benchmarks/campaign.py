"""Break what the main job stands on, again and again; the same commands must end as if nothing had been.

    python -m benchmarks.campaign [--corpus seed,passages] [--kills 100] [--server-kills 20]
                                  [--clock-changes 10] [--seed 1] [--only NAME,...] [--write]

Every command is `kg` as a user types it, in a process of its own, on a managed server in a home of its own.
The commands of a chain (read, build, questions, run, comparison, exports, import) run undisturbed twice: the
fingerprint of the graph and the bytes of the exported dataset must be equal, and each command's time is
taken. Then each fault strikes at a moment drawn between begin and end of a command; the same command is given
again until it ends well. At the end of a chain fingerprint and bytes are compared: what is lost or doubled
shows there. `seed` is the bundled corpus, `passages` are 500 articles made from a seed.
`--write` puts each row into the table of docs/reliability.md as soon as it is there, one of many strikes
after each chain, in place of an older one of the same fault and corpus: a campaign can be had in parts.
Ends with 1 if anything was lost, doubled or answered by a traceback.
"""

import argparse
import os
import platform
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from unittest.mock import patch

import psutil

from benchmarks.job import KG, ROOT, environment_of, settings_of
from benchmarks.made_corpus import write_made_articles
from benchmarks.pages import markdown_table, table_rows, write_between
from kg.connect import open_graph
from kg.progress import Silent
from kg.server import ensure_running, launch
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import LEASE_SECONDS
from tests.graph_reading import contents
from tests.small_disk import ext4_of, fail_ext4, small_ext4

PAGE = ROOT / "docs" / "reliability.md"
PASSAGES = 500
AGAIN = 6
"""How often a command is given again before it counts as one that does not end well."""
_DONE_ALREADY = re.compile(r"is there already|holds a comparison already")
LEAST_SECONDS = 0.2
STRIKES_A_CHAIN = 50
"""So many that each command of a chain is met more than once."""
IMAGE_MEGABYTES = 3_000
LONGEST_SECONDS = 1_200
"""After so long a command on a store that can't be written counts as one that doesn't end."""
CORPUS, COPY = "broken", "brought back"


@dataclass(slots=True)
class Row:
    """What came of a fault: how often it struck, and how often a command had to be given again.

    What was wrong afterwards are `differences` of fingerprint or bytes, `tracebacks`, and commands that did
    not end as they should.
    """

    fault: str
    corpus: str
    struck: int = 0
    again: int = 0
    differences: int = 0
    tracebacks: int = 0
    never_ended: int = 0
    note: str = ""
    when: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing was wrong."""
        return not (self.differences or self.tracebacks or self.never_ended)

    def cells(self) -> tuple[str, ...]:
        """As it stands in the table."""
        wrong = (self.differences, self.tracebacks, self.never_ended)
        return (self.fault, self.corpus, *map(str, (self.struck, self.again, *wrong)), self.note, self.when)


COLUMNS = (
    "fault", "corpus", "times", "given again", "differences", "tracebacks", "never ended", "what was seen",
    "when",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, what it said on standard error, and how long it took."""

    code: int
    said: str
    seconds: float


@dataclass(slots=True)
class Place:
    """A home with its server, a folder for exports, and the articles of a corpus; `kg` runs in it."""

    name: str
    folder: Path
    articles: Path
    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def settings(self) -> Settings:
        """The settings of its commands, for this process."""
        return settings_of(self.home)

    def start(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        """A command at work, in a group of its own, so that its workers die with it."""
        environment = environment_of(self.home) | dict(self.environment)
        with (self.folder / "said").open("wb") as said:
            return subprocess.Popen(
                [*KG, *words],
                cwd=self.folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )

    def kg(self, *words: str) -> Ended:
        """A command, to its end."""
        began = monotonic()
        code = self.start(words).wait()
        return Ended(code, self.said(), monotonic() - began)

    def said(self) -> str:
        """What the last command said on standard error."""
        return (self.folder / "said").read_text(encoding="utf-8", errors="replace")

    def server(self) -> psutil.Process | None:
        """The process of its server, if it runs."""
        needle = f"--home-dir={self.home}"
        for process in psutil.process_iter(["cmdline"]):
            if needle in (process.info["cmdline"] or []):
                return process
        return None

    def state(self) -> tuple[str, ...]:
        """What the chain left: the graphs of both corpora, and the bytes of the dataset, as hashes."""
        with open_graph(self.settings(), Silent()) as graph:
            graphs = [_graph_of(graph, name) for name in (CORPUS, COPY)]
        return (*graphs, _bytes_of(self.folder / "dataset"))

    def clear(self) -> None:
        """As before the chain."""
        for name in (CORPUS, COPY):
            self.kg("corpus", "drop", name, "--yes")
        for name in ("dataset", "graph", "comparison"):
            rmtree(self.folder / name, ignore_errors=True)


CHAIN: tuple[tuple[str, ...], ...] = (
    ("corpus", "ingest", "ARTICLES", "--corpus", CORPUS, "--min-tokens", "1"),
    ("corpus", "build", "--corpus", CORPUS, "--per-depth", "60"),
    ("questions", "make", "--corpus", CORPUS, "--target", "30", "--per-kind", "15"),
    ("run", "start", "single-step", "--corpus", CORPUS),
    ("dataset", "export", "hopgrade", "--out", "dataset", "--corpus", CORPUS),
    ("graph", "export", "neo4j-csv", "--out", "graph", "--part", "knowledge", "--corpus", CORPUS),
    ("dataset", "verify", "graph"),
    ("dataset", "import", "dataset", "--corpus", COPY, "--new-ids"),
    ("standard", "init", "comparison", "--corpus", CORPUS, "--questions", "12", "--pool-size", "20"),
    ("standard", "run", "comparison"),
    ("standard", "verify", "comparison/comparison.zip"),
)


def words_of(command: Sequence[str], place: Place) -> list[str]:
    """A command of the chain as it is typed at a place."""
    return [str(place.articles) if word == "ARTICLES" else word for word in command]


@dataclass(frozen=True, slots=True)
class Bench:
    """A place with what its chain leaves undisturbed, how long each command takes, and the dice.

    `told` takes a row as far as it has come.
    """

    place: Place
    whole: tuple[str, ...]
    seconds: list[float]
    dice: random.Random
    told: Callable[[Row], None]


def undisturbed(place: Place) -> tuple[tuple[str, ...], list[float]]:
    """What the chain leaves when nothing happens, and how long each command takes.

    Raises:
        SystemExit: a command failed, or a second time leaves something else.
    """
    states, seconds, held = [], list[float](), list[frozenset[str]]()
    for _ in range(2):
        place.clear()
        seconds = [_well(place, words_of(command, place)).seconds for command in CHAIN]
        states.append(place.state())
        with open_graph(place.settings(), Silent()) as graph:
            held.append(_lines_of(graph, CORPUS) | _lines_of(graph, COPY))
    if states[0] != states[1]:
        lines = sorted(held[0] ^ held[1])
        told = "\n".join(line[:1_000] for line in lines[:20])
        raise SystemExit(f"{place.name}: the same commands leave {len(lines)} other lines:\n{told}")
    return states[0], seconds


def _well(place: Place, words: Sequence[str]) -> Ended:
    ended = place.kg(*words)
    if ended.code:
        raise SystemExit(f"kg {' '.join(words)} ended with {ended.code}:\n{ended.said[-2000:]}")
    return ended


Strike = Callable[[Place, "subprocess.Popen[bytes]"], None]


def kill_command(place: Place, process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to a command with all its workers."""
    del place
    os.killpg(process.pid, signal.SIGKILL)


def kill_server(place: Place, process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to the server under a command."""
    del process
    if (server := place.server()) is not None:
        server.kill()


def repeatedly(bench: "Bench", fault: str, strike: Strike, times: int) -> Row:
    """Let a fault strike so often, at moments spread over chain after chain."""
    place, seconds, dice, whole = bench.place, bench.seconds, bench.dice, bench.whole
    row = so_far = Row(fault, place.name)
    met = dict.fromkeys((" ".join(command[:2]) for command in CHAIN), 0)
    while row.struck < times:
        place.clear()
        # By the root, so that short commands are met as well, and long ones at many moments.
        weights = [second**0.5 for second in seconds]
        ahead = dice.choices(range(len(CHAIN)), weights, k=min(STRIKES_A_CHAIN, times - row.struck))
        for at, command in enumerate(CHAIN):
            words = words_of(command, place)
            for _ in range(ahead.count(at)):
                if _struck(place, words, strike, dice.uniform(LEAST_SECONDS, seconds[at])):
                    row.struck += 1
                    met[" ".join(command[:2])] += 1
                row.tracebacks += "Traceback" in place.said()
            row.again += _until_well(place, words, row)
            print(f"{fault}: {row.struck} of {times} after {' '.join(command[:2])}", flush=True)
        row.differences += sum(one != other for one, other in zip(place.state(), whole, strict=True))
        spread = ", ".join(f"{name} {number}" for name, number in met.items() if number)
        so_far = replace(row, note=f"{spread}; {row.note}" if row.note else spread)
        bench.told(so_far)
    return so_far


def _struck(place: Place, words: Sequence[str], strike: Strike, after: float) -> bool:
    """Whether a command was still at work so many seconds after it began, and was struck."""
    process = place.start(words)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        strike(place, process)
        process.wait()
        return True
    return False


def _until_well(place: Place, words: Sequence[str], row: Row) -> int:
    """Give a command until it ends well; how often more than once."""
    for again in range(AGAIN):
        ended = place.kg(*words)
        row.tracebacks += "Traceback" in ended.said
        # A command whose work was done before it died may say that its result is there already.
        if ended.code == 0 or (ended.code == 2 and _DONE_ALREADY.search(ended.said)):
            return again
    row.never_ended += 1
    row.note = f"kg {' '.join(words[:2])}: {_sentence(ended)}"
    print(f"never ended: kg {' '.join(words)}\n{ended.said[-2_000:]}", flush=True)
    return AGAIN


def port_taken(bench: Bench) -> Row:
    """Another program takes the ports of a server that was stopped."""
    place, whole = bench.place, bench.whole
    row = Row("the server's ports are taken", place.name, struck=1)
    place.clear()
    server = ensure_running(place.settings(), Silent())
    place.kg("server", "stop")
    with ExitStack() as stack:
        for port in (server.bolt_port, server.http_port):
            listener = stack.enter_context(socket.socket())
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Where somebody else was quicker, it is taken all the same.
            with suppress(OSError):
                listener.bind(("127.0.0.1", port))
                listener.listen()
        _chain_well(place, row, whole)
    row.note = "it moved to other ports"
    place.kg("server", "stop")
    return row


def read_only_store(bench: Bench) -> Row:
    """The store's file system meets an error amid a build; mounted anew, it can be written again."""
    place, whole, seconds = bench.place, bench.whole, bench.seconds
    row = Row("the store's file system turns read-only", place.name, struck=1)
    place.clear()
    place.kg("server", "stop")
    image, disk = place.folder / "image", place.folder / "disk"
    inside = Place(
        place.name, place.folder, place.articles, disk / "home", {"HOPGRADE_LEAST_FREE_DISK": "0m"}
    )
    with small_ext4(disk, image, IMAGE_MEGABYTES):
        try:
            _well(inside, words_of(CHAIN[0], inside))
            building = inside.start(words_of(CHAIN[1], inside))
            sleep(seconds[1] / 2)
            fail_ext4(disk)
            try:
                row.never_ended += building.wait(LONGEST_SECONDS) == 0
            except subprocess.TimeoutExpired:
                os.killpg(building.pid, signal.SIGKILL)
                row.never_ended += 1
            row.tracebacks += "Traceback" in inside.said()
            row.note = _sentence(Ended(building.wait(), inside.said(), 0.0))
        finally:
            _stop_for_good(inside)
    with ext4_of(image, disk):
        try:
            _chain_well(inside, row, whole)
        finally:
            _stop_for_good(inside)
    image.unlink()
    return row


def _stop_for_good(place: Place) -> None:
    """Stop a server; where its files can't be written, by a signal."""
    place.kg("server", "stop")
    if (server := place.server()) is not None:
        server.kill()
        server.wait()


def clock_set_back(bench: Bench, times: int) -> Row:
    """The server's clock goes back an hour under a command, again and again, an hour each time.

    Only the server's: its process is started with libfaketime (Debian's package faketime), which reads from a
    file by how much its time of day differs. Leases go by this clock, and by no other.
    """
    place = bench.place
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not libraries:
        raise SystemExit("The server's clock can't be set back without libfaketime: apt install faketime.")
    clock = place.folder / "clock"
    clock.write_text("+0", encoding="ascii")
    fakes = {
        "LD_PRELOAD": str(libraries[0]),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    hours = count(1)

    def set_back(_: Place, process: "subprocess.Popen[bytes]") -> None:
        clock.write_text(f"-{next(hours)}h", encoding="ascii")
        process.wait(LONGEST_SECONDS)

    place.kg("server", "stop")
    passed = (*launch.KEPT_VARIABLES, *fakes)
    with patch.object(launch, "KEPT_VARIABLES", passed), patch.dict(os.environ, fakes):
        ensure_running(place.settings(), Silent())
    row = repeatedly(bench, "the server's clock is set back by an hour", set_back, times)
    server = place.server()
    if server is None or server.environ().get("LD_PRELOAD") != fakes["LD_PRELOAD"]:
        raise SystemExit("The server whose clock was set back is gone; another one answers in its place.")
    row.note = f"it was {clock.read_text(encoding='ascii')} at the end; {row.note}"
    place.kg("server", "stop")
    return row


def asleep(bench: Bench) -> Row:
    """A build is put to sleep for longer than its lease lasts; another one comes, and then it wakes up."""
    place, whole, seconds = bench.place, bench.whole, bench.seconds
    row = Row("a machine sleeps past its lease, another goes on, it wakes", place.name, struck=1)
    place.clear()
    _well(place, words_of(CHAIN[0], place))
    sleeper = place.start(words_of(CHAIN[1], place))
    sleep(seconds[1] / 2)
    os.killpg(sleeper.pid, signal.SIGSTOP)
    refused = place.kg(*words_of(CHAIN[1], place))
    sleep(LEASE_SECONDS + 1)
    row.again += _until_well(place, words_of(CHAIN[1], place), row)
    os.killpg(sleeper.pid, signal.SIGCONT)
    code = sleeper.wait()
    row.note = f"at first {_sentence(refused)}; the sleeper ended with exit code {code}"
    row.never_ended += refused.code != 2
    _chain_well(place, row, whole)
    return row


def two_at_once(bench: Bench) -> Row:
    """A second home builds, and then drops, the corpus that a first one is building."""
    place, whole, seconds = bench.place, bench.whole, bench.seconds
    row = Row("two homes on one corpus", place.name, struck=2)
    place.clear()
    _well(place, words_of(CHAIN[0], place))
    server = ensure_running(place.settings(), Silent())
    address = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    with TemporaryDirectory(dir=place.folder) as other:
        second = Place(place.name, Path(other), place.articles, Path(other) / "home", address)
        first = place.start(words_of(CHAIN[1], place))
        sleep(seconds[1] / 2)
        told = [second.kg(*words_of(CHAIN[1], second)), second.kg("corpus", "drop", CORPUS, "--yes")]
        row.never_ended += first.wait() != 0
    row.never_ended += sum(one.code != 2 for one in told)
    row.tracebacks += sum("Traceback" in one.said for one in told)
    row.note = "both refused: " + _sentence(told[1])
    _chain_well(place, row, whole)
    return row


def _chain_well(place: Place, row: Row, whole: tuple[str, ...]) -> None:
    for command in CHAIN:
        row.again += _until_well(place, words_of(command, place), row)
    row.differences += sum(one != other for one, other in zip(place.state(), whole, strict=True))


def _sentence(ended: Ended) -> str:
    lines = ended.said.strip().splitlines()
    return f"exit code {ended.code}" + (f", {lines[-1][:100]!r}" if lines else "")


def _graph_of(graph: Graph, corpus: str) -> str:
    return sha256("\n".join(sorted(_lines_of(graph, corpus))).encode()).hexdigest()[:16]


def _lines_of(graph: Graph, corpus: str) -> frozenset[str]:
    """All nodes and edges, but for findings and for what holds the time of a lock."""
    return frozenset(line for line in contents(graph, corpus) if '"labels": ["Standard"]' not in line)


def _bytes_of(folder: Path) -> str:
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


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


FAULTS: Mapping[str, Callable[[Bench, argparse.Namespace], Row]] = {
    "kills": lambda bench, given: repeatedly(bench, "SIGKILL to the command", kill_command, given.kills),
    "server-kills": lambda bench, given: repeatedly(
        bench, "SIGKILL to the server", kill_server, given.server_kills
    ),
    "ports": lambda bench, _: port_taken(bench),
    "read-only": lambda bench, _: read_only_store(bench),
    "clock": lambda bench, given: clock_set_back(bench, given.clock_changes),
    "sleep": lambda bench, _: asleep(bench),
    "homes": lambda bench, _: two_at_once(bench),
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
    parser.add_argument("--clock-changes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(FAULTS))
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()

    def told(row: Row) -> None:
        row.when = f"{datetime.now(UTC):%Y-%m-%d}, seed {given.seed}"
        print(" | ".join(row.cells()), flush=True)
        if given.write:
            _write(row)

    rows: list[Row] = []
    for name in given.corpus.split(","):
        with opened(name, given.seed, told) as bench:
            print(f"{name}: undisturbed {sum(bench.seconds):.0f} s", flush=True)
            for fault in given.only.split(","):
                rows.append(FAULTS[fault](bench, given))
                told(rows[-1])
    print(markdown_table(COLUMNS, [row.cells() for row in rows]))
    return 0 if all(row.good for row in rows) else 1


def _write(row: Row) -> None:
    others = [cells for cells in table_rows(PAGE, "campaign") if cells[:2] != [row.fault, row.corpus]]
    text = f"{platform.system()}, {os.cpu_count()} cores:"
    write_between(PAGE, "campaign", f"{text}\n\n{markdown_table(COLUMNS, [*others, row.cells()])}")


if __name__ == "__main__":
    sys.exit(main())
