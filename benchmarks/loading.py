"""What bounds writing: made chunks with claims and vectors, into a managed server by each way.

    python -m benchmarks.loading [--chunks 10000,100000] [--ways product,after] [--no-claims] [--out FILE]
    python -m benchmarks.loading --tables FILE [FILE ...] [--write]

The ways share a server in a home of its own, which is emptied before each and deleted afterwards (the
import has one for itself), and write the same rows (`benchmarks/loading_rows.py`) with the product's
statements: articles, chunks, chunk vectors, claims, claim vectors. Counted are wall seconds of the writing
(with the making of indexes, without that of the rows), processor seconds of this process and of Neo4j's
(until it is quiet), those of Neo4j for a search by vector afterwards, and bytes on disk. Up to 300 chunks all
that is in the graph is read for a fingerprint.
--out adds a JSON line a way; --tables makes the tables of docs/speed.md of such files.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.job import KG, ROOT, environment_of, settings_of
from benchmarks.loading_rows import CLAIMS_A_CHUNK, CORPUS, Block, ImportFiles, made_blocks
from benchmarks.made_corpus import unit_vectors
from benchmarks.pages import markdown_table, write_between
from benchmarks.scale import home_server
from kg.connect import open_graph
from kg.errors import StoreError
from kg.ids import content_hash
from kg.progress import Silent
from kg.queries import Query, query
from kg.server.java import java_home
from kg.server.layout import read_lock, server_cache
from kg.server.process import folder_bytes
from kg.store.graph import Graph
from tests.graph_reading import contents, statement

SPEED = ROOT / "docs" / "speed.md"
INDEXES = ("schema/V0040__claim_words", "schema/V0065__chunk_vectors_by_shelf",
           "schema/V0067__claim_vectors_by_shelf", "schema/V0071__chunk_words_with_titles")  # fmt: skip
"""Those of vectors and words, of what is written here."""
INDEX_NAMES = ("claim_text", "chunk_embedding", "claim_embedding", "chunk_text")
COUNT = (
    "MATCH (c:Chunk) WHERE c.embedding IS NOT NULL WITH count(*) AS chunks "
    "OPTIONAL MATCH (k:Claim) WHERE k.embedding IS NOT NULL RETURN chunks, count(k) AS claims"
)
STEPS: Mapping[str, tuple[str, ...]] = {
    "articles, chunks": ("articles", "chunks"),
    "chunk vectors": ("chunk vectors",),
    "claims": ("claims",),
    "claim vectors": ("claim vectors",),
    "import": ("import",),
    "indexes, after": ("indexes", "after"),
}
"""Columns of Neo4j's processor seconds, and the steps that they sum."""
WARM_SEARCHES, SEARCHES = 20, 100
NOT_WRITING = ("server start", "files MiB")
LIMIT_OF_FINGERPRINT, WARM_UP = 300, 3_000
MIB = 1 << 20
QUIET_SECONDS, QUIET_SHARE = 3.0, 0.1

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of writing: rows a transaction by step, when the indexes come, sessions, and the statements."""

    name: str
    articles: int = 100
    chunk_articles: int = 100
    chunk_vectors: int = 64
    claims: int = 1_120
    claim_vectors: int = 512
    indexes_after: bool = False
    sessions: int = 1
    concurrent: int = 0
    as_lists: bool = False
    set_directly: bool = False
    create: bool = False
    bulk: bool = False


def _batched(name: str, rows: int, **more: Any) -> Way:  # noqa: ANN401
    """All vectors and claims in transactions of so many rows, articles in a tenth of that."""
    tenth = max(10, rows // 10)
    return Way(name, tenth, tenth, rows, rows, rows, **more)


WAYS: Mapping[str, Way] = {
    "product": Way("the product: 64 chunk vectors, 512 claim vectors a transaction"),
    "500": _batched("500 rows a transaction", 500),
    "2000": _batched("2,000 rows a transaction", 2_000),
    "10000": _batched("10,000 rows a transaction", 10_000),
    "two": _batched("2,000 rows, two sessions with disjoint articles", 2_000, sessions=2),
    "concurrent": _batched(
        "10,000 rows sent, CALL (row) {} IN 2 CONCURRENT TRANSACTIONS of 2,000", 10_000, concurrent=2
    ),
    "lists": _batched("2,000 rows, vectors sent as lists", 2_000, as_lists=True),
    "set": _batched("2,000 rows, SET to VECTOR without the procedure", 2_000, set_directly=True),
    "after": _batched("2,000 rows, indexes of vectors and words afterwards", 2_000, indexes_after=True),
    "create": _batched(
        "2,000 rows, CREATE in place of MERGE, indexes afterwards", 2_000, indexes_after=True, create=True
    ),
    "bulk": Way("neo4j-admin database import full, indexes afterwards", bulk=True),
}  # fmt: skip


@dataclass(slots=True)
class Spent:
    """What the steps took; a step is writing one kind of rows, or making the indexes."""

    wall: dict[str, float] = field(default_factory=dict)
    python: dict[str, float] = field(default_factory=dict)
    server: dict[str, float] = field(default_factory=dict)
    process: psutil.Process | None = None

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count what the block takes to a step."""
        before = time.monotonic(), time.process_time(), self.now()
        yield
        now = time.monotonic(), time.process_time(), self.now()
        for kind, start, end in zip((self.wall, self.python, self.server), before, now, strict=True):
            kind[name] = kind.get(name, 0.0) + end - start

    def quiet(self) -> None:
        """Wait until the server does nothing any more; what it did meanwhile counts as `after`."""
        assert self.process is not None
        start = last = self.now()
        while True:
            time.sleep(QUIET_SECONDS)
            now = self.now()
            if now - last < QUIET_SHARE * QUIET_SECONDS:
                break
            last = now
        self.server["after"] = self.server.get("after", 0.0) + now - start

    def now(self) -> float:
        """Processor seconds of the server so far."""
        if self.process is None:
            return 0.0
        times = self.process.cpu_times()
        return float(times.user + times.system)


def main() -> None:
    """Measure and print, or make tables of what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", default="10000,100000")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--no-claims", action="store_true", help="chunks with vectors alone")
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tables", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.tables:
        lines = chain.from_iterable(file.read_text(encoding="utf-8").splitlines() for file in given.tables)
        text = tables([json.loads(line) for line in lines])
        print(text)
        if given.write:
            write_between(SPEED, "loading", text)
        return
    for size in map(int, given.chunks.split(",")):
        for found in measure(given.ways.split(","), size, not given.no_claims, given.heap):
            print(json.dumps(found), flush=True)
            if given.out:
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")


def measure(names: Sequence[str], size: int, claims: bool, heap: str) -> Iterator[Json]:
    """So many chunks by each way: what each step took, and what stood in the graph and on disk."""
    online = [name for name in names if not WAYS[name].bulk]
    with _home(heap) as (home, own):
        if online:
            _kg(own, "server", "start")
            with open_graph(settings_of(home), Silent()) as graph:
                process = psutil.Process(home_server(home))
                # The first statements of a server are slow: they are planned, and Java is cold.
                _write(graph, WAYS["2000"], WARM_UP, claims, Spent(process=process))
                for name in online:
                    yield _measured(graph, home, name, size, claims, Spent(process=process))
    for name in names:
        if WAYS[name].bulk:
            with _home(heap) as (home, own):
                yield _bulk(home, own, name, size, claims)


@contextmanager
def _home(heap: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A home that is deleted afterwards, and the environment of commands in it."""
    with tempfile.TemporaryDirectory(prefix="hopgrade-loading-") as folder:
        home = Path(folder) / "home"
        own = environment_of(home) | {"HOPGRADE_SERVER_HEAP": heap, "HOPGRADE_SERVER_TRAINING": "false"}
        try:
            yield home, own
        finally:
            subprocess.run([*KG, "server", "stop"], env=own, check=False, capture_output=True)


def _kg(environment: Mapping[str, str], *words: str) -> None:
    subprocess.run([*KG, *words], env=dict(environment), check=True, capture_output=True)


def _measured(graph: Graph, home: Path, name: str, size: int, claims: bool, spent: Spent) -> Json:
    """One way into a store that is empty again, with new indexes."""
    load = os.getloadavg()[0]
    graph.rows(
        statement(
            "MATCH (n) WHERE n:Article OR n:Chunk OR n:Claim "
            "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
            mode="write alone",
        )
    )
    for index in INDEX_NAMES:
        graph.rows(statement(f"DROP INDEX {index} IF EXISTS", mode="write alone"))
    if not WAYS[name].indexes_after:
        _make_indexes(graph)
    spent.quiet()
    spent.server.clear()
    try:
        _write(graph, WAYS[name], size, claims, spent)
    except StoreError as error:
        return {"way": name, "chunks": size, "refused": error.message}
    spent.quiet()
    return _told(name, size, claims, load, spent) | _left(graph, home, size, claims, spent)


def _bulk(home: Path, own: Mapping[str, str], name: str, size: int, claims: bool) -> Json:
    """The import tool into the store of a home, and a server that makes its indexes."""
    load, spent = os.getloadavg()[0], Spent()
    _kg(own, "server", "start")
    _kg(own, "server", "stop")
    _import(home, size, claims, spent)
    began = time.monotonic()
    _kg(own, "server", "start")
    spent.wall["server start"] = time.monotonic() - began
    spent.process = psutil.Process(home_server(home))
    spent.server["server start"] = spent.now()
    with spent.step("indexes"), open_graph(settings_of(home), Silent()) as graph:
        _await(graph)
    with open_graph(settings_of(home), Silent()) as graph:
        spent.quiet()
        return _told(name, size, claims, load, spent) | _left(graph, home, size, claims, spent)


def _told(name: str, size: int, claims: bool, load: float, spent: Spent) -> Json:
    return {"way": name, "chunks": size, "claims": claims, "load": [load, os.getloadavg()[0]],
            "wall": spent.wall, "python": spent.python, "server": spent.server}  # fmt: skip


def _left(graph: Graph, home: Path, size: int, claims: bool, spent: Spent) -> Json:
    """What stands in the graph, which must be all that was sent, on disk, and what a search takes."""
    (counted,) = graph.rows(statement(COUNT))
    wanted = {"chunks": size, "claims": CLAIMS_A_CHUNK * size if claims else 0}
    if counted != wanted:
        raise SystemExit(f"{counted} in place of {wanted}.")
    database = home / "data" / "databases" / "neo4j"
    return {
        "store": folder_bytes(database),
        "indexes": folder_bytes(database / "schema"),
        "search_ms": 1000 * _search(graph, "claims" if claims else "chunks", spent) / SEARCHES,
        "fingerprint": content_hash(sorted(contents(graph, CORPUS))) if size <= LIMIT_OF_FINGERPRINT else "",
    }


def _search(graph: Graph, kind: str, spent: Spent) -> float:
    """Processor seconds of Neo4j for so many searches by vectors, one by one, after some to warm up."""
    vectors = unit_vectors(np.random.default_rng(0), WARM_SEARCHES + SEARCHES)
    asked, before = query(f"search/search_{kind}"), 0.0
    for at, vector in enumerate(vectors):
        if at == WARM_SEARCHES:
            before = spent.now()
        graph.rows(asked, corpus=CORPUS, rows=[{"id": "made", "vector": vector}], limit=10)
    return spent.now() - before


def _make_indexes(graph: Graph) -> None:
    for name in INDEXES:
        graph.rows(query(name))
    _await(graph)


def _write(graph: Graph, way: Way, size: int, claims: bool, spent: Spent) -> None:
    steps: Sequence[tuple[str, str, int, Callable[[Block], list[Json]]]] = (
        ("articles", "articles/write_articles", way.articles, lambda block: block.articles),
        ("chunks", "chunks/write_chunks", way.chunk_articles, lambda block: block.chunks),
        ("chunk vectors", "chunks/write_embeddings", way.chunk_vectors, lambda block: block.chunk_vectors),
        ("claims", "claims/write_claims", way.claims, lambda block: block.claims),
        ("claim vectors", "claims/write_embeddings", way.claim_vectors, lambda block: block.claim_vectors),
    )
    for name, of, rows_a_batch, part in steps if claims else steps[:3]:
        asked = _statement(way, query(of), rows_a_batch)
        for block in made_blocks(size):
            rows = part(block)
            if way.as_lists and "vectors" in name:
                rows = [row | {"vector": row["vector"].tolist()} for row in rows]
            more = {"corpus": CORPUS} if "corpus" in asked.params else {}
            with spent.step(name):
                _send(graph, asked, rows, rows_a_batch, way.sessions, more)
    if way.indexes_after:
        with spent.step("indexes"):
            _make_indexes(graph)


def _send(
    graph: Graph, asked: Query, rows: list[Json], size: int, sessions: int, more: Mapping[str, object]
) -> None:
    if sessions == 1:
        graph.write_rows(asked, rows, size, **more)
        return
    parts = [rows[at * len(rows) // sessions : (at + 1) * len(rows) // sessions] for at in range(sessions)]
    with ThreadPoolExecutor(sessions) as pool:
        list(pool.map(lambda part: graph.write_rows(asked, part, size, **more), parts))


def _statement(way: Way, found: Query, rows: int) -> Query:
    """The product's statement as a way has it."""
    text = found.text
    if way.create:
        text = text.replace("MERGE", "CREATE").replace("ON CREATE SET", "SET")
    if way.set_directly:
        text = text.replace(
            "CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)", "SET n.embedding = row.vector"
        )
    mode = found.mode
    if way.concurrent:
        head, _, body = text.partition("UNWIND $rows AS row\n")
        size = rows // 5
        text = (
            f"{head}UNWIND $rows AS row\nCALL (row) {{\n{body}\n}} "
            f"IN {way.concurrent} CONCURRENT TRANSACTIONS OF {size} ROWS"
        )
        mode = "write alone"
    return statement(text, *found.params, mode=mode, name=found.name)


def _await(graph: Graph) -> None:
    """Wait until every index is online, however long that takes."""
    states = statement("SHOW INDEXES YIELD state WHERE state <> 'ONLINE' RETURN count(*) AS left")
    while graph.rows(states)[0]["left"]:
        time.sleep(0.5)


def _import(home: Path, size: int, claims: bool, spent: Spent) -> None:
    """Write the files, and have Neo4j's own tool make the store of them."""
    files, log_file = home.parent / "files", home.parent / "import.log"
    files.mkdir()
    written = ImportFiles(files)
    for block in made_blocks(size):
        if not claims:
            block.claims.clear()
            block.claim_vectors.clear()
        with spent.step("files"):
            written.add(block)
    options = written.close()
    spent.wall["files MiB"] = folder_bytes(files) / MIB
    jars = server_cache(settings_of(home)).jars("server")
    names = [str(jars / file.name) for file in read_lock("server").files]
    command = [
        str(java_home() / "bin" / "java"), "-Xmx1g", "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
        "-cp", os.pathsep.join(names), "org.neo4j.cli.AdminTool",
        "database", "import", "full", "neo4j", "--overwrite-destination",
        "--id-type=string", "--array-delimiter=U+001F", "--max-off-heap-memory=1g", *options,
    ]  # fmt: skip
    environment = os.environ | {"NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}
    began = time.monotonic()
    with log_file.open("wb") as log:
        process = subprocess.Popen(command, cwd=files, env=environment, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(log_file.read_text(encoding="utf-8")[-3000:])
    spent.wall["import"] = time.monotonic() - began
    spent.server["import"] = usage.ru_utime + usage.ru_stime
    shutil.rmtree(files)


def tables(found: Sequence[Json]) -> str:
    """A table for each number of chunks that was measured: what each way took by step, and on disk."""
    parts = list[str]()
    for size, claims in sorted({(one["chunks"], one.get("claims", True)) for one in found}):
        lines = [one for one in found if (one["chunks"], one.get("claims", True)) == (size, claims)]
        done = [one for one in lines if "refused" not in one]
        count = size * (1 + CLAIMS_A_CHUNK * claims)
        rows = [_row(one, done[0], count) for one in done]
        head = [
            "way",
            "rows a second",
            "CPU s of Python",
            "CPU s of Neo4j",
            *STEPS,
            "CPU ms a search",
            "times",
        ]
        held = f"{size:,} chunks" + (f", {CLAIMS_A_CHUNK * size:,} claims" if claims else ", no claims")
        prints = {one["fingerprint"] for one in done} - {""}
        same = ", all fingerprints equal" if len(prints) == 1 and len(done) > 1 else ""
        same = f", **{len(prints)} fingerprints**" if len(prints) > 1 else same
        loads = [load for one in done for load in one["load"]]
        parts.append(
            f"{held}{same}; load average {min(loads):.0f} to {max(loads):.0f} on {os.cpu_count()} cores\n\n"
            f"{markdown_table(head, rows)}"
        )
        parts += [f"Refused: {WAYS[one['way']].name}: {one['refused']}" for one in lines if "refused" in one]
    return "\n\n".join(parts)


def _row(one: Json, first: Json, count: int) -> list[str]:
    """A line of a table; `times` is how much less processor time than the first way's, of both sides."""
    python, server = sum(one["python"].values()), sum(one["server"].values()) - _started(one)
    before = sum(first["python"].values()) + sum(first["server"].values()) - _started(first)
    wall = sum(seconds for name, seconds in one["wall"].items() if name not in NOT_WRITING)
    steps = (f"{sum(one['server'].get(name, 0.0) for name in names):,.1f}" for names in STEPS.values())
    return [
        WAYS[one["way"]].name,
        f"{count / wall:,.0f}",
        f"{python:,.1f}",
        f"{server:,.1f}",
        *steps,
        f"{one['search_ms']:.1f}" if "search_ms" in one else "",
        f"{before / (python + server):.1f}",
    ]


def _started(one: Json) -> float:
    """Processor seconds of a server's start, which is no writing."""
    return float(one["server"].get("server start", 0.0))


if __name__ == "__main__":
    main()
