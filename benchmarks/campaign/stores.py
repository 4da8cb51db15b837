"""Stores of other versions, and migrations that are killed."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.campaign.chain import LEAST_SECONDS, Bench, Place, Row, sentence, until_well, well
from benchmarks.campaign.disks import stop_for_good
from benchmarks.job import KG, ROOT, environment_of
from kg.connect import open_graph
from kg.progress import Silent
from tests.graph_reading import change, read

FIRST = "1076e5a1"
"""The commit that landed first: its stores are the oldest that anybody can have."""
FIRST_CORPUS = "seed"
NEWER = "V9999__made_by_a_newer_version"
ANY_COMMAND = ("corpus", "list")
"""Each command that opens the graph brings its schema up to date first."""


def migrations_killed(bench: Bench, times: int) -> Row:
    """SIGKILL to a command that makes the whole schema anew, over the corpora that a chain left."""
    place, dice = bench.place, bench.dice
    row = Row("SIGKILL while a store is migrated", place.name)
    whole = _schema(place)
    _forget_schema(place)
    took = well(place, ANY_COMMAND).seconds
    while row.struck < times:
        _forget_schema(place)
        for _ in range(min(5, times - row.struck)):
            process = place.start(ANY_COMMAND)
            try:
                process.wait(dice.uniform(LEAST_SECONDS, took))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                row.struck += 1
            row.tracebacks += "Traceback" in place.said()
        row.again += until_well(place, ANY_COMMAND, row)
        row.differences += _schema(place) != whole
    row.differences += sum(one != other for one, other in zip(place.state(), bench.whole, strict=True))
    row.note = f"{len(whole)} indexes, constraints and records of migrations, each once"
    return row


def _schema(place: Place) -> list[str]:
    """Indexes, constraints and records of migrations, a line for each."""
    with open_graph(place.settings(), Silent()) as graph:
        rows = read(graph, "SHOW INDEXES YIELD name, type, state, labelsOrTypes, properties RETURN *")
        rows += read(graph, "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN *")
        rows += read(graph, "MATCH (m:Migration) RETURN m.name AS name")
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in rows)


def _forget_schema(place: Place) -> None:
    """Leave the data, and nothing of the schema."""
    with open_graph(place.settings(), Silent()) as graph:
        for row in read(graph, "SHOW CONSTRAINTS YIELD name RETURN name"):
            change(graph, f"DROP CONSTRAINT {row['name']}")
        for row in read(graph, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
            change(graph, f"DROP INDEX {row['name']}")
        change(graph, "MATCH (m:Migration) DELETE m")


def newer_store(bench: Bench) -> Row:
    """A newer version has migrated the store: every command is refused with one sentence."""
    place = bench.place
    row = Row("a store that a newer version migrated", place.name, struck=1)
    with open_graph(place.settings(), Silent()) as graph:
        change(graph, "CREATE (:Migration {name: $name})", name=NEWER)
        refused = place.kg(*ANY_COMMAND)
        change(graph, "MATCH (m:Migration {name: $name}) DELETE m", name=NEWER)
    row.never_ended += refused.code != 2
    row.tracebacks += "Traceback" in refused.said
    row.again += until_well(place, ANY_COMMAND, row)
    row.note = sentence(refused)
    return row


def older_store(bench: Bench) -> Row:
    """The first version that landed makes a store; today's opens it, migrates it, and gives the same figures.

    Each cell of the difficulty matrix counts, and what each stage counted.
    """
    place = bench.place
    row = Row(f"a store of the first version that landed ({FIRST})", place.name, struck=1)
    with _checkout(FIRST) as code, TemporaryDirectory(dir=place.folder) as folder:
        if code is None:
            row.note = "not tried: this checkout does not have that commit"
            return row
        home = Path(folder) / "home"
        _printed(home, code, "run-all", str(place.articles), "--corpus", FIRST_CORPUS, "--json")
        before = _figures(
            _printed(home, code, "matrix", "--corpus", FIRST_CORPUS, "--json"),
            _printed(home, code, "status", "--corpus", FIRST_CORPUS, "--json"),
        )
        _printed(home, code, "server", "stop", "--json")
        after = _figures(
            _printed(home, ROOT, "run", "matrix", "--corpus", FIRST_CORPUS, "--json"),
            _printed(home, ROOT, "corpus", "status", "--corpus", FIRST_CORPUS, "--json"),
        )
        stop_for_good(replace(place, home=home))
        row.differences += before != after
        row.note = f"{len(after[0])} cells of the matrix and {len(after[1])} stages as before"
    return row


Figures = tuple[list[tuple[Any, ...]], dict[str, dict[str, Any]]]


def _figures(matrix: Any, status: Any) -> Figures:  # noqa: ANN401 - JSON
    """The cells of a matrix, and the counts of the stages, as both versions print them."""
    names = "hops", "bin", "n", "errors", "error_rate", "interval"
    cells = [tuple(cell[name] for name in names) for cell in matrix["matrix"]["cells"]]
    return cells, {one["name"]: {name: one[name] for name in one["counted"]} for one in status["stages"]}


def _printed(home: Path, code: Path, *words: str) -> Any:  # noqa: ANN401 - JSON
    """What a command of some version prints, on the store in a home.

    Raises:
        SystemExit: it failed.
    """
    environment = environment_of(home) | {"PYTHONPATH": str(code)}
    done = subprocess.run(
        [*KG, *words], cwd=code, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"kg {' '.join(words)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout or "null")


@contextmanager
def _checkout(commit: str) -> Iterator[Path | None]:
    """The code of a commit in a folder of its own; None where it can't be had."""
    with TemporaryDirectory(prefix="hopgrade-first-") as folder:
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
        if packed.returncode:
            yield None
            return
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
        yield Path(folder)
