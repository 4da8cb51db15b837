"""Analyses of runs that were asked for lately, each kept while the run is as it was."""

import json
import threading
from collections import OrderedDict

from kg.ids import content_hash, run_id
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.run_analysis import RunAnalysis, analyse_traces

MOST_ANALYSES = 32
"""Analyses that stay in memory: those asked for last."""


def run_fingerprint(graph: Graph, corpus: str, run: str) -> str:
    """A hash over all that the analysis of a run, given its name, depends on; costs one statement.

    Steps and retrieved chunks are written together with their answer, the gold chains by the corpus' stages.
    """
    rows = graph.rows(query("runs/read_fingerprint"), corpus=corpus, run=run_id(corpus, run))
    return content_hash((json.dumps(rows, sort_keys=True, default=str),))


class Analyses:
    """Analyses by run; several threads may ask for them, and one run is analysed by one at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lock = threading.Lock()
        self._at_work: dict[tuple[str, str], threading.Lock] = {}
        self._kept: OrderedDict[tuple[str, str], tuple[str, RunAnalysis]] = OrderedDict()

    def analysis(self, corpus: str, run: str) -> RunAnalysis:
        """The analysis of a run, given its name: computed where the run changed since it was asked for."""
        key = (corpus, run)
        with self._lock:
            at_work = self._at_work.setdefault(key, threading.Lock())
        with at_work:
            fingerprint = run_fingerprint(self._graph, corpus, run)
            with self._lock:
                kept = self._kept.get(key)
                if kept is not None and kept[0] == fingerprint:
                    self._kept.move_to_end(key)
                    return kept[1]
            made = analyse_traces(self._graph, corpus, run)
            with self._lock:
                self._kept[key] = (fingerprint, made)
                self._kept.move_to_end(key)
                while len(self._kept) > MOST_ANALYSES:
                    forgotten, _ = self._kept.popitem(last=False)
                    self._at_work.pop(forgotten, None)
            return made
