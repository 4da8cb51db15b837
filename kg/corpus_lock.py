"""One command at a time writes to a corpus: two at once would clear what the other one writes."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from kg.errors import CorpusError
from kg.ids import content_hash
from kg.settings import Settings


@contextmanager
def writing_to(settings: Settings, corpus: str) -> Iterator[None]:
    """Hold the corpus for writing, among the commands of this machine; the lock ends with its process.

    Raises:
        CorpusError: another command is writing to it.
    """
    folder = settings.hopgrade_home.expanduser() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(
        folder / f"{content_hash((settings.neo4j_uri or '', settings.neo4j_database, corpus))}.lock"
    )
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise CorpusError(
            f"another kg command is working on corpus {corpus!r}.",
            "Wait for it to end, or stop it with Ctrl-C.",
        ) from error
    try:
        yield
    finally:
        lock.release()
