"""Fusion of rankings: worked examples, and that no order of the input matters."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.protocol import Hit
from services.rag.retrieval.choose import min_max_fusion, reciprocal_rank_fusion, spread_clusters

WEIGHTS = {"vector": 0.7, "words": 0.3}

hits = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 12.5])).map(
    lambda scores: [Hit(chunk, score) for chunk, score in scores.items()]
)


def test_reciprocal_ranks_add_up() -> None:
    rankings = {"vector": [Hit("a", 0.9), Hit("b", 0.8)], "words": [Hit("b", 7.0), Hit("c", 2.0)]}
    fused = reciprocal_rank_fusion(rankings)
    assert [hit.chunk for hit in fused] == ["b", "a", "c"]
    assert [hit.score for hit in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62], abs=2e-6)
    assert [name for name, _ in fused[0].parts] == ["vector", "words"]


def test_scaled_scores_are_weighed() -> None:
    rankings = {"vector": [Hit("a", 0.9), Hit("b", 0.5), Hit("c", 0.4)], "words": [Hit("b", 7.0)]}
    fused = min_max_fusion(rankings, WEIGHTS)
    assert [(hit.chunk, hit.score) for hit in fused] == [("a", 0.7), ("b", 0.44), ("c", 0.0)]
    assert fused[1].parts == (("vector", 0.14), ("words", 0.3))


@given(hits, hits, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rankings_and_hits_changes_nothing(
    vector: list[Hit], words: list[Hit], chance: object, by_rank: bool
) -> None:
    shuffled = {"words": _shuffled(words, chance), "vector": _shuffled(vector, chance)}
    assert _fuse({"vector": vector, "words": words}, by_rank) == _fuse(shuffled, by_rank)


@given(hits, hits, st.booleans())
def test_every_chunk_comes_once_with_parts_that_make_its_score(
    vector: list[Hit], words: list[Hit], by_rank: bool
) -> None:
    fused = _fuse({"vector": vector, "words": words}, by_rank)
    assert {hit.chunk for hit in fused} == {hit.chunk for hit in [*vector, *words]}
    assert len({hit.chunk for hit in fused}) == len(fused)
    assert fused == sorted(fused, key=lambda hit: (-hit.score, hit.chunk))
    for hit in fused:
        assert hit.score == pytest.approx(sum(value for _, value in hit.parts), abs=2e-6)


@given(hits, st.booleans())
def test_one_ranking_alone_keeps_its_order(ranking: list[Hit], by_rank: bool) -> None:
    fused = _fuse({"vector": ranking, "words": []}, by_rank)
    assert [hit.chunk for hit in fused] == [
        hit.chunk for hit in sorted(ranking, key=lambda hit: (-hit.score, hit.chunk))
    ]


def _fuse(rankings: Mapping[str, Sequence[Hit]], by_rank: bool) -> list[Hit]:
    return reciprocal_rank_fusion(rankings) if by_rank else min_max_fusion(rankings, WEIGHTS)


def _shuffled(ranking: list[Hit], chance: object) -> list[Hit]:
    copy = list(ranking)
    chance.shuffle(copy)  # type: ignore[attr-defined]
    return copy


def test_a_second_chunk_of_a_cluster_counts_half_and_a_third_a_quarter() -> None:
    ranked = [Hit("a", 1.0), Hit("b", 0.9), Hit("c", 0.8), Hit("d", 0.6), Hit("e", 0.42), Hit("f", 0.4)]
    clusters = {"a": "x", "b": "x", "c": "x", "d": "y", "e": "y"}
    found = spread_clusters(ranked, clusters)
    # b 0.9 / 2, c 0.8 / 4, e 0.42 / 2; f is a cluster of its own.
    assert [(hit.chunk, hit.score) for hit in found] == [
        ("a", 1.0), ("d", 0.6), ("b", 0.45), ("f", 0.4), ("e", 0.21), ("c", 0.2),
    ]  # fmt: skip
    assert dict(found[-1].parts) == {"cluster": 0.25}
    assert [hit.chunk for hit in spread_clusters(ranked[::-1], clusters, 1.0)] == [
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
    ]
