"""When a snapshot is read from memory, when from its file, and when anew.

A snapshot against the graph that it was read from.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.stages.resolution_corrections import Signature, merge_entities
from kg.stages.vectors import embed_for_search
from kg.store.graph import Graph, vector_of
from services.rag.graph_search.cache import (
    FOLDER,
    SUFFIX,
    SnapshotCache,
    SnapshotIndex,
    read_snapshot,
    write_snapshot,
)
from services.rag.graph_search.load import load_snapshot, plain_spelling
from services.rag.graph_search.snapshot import (
    ROWS_AT_ONCE,
    TEXTS_A_BLOCK,
    Snapshot,
    Texts,
    quantize,
    text_blocks,
)
from tests.graph_reading import change, read
from tests.kg_command import run_kg
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot
from tests.services.rag.retrieval.valley_press import build_press
from tests.small_world import OPTIONS, ingest, tools


class Told(Silent):
    """Counts how often the graph was read."""

    def __init__(self) -> None:
        self.reads = 0

    def begin(self, task: str, total: int | None = None) -> None:
        self.reads += task == "snapshot of the graph"


def build(graph: Graph, corpus: str) -> None:
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")


@pytest.fixture
def built(graph: Graph, corpus: str) -> Iterator[str]:
    ingest(graph, corpus, ["board", "history"])
    build(graph, corpus)
    yield corpus


def files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / FOLDER).rglob("*") if path.is_file())


def test_what_did_not_change_is_read_once(graph: Graph, built: str, tmp_path: Path) -> None:
    told = Told()
    cache = SnapshotCache(graph, built, tmp_path, told)
    first = cache.current()
    assert cache.current() is first
    build(graph, built)
    assert cache.current() is first
    again = SnapshotCache(graph, built, tmp_path, told).current()
    assert told.reads == 1
    assert same(again, first)
    assert SnapshotCache(graph, built, None, told).current().version == first.version
    assert told.reads == 2


def test_a_new_article_is_in_the_next_snapshot(graph: Graph, built: str, tmp_path: Path) -> None:
    cache = SnapshotCache(graph, built, tmp_path)
    prepared = SnapshotIndex(cache, lambda snapshot: set(snapshot.chunks.titles))
    assert prepared.current()[1] == {"Board", "History"}
    before = files(tmp_path)
    ingest(graph, built, ["prize"])
    assert prepared.current()[1] == {"Board", "History"}
    build(graph, built)
    snapshot, titles = prepared.current()
    assert titles == {"Board", "History", "Prize"}
    assert same(snapshot, load_snapshot(graph, built))
    after = files(tmp_path)
    assert len(after) == len(before) == 1
    assert not set(after) & set(before)


def test_vectors_of_entities_and_facts_are_in_the_snapshot_that_is_read_after_they_came(
    graph: Graph, built: str, tmp_path: Path
) -> None:
    cache, embedder = SnapshotCache(graph, built, tmp_path), tools().embedder
    complete = partial(embed_for_search, graph, built, ["facts"], embedder, Silent())
    before = cache.current()
    assert (len(before.entities.vectors), len(before.facts.vectors)) == (0, 0)
    assert len(before.claims.vectors) == len(before.claims.ids) > 0
    after, count = SnapshotIndex(cache, lambda snapshot: len(snapshot.facts.vectors), complete).current()
    assert count == len(before.facts.ids) > 0 == len(after.entities.vectors)
    assert after.version != before.version
    assert same(SnapshotCache(graph, built, tmp_path).current(), after)
    assert len(files(tmp_path)) == 1


def test_a_correction_is_in_the_next_snapshot(graph: Graph, built: str, tmp_path: Path) -> None:
    cache = SnapshotCache(graph, built, tmp_path)
    before = cache.current()
    assert before.entities.spellings["otto pelham"] != before.entities.spellings["anton brask"]
    signature = Signature("test", datetime.now(UTC))
    merge_entities(graph, built, "Otto Pelham", "Anton Brask", signature)
    assert cache.current() is before
    build(graph, built)
    after = cache.current()
    assert after.entities.spellings["otto pelham"] == after.entities.spellings["anton brask"]
    assert len(after.entities.ids) == len(before.entities.ids) - 1


@pytest.mark.campaign
def test_another_corpus_has_its_own_file(graph: Graph, built: str, press_corpus: str, tmp_path: Path) -> None:
    one, other = (SnapshotCache(graph, name, tmp_path).current() for name in (built, press_corpus))
    assert one.corpus == built
    assert other.corpus == press_corpus
    assert len({path.parent for path in files(tmp_path)}) == 2
    assert same(SnapshotCache(graph, built, tmp_path).current(), one)


@pytest.mark.usefixtures("kg_environment")
def test_dropping_a_corpus_deletes_its_files_and_no_others(
    graph: Graph,
    built: str,
    press_corpus: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOPGRADE_CACHE", str(tmp_path))
    SnapshotCache(graph, press_corpus, tmp_path).current()
    others = files(tmp_path)
    SnapshotCache(graph, built, tmp_path).current()
    assert len(files(tmp_path)) > len(others)
    assert run_kg(capsys, monkeypatch, "corpus", "drop", built, "--yes").code == 0
    assert files(tmp_path) == others


@pytest.mark.campaign
@pytest.mark.parametrize("harm", ["cut", "text", "gone", "other version"])
def test_a_file_that_is_not_whole_is_read_anew(graph: Graph, built: str, tmp_path: Path, harm: str) -> None:
    told = Told()
    first = SnapshotCache(graph, built, tmp_path, told).current()
    (path,) = files(tmp_path)
    # A file of its own each time: what is mapped into memory must not be written over.
    whole = path.read_bytes()
    path.unlink()
    if harm == "cut":
        path.write_bytes(whole[:-200])
    elif harm == "text":
        path.write_text("no archive", encoding="utf-8")
    elif harm == "other version":
        write_snapshot(path, made_snapshot([Page("A", {"a": 1})]))
    assert same(SnapshotCache(graph, built, tmp_path, told).current(), first)
    assert told.reads == 2
    assert same(SnapshotCache(graph, built, tmp_path, told).current(), first)
    assert told.reads == 2


def test_without_a_place_for_files_it_works(graph: Graph, built: str, tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file, where a folder should be", encoding="utf-8")
    cache = SnapshotCache(graph, built, tmp_path)
    assert cache.current() is cache.current()


def test_threads_that_ask_at_once_get_one_snapshot(graph: Graph, built: str) -> None:
    told = Told()
    cache = SnapshotCache(graph, built, None, told)
    prepared = SnapshotIndex(cache, lambda snapshot: object())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: prepared.current(), range(8)))
    assert told.reads == 1
    assert all(one == found[0] for one in found)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    snapshot = made_snapshot(
        [
            Page(
                "Ein Öl\n",
                {"Ana": 2, "日本": 1},
                [("Ana", "saw", "日本")],
                source="s",
                published="2024-01-01",
            ),
            Page("", {"Ana": 1}, [("Ana", "saw", "日本"), ("日本", "is", "Ana")]),
        ],
        aliases={"Ana": ["the\u2028one", "日本"]},
    )
    path = tmp_path / "deep" / f"file{SUFFIX}"
    write_snapshot(path, snapshot)
    found = read_snapshot(path)
    assert found is not None
    assert same(found, snapshot)
    assert sorted(one.name for one in path.parent.iterdir()) == ["file.npy"]


def test_an_empty_snapshot_has_a_file_as_well(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "file.npy", made_snapshot([]))
    found = read_snapshot(tmp_path / "file.npy")
    assert found is not None
    assert same(found, made_snapshot([]))
    assert read_snapshot(tmp_path / "none.npy") is None


@pytest.mark.parametrize("held", [b"", b"Hopgrade snapshot", b"Hopgrade snapshot" + 200 * b"\xff"])
def test_bytes_of_another_format_are_no_snapshot(tmp_path: Path, held: bytes) -> None:
    np.save(tmp_path / "file.npy", np.frombuffer(held, np.uint8))
    assert read_snapshot(tmp_path / "file.npy") is None


def test_a_file_that_is_cut_anywhere_is_no_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "file.npy"
    write_snapshot(path, made_snapshot([Page("A", {"a": 1}, [("a", "is", "b")])]))
    whole = path.read_bytes()
    for size in range(0, len(whole), 97):
        cut = tmp_path / "cut.npy"
        cut.unlink(missing_ok=True)
        cut.write_bytes(whole[:size])
        assert read_snapshot(cut) is None
    assert read_snapshot(path) is not None


def test_texts_of_many_blocks_are_found_by_place_and_in_their_order() -> None:
    words = [f"text {at} \u2028 ö\n" * (at % 3) for at in range(3 * TEXTS_A_BLOCK + 5)]
    blocks = list(text_blocks(words))
    ends = np.cumsum([0, *map(len, blocks)], dtype=np.int64)
    texts = Texts(np.frombuffer(b"".join(blocks), np.uint8), ends, len(words))
    assert list(texts) == words
    assert [texts[at] for at in range(-1, len(words))] == [words[-1], *words]
    assert texts[TEXTS_A_BLOCK - 1 : TEXTS_A_BLOCK + 2] == tuple(words[TEXTS_A_BLOCK - 1 : TEXTS_A_BLOCK + 2])
    with pytest.raises(IndexError):
        texts[len(words)]


def test_packed_vectors_give_nearly_the_same_products() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(ROWS_AT_ONCE + 3, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[1] = 0
    found = quantize(vectors)
    assert np.abs(found[:] - vectors).max() <= np.abs(vectors).max() / 254 + 1e-7
    assert np.abs(found @ vectors[5] - vectors @ vectors[5]).max() < 0.003
    assert np.array_equal(found[np.array([4, 1])], found[:][[4, 1]])
    assert (quantize(np.zeros((0, 4), np.float32)) @ np.ones(4, np.float32)).shape == (0,)


def same(one: Snapshot, other: Snapshot) -> bool:
    """Whether two snapshots hold the same."""
    texts = [
        (
            made.corpus,
            made.version,
            made.embedder,
            (made.chunks.ids, tuple(made.chunks.texts), made.chunks.titles, made.chunks.articles),
            (made.chunks.sources, made.chunks.categories, made.chunks.authors, made.chunks.published),
            (tuple(made.entities.ids), tuple(made.entities.names), tuple(made.entities.types)),
            list(made.entities.spellings.pairs()),
            (tuple(made.facts.ids), tuple(made.facts.predicates)),
            (tuple(made.claims.ids), tuple(made.claims.texts)),
        )
        for made in (one, other)
    ]
    arrays = [
        (
            made.chunks.vectors,
            quantize(made.entities.vectors)[:],
            quantize(made.facts.vectors)[:],
            quantize(made.claims.vectors)[:],
            made.facts.subjects,
            made.facts.objects,
            made.naming.toarray(),
            made.facts.chunks.toarray(),
            made.claims.chunks.toarray(),
        )
        for made in (one, other)
    ]
    return texts[0] == texts[1] and all(
        first.dtype == second.dtype and np.array_equal(first, second)
        for first, second in zip(*arrays, strict=True)
    )


@pytest.fixture(scope="module")
def press(graph: Graph, press_corpus: str) -> Snapshot:
    return load_snapshot(graph, press_corpus)


def test_chunks_have_their_articles_columns_and_vectors(
    graph: Graph, press_corpus: str, press: Snapshot
) -> None:
    rows = read(
        graph,
        "MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(c) "
        "RETURN c.id AS id, c.text AS text, a.title AS title, a.id AS article, a.source AS source, "
        "a.category AS category, a.author AS author, coalesce(toString(date(a.published_at)), '') AS date, "
        "c.embedding AS vector ORDER BY id",
        corpus=press_corpus,
    )
    chunks = press.chunks
    columns = [chunks.ids, chunks.texts, chunks.titles, chunks.articles, chunks.sources]
    columns += [chunks.categories, chunks.authors, chunks.published]
    names = ("id", "text", "title", "article", "source", "category", "author", "date")
    for name, column in zip(names, columns, strict=True):
        assert [row[name] for row in rows] == list(column)
    assert chunks.vectors.dtype == np.float32
    assert np.array_equal(chunks.vectors, np.stack([vector_of(row["vector"]) for row in rows]))


def test_facts_have_their_ends_their_claim_and_its_chunks(
    graph: Graph, press_corpus: str, press: Snapshot
) -> None:
    rows = read(
        graph,
        "MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o) MATCH (k:Claim {id: r.claim}) "
        "RETURN r.id AS id, s.id AS s, r.predicate AS p, o.id AS o, r.embedding AS vector, "
        "COLLECT { MATCH (c:Chunk)-[:HAS_CLAIM]->(k) RETURN c.id ORDER BY c.id } AS chunks ORDER BY id",
        corpus=press_corpus,
    )
    facts, ids = press.facts, press.entities.ids
    assert [
        (facts.ids[at], ids[facts.subjects[at]], facts.predicates[at], ids[facts.objects[at]])
        for at in range(len(facts.ids))
    ] == [(row["id"], row["s"], row["p"], row["o"]) for row in rows]
    stated = [[press.chunks.ids[at] for at in facts.chunks[[fact]].indices] for fact in range(len(rows))]
    assert stated == [row["chunks"] for row in rows]
    vectors = np.stack([vector_of(row["vector"]) for row in rows])
    assert np.abs(facts.vectors[:] - vectors).max() <= 1 / 254


def test_every_name_leads_to_its_entity(graph: Graph, press_corpus: str, press: Snapshot) -> None:
    rows = read(
        graph,
        "MATCH (c:Chunk {corpus: $corpus})-[n:NAMES]->(e) "
        "RETURN c.id AS chunk, e.id AS entity, n.surface AS surface, n.name AS name, n.count AS count",
        corpus=press_corpus,
    )
    index = {found: at for at, found in enumerate(press.entities.ids)}
    for row in rows:
        for name in (row["surface"], row["name"], press.entities.names[index[row["entity"]]]):
            assert index[row["entity"]] in press.entities.spellings[plain_spelling(name)]
    assert press.naming.sum() == sum(row["count"] for row in rows)
    (board,) = press.entities.spellings["nhb"]
    assert press.entities.names[board] == "Norholm Health Board"
    assert len(press.entities.ids) == press.naming.shape[1] == len(press.entities.vectors)


def test_claims_have_their_chunks(graph: Graph, press_corpus: str, press: Snapshot) -> None:
    rows = read(
        graph,
        "MATCH (c:Chunk {corpus: $corpus})-[:HAS_CLAIM]->(k) RETURN count(*) AS edges, "
        "count(DISTINCT k) AS claims",
        corpus=press_corpus,
    )
    assert [{"edges": press.claims.chunks.nnz, "claims": len(press.claims.ids)}] == rows


def test_a_corpus_without_a_whole_graph_is_refused_with_the_remedy(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match=r"is not built yet\. Build it: kg corpus build"):
        load_snapshot(graph, corpus)
    ingest(graph, corpus, ["rovers"])
    with pytest.raises(NothingToDoError, match="is not built yet"):
        load_snapshot(graph, corpus)
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")
    assert load_snapshot(graph, corpus).corpus == corpus
    change(
        graph,
        "MATCH (s:Stage {corpus: $corpus, name: 'claims'}) SET s.state = 'running'",
        corpus=corpus,
    )
    with pytest.raises(NothingToDoError, match="is not whole"):
        load_snapshot(graph, corpus)


def test_a_corpus_may_hold_chunks_and_nothing_else(graph: Graph, corpus: str) -> None:
    build_press(graph, corpus)
    change(graph, "MATCH (n:Entity|Claim|Alias {corpus: $corpus}) DETACH DELETE n", corpus=corpus)
    snapshot = load_snapshot(graph, corpus)
    assert len(snapshot.chunks.ids) > 0
    assert snapshot.entities.ids == snapshot.facts.ids == snapshot.claims.ids == ()
    assert snapshot.naming.shape == (len(snapshot.chunks.ids), 0)
