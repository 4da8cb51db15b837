"""How the job grows with the corpus, and by engine: time a unit, memory and store of each stage.

    python -m benchmarks.scale [--articles 500] [--nodes 1,2,4]
    python -m benchmarks.scale --growth [--articles 1000,10000,30000] [--write] [--add]
    python -m benchmarks.scale --real [--share 1] [--write]
    python -m benchmarks.scale --paper [--price 0.05] [--write]

Every job is in a home of its own that is deleted afterwards: but for --real `kg run-all` on made articles
(`benchmarks/made_corpus.py`). Without an option: stages by engine, this machine's processes beside Ray
clusters of so many nodes of one core on this machine; needs the extra ray. --growth: the same job at several
sizes; with --write what came out goes to docs/evaluation/scale.json, size by size, and the tables to
docs/speed.md; --add keeps the sizes that are there already. --real: the graph, from articles to paths, of a
corpus as large as MultiHop-RAG's, or of a share of its articles, made of the shared data
(`benchmarks/real_corpus.py`). Both tell beside the seconds of each stage those of processor time, of the
command with its workers and of the Neo4j server, which depend less on what else the machine does. --paper
computes what corpora of a million and of a hundred million articles would be from docs/evaluation/scale.json,
for docs/explanation/scale.md.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import psutil

from benchmarks.extraction import data_folder
from benchmarks.job import KG, ROOT, environment_of, settings_of
from benchmarks.made_corpus import write_made_articles
from benchmarks.pages import markdown_table, write_between
from benchmarks.real_corpus import write_real_articles
from kg.connect import open_graph
from kg.ids import content_hash
from kg.ledger import read_ledger
from kg.progress import Silent
from kg.queries import query
from kg.server.layout import ServerHome
from kg.server.process import read_state
from tests.graph_reading import contents
from tests.ray_nodes import ray_nodes

MEASURED = ROOT / "docs" / "evaluation" / "scale.json"
TOKENS = ROOT / "docs" / "evaluation" / "model" / "ninth" / "results.json"
SPEED, PAPER = ROOT / "docs" / "speed.md", ROOT / "docs" / "explanation" / "scale.md"
CORPUS, SEED = "made", 1
MIB, GIB = 1 << 20, 1 << 30
VECTOR_BYTES = 384 * 4
UNITS = {
    "chunks": "chunk", "vectors": "chunk", "claims": "chunk", "resolution": "entity", "paths": "path",
    "questions": "question", "run single-step": "answer", "matrix single-step": "answer",
}  # fmt: skip
"""What a stage's work is counted in; questions are those that were drawn."""
BUILD = ("chunks", "vectors", "claims", "resolution")
"""Stages that grow with the corpus; those behind them are bounded by what is drawn."""
LARGE = (1_000_000, 100_000_000)
LIMIT_OF_FINGERPRINT = 5_000
"""Articles up to which the whole graph is read for a fingerprint."""
LIMIT = 1.2
"""How much more processor time a unit may take at the largest size than at the smallest."""
LIMIT_MIB = 2_048
"""How much memory a command with its workers may have at once."""
_STAGE_ENDED = re.compile(r"^  ([a-z][a-z -]*): .*\(\d+\.\d s\)$")

Json = dict[str, Any]


def main() -> None:
    """Measure or compute, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--articles", type=_numbers)
    parser.add_argument("--nodes", type=_numbers, default=(1, 2, 4))
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--share", type=float, default=1.0, help="of the articles of --real")
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--price", type=float, default=0.05, help="of an hour of one core, in dollars")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--add", action="store_true", help="to the sizes that were measured before")
    given = parser.parse_args()
    if given.paper:
        found = json.loads(MEASURED.read_text(encoding="utf-8"))
        _show(paper(found, given.price), "paper", PAPER, write=given.write)
        return
    machine = f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}"
    if given.real:
        _show(f"{machine}\n\n{real_table(given.share)}", "real", SPEED, write=given.write)
        return
    if given.growth:
        sizes = grown(given.articles or (1_000, 10_000, 30_000), write=given.write, add=given.add)
        _show(f"{machine}\n\n{growth_table(sizes)}", "growth", SPEED, write=given.write)
        return
    (number,) = given.articles or (500,)
    print(f"{machine}\n\n{by_engine(number, given.nodes)}")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _show(text: str, name: str, page: Path, *, write: bool) -> None:
    print(text)
    if write:
        write_between(page, name, text)


def grown(numbers: Sequence[int], *, write: bool, add: bool) -> list[Json]:
    """What the job took at each size, smallest first; written after each, since the next may take hours."""
    known = json.loads(MEASURED.read_text(encoding="utf-8"))["sizes"] if add else []
    sizes = {size["articles"]: size for size in known if "command_s" in size["stages"][0]}
    for number in numbers:
        sizes[number] = measure(number, {})
        if write:
            text = json.dumps(
                {"cores": os.cpu_count(), "sizes": [sizes[one] for one in sorted(sizes)]}, indent=1
            )
            MEASURED.write_text(text + "\n", encoding="utf-8")
    return [sizes[one] for one in sorted(sizes)]


def measure(number: int, environment: Mapping[str, str], engine: str = "local") -> Json:
    """The whole job on so many made articles: its stages, parts of the graph, store bytes and fingerprint."""
    with tempfile.TemporaryDirectory(prefix="hopgrade-scale-") as folder:
        home = Path(folder) / "home"
        articles = write_made_articles(Path(folder) / "articles.jsonl", number, SEED)
        own = environment_of(home) | dict(environment)
        words = ("run-all", str(articles), "--corpus", CORPUS, "--min-tokens", "1", "--engine", engine)
        try:
            spent, seconds = _watched([*KG, *words], own, home)
            found = _left(home)
        finally:
            subprocess.run([*KG, "server", "stop"], env=own, check=False, capture_output=True)
        stages = [
            {"stage": line["name"], "seconds": line["seconds"], "units": units_of(line, found),
             "peak_mib": round(one.peak_mib), "command_s": round(one.command_s, 2),
             "server_s": round(one.server_s, 2)}
            for line in found.pop("stages")
            if line["name"] in UNITS and (one := spent.get(line["name"], NOTHING))
        ]  # fmt: skip
        bytes_ = sum(
            path.stat().st_size for path in (home / "data" / "databases").rglob("*") if path.is_file()
        )
    return {"articles": number, "seconds": round(seconds), "stages": stages, "store_bytes": bytes_} | found


def real_table(share: float) -> str:
    """What the graph of that corpus takes, by stage; one line where the shared data is absent."""
    data = data_folder()
    if data is None:
        return "The shared data is absent (HOPGRADE_SHARED, or ../shared beside the checkout): not measured."
    with tempfile.TemporaryDirectory(prefix="hopgrade-scale-") as folder:
        home, articles = Path(folder) / "home", Path(folder) / "articles.jsonl"
        write_real_articles(articles, data, share, SEED)
        own = environment_of(home)
        try:
            subprocess.run([*KG, "server", "start"], env=own, check=True, capture_output=True)
            added, _ = _watched(
                [*KG, "corpus", "ingest", str(articles), "--corpus", CORPUS, "--min-tokens", "1"], own, home
            )
            spent, seconds = _watched([*KG, "corpus", "build", "--corpus", CORPUS], own, home)
            found = _left(home)
        finally:
            subprocess.run([*KG, "server", "stop"], env=own, check=False, capture_output=True)
    walls = {line["name"]: line["seconds"] for line in found["stages"] if line.get("seconds")}
    every = added | spent
    rows = [
        [
            name,
            *(f"{number:,.1f}" for number in (walls.get(name, 0), one.command_s, one.server_s, one.peak_mib)),
        ]
        for name, one in every.items()
    ]
    ours, servers = (sum(getattr(one, of) for one in every.values()) for of in ("command_s", "server_s"))
    rows.append(["build", *(f"{number:,.1f}" for number in (seconds, ours, servers)), ""])
    table = markdown_table(["stage", "seconds", "CPU s of kg", "CPU s of Neo4j", "peak MiB"], rows)
    names = ("articles", "chunks", "claims", "facts", "entities")
    parts = ", ".join(f"{found['parts'][name]:,} {name}" for name in names)
    end = f"load average at the end {os.getloadavg()[0]:.1f}, fingerprint {found['fingerprint'][:12]}"
    return f"{parts}; {end}\n\n{table}"


@dataclass(frozen=True, slots=True)
class Spent:
    """What a stage took: peak memory of a command with its workers, their processor seconds, the server's."""

    peak_mib: float
    command_s: float
    server_s: float


NOTHING = Spent(0, 0, 0)


def _watched(
    command: Sequence[str], environment: Mapping[str, str], home: Path
) -> tuple[dict[str, Spent], float]:
    """What a command took within each stage, and its seconds."""
    began, stages, now = monotonic(), dict[str, Spent](), 0.0
    before, server_before = 0.0, _processor_s(home_server(home))
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.PIPE, text=True)
        ended = threading.Event()

        def sample() -> None:
            nonlocal now
            while not ended.wait(0.2):
                now = max(now, _resident(process.pid))

        sampler = threading.Thread(target=sample, daemon=True)
        sampler.start()
        said = list[str]()
        for line in process.stderr or ():
            said.append(line)
            if found := _STAGE_ENDED.match(line.rstrip()):
                spent, of_server = _processor_s(process.pid), _processor_s(home_server(home))
                stages[found[1]] = Spent(now, spent - before, of_server - server_before)
                now, before, server_before = 0.0, spent, of_server
        code = process.wait()
        ended.set()
        sampler.join()
    if code:
        raise SystemExit(f"{' '.join(command)} ended with {code}:\n{''.join(said)[-2000:]}")
    return stages, monotonic() - began


def home_server(home: Path) -> int:
    """The id of the process of a home's server; 0 where there is none yet."""
    state = read_state(ServerHome(home))
    return state.pid if state is not None else 0


def _processor_s(pid: int) -> float:
    """Processor seconds of a process, of its workers, and of those that have ended, but not of a server."""
    total = 0.0
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            if one.pid == pid or one.name() != "java":
                times = one.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
    except psutil.NoSuchProcess:
        pass
    return total


def _resident(pid: int) -> float:
    """MiB of a process and of those below it, but for the server."""
    total = 0
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            total += 0 if one.name() == "java" else one.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total / MIB


def _left(home: Path) -> Json:
    """What the job left: stages, parts of the graph, and the fingerprint of what is in it."""
    with open_graph(settings_of(home), Silent()) as graph:
        (parts,) = graph.rows(query("corpus/count_parts"), corpus=CORPUS)
        stages = read_ledger(graph, CORPUS)
        small = parts["articles"] <= LIMIT_OF_FINGERPRINT
        print_ = content_hash(sorted(contents(graph, CORPUS))) if small else ""
    return {"parts": parts, "stages": stages, "fingerprint": print_}


def units_of(line: Mapping[str, Any], found: Mapping[str, Any]) -> int:
    """How much work a stage had."""
    unit = UNITS[line["name"]]
    if unit == "chunk":
        return int(found["parts"]["chunks"])
    if unit == "path":
        return int(found["parts"]["paths"])
    names = {
        "entity": "entities",
        "question": "drawn",
        "answer": "answers" if "answers" in line else "questions",
    }
    return int(line[names[unit]])


def growth_table(sizes: Sequence[Json]) -> str:
    """Processor milliseconds a unit of kg and of Neo4j, wall in brackets, their growth, and peak memory."""
    head = ["stage", "unit", *(f"{one['articles']:,} articles" for one in sizes), "grew", "peak MiB of kg"]
    rows = []
    for at, stage in enumerate(sizes[0]["stages"]):
        each = [one["stages"][at] for one in sizes]
        told = [f"{_ms(one, 'command_s')} + {_ms(one, 'server_s')} ({_ms(one, 'seconds')})" for one in each]
        grew = _a_unit(each[-1], "command_s", "server_s") / _a_unit(each[0], "command_s", "server_s")
        growth = f"{grew:.2f}" + ("" if grew <= LIMIT else " **above the aim**")
        peaks = " / ".join(f"{one['peak_mib']:,}" for one in each)
        peak = peaks + ("" if each[-1]["peak_mib"] < LIMIT_MIB else " **above the aim**")
        rows.append([stage["stage"], UNITS[stage["stage"]], *told, growth, peak])
    parts = [
        [name, "", *(f"{one['parts'][name]:,}" for one in sizes), "", ""]
        for name in ("chunks", "claims", "facts", "entities", "mirrored", "paths", "kept")
    ]
    whole = ["whole job", "", *(f"{one['seconds']:,} s" for one in sizes), "", ""]
    store = ["store", "", *(f"{one['store_bytes'] / MIB:,.0f} MiB" for one in sizes), "", ""]
    return markdown_table(head, [*rows, *parts, whole, store])


def _a_unit(stage: Mapping[str, Any], *seconds: str) -> float:
    """The sum of these seconds of a stage for each unit of its work."""
    return sum(float(stage[one]) for one in seconds) / max(1, int(stage["units"]))


def _ms(stage: Mapping[str, Any], seconds: str) -> str:
    return f"{1000 * _a_unit(stage, seconds):.2f}"


def by_engine(number: int, nodes: Sequence[int]) -> str:
    """Seconds of each stage by engine, and whether all left the same graph."""
    jobs = {"local": measure(number, {})}
    for count in nodes:
        with ray_nodes(count) as cluster:
            name = f"Ray, {count} node{'s' * (count > 1)}"
            jobs[name] = measure(number, {"RAY_ADDRESS": str(cluster.address)}, "ray")
    rows = [
        [stage["stage"], *(f"{one['stages'][at]['seconds']:.1f}" for one in jobs.values())]
        for at, stage in enumerate(jobs["local"]["stages"])
    ]
    rows.append(["whole job", *(f"{one['seconds']:.1f}" for one in jobs.values())])
    prints = {one["fingerprint"] for one in jobs.values()}
    same = "all graphs equal" if len(prints) == 1 else f"**{len(prints)} different graphs**"
    table = markdown_table(["seconds", *jobs], rows)
    return f"{table}\n\n{number:,} made articles, {same}: questions, answers and matrix among them."


def paper(measured: Json, price: float) -> str:
    """What corpora that nobody built would have and cost, from those that were measured.

    Parts and bytes grow as the largest measured corpus has them an article. Processor time of a stage
    that grows with the corpus, of kg and of Neo4j together, is a power of the articles, fitted through the
    measured sizes on logarithmic axes. Tokens are those of the news articles of `TOKENS`. `price` is what an
    hour of one core costs.
    """
    sizes = measured["sizes"]
    last = sizes[-1]
    rows = list[list[str]]()

    def add(name: str, an_article: str, each: float, unit: str = "", size: float = 1) -> None:
        rows.append([name, an_article, *(f"{_large(each * number / size)}{unit}" for number in LARGE)])

    for name in ("chunks", "claims", "facts", "entities", "mirrored"):
        each = last["parts"][name] / last["articles"]
        add(name, f"{each:.2f}", each)
    vectors = (
        sum(last["parts"][name] for name in ("chunks", "claims", "facts", "entities")) / last["articles"]
    )
    add("vectors", f"{vectors:.2f}", vectors)
    add(
        "their bytes in memory",
        f"{vectors * VECTOR_BYTES / 1024:.1f} KiB",
        vectors * VECTOR_BYTES,
        " GiB",
        GIB,
    )
    store = last["store_bytes"] / last["articles"]
    add("store on disk", f"{store / 1024:.1f} KiB", store, " GiB", GIB)
    read, written = _tokens()
    add("tokens a model reads, where it builds", f"{read:,.0f}", read)
    add("tokens it writes", f"{written:,.0f}", written)
    whole = np.zeros(len(LARGE))
    for name in BUILD:
        stages = [next(one for one in size["stages"] if one["stage"] == name) for size in sizes]
        seconds = [_core_seconds(one, measured["cores"]) for one in stages]
        power, log_scale = np.polyfit(np.log([size["articles"] for size in sizes]), np.log(seconds), 1)
        hours = np.exp(log_scale) * np.array(LARGE, float) ** power / 3600
        whole += hours
        rows.append([f"core hours of {name}", f"grow as articles^{power:.2f}", *map(_large, hours.tolist())])
    rows.append(["core hours of these", "", *map(_large, whole.tolist())])
    rows.append([f"at {price} a core hour", "", *map(_large, (whole * price).tolist())])
    table = markdown_table(["", "an article", *(f"{number:,} articles" for number in LARGE)], rows)
    measured_at = ", ".join(f"{one['articles']:,}" for one in sizes)
    how = (
        f"From corpora of {measured_at} made articles, by rules, on one machine of {measured['cores']} cores"
    )
    return f"{how}:\n\n{table}"


def _core_seconds(stage: Mapping[str, Any], cores: int) -> float:
    """Processor seconds of a stage; of one that was measured in wall seconds alone, those of all cores."""
    if "command_s" in stage:
        return float(stage["command_s"]) + float(stage["server_s"])
    return float(stage["seconds"]) * cores


def _tokens() -> tuple[float, float]:
    """Tokens an article that a model read and wrote while it built the graph of `TOKENS`."""
    found = json.loads(TOKENS.read_text(encoding="utf-8"))
    (taken,) = (one["taken"] for one in found["spending"] if one["command"] == "corpus build")
    return taken[1] / found["counts"]["articles"], taken[2] / found["counts"]["articles"]


def _large(number: float) -> str:
    for name, size in (("billion", 1e9), ("million", 1e6)):
        if number >= size:
            return f"{number / size:.1f} {name}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


if __name__ == "__main__":
    main()
