"""Kill a run of agents while it is at work, let it go on, and compare it with one that was left alone.

    python -m benchmarks.agents_killed [--corpus NAME] [--questions 1000] [--kills 3]

ReAct works by a model that a scripted endpoint on loopback plays, with eight requests under way at once; the
process is killed by SIGKILL in the midst of its requests, as often as --kills says. Uses the graph that `kg`
uses; without --corpus the bundled corpus is built first (bench-killed). Ends with 1 if a step was lost,
doubled or changed.
"""

import argparse
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from benchmarks.job import run_job
from kg.connect import open_graph
from kg.embed.choose import Embedder, embedder_of
from kg.progress import Silent
from kg.server import ensure_running
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.hop_traces import Trace
from services.runs.records import drop_run, list_runs
from tests.scripted_endpoint import Endpoint, scripted_endpoint
from tests.services.rag.killed_run import SEARCHES, AgentRun, Killer, environment

ARTICLES = Path(__file__).resolve().parents[1] / "seed" / "articles"
CORPUS = "bench-killed"
RUN = "bench-killed"
BATCH = 64
LATENCY_SECONDS = 0.005


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=3)
    given = parser.parse_args()
    if not given.corpus:
        run_job(CORPUS, [ARTICLES])
    run = AgentRun(given.corpus or CORPUS, RUN, given.questions, BATCH)
    with open_graph(Settings(), Silent()) as graph:
        embedder = embedder_of(graph, run.corpus, Settings())
        _forget(graph, run)
        killed = _run_with_kills(graph, run, embedder, given.kills)
        _forget(graph, run)
        alone = _alone(graph, run, embedder)
        _forget(graph, run)
    same = killed == alone
    steps = sum(len(one.steps) for one in killed)
    print(f"{len(killed):,} answers with {steps:,} steps; left alone {len(alone):,} answers; same: {same}")
    sys.exit(0 if same and len(killed) == len({one.answer for one in killed}) else 1)


def _run_with_kills(graph: Graph, run: AgentRun, embedder: Embedder, kills: int) -> list[Trace]:
    """The traces of a run that was killed so often, at even distances."""
    killer = Killer()
    requests = run.limit * (SEARCHES + 2)
    with (
        TemporaryDirectory() as home,
        scripted_endpoint(killer, latency_seconds=LATENCY_SECONDS) as endpoint,
    ):
        for kill in range(1, kills + 1):
            killer.fatal = requests * kill // (kills + 1)
            began = monotonic()
            code = run.killed(killer, environment(endpoint, Path(home), _server()))
            told = "killed" if code == -signal.SIGKILL else f"ended with {code}"
            print(
                f"{told} at request {killer.asked:,} of {requests:,} after {monotonic() - began:.0f} s; "
                f"{_answers(graph, run):,} answers are in the graph; at most {endpoint.most_at_once} "
                "requests at once"
            )
        return run.ended(graph, _settings(endpoint, Path(home)), embedder)


def _alone(graph: Graph, run: AgentRun, embedder: Embedder) -> list[Trace]:
    with (
        TemporaryDirectory() as home,
        scripted_endpoint(Killer(), latency_seconds=LATENCY_SECONDS) as endpoint,
    ):
        return run.ended(graph, _settings(endpoint, Path(home)), embedder)


def _settings(endpoint: Endpoint, home: Path) -> Settings:
    changes = {name.lower(): value for name, value in environment(endpoint, home, _server()).items()}
    return Settings.model_validate(Settings().model_dump() | changes)


def _server() -> dict[str, str]:
    """How to reach the graph that this process works on, for a process with a home of its own."""
    settings = Settings()
    if settings.neo4j_uri is not None:
        return {}
    server = ensure_running(settings, Silent())
    return {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}


def _answers(graph: Graph, run: AgentRun) -> int:
    found = [row["answers"] for row in list_runs(graph, run.corpus) if row["name"] == run.name]
    return int(found[0]) if found else 0


def _forget(graph: Graph, run: AgentRun) -> None:
    if any(row["name"] == run.name for row in list_runs(graph, run.corpus)):
        drop_run(graph, run.corpus, run.name)


if __name__ == "__main__":
    main()
