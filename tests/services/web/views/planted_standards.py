"""Judged comparisons put into a corpus as `kg standard run` leaves them, without a run."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from kg.store.graph import Graph
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import Results, results_json
from services.comparison.locking import lock_protocol, record_results
from services.comparison.protocol import Protocol
from tests.graph_reading import change
from tests.services.comparison.made_comparison import made_comparison, made_protocol

ANALYSED, LOCKED, OUTDATED = "small", "only-locked", "of-long-ago"


@cache
def made_results() -> Results:
    """What the made comparison shows."""
    return analyse(made_comparison())


def plant_standards(graph: Graph, corpus: str, folder: Path) -> None:
    """A comparison with results, one without, and one whose results this version can't read."""
    results = replace(made_results(), protocol=_protocol(corpus, ANALYSED).model_dump(mode="json"))
    for name, text in (
        (ANALYSED, json.dumps(results_json(results))),
        (LOCKED, None),
        (OUTDATED, '{"standard": 0}'),
    ):
        protocol = _protocol(corpus, name)
        (folder / name).mkdir()
        lock_protocol(graph, protocol, folder / name)
        if text is not None:
            record_results(graph, protocol, text, [])


def unplant_standards(graph: Graph, corpus: str) -> None:
    """Take them out of a corpus that others share."""
    change(graph, "MATCH (s:Standard {corpus: $corpus}) DETACH DELETE s", corpus=corpus)


def _protocol(corpus: str, name: str) -> Protocol:
    made = made_protocol(name=name)
    return made.model_copy(update={"dataset": made.dataset.model_copy(update={"corpus": corpus})})
