"""Difficulty under another embedder or chunk size: worked out by hand, kept beside the corpus."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from kg.corpus import fingerprint
from kg.embed.choose import Vectors
from kg.errors import NothingToDoError
from kg.model import Chunk, Span
from kg.progress import Silent
from kg.stages.path_finding import forget_questions
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize, chunk
from services.questions.rating import (
    Rated,
    RatedQuestion,
    Rating,
    cut_anew,
    holding,
    movements,
    own_rating,
    rate,
    read_asked,
    write_rating,
)
from tests.graph_reading import change, read, value
from tests.small_world import OPTIONS, tools

LARGER = ChunkSize(40, 120, 10)
SENTENCES = """
MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'})-[:FOLLOWS]->(:Path)-[h:HOP]->(c:Claim)
MATCH (a:Article {id: c.article})
RETURN q.id AS question, q.text AS text, h.index AS hop, h.predicate AS predicate, c.sentence AS sentence,
       c.start AS start, c.end AS end, a.title AS title, a.body AS body ORDER BY question, hop
"""


class WordCounts:
    """An embedder that counts words into 64 places: quick, honest, and nothing like the builtin one."""

    name = "word counts"
    dimensions = 64
    max_tokens = 10_000

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of counted words."""
        vectors = np.full((len(texts), self.dimensions), 1e-3, np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
        unit: Vectors = vectors / lengths
        return unit


@pytest.fixture
def done(graph: Graph, small_corpus: str) -> Iterator[str]:
    """The small world with its questions; ratings that a test adds are deleted."""
    yield small_corpus
    change(graph, "MATCH (g:Rating {corpus: $corpus}) DETACH DELETE g", corpus=small_corpus)


def rated(one: str, hops: int, value_: float, bin_: int | None = 1) -> Rated:
    """A question with one difficulty by every aggregate."""
    return Rated(one, hops, value_, value_, value_, bin_)


def rating(*found: Rated) -> Rating:
    """A rating of some questions."""
    return Rating("e", "1-8/0", "depth", found)


def test_the_corpus_own_embedder_and_chunks_give_its_own_difficulties(graph: Graph, done: str) -> None:
    asked = read_asked(graph, done)
    size = OPTIONS.build.chunk_size
    found = rate(graph, asked, tools().embedder, size, "depth", Silent())
    own = own_rating(asked, found.embedder, found.chunking, "depth")
    assert found.left_out == 0
    assert len(found.rated) == len(own.rated)
    for one, before in zip(found.rated, own.rated, strict=True):
        assert (one.question, one.bin) == (before.question, before.bin)
        assert (one.min, one.mean, one.power) == pytest.approx(
            (before.min, before.mean, before.power), abs=2e-6
        )


def test_difficulties_are_those_worked_out_from_the_articles(graph: Graph, done: str) -> None:
    embedder = WordCounts()
    found = rate(graph, read_asked(graph, done), embedder, LARGER, "depth", Silent())
    rows = read(graph, SENTENCES, corpus=done)
    # Only one fact of the small world stands in two articles; questions without it can be done by hand.
    twice = {row["question"] for row in rows if "founded by Greta" in row["sentence"]}
    by_hand: dict[str, list[float]] = {}
    for row in rows:
        texts = [f"{row['title']}\n{c.text}" for c in chunk(row["body"], LARGER) if row["sentence"] in c.text]
        question = embedder.embed([row["text"]])[0]
        by_hand.setdefault(row["question"], []).append(float((embedder.embed(texts) @ question).max()))
    compared = [one for one in found.rated if one.question not in twice]
    assert compared
    for one in compared:
        similarities = by_hand[one.question]
        assert one.min == pytest.approx(1 - min(similarities), abs=1e-5)
        assert one.mean == pytest.approx(1 - sum(similarities) / len(similarities), abs=1e-5)


def test_a_fact_that_stands_in_two_articles_is_as_near_as_the_nearer(graph: Graph, done: str) -> None:
    asked = read_asked(graph, done)
    found = {one.question: one for one in rate(graph, asked, WordCounts(), LARGER, "depth", Silent()).rated}
    first_only: dict[str, float] = {}
    for row in read(graph, SENTENCES, corpus=done):
        texts = [f"{row['title']}\n{c.text}" for c in chunk(row["body"], LARGER) if row["sentence"] in c.text]
        vectors = WordCounts().embed([row["text"], *texts])
        distance = 1 - float((vectors[1:] @ vectors[0]).max())
        first_only[row["question"]] = max(distance, first_only.get(row["question"], 0.0))
    assert all(found[one].min <= distance + 1e-5 for one, distance in first_only.items())


def test_rating_again_changes_nothing_and_the_corpus_stays_as_it_was(graph: Graph, done: str) -> None:
    before = fingerprint(graph, done)
    found = rate(graph, read_asked(graph, done), WordCounts(), LARGER, "global", Silent())
    write_rating(graph, done, found)
    once = fingerprint(graph, done)
    write_rating(graph, done, found)
    assert fingerprint(graph, done) == once != before
    kept = value(
        graph, "MATCH (g:Rating {corpus: $corpus})-[r:RATES]->(:Question) RETURN count(r)", corpus=done
    )
    assert kept == len(found.rated)
    change(graph, "MATCH (g:Rating {corpus: $corpus}) DETACH DELETE g", corpus=done)
    assert fingerprint(graph, done) == before


def test_a_rating_with_fewer_questions_leaves_none_of_the_old(graph: Graph, done: str) -> None:
    found = rate(graph, read_asked(graph, done), WordCounts(), LARGER, "depth", Silent())
    write_rating(graph, done, found)
    write_rating(graph, done, replace(found, rated=found.rated[:2]))
    rows = read(
        graph,
        "MATCH (g:Rating {corpus: $corpus})-[r:RATES]->(q) RETURN q.id AS id, r.min AS min ORDER BY id",
        corpus=done,
    )
    assert {row["id"]: row["min"] for row in rows} == {one.question: one.min for one in found.rated[:2]}


def test_ratings_go_with_the_questions_and_one_without_its_path_is_left_out(
    graph: Graph, corpus: str
) -> None:
    change(
        graph,
        """CREATE (:Question {id: $corpus + '-q', corpus: $corpus, status: 'kept', kind: 'chain', hops: 2,
        bin: 1, text: 'Who?', difficulty_min: 0.4, difficulty_mean: 0.3, difficulty_power: 0.35})""",
        corpus=corpus,
    )
    asked = read_asked(graph, corpus)
    assert not asked[0].sampled
    less = rate(graph, asked, WordCounts(), LARGER, "depth", Silent())
    assert (less.rated, less.left_out) == ((), 1)
    write_rating(graph, corpus, cut_anew(asked, own_rating(asked, "e", "c", "depth"), "global"))
    ratings = "MATCH (g:Rating {corpus: $corpus}) RETURN count(g)"
    assert value(graph, ratings, corpus=corpus) == 1
    forget_questions(graph, corpus)
    assert value(graph, ratings, corpus=corpus) == 0
    with pytest.raises(NothingToDoError, match="no kept chain question"):
        read_asked(graph, corpus)


def test_quartiles_over_all_depths_mix_them() -> None:
    asked = [
        RatedQuestion(
            f"q{hops}{number}", "?", rated(f"q{hops}{number}", hops, 0.1 * hops + 0.01 * number), True
        )
        for hops in (2, 3)
        for number in range(4)
    ]
    own = own_rating(asked, "e", "c", "depth")
    assert [one.bin for one in cut_anew(asked, own, "depth").rated] == [1, 2, 3, 4] * 2
    assert [one.bin for one in cut_anew(asked, own, "global").rated] == [1, 1, 2, 2, 3, 3, 4, 4]


def test_questions_asked_for_by_hand_do_not_move_the_cuts() -> None:
    sampled = [RatedQuestion(f"q{n}", "?", rated(f"q{n}", 2, 0.1 * n), True) for n in range(1, 5)]
    by_hand = [RatedQuestion(f"h{n}", "?", rated(f"h{n}", 2, 0.9), False) for n in range(9)]
    asked = [*sampled, *by_hand]
    bins = {
        one.question: one.bin for one in cut_anew(asked, own_rating(asked, "e", "c", "depth"), "depth").rated
    }
    assert [bins[one.id] for one in sampled] == [1, 2, 3, 4]
    assert {bins[one.id] for one in by_hand} == {4}


def test_movements_by_depth_and_over_all() -> None:
    own = rating(*(rated(f"q{n}", 2, 0.1 * n, n) for n in range(1, 5)), rated("x", 3, 0.5, 1))
    turned = rating(*(rated(f"q{n}", 2, 0.5 - 0.1 * n, 5 - n) for n in range(1, 5)), rated("y", 3, 0.5, 1))
    two, all_ = movements(own, turned)
    assert (two.hops, two.n, two.changed) == (2, 4, 4)
    assert two.rank_correlation == pytest.approx(-1)
    assert (all_.hops, all_.n) == (None, 4)
    assert movements(rating(rated("a", 2, 0.1)), rating(rated("a", 2, 0.2)))[0].rank_correlation is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30))
def test_rank_correlation_is_spearmans_also_with_ties(pairs: list[tuple[int, int]]) -> None:
    own = rating(*(rated(f"q{n}", 2, one / 10) for n, (one, _) in enumerate(pairs)))
    other = rating(*(rated(f"q{n}", 2, two / 10) for n, (_, two) in enumerate(pairs)))
    found = movements(own, other)[-1].rank_correlation
    if len({one for one, _ in pairs}) < 2 or len({two for _, two in pairs}) < 2:
        assert found is None
        return
    expected = spearmanr([one for one, _ in pairs], [two for _, two in pairs])[0]
    assert found == pytest.approx(expected)


def test_a_sentence_is_held_whole_or_else_in_parts() -> None:
    chunks = [Chunk(n, start, end, 1, "") for n, (start, end) in enumerate([(0, 10), (5, 20), (20, 30)])]
    assert holding(chunks, Span(5, 10)) == [0, 1]
    assert holding(chunks, Span(12, 18)) == [1]
    assert holding(chunks, Span(15, 25)) == [1, 2]
