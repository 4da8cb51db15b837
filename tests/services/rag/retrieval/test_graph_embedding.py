"""Places in the graph and what is found by them, on graphs made by hand."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from services.rag.protocol import Hit, RagQuestion
from services.rag.retrieval.graph_embedding import (
    PLACE,
    explain_places,
    fast_rp,
    prepare_places,
    search_places,
)
from tests.services.rag.graph_search.made_snapshot import DIMENSIONS, Page, made_snapshot

TOWNS = made_snapshot(
    [
        Page("0", {"Mira": 1}, [("Mira", "plays for", "Rovers")]),
        Page("1", {"Rovers": 1, "Halden": 2}, [("Rovers", "owned by", "Halden")]),
        Page("2", {"Oslo": 1, "1412": 1}, [("Oslo", "founded in", "1412"), ("Oslo", "twin of", "Bergen")]),
        Page("3", {"1412": 1}, [("Halden", "founded in", "1412")]),
    ],
    types={"1412": "DATE"},
)


def none(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.zeros((len(texts), DIMENSIONS), np.float32)


def asked(text: str, likest: int | None = None) -> RagQuestion:
    """A question whose text is that of a chunk, or is like none."""
    vector = np.zeros(DIMENSIONS, np.float32) if likest is None else TOWNS.chunks.vectors[likest]
    return RagQuestion("q", text, vector)


def found(question: RagQuestion) -> list[Hit]:
    (hits,) = search_places(TOWNS, prepare_places(TOWNS), [question], none, 10)
    return hits


def graph_of(edges: Sequence[tuple[int, int, float]], nodes: int) -> csr_matrix:
    starts, ends, weights = zip(*edges, strict=True)
    one = csr_matrix((weights, (starts, ends)), shape=(nodes, nodes))
    return csr_matrix(one + one.T)


def test_a_node_is_the_average_of_its_neighbours_by_their_weights() -> None:
    # a has b twice and c once; d has b alone, and e has c alone: d and e are as b and c began.
    a, b, c, d, e, alone = range(6)
    graph = graph_of([(a, b, 2), (a, c, 1), (b, d, 1), (c, e, 1)], 6)
    vectors = fast_rp(graph, 20_000, weights=(1,))
    shares, *_ = np.linalg.lstsq(vectors[[d, e]].T, vectors[a], rcond=None)
    assert shares[0] / shares[1] == pytest.approx(2, rel=0.05)
    assert np.linalg.norm(vectors[:alone], axis=1) == pytest.approx(1)
    assert not vectors[alone].any()


def test_nodes_with_the_same_neighbours_are_in_one_place_and_strangers_far_apart() -> None:
    graph = graph_of([(0, 1, 1), (1, 2, 1), (3, 4, 1)], 5)
    likeness = (vectors := fast_rp(graph, 2_000)) @ vectors.T
    assert likeness[0, 2] == pytest.approx(1)
    # Of two nodes alone each is as much itself as the other.
    assert likeness[3, 4] == pytest.approx(1)
    assert np.abs(likeness[:3, 3:]).max() < 0.1
    assert np.array_equal(vectors, fast_rp(graph, 2_000))
    assert not np.array_equal(vectors, fast_rp(graph, 2_000, seed=1))


def test_chunks_near_in_the_graph_are_found_and_no_date_joins_them() -> None:
    hits = {hit.chunk: hit for hit in found(asked("Who is Mira?"))}
    # Mira and Halden have the same only neighbour; Oslo shares no more than a year with them.
    assert dict(hits["chunk-000"].parts) == pytest.approx({"text": 0, "place": PLACE}, abs=1e-5)
    assert hits["chunk-001"].score > 0.6 * PLACE
    assert "chunk-002" not in hits or hits["chunk-002"].score < 0.3 * PLACE
    assert "chunk-003" not in hits


def test_a_question_that_names_nothing_is_found_by_its_text() -> None:
    hits = found(asked("who is it?", likest=3))
    assert hits[0].chunk == "chunk-003"
    assert hits[0].score == pytest.approx(1 - PLACE)
    assert {dict(hit.parts)["place"] for hit in hits} == {0.0}


def test_what_is_told_of_a_chunk_adds_up_to_its_score() -> None:
    question = asked("Did Mira meet Halden?", likest=1)
    hits = found(question)
    rows = [TOWNS.chunks.ids.index(hit.chunk) for hit in hits]
    told = explain_places(TOWNS, prepare_places(TOWNS), question, none, rows)
    assert {one.words for one in told.linked} == {"Mira", "Halden"}
    for hit, reason in zip(hits, told.reasons, strict=True):
        mass = reason.own + sum(way.mass for way in reason.ways) + reason.rest
        assert mass == pytest.approx(hit.score, abs=1e-4)
    stops = [[stop.text for stop in way.stops] for way in told.reasons[0].ways]
    assert ["Mira", "Halden"] in stops
