"""What is locked stays: a changed protocol is refused, wherever the lock is still known."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kg.corpus import CorpusSettings, drop_corpus, fingerprint, open_corpus
from kg.errors import CorpusError, InputError
from kg.ids import run_id
from kg.store.graph import Graph
from services.comparison.locking import (
    Lock,
    ProtocolChangedError,
    lock_protocol,
    read_lock,
    read_locked,
    record_results,
)
from services.comparison.protocol import protocol_document, protocol_hash
from tests.graph_reading import change, value
from tests.services.comparison.written_protocol import protocol

COUNT = "MATCH (s:Standard {corpus: $corpus}) RETURN count(s)"
FORGET = "MATCH (s:Standard {corpus: $corpus}) DETACH DELETE s"


@pytest.fixture
def made(graph: Graph, corpus: str) -> Iterator[str]:
    """A corpus that exists, and nothing in it."""
    open_corpus(graph, corpus, CorpusSettings("builtin", "v", 3, "1-8/0", "rules"))
    yield corpus


def test_a_lock_is_in_the_graph_and_in_the_folder(graph: Graph, made: str, tmp_path: Path) -> None:
    lock = lock_protocol(graph, protocol(corpus=made), tmp_path)
    assert lock.hash == protocol_hash(protocol(corpus=made))
    kept, known = read_lock(tmp_path), read_locked(graph, made, "first")
    assert kept == known
    assert kept is not None
    assert kept.lock == lock
    assert value(graph, COUNT, corpus=made) == 1


def test_to_lock_it_again_changes_nothing(graph: Graph, made: str, tmp_path: Path) -> None:
    first = lock_protocol(graph, protocol(corpus=made), tmp_path)
    before = (tmp_path / "lock.json").read_bytes()
    assert lock_protocol(graph, protocol(corpus=made), tmp_path) == first
    assert (tmp_path / "lock.json").read_bytes() == before


@pytest.mark.parametrize("lost", ["nothing", "the folder's", "the graph's"])
def test_a_changed_protocol_is_refused_and_told_what_changed(
    graph: Graph, made: str, tmp_path: Path, lost: str
) -> None:
    first = lock_protocol(graph, protocol(corpus=made), tmp_path)
    if lost == "the folder's":
        (tmp_path / "lock.json").unlink()
    elif lost == "the graph's":
        change(graph, FORGET, corpus=made)
    with pytest.raises(ProtocolChangedError) as caught:
        lock_protocol(graph, protocol(corpus=made, smallest=0.02), tmp_path)
    assert f"locked at {first.locked_at}" in caught.value.message
    assert "hypotheses.H1.smallest: 0.05 became 0.02" in caught.value.message
    assert "hypotheses.H2.smallest" in caught.value.message
    assert caught.value.exit_code == 2


def test_where_one_place_forgot_it_the_other_brings_it_back(graph: Graph, made: str, tmp_path: Path) -> None:
    first = lock_protocol(graph, protocol(corpus=made), tmp_path)
    change(graph, FORGET, corpus=made)
    # The folder's time stays: what was answered since it was still answered after it.
    assert lock_protocol(graph, protocol(corpus=made), tmp_path) == first
    (tmp_path / "lock.json").unlink()
    assert lock_protocol(graph, protocol(corpus=made), tmp_path) == first
    assert read_lock(tmp_path) == read_locked(graph, made, "first")


def test_another_name_is_another_comparison(graph: Graph, made: str, tmp_path: Path) -> None:
    lock_protocol(graph, protocol(corpus=made), tmp_path)
    (tmp_path / "second").mkdir()
    lock_protocol(graph, protocol("second", made, smallest=0.02), tmp_path / "second")
    assert value(graph, COUNT, corpus=made) == 2


def test_of_two_protocols_of_one_name_one_is_locked(graph: Graph, made: str, tmp_path: Path) -> None:
    def lock(number: int) -> Lock | None:
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            return lock_protocol(graph, protocol(corpus=made, seed=number), folder)
        except ProtocolChangedError:
            return None

    with ThreadPoolExecutor(8) as threads:
        locks = [lock for lock in threads.map(lock, range(8)) if lock is not None]
    assert len(locks) == 1


def test_a_lock_of_before_a_field_existed_still_holds(graph: Graph, made: str, tmp_path: Path) -> None:
    lock_protocol(graph, protocol(corpus=made), tmp_path)
    locked = read_lock(tmp_path)
    assert locked is not None
    older = json.loads(json.dumps(locked.protocol))
    del older["inference"]["spending"]
    change(
        graph,
        "MATCH (s:Standard {corpus: $corpus}) SET s.protocol = $protocol, s.hash = 'older'",
        corpus=made,
        protocol=json.dumps(older),
    )
    (tmp_path / "lock.json").unlink()
    assert lock_protocol(graph, protocol(corpus=made), tmp_path).hash == "older"
    (tmp_path / "lock.json").unlink()
    with pytest.raises(ProtocolChangedError, match=r"pool\.size"):
        lock_protocol(
            graph,
            protocol(corpus=made).model_copy(update={"pool": protocol().pool.model_copy(update={"size": 3})}),
            tmp_path,
        )


def _locked(**changes: object) -> str:
    lock = {
        "hash": protocol_hash(protocol()),
        "locked_at": "2026-11-01T12:00:00.123456789Z[UTC]",
        "version": "0.1.0",
        "protocol": protocol_document(protocol()),
    }
    return json.dumps({**lock, **changes})


@pytest.mark.parametrize(
    "at", ["2026-11-01T12:00Z", "2026-11-01T12:00:00+01:00[Europe/Oslo]", "2026-11-01T12:00:00.5Z"]
)
def test_a_lock_file_is_read_with_every_time_that_neo4j_writes(tmp_path: Path, at: str) -> None:
    (tmp_path / "lock.json").write_text(_locked(locked_at=at), encoding="utf-8")
    locked = read_lock(tmp_path)
    assert locked is not None
    assert locked.lock.locked_at == at


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        _locked(protocol={"a": float("nan")}),
        _locked(protocol={"a": "<put>"}).replace('"<put>"', "1e999"),
        _locked(hash="0" * 64),
        _locked(hash="\n\\input{x}"),
        _locked(locked_at="2026-11-01T12:00:00Z\n\\input{x}"),
        _locked(locked_at="2026-11-31T12:00:00Z"),
        _locked(locked_at="2026-11-01"),
        _locked(version=1),
        _locked().replace('"version"', '"version": "0.2.0", "version"'),
    ],
    ids=(
        "deep",
        "NaN",
        "infinite",
        "other hash",
        "no hash",
        "lines",
        "no day",
        "no hour",
        "version",
        "twice",
    ),
)
def test_a_lock_file_that_is_none_is_an_error_of_the_user(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"^[^\n]*lock\.json (can't be read|is no lock|holds a protocol)"):
        read_lock(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"hash": 1}', "edited"])
def test_a_lock_that_does_not_fit_itself_is_refused(
    graph: Graph, made: str, tmp_path: Path, text: str
) -> None:
    lock_protocol(graph, protocol(corpus=made), tmp_path)
    path = tmp_path / "lock.json"
    edited = path.read_text(encoding="utf-8").replace("0.05", "0.04") if text == "edited" else text
    path.write_text(edited, encoding="utf-8")
    with pytest.raises(InputError, match=r"lock\.json"):
        lock_protocol(graph, protocol(corpus=made), tmp_path)


def test_nothing_is_locked_for_a_corpus_that_is_not_there(graph: Graph, corpus: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError):
        lock_protocol(graph, protocol(corpus=corpus), tmp_path)
    assert not (tmp_path / "lock.json").exists()


def test_results_and_runs_hang_at_the_node_and_go_with_the_corpus(
    graph: Graph, made: str, tmp_path: Path
) -> None:
    lock_protocol(graph, protocol(corpus=made), tmp_path)
    for name in ("first/top-k", "first/mmr", "mine/1"):
        change(
            graph,
            "CREATE (:Run {id: $id, corpus: $corpus, name: $name})",
            id=run_id(made, name),
            corpus=made,
            name=name,
        )
    compared = """
        MATCH (s:Standard {corpus: $corpus})
        RETURN [s.results, COLLECT { MATCH (s)-[:COMPARES]->(r) RETURN r.name ORDER BY r.name }]
    """
    record_results(graph, protocol(corpus=made), '{"a": 1}', ["first/top-k", "first/mmr"])
    assert value(graph, compared, corpus=made) == ['{"a": 1}', ["first/mmr", "first/top-k"]]
    record_results(graph, protocol(corpus=made), "{}", ["first/top-k", "mine/1"])
    assert value(graph, compared, corpus=made) == ["{}", ["first/top-k", "mine/1"]]
    record_results(graph, protocol(corpus=made), "{}", [])
    assert value(graph, compared, corpus=made) == ["{}", []]
    drop_corpus(graph, made)
    assert value(graph, COUNT, corpus=made) == 0


def test_when_it_was_locked_is_no_part_of_what_a_corpus_is(graph: Graph, made: str, tmp_path: Path) -> None:
    lock_protocol(graph, protocol(corpus=made), tmp_path)
    before = fingerprint(graph, made)
    change(graph, "MATCH (s:Standard {corpus: $corpus}) SET s.locked_at = datetime()", corpus=made)
    assert fingerprint(graph, made) == before
    change(graph, "MATCH (s:Standard {corpus: $corpus}) SET s.hash = 'other'", corpus=made)
    assert fingerprint(graph, made) != before
