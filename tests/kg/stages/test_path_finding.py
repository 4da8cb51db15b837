"""The path search on random graphs in Neo4j, compared with distances that scipy computes."""

from collections import Counter
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from kg.corpus import CorpusSettings, fingerprint, open_corpus
from kg.errors import SettingsError
from kg.ledger import stage_key
from kg.paths.engines import EngineName
from kg.paths.path_rows import Way, write_ways
from kg.progress import Silent
from kg.queries import query
from kg.stages.path_finding import DEPTHS, PathOptions, clear_paths, find_paths, read_path_options
from kg.stages.resolution import EdgePolicy, mark_path_edges
from kg.store.graph import Graph
from tests.graph_reading import change, read, value

NODES, EDGES = 40, 100
FIRST_DATE, FIRST_CONCEPT = 32, 36
"""Entities from here on are dates, where a path may only end, and common nouns, which no path visits."""
PATHS = """
MATCH (p:Path {corpus: $corpus})
RETURN p.hops AS hops, p.alternatives AS alternatives, p.fitting AS fitting,
       p.crosses_articles AS crosses_articles,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.id ORDER BY v.index } AS stops,
       COLLECT { MATCH (p)-[h:HOP]->(c) RETURN [h.from, h.to, h.edge, c.id] ORDER BY h.index } AS hops_along
"""


@dataclass(frozen=True, slots=True)
class RandomGraph:
    """Which edges a path may take, with how many facts say each: usable[i, j] of entity i and entity j."""

    corpus: str
    usable: NDArray[np.int64]

    def entity(self, number: int) -> str:
        return f"{self.corpus}-{number:03}"

    def distances(self) -> NDArray[np.float64]:
        """Hops between all entities; infinite where there is no way."""
        found: NDArray[np.float64] = shortest_path(csr_matrix(self.usable > 0), unweighted=True)
        return found

    def shortest_ways(self, start: int, end: int, hops: int) -> int:
        """How many shortest paths there are, facts that say the same counted apart."""
        ways: int = np.linalg.matrix_power(self.usable, hops)[start, end]
        return ways


def write_random_graph(graph: Graph, corpus: str, seed: int) -> RandomGraph:
    """A sparse directed graph with double facts, loops, dead ends, and facts that are not stated plainly."""
    generator = np.random.default_rng(seed)
    made = RandomGraph(corpus, np.zeros((NODES, NODES), np.int64))
    graph.write_rows(
        query("entities/write_entities"),
        (
            {
                "id": made.entity(i),
                "name": f"Entity {i}",
                "type": "PERSON" if i < FIRST_DATE else "DATE" if i < FIRST_CONCEPT else "CONCEPT",
                "named": i < FIRST_DATE,
                "literal": FIRST_DATE <= i < FIRST_CONCEPT,
            }
            for i in range(NODES)
        ),
        corpus=corpus,
    )
    claims, triples = [], []
    for number, (start, end) in enumerate(generator.integers(NODES, size=(EDGES, 2)).tolist()):
        fault = str(generator.choice(["", "denied", "reported", "doubtful", "opinion"], p=[0.8] + [0.05] * 4))
        claim = f"{corpus}-claim-{number}"
        factual = 0.1 if fault == "opinion" else 0.9
        claims.append(
            {"claim": {"id": claim, "article": f"article-{number % 5}", "factual": factual}, "chunks": []}
        )
        triple = {
            "id": f"{corpus}-triple-{number}",
            "claim": claim,
            "article": f"article-{number % 5}",
            "subject": f"Entity {start}",
            "predicate": "knows",
            "object": f"Entity {end}",
            "negated": fault == "denied",
            "attributed_to": "a neighbour" if fault == "reported" else "",
            "confidence": 0.3 if fault == "doubtful" else 0.9,
        }
        triples.append({"from": made.entity(start), "to": made.entity(end), "triple": triple})
        if not fault and start != end and start < FIRST_DATE and end < FIRST_CONCEPT:
            made.usable[start, end] += 1
    graph.write_rows(query("claims/write_claims"), claims, corpus=corpus)
    graph.write_rows(query("facts/write_triples"), triples, corpus=corpus)
    mark_path_edges(graph, corpus, EdgePolicy(hubs=None))
    return made


@pytest.mark.parametrize(("seed", "engine"), [(0, "sparse"), (1, "sparse"), (2, "cypher"), (3, "auto")])
def test_all_pairs_at_two_to_five_hops_are_found_by_a_shortest_path(
    graph: Graph, corpus: str, seed: int, engine: EngineName
) -> None:
    made = write_random_graph(graph, corpus, seed)
    distances = made.distances()
    counts = find_paths(graph, corpus, PathOptions(NODES * NODES, seed, engine=engine), Silent())
    expected = {
        (made.entity(start), made.entity(end)): int(distances[start, end])
        for start in range(NODES)
        for end in range(NODES)
        if distances[start, end] in DEPTHS
    }
    rows = read(graph, PATHS, corpus=corpus)
    found = {(row["stops"][0], row["stops"][-1]): row["hops"] for row in rows}
    assert found == expected
    assert len(rows) == len(expected), "one path a pair"
    assert set(DEPTHS) <= set(expected.values()), "a graph that tests all depths"
    by_depth = Counter(expected.values())
    assert {depth: counts[f"pairs_{depth}_hops"] for depth in DEPTHS} == by_depth
    number = {made.entity(i): i for i in range(NODES)}
    for row in rows:
        stops = [number[stop] for stop in row["stops"]]
        assert len(set(stops)) == len(stops) == row["hops"] + 1, "no entity twice"
        for (start, end, edge, claim), one, other in zip(row["hops_along"], stops, stops[1:], strict=False):
            assert (number[start], number[end]) == (one, other)
            assert made.usable[one, other]
            assert edge.removeprefix(f"{corpus}-triple-") == claim.removeprefix(f"{corpus}-claim-")
        ways = made.shortest_ways(stops[0], stops[-1], row["hops"])
        assert row["alternatives"] == row["fitting"] == ways


def test_a_smaller_draw_is_a_part_of_the_larger_one(graph: Graph, corpus: str) -> None:
    write_random_graph(graph, corpus, 1)
    stops: dict[int, set[tuple[str, ...]]] = {}
    for per_depth in (20, 5):
        find_paths(graph, corpus, PathOptions(per_depth, seed=3), Silent())
        rows = read(graph, PATHS, corpus=corpus)
        assert max(Counter(row["hops"] for row in rows).values()) == per_depth
        stops[per_depth] = {tuple(row["stops"]) for row in rows}
        clear_paths(graph, corpus)
        assert value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=corpus) == 0
    assert stops[5] < stops[20]


def test_another_seed_draws_other_pairs(graph: Graph, corpus: str) -> None:
    write_random_graph(graph, corpus, 1)
    found = []
    for seed in (1, 1, 2):
        find_paths(graph, corpus, PathOptions(5, seed), Silent())
        found.append({tuple(row["stops"]) for row in read(graph, PATHS, corpus=corpus)})
        clear_paths(graph, corpus)
    assert found[0] == found[1] != found[2]


def test_a_graph_without_paths_gives_none(graph: Graph, corpus: str) -> None:
    counts = find_paths(graph, corpus, PathOptions(), Silent())
    assert {counts[f"pairs_{depth}_hops"] for depth in DEPTHS} == {0}
    assert (counts["starts"], counts["crossing"]) == (0, 0)


@pytest.mark.campaign
def test_every_engine_writes_the_same_graph(graph: Graph, corpus: str) -> None:
    write_random_graph(graph, corpus, 2)
    found = []
    engines: tuple[EngineName, ...] = ("sparse", "cypher")
    for engine in engines:
        clear_paths(graph, corpus)
        options = PathOptions(8, 5, per_middle=3, cross_articles=True, undirected=True, engine=engine)
        counts = find_paths(graph, corpus, options, Silent())
        assert counts.pop("engine") == engine
        found.append((counts, fingerprint(graph, corpus)))
    assert found[0] == found[1]


def test_caps_and_wishes_are_kept_and_what_was_passed_over_is_counted(graph: Graph, corpus: str) -> None:
    write_random_graph(graph, corpus, 1)
    options = PathOptions(400, 0, per_start=2, cross_articles=True)
    counts = find_paths(graph, corpus, options, Silent())
    rows = read(graph, PATHS, corpus=corpus)
    assert rows
    for row in rows:
        assert row["crosses_articles"]
        assert 1 <= row["fitting"] <= row["alternatives"]
    starts = Counter((row["hops"], row["stops"][0]) for row in rows)
    assert max(starts.values()) == 2
    for depth in DEPTHS:
        passed_over = [int(counts.get(f"{what}_{depth}_hops", 0)) for what in ("over_caps", "not_fitting")]
        assert int(counts.get(f"paths_{depth}_hops", 0)) + sum(passed_over) == counts[f"pairs_{depth}_hops"]


@pytest.mark.campaign
@pytest.mark.parametrize("engine", ["sparse", "cypher"])
def test_paths_lie_in_their_domain(graph: Graph, corpus: str, engine: EngineName) -> None:
    """Articles 0, 2 and 4 are of one category, the others of another."""
    write_random_graph(graph, corpus, 1)
    change(
        graph,
        "UNWIND range(0, 4) AS i "
        "CREATE (:Article {id: 'article-' + i, corpus: $corpus, category: ['news', 'sport'][i % 2]})",
        corpus=corpus,
    )
    ways = (
        "MATCH (p:Path {corpus: $corpus})-[h:HOP]->(c:Claim) "
        "RETURN p.id AS id, collect(c.article) AS articles"
    )
    every = PathOptions(NODES * NODES, engine=engine)
    find_paths(graph, corpus, replace(every, domain="news"), Silent())
    rows = read(graph, ways, corpus=corpus)
    assert rows
    for row in rows:
        assert set(row["articles"]) <= {"article-0", "article-2", "article-4"}


SMALL_WORLD = """
UNWIND $entities AS name
CREATE (:Entity {id: $corpus + name, corpus: $corpus, name: name, type: 'ORG', named: true, literal: false})
WITH count(*) AS entities
UNWIND $facts AS fact
MERGE (c:Claim {id: $corpus + fact[3]})
SET c.corpus = $corpus, c.sentence = fact[4], c.start = 0, c.article = 'article'
WITH c, fact
MATCH (s:Entity {id: $corpus + fact[0]}), (o:Entity {id: $corpus + fact[2]})
CREATE (s)-[:RELATES {
  id: $corpus + fact[0] + fact[2] + fact[3], corpus: $corpus, claim: c.id, article: 'article', start: 0,
  subject: fact[0], predicate: fact[1], object: fact[2], in_paths: true
}]->(o)
"""
Told = tuple[str, str, str, str, str]
"""Subject, predicate, object, claim and its sentence."""


def drawn_facts(graph: Graph, corpus: str, facts: list[Told], engine: EngineName) -> set[tuple[str, ...]]:
    """The claims of the paths that are drawn from these facts."""
    entities = sorted({name for fact in facts for name in (fact[0], fact[2])})
    change(graph, SMALL_WORLD, corpus=corpus, entities=entities, facts=[list(fact) for fact in facts])
    find_paths(graph, corpus, PathOptions(9, engine=engine), Silent())
    rows = read(graph, PATHS, corpus=corpus)
    return {tuple(hop[3].removeprefix(corpus) for hop in row["hops_along"]) for row in rows}


@pytest.mark.parametrize("engine", ["sparse", "cypher"])
def test_no_path_states_two_hops_by_one_sentence(graph: Graph, corpus: str, engine: EngineName) -> None:
    """One claim tells both facts, and so does a second article with the same sentence, broken elsewhere."""
    sentence = "Patrols arrested the head of Norvik's Tide Guard."
    facts = [
        ("Patrol", "arrested", "Head", "c1", sentence),
        ("Head", "led", "Tide Guard", "c1", sentence),
        ("Head", "led", "Tide Guard", "c2", "Patrols arrested the head\nof NORVIK's Tide Guard. "),
        ("Tide Guard", "is of", "Norvik", "c3", "The Tide Guard is Norvik's."),
    ]
    assert drawn_facts(graph, corpus, facts, engine) in ({("c1", "c3")}, {("c2", "c3")})


@pytest.mark.parametrize("engine", ["sparse", "cypher"])
def test_another_sentence_mends_a_path(graph: Graph, corpus: str, engine: EngineName) -> None:
    facts = [
        ("Patrol", "arrested", "Head", "c1", "Patrols arrested the head of the Tide Guard."),
        ("Head", "led", "Tide Guard", "c1", "Patrols arrested the head of the Tide Guard."),
        ("Head", "led", "Tide Guard", "c2", "He led the Tide Guard."),
    ]
    assert drawn_facts(graph, corpus, facts, engine) == {("c1", "c2")}


@pytest.mark.parametrize("engine", ["sparse", "cypher"])
def test_no_path_goes_through_a_name_that_only_context_knows(
    graph: Graph, corpus: str, engine: EngineName
) -> None:
    facts = [
        ("Ana", "is a daughter of", "Tolland", "c1", "Ana is a daughter of Tolland."),
        ("Tolland", "joined", "Rovers", "c2", "Tolland joined Rovers."),
        ("Rovers", "plays in", "Halden", "c3", "Rovers plays in Halden."),
        ("Mira Tolland", "joined", "Rovers", "c4", "Mira Tolland joined Rovers."),
    ]
    names = ["Ana", "Tolland", "Rovers", "Halden", "Mira Tolland"]
    change(graph, SMALL_WORLD, corpus=corpus, entities=names, facts=[list(fact) for fact in facts])
    change(
        graph,
        "MATCH (a:Entity {id: $corpus + 'Tolland'}), (b:Entity {id: $corpus + 'Mira Tolland'}) "
        "CREATE (a)-[:CONTEXT_EQUIVALENT {cluster: 'one'}]->(b)",
        corpus=corpus,
    )
    counts = find_paths(graph, corpus, PathOptions(9, engine=engine), Silent())
    rows = read(graph, PATHS, corpus=corpus)
    assert {tuple(stop.removeprefix(corpus) for stop in row["stops"]) for row in rows} == {
        ("Mira Tolland", "Rovers", "Halden")
    }
    assert (counts["context_starts"], counts["starts"]) == (1, 3)
    assert (counts["by_context_2_hops"], counts["by_context_3_hops"]) == (1, 1)


def test_paths_are_listed_in_the_order_of_the_draw(graph: Graph, corpus: str) -> None:
    """So a beginning of the list is as well spread as the whole."""
    write_random_graph(graph, corpus, 1)
    orders = []
    for per_depth in (20, 5):
        find_paths(graph, corpus, PathOptions(per_depth, seed=3), Silent())
        rows = graph.rows(query("paths/list_paths"), corpus=corpus, first=True)
        orders.append([[row["id"] for row in rows if row["hops"] == depth] for depth in DEPTHS])
        clear_paths(graph, corpus)
    assert [ids[:5] for ids in orders[0]] == orders[1]


def test_what_is_used_most_is_counted(graph: Graph, corpus: str) -> None:
    write_random_graph(graph, corpus, 1)
    find_paths(graph, corpus, PathOptions(12), Silent())
    drawn = read(graph, PATHS, corpus=corpus)
    found = {
        (row["hops"], row["place"]): row for row in graph.rows(query("paths/count_most_used"), corpus=corpus)
    }
    assert len(found) == len(DEPTHS) * 4
    for depth in DEPTHS:
        paths = [row for row in drawn if row["hops"] == depth]
        uses = {
            "start": Counter(row["stops"][0] for row in paths),
            "middle": Counter(stop for row in paths for stop in row["stops"][1:-1]),
            "end": Counter(row["stops"][-1] for row in paths),
            "fact": Counter(hop[2] for row in paths for hop in row["hops_along"]),
        }
        for place, used in uses.items():
            row = found[depth, place]
            assert (row["paths"], row["used"], row["different"]) == (
                len(paths),
                max(used.values()),
                len(used),
            )


def test_paths_walked_backwards_say_so(graph: Graph, corpus: str) -> None:
    made = write_random_graph(graph, corpus, 1)
    number = {made.entity(i): i for i in range(NODES)}
    find_paths(graph, corpus, PathOptions(30, undirected=True), Silent())
    hops = read(
        graph,
        "MATCH (:Path {corpus: $corpus})-[h:HOP]->() "
        "RETURN h.from AS from, h.to AS to, h.reversed AS reversed",
        corpus=corpus,
    )
    assert {hop["reversed"] for hop in hops} == {True, False}
    for hop in hops:
        ends = number[hop["from"]], number[hop["to"]]
        assert made.usable[ends[::-1] if hop["reversed"] else ends]
        assert ends[0] < FIRST_DATE, "no step leaves a date"


OTHER = PathOptions(7, 3, 1, 2, 3, True, "Sports", True, False, True)


def test_a_corpus_remembers_how_it_was_drawn(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin/x", 8, "64-128/32", "rules"))
    assert read_path_options(graph, corpus) == PathOptions()
    change(graph, "CREATE (:Article {id: $corpus, corpus: $corpus, category: 'Sports'})", corpus=corpus)
    for options in (OTHER, PathOptions()):
        find_paths(graph, corpus, options, Silent())
        assert read_path_options(graph, corpus) == options


def test_what_decides_the_draw_is_in_its_key_and_the_engine_is_not() -> None:
    key = stage_key("resolved", "paths", PathOptions())
    assert stage_key("resolved", "paths", PathOptions(engine="cypher")) == key
    for option in fields(PathOptions):
        if option.name != "engine":
            changed = replace(PathOptions(), **{option.name: getattr(OTHER, option.name)})
            assert stage_key("resolved", "paths", changed) != key, option.name


def test_an_unknown_domain_is_refused_with_the_known_ones(graph: Graph, corpus: str) -> None:
    change(graph, "CREATE (:Article {id: $corpus, corpus: $corpus, category: 'Sports'})", corpus=corpus)
    with pytest.raises(SettingsError, match=r"no article .* has the category 'Sport' \(found: 'Sports'\)"):
        find_paths(graph, corpus, PathOptions(domain="Sport"), Silent())


def test_a_saved_path_outlives_a_draw_as_long_as_its_edges(graph: Graph, corpus: str) -> None:
    write_random_graph(graph, corpus, 1)
    find_paths(graph, corpus, PathOptions(3), Silent())
    row = read(graph, PATHS, corpus=corpus)[0]
    way = Way(tuple(row["stops"]), tuple(hop[2] for hop in row["hops_along"]), 1, 1)
    (saved,) = write_ways(graph, corpus, [way], "saved")
    drawn = {path["id"] for path in graph.rows(query("paths/list_paths"), corpus=corpus, first=True)}
    assert saved in drawn
    clear_paths(graph, corpus)
    assert graph.rows(query("paths/list_paths"), corpus=corpus, first=True) == []
    (kept,) = graph.rows(
        query("paths/page_paths"), corpus=corpus, hops=[2, 3, 4, 5], link="", saved=True, after=[], limit=5
    )
    assert (kept["id"], kept["drawn"], kept["saved"]) == (saved, False, True)
    change(graph, "MATCH ()-[r:RELATES {id: $edge}]->() DELETE r", edge=way.edges[0])
    clear_paths(graph, corpus)
    assert value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=corpus) == 0
