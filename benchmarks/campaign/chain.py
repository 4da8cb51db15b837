"""The chain of commands that faults strike, the place where it runs, and what it leaves undisturbed."""

import random
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import TypeAlias

import psutil

from benchmarks.job import KG, environment_of, settings_of
from kg.connect import open_graph
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from tests.graph_reading import contents

AGAIN = 6
"""How often a command is given again before it counts as one that does not end well."""
_DONE_ALREADY = re.compile(r"is there already|holds a comparison already")
LEAST_SECONDS = 0.2
STRIKES_A_CHAIN = 50
"""So many that each command of a chain is met more than once."""
CORPUS, COPY = "broken", "brought back"
Process: TypeAlias = "subprocess.Popen[bytes]"


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
        given = {name.lower(): value for name, value in self.environment.items()}
        known = {name: value for name, value in given.items() if name in Settings.model_fields}
        return Settings.model_validate(settings_of(self.home).model_dump() | known)

    def start(self, words: Sequence[str]) -> Process:
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
        seconds = [well(place, words_of(command, place)).seconds for command in CHAIN]
        states.append(place.state())
        with open_graph(place.settings(), Silent()) as graph:
            held.append(_lines_of(graph, CORPUS) | _lines_of(graph, COPY))
    if states[0] != states[1]:
        lines = sorted(held[0] ^ held[1])
        told = "\n".join(line[:1_000] for line in lines[:20])
        raise SystemExit(f"{place.name}: the same commands leave {len(lines)} other lines:\n{told}")
    return states[0], seconds


def well(place: Place, words: Sequence[str]) -> Ended:
    """Give a command that nothing happens to.

    Raises:
        SystemExit: it failed all the same.
    """
    ended = place.kg(*words)
    if ended.code:
        raise SystemExit(f"kg {' '.join(words)} ended with {ended.code}:\n{ended.said[-2000:]}")
    return ended


Begin = Callable[[Place, Sequence[str]], Process]
Strike = Callable[[Place, Process], None]


def any_end(ended: Ended) -> bool:
    """However a command ends that was killed, or whose server was, is well."""
    del ended
    return True


def repeatedly(
    bench: Bench,
    fault: str,
    strike: Strike,
    times: int,
    begin: Begin = Place.start,
    ends_well: Callable[[Ended], bool] = any_end,
) -> Row:
    """Let a fault strike so often, at moments spread over chain after chain.

    A struck command that does not end as it should by `ends_well` counts as one that never ended.
    """
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
                struck = _struck(place, words, begin, strike, dice.uniform(LEAST_SECONDS, seconds[at]))
                if struck is not None:
                    row.struck += 1
                    met[" ".join(command[:2])] += 1
                    if not ends_well(struck):
                        row.never_ended += 1
                        row.note = f"kg {' '.join(command[:2])}: {sentence(struck)}"
                row.tracebacks += "Traceback" in place.said()
            row.again += until_well(place, words, row)
            print(f"{fault}: {row.struck} of {times} after {' '.join(command[:2])}", flush=True)
        row.differences += sum(one != other for one, other in zip(place.state(), whole, strict=True))
        spread = ", ".join(f"{name} {number}" for name, number in met.items() if number)
        so_far = replace(row, note=f"{spread}; {row.note}" if row.note else spread)
        bench.told(so_far)
    return so_far


def _struck(place: Place, words: Sequence[str], begin: Begin, strike: Strike, after: float) -> Ended | None:
    """How a command ended that was struck so many seconds after it began; None if it had ended by then."""
    process = begin(place, words)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        strike(place, process)
        return Ended(process.wait(), place.said(), after)
    return None


def until_well(place: Place, words: Sequence[str], row: Row) -> int:
    """Give a command until it ends well; how often more than once."""
    for again in range(AGAIN):
        ended = place.kg(*words)
        row.tracebacks += "Traceback" in ended.said
        # A command whose work was done before it died may say that its result is there already.
        if ended.code == 0 or (ended.code == 2 and _DONE_ALREADY.search(ended.said)):
            return again
    row.never_ended += 1
    row.note = f"kg {' '.join(words[:2])}: {sentence(ended)}"
    print(f"never ended: kg {' '.join(words)}\n{ended.said[-2_000:]}", flush=True)
    return AGAIN


def chain_well(place: Place, row: Row, whole: tuple[str, ...]) -> None:
    """Give each command until it ends well, and compare what they leave."""
    for command in CHAIN:
        row.again += until_well(place, words_of(command, place), row)
    row.differences += sum(one != other for one, other in zip(place.state(), whole, strict=True))


def sentence(ended: Ended) -> str:
    """How a command ended, in the words of a row."""
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
