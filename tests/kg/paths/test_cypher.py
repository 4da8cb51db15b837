"""The engine in Neo4j answers what the engine in memory answers, on random graphs in a real database."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.corpus import drop_corpus
from kg.paths.choose import Fitness, count_paths
from kg.paths.engines import CypherEngine, open_engine
from kg.paths.protocol import PathEngine, Walk, read_edge_table
from kg.paths.quality import CorpusNames
from kg.paths.sample import draw_sample
from kg.paths.sparse import SparseEngine, census_by
from kg.paths.spread import Caps, DrawRules
from kg.store.graph import Graph
from tests.graph_reading import change
from tests.kg.paths.tables import WALKS as WALKS_BY_CHANCE
from tests.kg.paths.tables import Fact, World, distances, list_paths, shortest_paths, worlds
from tests.kg.paths.test_sparse import found_distances, pairs_of
from tests.names import unique_name

SIZE, CLOSED, EDGES = 30, 4, 80
WALKS = [
    Walk(),
    Walk(mirrored=False),
    Walk(undirected=True),
    Walk(undirected=True, mirrored=False, literals_inside=True),
]

CREATE_ENTITIES = """
UNWIND $rows AS row
CREATE (e:Entity {id: $corpus + row.id, name: row.name, type: row.type, literal: row.literal})
SET e.corpus = $corpus, e.hub = CASE WHEN row.hub THEN true END
"""
CREATE_TOLD = """
UNWIND $facts AS fact
CREATE (c:Claim {id: fact.claim, article: fact.article, corpus: $corpus})
SET c.sentence = fact.sentence, c.start = fact.start
WITH fact
MATCH (s:Entity {id: fact.from}), (o:Entity {id: fact.to})
CREATE (s)-[r:RELATES {id: fact.id, in_paths: true, claim: fact.claim, article: fact.article}]->(o)
SET r.predicate = fact.predicate, r.start = fact.start
CREATE (s)-[:RELATES {id: 'out-' + fact.id, in_paths: false}]->(o)
"""
CREATE_MIRRORED = """
UNWIND $facts AS fact
CREATE (c:Claim {id: fact.claim, article: fact.article, corpus: $corpus})
SET c.sentence = fact.sentence, c.start = fact.start
WITH fact
MATCH (s:Entity {id: fact.from}), (o:Entity {id: fact.to})
CREATE (s)-[r:MIRRORED {id: fact.id, in_paths: true, claim: fact.claim, mirror_of: 'some'}]->(o)
SET r.predicate = fact.predicate
"""


def random_world(seed: int) -> World:
    """Some thirty entities, the last ones literals and hubs, with parallel, opposite and mirrored edges."""
    generator = np.random.default_rng(seed)
    facts = [
        Fact(number, start, end, number % 3, number % 20, mirrored=bool(generator.random() < 0.2))
        for number, (start, end) in enumerate(
            zip(
                generator.integers(SIZE - CLOSED, size=EDGES).tolist(),
                generator.integers(SIZE, size=EDGES).tolist(),
                strict=True,
            )
        )
        if start != end
    ]
    closed = range(SIZE - CLOSED, SIZE)
    return World(SIZE, frozenset(closed[:2]), frozenset(closed[2:]), tuple(facts))


def sentence(fact: Fact) -> str:
    """Each fact has a claim of its own; facts of one claim number repeat its sentence, line breaks apart."""
    return f"Sentence {fact.claim}{' ' if fact.number % 2 else chr(10)}says it.{' ' * (fact.number % 3)}"


def write(graph: Graph, corpus: str, world: World) -> None:
    """Put a random world into a corpus; a mirrored edge has its article and its place from its claim only."""
    change(
        graph,
        CREATE_ENTITIES,
        corpus=corpus,
        rows=[row._replace(edges=[])._asdict() for row in world.rows()],
    )
    for mirrored, create in ((False, CREATE_TOLD), (True, CREATE_MIRRORED)):
        facts = [
            {
                "from": f"{corpus}{world.entity(fact.start)}",
                "to": f"{corpus}{world.entity(fact.end)}",
                "id": f"{corpus}{fact.id}",
                "claim": f"{corpus}claim-{fact.number}",
                "article": f"{corpus}article-{fact.article}",
                "sentence": sentence(fact),
                "start": 10 * fact.number,
                "predicate": f"knows {fact.number % 3}",
            }
            for fact in world.facts
            if fact.mirrored == mirrored
        ]
        change(graph, create, corpus=corpus, facts=facts)
    categories = [
        {"id": f"{corpus}article-{i}", "category": f"category-{i % 2}", "words": f"{9 - i}"} for i in range(3)
    ]
    change(
        graph,
        "UNWIND $rows AS row CREATE (a:Article {id: row.id, corpus: $corpus}) "
        "SET a.category = row.category, a.sha256 = row.words",
        corpus=corpus,
        rows=categories,
    )


def engines(graph: Graph, corpus: str, walk: Walk) -> tuple[SparseEngine, CypherEngine]:
    return SparseEngine(read_edge_table(graph, corpus), walk), CypherEngine(graph, corpus, walk)


@pytest.mark.parametrize("seed", range(2))
def test_both_engines_say_what_networkx_says(graph: Graph, corpus: str, seed: int) -> None:
    world = random_world(seed)
    write(graph, corpus, world)
    for walk in WALKS:
        expected = {
            (corpus + start, corpus + end): hops
            for (start, end), hops in distances(world.networkx(walk), 5).items()
        }
        sparse, cypher = engines(graph, corpus, walk)
        assert list(sparse.entities) == list(cypher.entities)
        assert sparse.sources().tolist() == cypher.sources().tolist()
        for engine in (sparse, cypher):
            assert found_distances(engine) == expected, (engine.name, walk)
        counted: list[PathEngine] = [sparse, cypher]
        assert len({census_by(engine).pairs for engine in counted}) == 1


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(2))
def test_both_engines_find_the_same_webs_and_draw_the_same_sample(
    graph: Graph, corpus: str, seed: int
) -> None:
    write(graph, corpus, random_world(seed))
    fitnesses = [Fitness(), Fitness(cross_articles=True), Fitness(domain="category-0"), Fitness()]
    names = frozenset(f"{corpus}entity-{number:02}" for number in (1, 7, 20))
    for walk, fitness in zip(WALKS, fitnesses, strict=True):
        sparse, cypher = engines(graph, corpus, walk)
        pairs = pairs_of(sparse)
        assert sparse.webs(pairs) == cypher.webs(pairs)
        rules = DrawRules(seed, Caps(3, 3, 5), fitness, CorpusNames(names))
        one, other = (draw_sample(engine, 12, rules) for engine in (sparse, cypher))
        assert one.paths
        assert one == other
        assert sparse.types == tuple(cypher.types)
        assert list(sparse.count_edges()) == list(cypher.count_edges())
        leaving = sorted({arc.leaving for web in sparse.webs(pairs) for arcs in web for arc in arcs})
        assert sparse.count_ends(leaving) == cypher.count_ends(leaving)
        arriving = sorted({arc.arriving for web in sparse.webs(pairs) for arcs in web for arc in arcs})
        counts = sparse.count_ends(arriving, backwards=True)
        assert counts == cypher.count_ends(arriving, backwards=True)
        assert max(counts) > 1
        graded = replace(rules, graded=True)
        one, other = (draw_sample(engine, 12, graded) for engine in (sparse, cypher))
        assert one.paths
        assert one == other


@pytest.mark.campaign
@settings(max_examples=12)
@given(worlds(), WALKS_BY_CHANCE, st.integers(0, 3))
def test_both_engines_find_all_shortest_paths_that_networkx_finds(
    graph: Graph, world: World, walk: Walk, seed: int
) -> None:
    corpus = unique_name("test")
    steps = world.networkx(walk)
    try:
        write(graph, corpus, world)
        for engine in engines(graph, corpus, walk):
            pairs = pairs_of(engine)
            found = {
                (
                    engine.entities[pair.start].removeprefix(corpus),
                    engine.entities[pair.end].removeprefix(corpus),
                ): (
                    {tuple(arc.edge.removeprefix(corpus) for arc in path) for path in list_paths(web)},
                    count_paths(web),
                )
                for pair, web in zip(pairs, engine.webs(pairs), strict=True)
            }
            expected = {ends: shortest_paths(steps, *ends) for ends in distances(steps, 5)}
            assert found == {ends: (paths, len(paths)) for ends, paths in expected.items()}, engine.name
        rules = DrawRules(seed, Caps(2, 2, 3))
        samples = [draw_sample(engine, 4, rules) for engine in engines(graph, corpus, walk)]
        assert samples[0] == samples[1]
    finally:
        drop_corpus(graph, corpus)


def test_a_block_at_a_time_is_searched_no_farther_than_asked(graph: Graph, corpus: str) -> None:
    write(graph, corpus, random_world(3))
    sparse, cypher = engines(graph, corpus, Walk())
    for engine in (sparse, cypher):
        found = list(engine.reach(engine.sources(), 2))
        assert {reach.hops for reach in found} == {1, 2}
    assert found_distances(sparse) == found_distances(cypher)


def test_edges_are_read_with_claims_articles_and_categories(graph: Graph, corpus: str) -> None:
    world = random_world(0)
    write(graph, corpus, world)
    table = read_edge_table(graph, corpus)
    assert table.size == len(world.facts), "none that is kept out of paths"
    facts = {f"{corpus}{fact.id}": fact for fact in world.facts}
    for i, id_ in enumerate(table.ids):
        fact = facts[id_]
        assert table.entities[table.start[i]] == corpus + world.entity(fact.start)
        assert table.entities[table.end[i]] == corpus + world.entity(fact.end)
        same = [other.number for other in world.facts if other.claim == fact.claim]
        first = min(f"{corpus}claim-{number}" for number in same)
        assert table.claims[table.claim[i]] == first, "claims of one sentence are one"
        assert table.offset[i] == 10 * fact.number
        assert table.predicates[table.predicate[i]] == f"knows {fact.number % 3}"
        assert table.articles[table.article[i]] == f"{corpus}article-{fact.article}"
        assert table.categories[table.category[i]] == f"category-{fact.article % 2}"
        assert table.mirrored[i] == fact.mirrored
    assert list(table.ids) == sorted(table.ids)
    assert [table.names[i] for i in range(3)] == ["Entity 0", "Entity 1", "Entity 2"]
    assert table.literal.tolist().count(True) == table.hub.tolist().count(True) == 2


def test_the_engine_is_chosen_by_size_and_says_so(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(graph, corpus, random_world(0))
    opened = open_engine(graph, corpus, Walk())
    assert (opened.engine.name, opened.table is not None) == ("sparse", True)
    assert opened.reason.endswith("edges, no more than 5,000,000")
    monkeypatch.setattr("kg.paths.engines.MOST_EDGES_IN_MEMORY", 10)
    opened = open_engine(graph, corpus, Walk())
    assert (opened.engine.name, opened.table) == ("cypher", None)
    assert opened.reason.endswith("edges, more than 10")
    assert open_engine(graph, corpus, Walk(), "sparse").reason == "as asked for"


def test_an_empty_corpus_has_no_paths(graph: Graph, corpus: str) -> None:
    for engine in engines(graph, corpus, Walk()):
        assert len(engine.sources()) == 0
        assert found_distances(engine) == {}
