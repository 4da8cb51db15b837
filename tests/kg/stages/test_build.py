"""The graph of the small world: offsets, order, vectors, and what resolution leaves on each entity."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from kg.corpus import fingerprint
from kg.extract.protocol import ExtractionInput
from kg.model import Extraction
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.stages.resolution import clear_resolution, resolve_entities
from kg.stages.vectors import SEARCHED, embed_for_search
from kg.store.graph import Graph, vector_of
from tests.examples import examples
from tests.graph_reading import change, read, value
from tests.small_world import OPTIONS, ingest, tools

FACTS = """
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o)
RETURN s.name AS start, r.predicate AS predicate, o.name AS end, r.subject AS subject, r.object AS object,
       r.stated AS stated, r.in_paths AS in_paths, r.article AS article
"""


def test_chunks_are_the_articles_own_text_in_order(graph: Graph, built: str) -> None:
    rows = read(
        graph,
        """
        MATCH (a:Article {corpus: $corpus})
        RETURN a.body AS body, a.chunked AS chunked,
               COLLECT { MATCH (a)-[h:HAS_CHUNK]->(c) RETURN c ORDER BY h.position } AS chunks,
               COLLECT { MATCH (a)-->(x:Chunk)-[:NEXT]->(y:Chunk) RETURN [x.id, y.id] } AS following
        """,
        corpus=built,
    )
    assert len(rows) == 8
    assert max(row["chunked"] for row in rows) > 1
    for row in rows:
        chunks = row["chunks"]
        assert len(chunks) == row["chunked"]
        assert all(row["body"][c["start"] : c["end"]] == c["text"] for c in chunks)
        assert [c["position"] for c in chunks] == list(range(len(chunks)))
        assert sorted(row["following"]) == sorted([x["id"], y["id"]] for x, y in pairwise(chunks))


def test_claims_hang_on_every_chunk_that_holds_their_sentence(graph: Graph, built: str) -> None:
    rows = read(
        graph,
        """
        MATCH (a:Article {corpus: $corpus})
        MATCH (l:Claim {article: a.id})
        RETURN a.body AS body, l AS claim, COLLECT { MATCH (k)-[:HAS_CLAIM]->(l) RETURN k.text } AS texts,
               COLLECT { MATCH (a)-[:HAS_CHUNK]->(k) RETURN k.text } AS all
        """,
        corpus=built,
    )
    assert len(rows) > 20
    for row in rows:
        sentence = row["claim"]["sentence"]
        assert row["body"][row["claim"]["start"] : row["claim"]["end"]] == sentence
        assert sorted(row["texts"]) == sorted(text for text in row["all"] if sentence in text)
        assert row["texts"]


@examples("found")
def test_all_that_is_searched_has_the_vector_of_its_text(graph: Graph, built: str, found: str) -> None:
    embed_for_search(graph, built, tuple(SEARCHED), tools().embedder, Silent())
    rows = read(graph, found, corpus=built)
    assert len(rows) > 10
    expected = tools().embedder.embed([row["text"] for row in rows])
    assert np.array_equal(np.stack([vector_of(row["vector"]) for row in rows]), expected)


def test_facts_hang_on_merged_entities_and_keep_the_words_of_their_article(graph: Graph, built: str) -> None:
    rows = read(graph, FACTS, corpus=built)
    (built_by,) = [row for row in rows if row["end"] == "Otto Pelham"]
    assert (built_by["start"], built_by["subject"]) == ("Norholm Health Board", "NHB")
    twice = [row for row in rows if (row["start"], row["end"]) == ("Halden Shipping", "Greta Lindqvist")]
    assert len({row["article"] for row in twice}) == len(twice) == 2
    aliases = value(
        graph,
        "MATCH (e:Entity {corpus: $corpus, name: 'Norholm Health Board'}) RETURN e.aliases",
        corpus=built,
    )
    assert "NHB" in aliases
    assert value(graph, "MATCH (e:Entity {corpus: $corpus, name: 'NHB'}) RETURN count(e)", corpus=built) == 0


def test_what_is_denied_is_neither_stated_nor_in_paths(graph: Graph, built: str) -> None:
    rows = read(graph, FACTS, corpus=built)
    (denied,) = [row for row in rows if (row["start"], row["end"]) == ("Anton Brask", "Halden Shipping")]
    assert (denied["stated"], denied["in_paths"]) == (False, False)
    (stated,) = [row for row in rows if row["start"] == "Ostby Rovers"]
    assert (stated["stated"], stated["in_paths"]) == (True, True)


def test_every_entity_is_held_by_something(graph: Graph, built: str) -> None:
    lone = "MATCH (e:Entity {corpus: $corpus}) WHERE NOT (e)--() RETURN count(e)"
    assert value(graph, lone, corpus=built) == 0


def test_degrees_count_facts(graph: Graph, built: str) -> None:
    counted: Counter[str] = Counter()
    for row in read(graph, FACTS, corpus=built):
        counted.update({row["start"], row["end"]})
    for row in read(
        graph, "MATCH (e:Entity {corpus: $corpus}) RETURN e.name AS name, e.degree AS n", corpus=built
    ):
        assert row["n"] == counted[row["name"]], row["name"]


def test_mirrored_facts_name_their_origin(graph: Graph, built: str) -> None:
    rows = read(
        graph,
        """
        MATCH (s:Entity {corpus: $corpus})-[m:MIRRORED]->(o)
        MATCH (x)-[r:RELATES {id: m.mirror_of}]->(y)
        RETURN s.name AS start, o.name AS end, x.name AS subject, y.name AS object, m.claim = r.claim AS same
        """,
        corpus=built,
    )
    assert {(row["start"], row["end"], row["subject"], row["object"]) for row in rows} == {
        ("Venning", "Norholm Health Board", "Orla Venning", "Norholm Health Board"),
        ("Corrin Medal", "Orla Venning", "Corrin Medal", "Venning"),
    }
    assert all(row["same"] for row in rows)


def test_resolution_can_be_cleared_and_done_again(graph: Graph, built: str) -> None:
    before = fingerprint(graph, built)
    resolve_entities(graph, built, tools().embedder, OPTIONS.build.seed, Silent())
    assert fingerprint(graph, built) == before
    clear_resolution(graph, built)
    left = "MATCH (n:Alias|Cluster {corpus: $corpus}) RETURN count(n)"
    assert value(graph, left, corpus=built) == 0
    resolve_entities(graph, built, tools().embedder, OPTIONS.build.seed, Silent())
    assert fingerprint(graph, built) == before


def test_entities_that_were_moved_away_come_back_by_resolution(graph: Graph, corpus: str) -> None:
    """A merge of an earlier version that is no longer made: names go where they belong now."""
    ingest(graph, corpus)
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    before = fingerprint(graph, corpus)
    change(
        graph,
        """
        MATCH (wrong:Entity {corpus: $corpus, name: 'Otto Pelham'})
        MATCH (x:Entity {corpus: $corpus, name: 'Anton Brask'})<-[n:NAMES]-(c)
        WITH wrong, c, n, properties(n) AS kept
        CREATE (c)-[m:NAMES]->(wrong) SET m = kept DELETE n
        """,
        corpus=corpus,
    )
    assert fingerprint(graph, corpus) != before
    resolve_entities(graph, corpus, tools().embedder, OPTIONS.build.seed, Silent())
    assert fingerprint(graph, corpus) == before


@pytest.mark.campaign
def test_another_extractor_or_embedder_reads_what_is_new_only(graph: Graph, corpus: str) -> None:
    """The stages that keep what they have do so by article."""
    ingest(graph, corpus, ["rovers", "owner"])
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    old = value(graph, "MATCH (c:Claim {corpus: $corpus}) RETURN collect(c.id)", corpus=corpus)
    read_by: list[int] = []

    class Counting:
        name = tools().extractor_name

        def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
            given = list(items)
            read_by.append(len(given))
            yield from tools().make_extractor().extract(given)

    ingest(graph, corpus, ["founder"])
    build_graph(graph, corpus, OPTIONS.build, replace(tools(), make_extractor=Counting), Silent())
    assert read_by == [1]
    new = value(graph, "MATCH (c:Claim {corpus: $corpus}) RETURN collect(c.id)", corpus=corpus)
    assert set(new) > set(old)
