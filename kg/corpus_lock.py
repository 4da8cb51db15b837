"""Who may work on a corpus at once, among the commands of this machine.

One command at a time changes what a corpus is: articles, graph, questions. Runs of different names only add
their own answers, so that they go side by side, but never beside such a change. The locks are files that end
with their process.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from kg.errors import CorpusError, SettingsError
from kg.ids import content_hash
from kg.settings import Settings

GATE_SECONDS = 1.0
"""How long the gate of a corpus is waited for: runs hold it for a moment, while they take their own lock."""


@contextmanager
def writing_to(settings: Settings, corpus: str) -> Iterator[None]:
    """Hold the corpus for changing it: nothing else works on it meanwhile.

    Raises:
        CorpusError: another command is working on it.
    """
    with _held(_gate(settings, corpus), f"on corpus {corpus!r}"):
        # No run can begin while the gate is held; those under way hold their own locks.
        for path in sorted(_folder(settings).glob(f"{_gate(settings, corpus).stem}.*.lock")):
            with _held(path, f"on a run of corpus {corpus!r}"):
                pass
        yield


@contextmanager
def answering_in(settings: Settings, corpus: str, run: str) -> Iterator[None]:
    """Hold a run of the corpus for adding to it or deleting it: other runs go on beside it.

    Raises:
        CorpusError: another command is changing the corpus, or is working on this run.
    """
    gate = _gate(settings, corpus)
    with _held(gate, f"on corpus {corpus!r}"):
        lock = _locked(gate.with_name(f"{gate.stem}.{content_hash((run,))}.lock"), f"on run {run!r}")
    try:
        yield
    finally:
        lock.release()


def _folder(settings: Settings) -> Path:
    folder = settings.hopgrade_home.expanduser() / "locks"
    with _writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _writable(place: Path) -> Iterator[None]:
    """Raises SettingsError where a lock can't be made."""
    try:
        yield
    except Timeout:  # an OSError too, and no fault of the folder
        raise
    except OSError as error:
        raise SettingsError(
            f"the lock of a corpus can't be made at {place}: {error.strerror or error}.",
            "Set HOPGRADE_HOME to a folder that you may write to.",
        ) from error


def _gate(settings: Settings, corpus: str) -> Path:
    place = (settings.neo4j_uri or "", settings.neo4j_database, corpus)
    return _folder(settings) / f"{content_hash(place)}.lock"


@contextmanager
def _held(path: Path, what: str) -> Iterator[None]:
    lock = _locked(path, what)
    try:
        yield
    finally:
        lock.release()


def _locked(path: Path, what: str) -> FileLock:
    """The lock on a file, held.

    Raises:
        CorpusError: somebody else holds it; `what` says what he is working on.
        SettingsError: the home can't be written.
    """
    lock = FileLock(path)
    try:
        with _writable(path.parent):
            lock.acquire(timeout=GATE_SECONDS)
    except Timeout as error:
        raise CorpusError(
            f"another kg command is working {what}.", "Wait for it to end, or stop it with Ctrl-C."
        ) from error
    return lock
