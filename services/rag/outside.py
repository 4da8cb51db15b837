"""A system that is not one of ours, as a run knows it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from kg.store.graph import Graph
from services.rag.protocol import RagSystem


@dataclass(frozen=True, slots=True)
class Outside:
    """A system that a run is given from outside.

    `name` is the run's, where the user gives none, and `system` what is recorded of it ("endpoint
    https://rag.internal/answer"). `source` is a short hash of what its answers depend on, as far as that can
    be known: a run whose source changed is made anew. `open(graph, corpus)` gets it ready. `covers` holds the
    ids of the questions that it answers, None for all. Each batch of `questions_a_batch` is in the graph
    before the next begins. `generator` and `prompts` are empty where they are the system's own business.
    `prefix_source` is the hash of answers to prefix questions that are known beforehand: others replace them,
    and leave the run's own answers as they are.
    """

    name: str
    system: str
    source: str
    open: Callable[[Graph, str], AbstractContextManager[RagSystem]]
    questions_a_batch: int
    covers: frozenset[str] | None = None
    generator: str = ""
    prompts: tuple[str, ...] = ()
    prefix_source: str = ""
