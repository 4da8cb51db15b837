"""The path search on random graphs in Neo4j, compared with distances that scipy computes."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from kg.progress import Silent
from kg.queries import query
from kg.stages.path_finding import DEPTHS, PathOptions, clear_paths, find_paths
from kg.store.graph import Graph
from kg.text.opinion import FACTUAL_FROM
from tests.graph_reading import read, value

NODES, EDGES = 40, 100
FIRST_DATE, FIRST_CONCEPT = 32, 36
"""Entities from here on are dates, where a path may only end, and common nouns, which no path visits."""
PATHS = """
MATCH (p:Path {corpus: $corpus})
RETURN p.hops AS hops, p.alternatives AS alternatives,
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


@pytest.mark.parametrize("seed", range(5))
def test_all_pairs_at_two_to_five_hops_are_found_by_a_shortest_path(
    graph: Graph, corpus: str, seed: int
) -> None:
    made = write_random_graph(graph, corpus, seed)
    distances = made.distances()
    counts = find_paths(graph, corpus, PathOptions(per_depth=NODES * NODES, seed=seed), Silent())
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
        assert row["alternatives"] == made.shortest_ways(stops[0], stops[-1], row["hops"])


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
