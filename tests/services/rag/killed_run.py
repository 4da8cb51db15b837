"""A run by a ReAct agent that is killed while it asks a model, and then goes on.

`python -m tests.services.rag.killed_run CORPUS NAME LIMIT BATCH` is the process that is killed: up to eight
requests are under way at once, to an endpoint of the process that kills it.
"""

import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from kg.connect import open_graph
from kg.embed.choose import Embedder, embedder_of
from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.hop_traces import Trace, read_traces
from services.rag import answering
from services.rag.run_options import RunOptions
from services.runs.start import start_run
from tests.scripted_bodies import Answer, Said
from tests.scripted_endpoint import Asked, Endpoint

ROOT = Path(__file__).parents[3]
AT_ONCE = 8
SEARCHES = 2


@dataclass
class Killer:
    """Answers as an agent that makes two searches a question; at request `fatal` it kills whoever asks."""

    fatal: int = 0
    victim: int = 0
    asked: int = 0
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, request: Asked) -> Answer:
        with self._lock:
            self.asked += 1
            if self.victim and self.asked == self.fatal:
                os.kill(self.victim, signal.SIGKILL)
        if "tools" not in request.body:
            return "1. Look for it."
        made = sum(role == "tool" for role, _ in request.messages)
        about = zlib.crc32(request.question.encode())
        if made < SEARCHES:
            return Said("Looking.", calls=(("search", {"query": f"news {about} {made}", "top_k": 3 + made}),))
        return Said(None, calls=(("answer", {"answer": f"the answer {about}"}),))


def environment(endpoint: Endpoint, home: Path, server: Mapping[str, str]) -> dict[str, str]:
    """What the process needs: the graph, the endpoint, and a home of its own."""
    return {
        **server,
        **endpoint.environment(),
        "HOPGRADE_HOME": str(home),
        "HOPGRADE_MODEL_CONCURRENCY": str(AT_ONCE),
        "HOPGRADE_MODEL_TIMEOUT_SECONDS": "60",
    }


@dataclass(frozen=True, slots=True)
class AgentRun:
    """A run by ReAct over so many questions, a batch at a time."""

    corpus: str
    name: str
    limit: int
    batch: int

    def killed(self, killer: Killer, given: Mapping[str, str]) -> int:
        """Start it in a process of its own, and wait until that is dead; its code, below 0 for a signal."""
        order = (self.corpus, self.name, str(self.limit), str(self.batch))
        command = [sys.executable, "-m", "tests.services.rag.killed_run", *order]
        with subprocess.Popen(command, cwd=ROOT, env=os.environ | dict(given)) as process:
            killer.victim = process.pid
            code = process.wait()
        killer.victim = 0
        return code

    def ended(self, graph: Graph, settings: Settings, embedder: Embedder) -> list[Trace]:
        """Start it, or go on with it, to its end; its traces."""
        answering.QUESTIONS_A_BATCH, before = self.batch, answering.QUESTIONS_A_BATCH
        try:
            options = RunOptions(system="react", generator="model", name=self.name, question_limit=self.limit)
            start_run(graph, self.corpus, options, settings, embedder, Silent())
        finally:
            answering.QUESTIONS_A_BATCH = before
        return list(read_traces(graph, run_id(self.corpus, self.name)))


def main() -> None:
    """Run until somebody kills this process."""
    corpus, name, limit, batch = sys.argv[1:]
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        embedder = embedder_of(graph, corpus, settings)
        AgentRun(corpus, name, int(limit), int(batch)).ended(graph, settings, embedder)


if __name__ == "__main__":
    main()
