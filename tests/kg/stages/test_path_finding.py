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
from kg.store.graph import Graph
from kg.text.opinion import FACTUAL_FROM
from tests.graph_reading import change, read, value

NODES, EDGES = 40, 100
FIRST_DATE, FIRST_CONCEPT = 32, 36
"""Entities from here on are dates, where a path may only end, and common nouns, which no path visits."""
NO_CAPS = PathOptions(per_start=0, per_end=0, per_middle=0)
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
    graph.write_rows(query("entities/write_triples"), triples, corpus=corpus)
    graph.rows(query("resolve/mark_edges"), corpus=corpus, factual_from=FACTUAL_FROM, confident_from=0.6)
    return made


@pytest.mark.parametrize(("seed", "engine"), [(0, "sparse"), (1, "sparse"), (2, "cypher"), (3, "auto")])
def test_all_pairs_at_two_to_five_hops_are_found_by_a_shortest_path(
    graph: Graph, corpus: str, seed: int, engine: EngineName
) -> None:
    made = write_random_graph(graph, corpus, seed)
    distances = made.distances()
    counts = find_paths(
        graph, corpus, replace(NO_CAPS, per_depth=NODES * NODES, seed=seed, engine=engine), Silent()
    )
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
    options = PathOptions(400, 0, per_start=2, per_end=0, per_middle=0, cross_articles=True)
    counts = find_paths(graph, corpus, options, Silent())
    rows = read(graph, PATHS, corpus=corpus)
    assert rows
    for row in rows:
        assert row["crosses_articles"]
        assert 1 <= row["fitting"] <= row["alternatives"]
    starts = Counter((row["hops"], row["stops"][0]) for row in rows)
    assert max(starts.values()) == 2
    for depth in DEPTHS:
        passed_over = [int(counts[f"{what}_{depth}_hops"]) for what in ("over_caps", "not_fitting")]
        assert int(counts.get(f"paths_{depth}_hops", 0)) + sum(passed_over) == counts[f"pairs_{depth}_hops"]


@pytest.mark.parametrize("engine", ["sparse", "cypher"])
def test_paths_lie_in_their_domain_and_use_so_many_claims(
    graph: Graph, corpus: str, engine: EngineName
) -> None:
    """Articles 0, 2 and 4 are of one category, the others of another; every fact has a claim of its own."""
    write_random_graph(graph, corpus, 1)
    change(
        graph,
        "UNWIND range(0, 4) AS i "
        "CREATE (:Article {id: 'article-' + i, corpus: $corpus, category: ['news', 'sport'][i % 2]})",
        corpus=corpus,
    )
    ways = (
        "MATCH (p:Path {corpus: $corpus})-[h:HOP]->(c:Claim) "
        "RETURN p.id AS id, p.hops AS hops, collect(c.article) AS articles, count(DISTINCT c) AS claims"
    )
    every = replace(NO_CAPS, per_depth=NODES * NODES, engine=engine)
    find_paths(graph, corpus, replace(every, domain="news"), Silent())
    rows = read(graph, ways, corpus=corpus)
    assert rows
    for row in rows:
        assert set(row["articles"]) <= {"article-0", "article-2", "article-4"}
    clear_paths(graph, corpus)
    counts = find_paths(graph, corpus, replace(every, distinct_claims=4), Silent())
    rows = read(graph, ways, corpus=corpus)
    assert {row["hops"] for row in rows} == {4, 5}, "shorter paths have not so many claims"
    assert all(row["claims"] == row["hops"] for row in rows)
    assert [counts[f"not_fitting_{depth}_hops"] for depth in (2, 3)] == [
        counts[f"pairs_{depth}_hops"] for depth in (2, 3)
    ]


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


OTHER = PathOptions(7, 3, 1, 2, 3, True, 2, "Sports", True, False, True)


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
    drawn = {path["id"] for path in graph.rows(query("paths/list_paths"), corpus=corpus)}
    assert saved in drawn
    clear_paths(graph, corpus)
    assert graph.rows(query("paths/list_paths"), corpus=corpus) == []
    (kept,) = graph.rows(query("paths/list_found"), corpus=corpus, hops=[2, 3, 4, 5], saved=True, limit=5)
    assert (kept["id"], kept["drawn"], kept["saved"]) == (saved, False, True)
    change(graph, "MATCH ()-[r:RELATES {id: $edge}]->() DELETE r", edge=way.edges[0])
    clear_paths(graph, corpus)
    assert value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=corpus) == 0
