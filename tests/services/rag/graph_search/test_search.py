"""The default retriever over small snapshots.

Filters as masks, and rankings under them.

The walk's masses.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_matrix

from kg.embed.choose import Vectors
from kg.errors import SettingsError
from services.rag.graph_search.entity_graph import Mass, Seeds, from_weights
from services.rag.graph_search.search import prepare_graph, search_graph, walk
from services.rag.graph_search.seeds import GraphSettings, terms_of
from services.rag.graph_search.snapshot import Snapshot, allowed_chunks, best_first
from services.rag.protocol import Filters, Hit, RagQuestion
from tests.examples import examples
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

DIMENSIONS = 64

PAGES = [
    Page("Brand (play)", {"Henrik Ibsen": 1}, [("Brand", "by", "Henrik Ibsen")], source="Stage"),
    Page("Henrik Ibsen", {"Henrik Ibsen": 2, "Skien": 1}, source="Stage", published="2020-01-01"),
    Page("Skien", {"Telemark": 1}, source="Maps", published="2021-05-01"),
    Page("Telemark", {"Telemark": 1, "Norway": 1}, source="Maps"),
    Page("Bergen", {"Norway": 1}, source="Maps"),
    Page("Vodka", {"Poland": 1}, source="Stage"),
    Page("Soprano", {"Verdi": 1}, source="Stage"),
]


def embed(texts: Sequence[str]) -> Vectors:
    """Unit vectors that depend on nothing but a text's words: texts that share words are alike."""
    rows = np.array([np.sum([_direction(word) for word in terms_of(text) or [""]], axis=0) for text in texts])
    rows = rows.reshape(-1, DIMENSIONS)
    vectors: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def _direction(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(sha256(word.encode()).digest()[:4], "big")
    direction: NDArray[np.float64] = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return direction


def snapshot_of(pages: Sequence[Page]) -> Snapshot:
    made = made_snapshot(pages)
    vectors = embed([f"{page.title} {text}" for page, text in zip(pages, made.chunks.texts, strict=True)])
    claims = replace(made.claims, vectors=embed(made.claims.texts))
    return replace(made, chunks=replace(made.chunks, vectors=vectors), claims=claims)


def asked(text: str, filters: Filters = Filters()) -> RagQuestion:  # noqa: B008  (immutable)
    return RagQuestion(text, text, embed([text])[0], filters)


def hits(snapshot: Snapshot, *questions: RagQuestion, limit: int = 10) -> list[list[Hit]]:
    return search_graph(snapshot, prepare_graph(snapshot), questions, embed, limit)


def titles(snapshot: Snapshot, found: Sequence[Hit]) -> list[str]:
    return [snapshot.chunks.titles[snapshot.chunks.ids.index(hit.chunk)] for hit in found]


def test_a_chain_of_articles_is_found_before_what_is_not_joined_to_it() -> None:
    snapshot = snapshot_of(PAGES)
    (found,) = hits(snapshot, asked("Where was the author of Brand born?"))
    order = titles(snapshot, found)
    assert set(order[:2]) == {"Brand (play)", "Henrik Ibsen"}
    assert "Skien" in order[: order.index("Vodka")]


def test_a_score_is_the_sum_of_its_parts_and_orders_the_hits() -> None:
    snapshot = snapshot_of(PAGES)
    (found,) = hits(snapshot, asked("Where was Henrik Ibsen born?"))
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    for hit in found:
        assert hit.score == pytest.approx(sum(part for _, part in hit.parts), abs=1e-4)


@given(st.permutations(PAGES), st.sampled_from(["Who wrote Brand?", "Is Bergen in Norway?", "where?"]))
@settings(max_examples=30)
def test_the_order_of_chunks_does_not_matter(pages: list[Page], text: str) -> None:
    straight, mixed = snapshot_of(PAGES), snapshot_of(pages)
    (one,), (other,) = hits(straight, asked(text)), hits(mixed, asked(text))
    scores = dict(zip(titles(straight, one), (hit.score for hit in one), strict=True))
    assert scores == pytest.approx(
        dict(zip(titles(mixed, other), (hit.score for hit in other), strict=True)), abs=1e-4
    )


def test_a_batch_finds_what_each_question_finds_alone() -> None:
    snapshot = snapshot_of(PAGES)
    questions = [asked(f"Who is {page.title}, number {at}?") for at, page in enumerate(PAGES * 3)]
    assert hits(snapshot, *questions) == [hits(snapshot, one)[0] for one in questions]


@given(
    st.sampled_from(["", "Stage", "maps", "Nobody"]),
    st.sampled_from(["", "2020-06-01"]),
    st.sampled_from(["Where was the author of Brand born?", "Norway"]),
)
@settings(max_examples=20)
def test_filters_never_leak(source: str, since: str, text: str) -> None:
    snapshot = snapshot_of(PAGES)
    filters = Filters(sources=(source,) if source else (), since=since)
    (found,) = hits(snapshot, asked(text, filters))
    allowed = {
        page.title
        for page in PAGES
        if (not source or page.source.lower() == source.lower()) and (not since or page.published >= since)
    }
    assert set(titles(snapshot, found)) <= allowed


@pytest.mark.parametrize("text", ["", "?", "ou est né l'auteur", "Brand " * 2000, "去北京"])
def test_odd_questions_end_in_a_clear_result(text: str) -> None:
    snapshot = snapshot_of(PAGES)
    (found,) = hits(snapshot, asked(text))
    assert len({hit.chunk for hit in found}) == len(found) <= len(PAGES)


def test_equal_vectors_and_an_empty_corpus() -> None:
    snapshot = snapshot_of(PAGES)
    equal = np.ones_like(snapshot.chunks.vectors) / np.sqrt(DIMENSIONS)
    same = replace(snapshot, chunks=replace(snapshot.chunks, vectors=equal.astype(np.float32)))
    (found,) = hits(same, asked("Who wrote Brand?"))
    assert set(titles(same, found)[:2]) == {"Brand (play)", "Henrik Ibsen"}
    assert hits(snapshot_of([]), asked("Who wrote Brand?")) == [[]]
    assert hits(snapshot) == []


def test_limit() -> None:
    snapshot = snapshot_of(PAGES)
    (few,), (many,) = (hits(snapshot, asked("Is Bergen in Norway?"), limit=size) for size in (2, 100))
    assert few == many[:2]


CHUNKS = made_snapshot(
    [
        Page("A", source="The Post", category="sport", author="Ann", published="2024-01-31"),
        Page("B", source="the  post", category="trade", author="Bo", published="2024-02-01"),
        Page("C", source="Echo", category="sport", author="Ann", published=""),
    ]
).chunks


@examples("filters, titles")
def test_only_what_fits_every_filter_is_let_through(filters: dict[str, Any], titles: str) -> None:
    assert "".join(np.array(CHUNKS.titles)[allowed_chunks(CHUNKS, Filters(**filters))]) == titles


@pytest.mark.parametrize("filters", [Filters(since="last week"), Filters(until="2024-1-1")])
def test_a_date_that_is_none_is_refused(filters: Filters) -> None:
    with pytest.raises(SettingsError, match="is not a date"):
        allowed_chunks(CHUNKS, filters)


def test_the_best_come_first_and_equal_ones_in_the_order_of_ids() -> None:
    scores = np.array([0.2, 0.5, 0.0, 0.2 * (1 + 1e-12), 0.9, 1e-12])
    allowed = np.array([True, True, True, True, False, True])
    assert [at for at, _ in best_first(scores, allowed, 10)] == [1, 0, 3, 5]
    assert best_first(scores, allowed, 1) == [(1, 0.5)]
    assert best_first(scores, np.zeros(6, dtype=np.bool_), 3) == []


SETTINGS = GraphSettings(rest=1e-12)
CONNECTED = arrays(np.float64, (4, 5), elements=st.floats(0.1, 2.0))
MASSES = arrays(np.float64, 9, elements=st.floats(0.01, 1.0))


def seeds(masses: Mass) -> Seeds:
    masses = masses / masses.sum()
    return Seeds(masses[:4], masses[4:])


@given(CONNECTED, MASSES)
def test_mass_is_kept(weights: Mass, masses: Mass) -> None:
    walked = walk(from_weights(csr_matrix(weights)), seeds(masses), SETTINGS)
    assert walked.entities.sum() + walked.chunks.sum() == pytest.approx(1)
    assert (walked.entities >= 0).all()
    assert (walked.chunks >= 0).all()


@given(CONNECTED, CONNECTED, MASSES)
def test_what_is_not_joined_changes_nothing(weights: Mass, others: Mass, masses: Mass) -> None:
    alone = walk(from_weights(csr_matrix(weights)), seeds(masses), SETTINGS)
    start = seeds(masses)
    both = walk(
        from_weights(csr_matrix(block_diag((weights, others)))),
        Seeds(np.append(start.entities, np.zeros(4)), np.append(start.chunks, np.zeros(5))),
        SETTINGS,
    )
    assert both.chunks[:5].tolist() == pytest.approx(alone.chunks.tolist())
    assert not both.chunks[5:].any()


@pytest.mark.parametrize("rest", [1e-2, 1e-4, 1e-7, 1e-12])
@pytest.mark.parametrize("seed", range(5))
def test_a_walk_misses_no_more_than_may_rest(rest: float, seed: int) -> None:
    """Against the linear system that the masses solve, on a graph with hubs."""
    random = np.random.default_rng(seed)
    nodes, chunks = 300, 200
    wanted = random.random((nodes, chunks)) < random.pareto(1.0, (nodes, 1)) / 100
    graph = from_weights(csr_matrix(random.choice([0.5, 1.0, 2.0], (nodes, chunks)) * wanted))
    start = Seeds(np.zeros(nodes), np.zeros(chunks))
    start.entities[random.integers(0, nodes, 3)], start.chunks[random.integers(0, chunks, 3)] = 0.3, 0.1
    settings = GraphSettings(rest=rest)
    walked = walk(graph, start, settings)
    gives = np.zeros((nodes + chunks, nodes + chunks))
    gives[:nodes, nodes:] = graph.weights.toarray() / graph.of_nodes[:, None]
    gives[nodes:, :nodes] = graph.transposed.toarray() / graph.of_chunks[:, None]
    restart = (1 - settings.damping) * np.concatenate((start.entities, start.chunks))
    exact = np.linalg.solve(np.eye(len(gives)) - settings.damping * gives.T, restart)
    missing = exact - np.concatenate((walked.entities, walked.chunks))
    assert (missing >= -1e-12).all()
    assert (missing <= rest * np.concatenate((graph.of_nodes, graph.of_chunks)) + 1e-12).all()


@pytest.mark.parametrize("rest", [1e-3, 1e-7, 1e-12])
def test_chunks_have_exactly_what_nodes_give_them(rest: float) -> None:
    random = np.random.default_rng(0)
    weights = random.choice([0.5, 1.0, 2.0], (40, 30)) * (random.random((40, 30)) < 0.1)
    graph, start = from_weights(csr_matrix(weights)), Seeds(random.random(40) / 60, random.random(30) / 90)
    walked = walk(graph, start, GraphSettings(rest=rest))
    given = graph.transposed @ (walked.entities / graph.of_nodes)
    assert walked.chunks == pytest.approx((1 - walked.damping) * start.chunks + walked.damping * given)


def test_what_may_rest_by_hand() -> None:
    # One node in two chunks, by weights 1 and 3. Its mass of 1 is more than .2 a unit of weight, and half of
    # it moves on; of that the chunks have no more than .2 a unit, and it stays there.
    graph = from_weights(csr_matrix(np.array([[1.0, 3.0]])))
    walked = walk(graph, Seeds(np.array([1.0]), np.zeros(2)), GraphSettings(rest=0.2, damping=0.5))
    assert walked.entities.tolist() == [0.5]
    assert walked.chunks.tolist() == [0.0625, 0.1875]
    # Where all of it may rest, nothing has come anywhere.
    still = walk(graph, Seeds(np.array([1.0]), np.zeros(2)), GraphSettings(rest=0.5, damping=0.5))
    assert still.entities.tolist() == [0.0]
    assert still.chunks.tolist() == [0.0, 0.0]
