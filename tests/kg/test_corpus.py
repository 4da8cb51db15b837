"""A corpus keeps its settings, stays apart from others, and goes away completely."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from neo4j import GraphDatabase

from kg.corpus import (
    MAX_NAME,
    CorpusSettings,
    check_name,
    drop_corpus,
    fingerprint,
    list_corpora,
    open_corpus,
    read_settings,
    require_corpus,
)
from kg.errors import CorpusError, SettingsError
from kg.store.graph import Graph
from tests.conftest import ServerAddress
from tests.graph_reading import change, value

SETTINGS = CorpusSettings("builtin", "builtin/minilm", 384, "128-256/50", "rules-1")
COUNT = "MATCH (n {corpus: $corpus}) RETURN count(n)"
BATCH = 1_000
"""Nodes that a drop deletes in one transaction."""


@pytest.mark.parametrize(
    "name",
    [
        "mine",
        'it\'s "quoted" `so`',
        "Ærø og Þórshöfn",
        "新聞 コーパス",
        "two words",
        "x" * MAX_NAME,
        "a}) DELETE n //",
    ],
)
def test_any_printable_name_works(graph: Graph, corpus: str, name: str) -> None:
    name = f"{corpus[:12]}{name}"[:MAX_NAME]
    try:
        open_corpus(graph, name, SETTINGS)
        change(graph, "CREATE (:Chunk {id: $corpus + 'c', corpus: $corpus})", corpus=name)
        assert require_corpus(graph, name) == SETTINGS
        (row,) = [row for row in list_corpora(graph) if row["name"] == name]
        assert row["chunks"] == 1
    finally:
        drop_corpus(graph, name)
    assert value(graph, COUNT, corpus=name) == 0


@pytest.mark.parametrize("name", ["", "   ", "x" * (MAX_NAME + 1), "two\nlines", "bell\a"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="can't be used") as caught:
        check_name(name)
    assert "printable" in caught.value.remedy


def test_opening_again_changes_nothing(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, SETTINGS)
    before = fingerprint(graph, corpus)
    assert open_corpus(graph, corpus, SETTINGS) == SETTINGS
    assert fingerprint(graph, corpus) == before


@pytest.mark.parametrize(
    ("other", "known", "given"),
    [
        (replace(SETTINGS, embedder="openai:small"), "builtin", "openai:small"),
        (replace(SETTINGS, vectors="builtin/other"), "builtin/minilm", "builtin/other"),
        (replace(SETTINGS, dimensions=512), "384", "512"),
        (replace(SETTINGS, chunking="64-128/25"), "128-256/50", "64-128/25"),
        (replace(SETTINGS, extractor="rules-2"), "rules-1", "rules-2"),
    ],
)
def test_other_settings_are_refused_with_both_values(
    graph: Graph, corpus: str, other: CorpusSettings, known: str, given: str
) -> None:
    open_corpus(graph, corpus, SETTINGS)
    with pytest.raises(CorpusError) as caught:
        open_corpus(graph, corpus, other)
    assert known in caught.value.message
    assert given in caught.value.message
    assert corpus in caught.value.message
    assert "another name" in caught.value.remedy
    assert read_settings(graph, corpus) == SETTINGS


def test_a_missing_corpus_is_answered_with_those_that_exist(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, SETTINGS)
    with pytest.raises(CorpusError, match="no corpus 'nowhere'") as caught:
        require_corpus(graph, "nowhere")
    assert repr(corpus) in caught.value.message
    assert read_settings(graph, "nowhere") is None


def test_a_drop_deletes_its_own_and_can_be_repeated(graph: Graph, corpus: str) -> None:
    other = corpus + "-other"
    for name in (corpus, other):
        open_corpus(graph, name, SETTINGS)
        change(
            graph,
            "CREATE (:Article {id: $corpus + 'a', corpus: $corpus})-[:HAS_CHUNK]->"
            "(:Chunk {id: $corpus + 'c', corpus: $corpus})",
            corpus=name,
        )
    kept = fingerprint(graph, other)
    drop_corpus(graph, corpus)
    drop_corpus(graph, corpus)
    assert value(graph, COUNT, corpus=corpus) == 0
    assert read_settings(graph, corpus) is None
    assert fingerprint(graph, other) == kept
    drop_corpus(graph, other)


def test_a_drop_goes_in_batches_and_is_repeated_after_a_kill(
    graph: Graph, server_address: ServerAddress, corpus: str
) -> None:
    open_corpus(graph, corpus, SETTINGS)
    nodes = 4 * BATCH
    change(
        graph,
        "UNWIND range(1, $n) AS i CREATE (:Claim {id: $corpus + i, corpus: $corpus})",
        corpus=corpus,
        n=nodes,
    )
    last = value(
        graph,
        "MATCH (n:Claim {corpus: $corpus}) "
        "RETURN n.id ORDER BY toInteger(split(elementId(n), ':')[2]) DESC LIMIT 1",
        corpus=corpus,
    )
    with _locked(server_address, last):
        process = subprocess.Popen(
            [
                *(sys.executable, "-c"),
                "import os, sys\n"
                "from kg.corpus import drop_corpus\n"
                "from kg.store.graph import Graph\n"
                "names = ('NEO4J_URI', 'NEO4J_USERNAME', 'NEO4J_PASSWORD', 'NEO4J_DATABASE')\n"
                "drop_corpus(Graph.connect(*(os.environ[name] for name in names)), sys.argv[1])",
                corpus,
            ],
            env=os.environ | server_address.environment(),
        )
        for _ in range(600):
            if value(graph, COUNT, corpus=corpus) <= nodes or process.poll() is not None:
                break
            time.sleep(0.05)
        process.kill()
        process.wait()
    left = value(graph, COUNT, corpus=corpus)
    assert 0 < left <= nodes
    assert left % BATCH in (0, 1)
    with pytest.raises(CorpusError, match="half deleted"):
        open_corpus(graph, corpus, SETTINGS)
    drop_corpus(graph, corpus)
    assert value(graph, COUNT, corpus=corpus) == 0
    assert read_settings(graph, corpus) is None


@contextmanager
def _locked(address: ServerAddress, node: str) -> Iterator[None]:
    """A transaction of somebody else's holds a node, so that nobody can delete it."""
    with (
        GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver,
        driver.session(database=address.database) as session,
        session.begin_transaction() as transaction,
    ):
        transaction.run("MATCH (n:Claim {id: $id}) SET n.held = true", id=node).consume()
        yield
        transaction.rollback()


def test_a_fingerprint_sees_every_change_but_times(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, SETTINGS)
    change(
        graph,
        "CREATE (a:Article {id: $corpus + 'a', corpus: $corpus, title: 'One'})-[:HAS_CHUNK {position: 0}]->"
        "(:Chunk {id: $corpus + 'c', corpus: $corpus, embedding: [0.1, 0.2]})",
        corpus=corpus,
    )
    seen = [fingerprint(graph, corpus)]
    node = "MATCH (n {id: $corpus + 'a'}) "
    change(graph, f"{node} SET n.seconds = 1.5, n.created_at = datetime()", corpus=corpus)
    assert fingerprint(graph, corpus) == seen[0]
    for difference in (
        f"{node} SET n.title = 'Two'",
        f"{node} SET n:Extra",
        "MATCH (n {id: $corpus + 'c'}) SET n.embedding = [0.1, 0.25]",
        "MATCH (:Article {id: $corpus + 'a'})-[r]->() SET r.position = 1",
        "MATCH (a {id: $corpus + 'a'}), (c {id: $corpus + 'c'}) CREATE (a)-[:HAS_CHUNK {position: 1}]->(c)",
        f"{node} DETACH DELETE n",
    ):
        change(graph, difference, corpus=corpus)
        seen.append(fingerprint(graph, corpus))
    assert len(set(seen)) == len(seen)
