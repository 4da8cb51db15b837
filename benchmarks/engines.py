"""Throughput of the engines: claims by rules and vectors, by this machine's processes and by Ray.

    python -m benchmarks.engines [--workers 2] [--rounds 3] [--sentences 1200] [--texts 2048]

The engines take turns, so that what else the machine does weighs on all of them; the median of the rounds
counts. Ray's workers have loaded their models before its clock runs, as in a corpus that takes minutes; what
that took is told apart. Needs the extra ray.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice

from benchmarks.reading import articles
from kg.embed.choose import SpreadEmbedder, in_batches, make_embedder
from kg.engine.choose import Engine
from kg.engine.cluster import RayEngine
from kg.engine.processes import LocalEngine
from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.settings import Settings
from kg.stages.vectors import TEXTS_A_BATCH

Measure = Callable[[Engine], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2, help="processes or actors that work")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each engine; the median counts")
    parser.add_argument("--sentences", type=int, default=1200, help="sentences that are read in a turn")
    parser.add_argument("--texts", type=int, default=2048, help="texts that are embedded in a turn")
    given = parser.parse_args()
    items = list(_first(given.sentences))
    sentences = [item.body[one.start : one.end] for item in items for one in item.sentences]
    # Other numbers make other texts of the same lengths.
    texts = [f"{sentence} {n}" for n in range(1 + given.texts // len(sentences)) for sentence in sentences]
    work: dict[str, tuple[Measure, float]] = {
        "claims and triples (sentences/s)": (lambda engine: _time_reading(engine, items), len(sentences)),
        "vectors (texts/s)": (lambda engine: _embed(engine, texts[: given.texts]), given.texts),
    }
    print(f"{given.workers} workers, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    print(f"{'':34}{'local':>10}{'ray':>10}{'ray/local':>11}{'ray, first turn':>17}")
    for name, (measure, number) in work.items():
        local, ray = LocalEngine(given.workers), RayEngine("ray", given.workers)
        first = measure(ray)
        turns = [(measure(local), measure(ray)) for _ in range(given.rounds)]
        here, there = (number / statistics.median(column) for column in zip(*turns, strict=True))
        print(f"{name:34}{here:10.1f}{there:10.1f}{there / here:11.2f}{number / first:17.1f}", flush=True)


def _first(least: int) -> Iterator[ExtractionInput]:
    """The first articles with so many sentences, again and again where there are too few."""
    found = 0
    for item in cycle(articles()):
        if found >= least:
            return
        found += len(item.sentences)
        yield item


def _time_reading(engine: Engine, items: Sequence[ExtractionInput]) -> float:
    extractor = RuleExtractor(engine)
    began = time.monotonic()
    for _ in extractor.extract(items):
        pass
    return time.monotonic() - began


def _embed(engine: Engine, texts: Sequence[str]) -> float:
    embedder = SpreadEmbedder(make_embedder("builtin", Settings()), "builtin", engine)
    stream = iter(texts)
    began = time.monotonic()
    for _ in in_batches(embedder, iter(lambda: list(islice(stream, TEXTS_A_BATCH["claims"])), [])):
        pass
    return time.monotonic() - began


if __name__ == "__main__":
    main()
