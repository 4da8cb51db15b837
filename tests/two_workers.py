"""How `pytest -n 2` shares what one session has once: the server and the job over the bundled corpus.

The process that hands out the tests owns both. Tests of a file stay together; those that start servers of
their own come first, all in one process: they share homes, and take longest. Tests of the bundled corpus come
last, when it is made.
"""

import os
import signal
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.seed_job import SeedJob, seed_job
from tests.session_server import ServerAddress, session_server

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

OWN_SERVERS = (
    "tests/kg/server/",
    "tests/services/rag/test_restart.py",
    "tests/services/python_api/test_gds.py",
    "tests/services/rag/retrieval/test_gds.py",
)
ONE_AT_A_TIME = (
    "tests/cli/test_benchmark.py",
    "tests/cli/test_evaluate_graphrag.py",
    "tests/services/external/adapters/test_graphrag_over_graph.py",
)
"""Another library has one index a server. Its users refuse one another."""
ONE_CORPUS = ("tests/cli/", "tests/services/web/pages/")
"""The tests of such a folder share a corpus, which one process makes, not each."""
LAST = ("tests/cli/test_benchmark_extraction.py", "tests/cli/test_corpus_audit.py")
"""But for these: they need the bundled corpus, and nobody is to wait for it."""
LONG = ("tests/test_model_path.py", "tests/cli/test_benchmark.py", "tests/cli/test_evaluate.py")
"""What takes longest comes early, so that no process is left with it when the other one has nothing to do."""
SERVER, JOB = "hopgrade_server", "hopgrade_job"
_OPEN = pytest.StashKey[ExitStack]()
_SHARED = pytest.StashKey[dict[str, dict[str, Any]]]()


class FilesTogether(LoadFileScheduling):  # type: ignore[misc]
    """Hands out file by file in their order, and files of one kind to one process."""

    def _split_scope(self, nodeid: str) -> str:
        for together in (OWN_SERVERS, ONE_AT_A_TIME):
            if nodeid.startswith(together):
                return together[0]
        for folder in ONE_CORPUS:
            if nodeid.startswith(folder) and not nodeid.startswith(LAST):
                return folder
        return str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesTogether:  # noqa: ANN401
    """In which order, and to whom."""
    config.option.loadscopereorder = False
    return FilesTogether(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start what the workers share, in the process that hands out tests."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Shells start what runs in the background so; tests of Ctrl-C, and the processes below, need it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("tx", None) or config.option.collectonly:
        return
    for name in {"COLUMNS", "LINES"} - os.environ.keys():
        # Readline put them there without telling Python; workers would take them for given.
        os.unsetenv(name)
    opened = config.stash[_OPEN] = ExitStack()
    address = opened.enter_context(session_server())
    job = opened.enter_context(seed_job(address))
    config.stash[_SHARED] = {SERVER: asdict(address), JOB: asdict(job)}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: "WorkerController") -> None:
    """Tell a worker what is shared."""
    node.workerinput.update(node.config.stash.get(_SHARED, {}))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started."""
    if _OPEN in config.stash:
        config.stash[_OPEN].close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that start servers first, then the longest; those that need the bundled corpus last."""
    late = {item.path for item in items if "seed_corpus" in getattr(item, "fixturenames", ())}

    def place(item: pytest.Item) -> tuple[bool, bool, bool]:
        id_ = item.nodeid
        return item.path in late, not id_.startswith(OWN_SERVERS), not id_.startswith(LONG)

    items.sort(key=place)


def given_server(config: pytest.Config) -> ServerAddress | None:
    """The shared server, None in a session of one process."""
    given = _given(config, SERVER)
    return ServerAddress(**given) if given else None


def given_job(config: pytest.Config) -> SeedJob | None:
    """The shared job, None in a session of one process."""
    given = _given(config, JOB)
    return SeedJob(**given) if given else None


def _given(config: pytest.Config, name: str) -> dict[str, Any]:
    told: dict[str, dict[str, Any]] = getattr(config, "workerinput", {})
    return told.get(name, {})
