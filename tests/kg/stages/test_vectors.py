"""Entities and facts get vectors when something first reads them, once, and again where the graph changed."""

import threading
from collections.abc import Sequence

import pytest

from kg.embed.choose import Embedder, Vectors
from kg.errors import CorpusError, NothingToDoError
from kg.ledger import LATER, read_ledger, record_stage
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.stages.vectors import (
    SEARCHED,
    TEXTS_A_BATCH,
    Searched,
    embed_for_search,
    embed_missing,
    list_unsearchable,
)
from kg.store.graph import Graph, Row
from kg.store.leases import answering_in, writing_to
from tests.graph_reading import change, read
from tests.small_world import ARTICLES, OPTIONS, ingest, tools

KINDS: Sequence[Searched] = ("entities", "facts")
VECTORS = (
    "MATCH (e:Entity {corpus: $corpus}) RETURN 'entities' AS kind, e.id AS id, e.embedding AS vector "
    "UNION MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() "
    "RETURN 'facts' AS kind, r.id AS id, r.embedding AS vector"
)


class CountingEmbedder:
    """The real embedder, which remembers how many texts it was given, and may wait before the first one."""

    def __init__(self, begun: threading.Event | None = None, go_on: threading.Event | None = None) -> None:
        self.own: Embedder = tools().embedder
        self.name, self.dimensions, self.max_tokens = self.own.name, self.own.dimensions, self.own.max_tokens
        self.texts = 0
        self._begun, self._go_on = begun, go_on

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._begun is not None and self._go_on is not None:
            self._begun.set()
            assert self._go_on.wait(600)
        self.texts += len(texts)
        return self.own.embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.own.embed_queries(texts)


class Steps(Silent):
    """The steps that a command tells."""

    def __init__(self) -> None:
        self.told = threading.Event()

    def step(self, name: str, total: int | None = None) -> None:
        if name.startswith("waiting for "):
            self.told.set()


@pytest.fixture
def built(graph: Graph, corpus: str) -> str:
    ingest(graph, corpus, [name for name in ARTICLES if name != "owner"])
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")
    return corpus


def test_a_build_leaves_them_out_and_the_first_reader_embeds_each_once(graph: Graph, built: str) -> None:
    assert all(row["vector"] is None for row in _rows(graph, built))
    assert set(list_unsearchable(graph, built, KINDS, tools().embedder)) == set(KINDS)
    embedder = CountingEmbedder()
    embed_for_search(graph, built, ["facts"], embedder, Silent())
    assert {row["kind"] for row in _rows(graph, built) if row["vector"] is not None} == {"facts"}
    embed_for_search(graph, built, KINDS, embedder, Silent())
    rows = _rows(graph, built)
    assert all(row["vector"] is not None for row in rows)
    assert 0 < embedder.texts <= len(rows)
    again = CountingEmbedder()
    embed_for_search(graph, built, KINDS, again, Silent())
    assert (again.texts, list_unsearchable(graph, built, KINDS, again)) == (0, {})


def test_after_a_change_of_the_graph_only_what_is_new_is_embedded(graph: Graph, built: str) -> None:
    embed_for_search(graph, built, KINDS, tools().embedder, Silent())
    before = {row["id"] for row in _rows(graph, built)}
    ingest(graph, built)
    build_graph(graph, built, OPTIONS.build, tools(), Silent(), until="resolution")
    new = [row for row in _rows(graph, built) if row["id"] not in before]
    record_stage(graph, built, "questions", "of this graph", {"kept": 1})
    embedder = CountingEmbedder()
    embed_for_search(graph, built, KINDS, embedder, Silent())
    assert 0 < embedder.texts <= len(new)
    # Nothing is made of these vectors, so that nothing is made anew for them.
    states = {line["name"]: line["state"] for line in read_ledger(graph, built)}
    assert set(states.values()) == {"done"}
    assert {*LATER, "questions"} <= states.keys()
    assert all(row["vector"] is not None for row in _rows(graph, built))


def test_claims_of_one_text_are_embedded_once_wherever_they_stand(
    graph: Graph, built: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = (
        "MATCH (c:Claim {corpus: $corpus}) WITH c ORDER BY c.id WITH collect(c) AS claims "
        "UNWIND range(0, size(claims) - 1) AS at WITH claims[at] AS c, at "
        "SET c.text = ['one', 'another', 'a third'][at % 3], c.embedding = null"
    )
    change(graph, statement, corpus=built)
    monkeypatch.setitem(TEXTS_A_BATCH, "claims", 4)
    embedder = CountingEmbedder()
    claims = embed_missing(graph, built, "claims", embedder, Silent())
    # A batch may end between two equal texts.
    assert claims > 12
    assert embedder.texts <= 3 + (claims - 1) // 4
    (row,) = read(
        graph, "MATCH (c:Claim {corpus: $corpus}) RETURN count(c.embedding) AS vectors", corpus=built
    )
    assert row["vectors"] == claims


def test_of_two_readers_at_once_one_embeds_and_the_other_waits(graph: Graph, built: str) -> None:
    begun, go_on, steps = threading.Event(), threading.Event(), Steps()
    first, second = CountingEmbedder(begun, go_on), CountingEmbedder()
    one = threading.Thread(target=embed_for_search, args=(graph, built, KINDS, first, Silent()))
    other = threading.Thread(target=embed_for_search, args=(graph, built, KINDS, second, steps))
    one.start()
    assert begun.wait(600)
    other.start()
    assert steps.told.wait(600)
    go_on.set()
    one.join()
    other.join()
    assert first.texts > 0 == second.texts
    assert all(row["vector"] is not None for row in _rows(graph, built))


def test_it_goes_on_within_a_run_and_within_a_hold_of_the_corpus_and_not_beside_one(
    graph: Graph, built: str
) -> None:
    with writing_to(graph, built) as mine:
        with (
            pytest.raises(CorpusError, match="another command works on"),
            answering_in(graph, built, "a run"),
        ):
            pass
        embed_for_search(mine, built, ["entities"], tools().embedder, Silent())
    with answering_in(graph, built, "a run") as mine:
        embed_for_search(mine, built, ["facts"], tools().embedder, Silent())
    assert list_unsearchable(graph, built, KINDS, tools().embedder) == {}
    assert set(SEARCHED) == set(KINDS)


def test_without_a_graph_it_says_how_one_is_built(graph: Graph, corpus: str) -> None:
    ingest(graph, corpus)
    with pytest.raises(NothingToDoError, match="not built yet"):
        embed_for_search(graph, corpus, KINDS, tools().embedder, Silent())
    embed_for_search(graph, corpus, [], tools().embedder, Silent())


def _rows(graph: Graph, corpus: str) -> list[Row]:
    return read(graph, VECTORS, corpus=corpus)
