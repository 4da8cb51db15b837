"""What Neo4j touches in each stage, by size: `python -m benchmarks.statements [--articles 300,3000]`.

The whole job runs in this process on made articles (`benchmarks/made_corpus.py`), in a home of its own that
is deleted afterwards, with every statement under PROFILE. What is counted are the records that Neo4j touches
(its "db hits"), which no other work on the machine changes, and beside them the processor time of this
process, which it does. Vectors are sums of random ones of their words, so that no embedder is waited for.
"""

import argparse
import hashlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from neo4j import Driver, ManagedTransaction

from benchmarks.job import settings_of
from benchmarks.made_corpus import DIMENSIONS, write_made_articles
from benchmarks.pages import markdown_table
from benchmarks.scale import CORPUS, LIMIT, SEED, UNITS, units_of
from kg.connect import open_graph
from kg.embed.choose import Vectors
from kg.ledger import read_ledger
from kg.progress import Silent
from kg.queries import Query, query
from kg.server.startup import stop
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.store.graph import Graph, Row, lent_driver, sendable
from services.pipeline import JobOptions, make_tools, open_for_job, run_job

SHOWN = 16
"""Statements that are shown, those that touch most at the largest size."""


@dataclass(slots=True)
class Counts:
    """Records touched by stage and statement, processor seconds by stage, and the stage that is under way."""

    stage: str = ""
    touched: defaultdict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))


class Stages(Silent):
    """Tells the counts which stage begins, and how long one took."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._began = 0.0

    def begin(self, task: str, total: int | None = None) -> None:
        """What is counted from now on is this stage's."""
        self._counts.stage, self._began = task, process_time()

    def end(self, note: str = "") -> None:
        """The stage is done."""
        self._counts.seconds[self._counts.stage] += process_time() - self._began


class CountingGraph(Graph):
    """A graph that runs its statements under PROFILE and counts what they touch."""

    def __init__(self, driver: Driver, database: str, uri: str, counts: Counts) -> None:
        super().__init__(driver, database, uri)
        self._counts = counts

    def rows(self, statement: Query, **params: object) -> list[Row]:
        """As of any graph, but for its patience."""
        text = statement.text.replace("CYPHER 25", "CYPHER 25 PROFILE", 1)
        with self._driver.session(database=self.database) as session:

            def work(transaction: ManagedTransaction) -> tuple[list[Row], int]:
                if self.fence is not None and statement.mode == "write":
                    self.fence.prove(transaction)
                result = transaction.run(text, sendable(params))
                return [record.data() for record in result], _touched(result.consume().profile)

            if statement.mode == "read":
                found, touched = session.execute_read(work)
            elif statement.mode == "write":
                found, touched = session.execute_write(work)
            else:
                result = session.run(text, sendable(params))  # type: ignore[arg-type]
                found = [record.data() for record in result]
                touched = _touched(result.consume().profile)
        self._counts.touched[self._counts.stage, statement.name] += touched
        return found

    def stream(self, statement: Query, **params: object) -> Iterator[Row]:
        """All at once."""
        yield from self.rows(statement, **params)


class WordSums:
    """Vectors as sums of random ones of a text's words: near where texts share words, and made at once."""

    name, dimensions, max_tokens = "made/words", DIMENSIONS, 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, DIMENSIONS), unit length."""
        made = np.empty((len(texts), DIMENSIONS), np.float32)
        for at, text in enumerate(texts):
            total = np.full(DIMENSIONS, 1e-3, np.float32)
            for word in text.lower().replace(".", " ").split():
                total += _of_word(word)
            made[at] = total / np.linalg.norm(total)
        return made

    embed_queries = embed


@cache
def _of_word(word: str) -> Vectors:
    number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(number).standard_normal(DIMENSIONS, dtype=np.float32)


def _touched(plan: Mapping[str, Any] | None) -> int:
    """Records that all operators of a plan touched."""
    if plan is None:
        return 0
    return int(plan.get("dbHits") or 0) + sum(map(_touched, plan.get("children", ())))


@dataclass(frozen=True, slots=True)
class Size:
    """What was counted at a size, and how much work each stage had."""

    articles: int
    counts: Counts
    units: Mapping[str, int]

    def of_stage(self, stage: str) -> float:
        """Records that a unit of a stage touches."""
        return sum(n for (name, _), n in self.counts.touched.items() if name == stage) / self.units[stage]

    def of_statement(self, stage: str, statement: str) -> float:
        """Those of one statement."""
        return self.counts.touched[stage, statement] / self.units[stage]


def count(number: int) -> Size:
    """The whole job on so many made articles."""
    with tempfile.TemporaryDirectory(prefix="hopgrade-statements-") as folder:
        settings, counts = settings_of(Path(folder) / "home"), Counts()
        articles = write_made_articles(Path(folder) / "articles.jsonl", number, SEED)
        progress, options = Stages(counts), JobOptions()
        tools = replace(make_tools("builtin", settings), embedder=WordSums(), embedder_option="builtin")
        try:
            with open_graph(settings, Silent()) as opened, lent_driver(opened, "a benchmark") as driver:
                graph = CountingGraph(driver, opened.database, opened.uri, counts)
                open_for_job(graph, CORPUS, options, tools)
                ingest_articles(graph, CORPUS, [articles], {}, ArticleLimits(min_tokens=1), progress)
                run_job(graph, CORPUS, options, tools, progress, settings=settings)
                (parts,) = graph.rows(query("corpus/count_parts"), corpus=CORPUS)
                lines = [line for line in read_ledger(graph, CORPUS) if line["name"] in UNITS]
        finally:
            stop(settings)
    return Size(number, counts, {line["name"]: units_of(line, {"parts": parts}) for line in lines})


def stage_table(sizes: Sequence[Size]) -> str:
    """Records touched and milliseconds of this process, a unit of each stage, and how the records grew."""
    head = ["stage", "unit", *(f"{one.articles:,} articles" for one in sizes), "grew", "CPU ms of Python"]
    rows = []
    for stage in (name for name in UNITS if name in sizes[0].units):
        each = [one.of_stage(stage) for one in sizes]
        cpu = " / ".join(f"{1000 * one.counts.seconds[stage] / one.units[stage]:.2f}" for one in sizes)
        rows.append([stage, UNITS[stage], *(f"{one:,.0f}" for one in each), _growth(each[-1] / each[0]), cpu])
    return markdown_table(head, rows)


def statement_table(sizes: Sequence[Size]) -> str:
    """The statements that touch most at the last size, a unit of their stage."""
    last = sizes[-1]
    most = sorted(last.counts.touched, key=lambda one: -last.counts.touched[one])
    rows = []
    for stage, statement in [one for one in most if one[0] in last.units][:SHOWN]:
        each = [one.of_statement(stage, statement) for one in sizes]
        grew = _growth(each[-1] / each[0]) if each[0] else ""
        rows.append([statement, stage, *(f"{one:,.0f}" for one in each), grew])
    return markdown_table(
        ["statement", "stage", *(f"{one.articles:,} articles" for one in sizes), "grew"], rows
    )


def _growth(grew: float) -> str:
    return f"{grew:.2f}" + ("" if grew <= LIMIT else " **above the aim**")


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--articles", default="300,3000")
    numbers = [int(part) for part in parser.parse_args().articles.split(",")]
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}\n")
    sizes = [count(number) for number in numbers]
    print(f"{stage_table(sizes)}\n\n{statement_table(sizes)}")


if __name__ == "__main__":
    main()
