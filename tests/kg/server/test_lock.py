import json
import re

import pytest

from kg.server.layout import LockName, parse_lock, read_lock


@pytest.mark.parametrize(("name", "version", "count"), [("server", "2026.08.1", 226), ("gds", "2.26.0", 144)])
def test_a_committed_lock_names_exact_files(name: LockName, version: str, count: int) -> None:
    lock = read_lock(name)
    assert (lock.version, len(lock.files)) == (version, count)
    assert all(re.fullmatch(r"[0-9a-f]{64}", file.sha256) and file.size > 0 for file in lock.files)
    assert all(file.group and file.artifact and file.version for file in lock.files)
    assert [file.name for file in lock.files] == sorted({file.name for file in lock.files})


def test_the_two_locks_share_no_file_name() -> None:
    server, gds = ({file.name for file in read_lock(name).files} for name in ("server", "gds"))
    assert not server & gds


def test_the_server_lock_holds_the_server_and_its_browser() -> None:
    artifacts = {(file.group, file.artifact) for file in read_lock("server").files}
    assert {("org.neo4j", "neo4j"), ("org.neo4j.client", "neo4j-browser")} <= artifacts


def test_a_classifier_is_part_of_the_name() -> None:
    text = json.dumps(
        {
            "product": "p",
            "version": "1",
            "files": [{"coordinates": "g:a:1:linux", "size": 1, "sha256": "0" * 64}],
        }
    )
    assert [file.name for file in parse_lock(text).files] == ["a-1-linux.jar"]


@pytest.mark.parametrize("coordinates", ["g:a", "g", "g:a:1:c:x"])
def test_wrong_coordinates_are_refused(coordinates: str) -> None:
    entry = {"coordinates": coordinates, "size": 1, "sha256": "0" * 64}
    with pytest.raises(ValueError, match=coordinates):
        parse_lock(json.dumps({"product": "p", "version": "1", "files": [entry]}))
