"""Rows of a comparison as the graph has them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import NothingToDoError, SettingsError, UserError
from kg.store.graph import Graph
from services.comparison.collect import (
    Drawable,
    chosen_look,
    collect_chunks,
    collect_questions,
    draw,
    questions_at,
    sample_questions,
)
from services.comparison.folder import POOL_FILE
from services.comparison.pool import read_pool
from services.comparison.records import Question
from services.questions.spans.facets import FACETS, UNKNOWN, ClusterFacet
from tests.services.comparison.made_comparison import made_protocol, made_questions
from tests.services.comparison.small_standard import begin, forget


@pytest.mark.parametrize("facet", FACETS)
def test_a_gold_chunk_has_one_cluster_wherever_it_stands(
    graph: Graph, small_corpus: str, tmp_path: Path, facet: ClusterFacet
) -> None:
    protocol = begin(graph, small_corpus, tmp_path, f"collect-{facet}", evidence_clusters=facet)
    pool = read_pool(tmp_path / POOL_FILE).of
    questions = collect_questions(graph, protocol, sorted(pool))
    chunks = collect_chunks(graph, protocol, pool, questions)
    gold = {piece.chunk: piece.cluster for question in questions for piece in question.gold}
    assert gold
    assert gold == {name: chunks[name].cluster for name in gold}
    # A gap question's graph evidence leads up to what stands nowhere, and is none.
    assert {one.kind for one in questions if not one.gold} == {"null"}
    forget(graph, small_corpus)


def test_chunks_of_unknown_clusters_are_not_of_one(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    inference = {"clusters": "domain", "draws": 1_000}
    protocol = begin(
        graph, small_corpus, tmp_path, "unknown", evidence_clusters="domain", inference=inference
    )
    questions = collect_questions(graph, protocol, sorted(read_pool(tmp_path / POOL_FILE).of))
    forget(graph, small_corpus)
    clusters = {piece.cluster for question in questions for piece in question.gold}
    assert len(clusters) > 1
    assert all(cluster.startswith(f"{UNKNOWN['domain']}, ") for cluster in clusters)
    # Inference goes by the same clusters: not all questions are one.
    assert len({question.cluster for question in questions if question.gold}) > 1


KEPT = [
    Drawable(f"question-{kind}-{hops}-{number}", kind, hops, None)
    for kind, hops, count in (("chain", 2, 30), ("chain", 3, 30), ("null", 0, 4))
    for number in range(count)
]


def groups(ids: tuple[str, ...]) -> Counter[str]:
    return Counter(id_.rsplit("-", 1)[0] for id_ in ids)


def test_a_sample_has_the_mix_of_kinds_of_the_corpus() -> None:
    # Sixty chain questions and four null ones: one of sixteen is null, as in all.
    assert groups(draw(KEPT, 16, 0)) == {"question-chain-2": 7, "question-chain-3": 8, "question-null-0": 1}
    assert groups(draw(KEPT, 32, 0)) == {"question-chain-2": 15, "question-chain-3": 15, "question-null-0": 2}
    # The mix of the demo: 7 % of its questions are null, and of 400 drawn 28.
    mix = [("chain", 1_395), ("null", 105)]
    kept = [Drawable(f"{kind}-{n}", kind, 2 + n % 4, None) for kind, count in mix for n in range(count)]
    drawn = Counter(id_.partition("-")[0] for id_ in draw(kept, 400, 1))
    assert drawn == {"chain": 372, "null": 28}


def test_within_a_kind_every_depth_has_as_many_as_the_others_while_it_lasts() -> None:
    few = [Drawable(f"deep-{n}", "chain", 4, None) for n in range(3)]
    found = groups(draw([*KEPT[:60], *few], 21, 0))
    assert found == {"question-chain-2": 9, "question-chain-3": 9, "deep": 3}


@given(st.integers(0, 64), st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_a_draw_is_a_part_of_a_larger_one_in_whatever_order_they_come(
    count: int, seed: int, dice: object
) -> None:
    turned = list(KEPT)
    dice.shuffle(turned)  # type: ignore[attr-defined]
    few, more = draw(turned, count, seed), draw(KEPT, count + 1, seed)
    assert set(few) <= set(more)
    assert len(few) == min(count, len(KEPT))
    assert list(few) == sorted(few)


def test_another_seed_draws_others_and_without_a_number_all_come() -> None:
    assert draw(KEPT, 9, 0) != draw(KEPT, 9, 1)
    assert draw(KEPT, None, 3) == tuple(sorted(one.id for one in KEPT))


def test_a_corpus_gives_its_kept_questions(graph: Graph, small_corpus: str) -> None:
    everything = sample_questions(graph, small_corpus, None, 0)
    drawn = sample_questions(graph, small_corpus, 4, 0)
    assert len(drawn) == 4
    assert set(drawn) < set(everything)
    with pytest.raises(SettingsError, match=f"{len(everything):,} kept questions"):
        sample_questions(graph, small_corpus, len(everything) + 1, 0)


def test_a_corpus_without_questions_has_nothing_to_draw(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match="0 kept questions"):
        sample_questions(graph, corpus, None, 0)


def _questions(clusters: Sequence[int]) -> tuple[Question, ...]:
    some = made_questions()[0]
    return tuple(
        replace(some, id=f"question-{number:03d}", cluster=f"cluster-{cluster}")
        for number, cluster in enumerate(clusters)
    )


def _ids(questions: Sequence[Question]) -> set[str]:
    return {question.id for question in questions}


@given(
    clusters=st.lists(st.integers(0, 8), min_size=2, max_size=40),
    seed=st.integers(0, 99),
)
def test_a_look_is_whole_clusters_and_the_beginning_of_the_next(clusters: list[int], seed: int) -> None:
    protocol = made_protocol(inference={"looks": [0.3, 0.6, 1.0]}, seeds={"sample": seed})
    questions = _questions(clusters)
    looks = [questions_at(protocol, questions, look) for look in (1, 2, 3)]
    for look, share in zip(looks, (0.3, 0.6, 1.0), strict=True):
        assert len(look) >= share * len(questions)
        seen = {question.cluster for question in look}
        assert _ids(look) == {question.id for question in questions if question.cluster in seen}
        # The last cluster was needed.
        last = [question for question in look if question.cluster == look[-1].cluster]
        assert len(look) - len(last) < share * len(questions)
    assert looks[1][: len(looks[0])] == looks[0]
    assert looks[2][: len(looks[1])] == looks[1]
    assert _ids(looks[2]) == _ids(questions)
    assert questions_at(protocol, questions[::-1], 1) == looks[0]


def test_the_seed_draws_the_clusters() -> None:
    questions = _questions([number // 2 for number in range(40)])
    drawn = {
        questions_at(made_protocol(seeds={"sample": seed}), questions, 1)[0].cluster for seed in range(20)
    }
    assert len(drawn) > 1


def test_a_look_that_is_not_planned_is_refused() -> None:
    protocol = made_protocol()
    assert (chosen_look(protocol, None), chosen_look(protocol, 1)) == (2, 1)
    for number in (0, 3):
        with pytest.raises(UserError, match=f"plans 2 looks, and {number} is none"):
            chosen_look(protocol, number)
