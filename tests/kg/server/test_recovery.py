"""A log that a full disk tore: the store opens, what was cut off is kept, and takes no room beyond itself."""

from pathlib import Path

import pytest

from kg.errors import StartError
from kg.progress import Silent
from kg.server import ensure_running, stop
from kg.server.layout import server_home
from tests.kg.server.conftest import settings_for

TORN = b"\x7f\x01" + b"\x63" * 400
"""What is read as an entry of a version that is still to come."""
LOG = Path("neo4j", "neostore.transaction.db.0")
MOST_KEPT = 64 << 10


@pytest.mark.campaign
def test_a_torn_log_is_cut_and_only_its_end_is_kept(copied_home: Path) -> None:
    chosen = settings_for(copied_home)
    home = server_home(chosen)
    log = home.transactions / LOG
    whole = log.read_bytes().rstrip(b"\0")
    log.write_bytes(whole + TORN)
    with pytest.raises(StartError, match="newer Neo4j wrote this store, or it is damaged"):
        ensure_running(chosen, Silent())
    assert not home.torn_logs.exists()

    # Seen by the session before: now it is known what tore it.
    home.failure_note.write_bytes(b"1")
    ensure_running(chosen, Silent())
    assert stop(chosen)
    kept = home.torn_logs / LOG
    assert kept.stat().st_size == len(whole) + len(TORN)
    assert kept.read_bytes()[len(whole) :] == TORN
    assert log.read_bytes()[: len(whole)] == whole
    assert sum(path.stat().st_blocks * 512 for path in home.torn_logs.rglob("*")) <= MOST_KEPT
