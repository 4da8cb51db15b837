"""Where walks start.

BM25 by hand.
"""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from services.rag.graph_search.entity_graph import EntityGraph, entity_graph
from services.rag.graph_search.seeds import (
    GraphSettings,
    Scores,
    anchor_seeds,
    question_names,
    question_seeds,
    terms_of,
    word_index,
    word_scores,
)
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

SETTINGS = GraphSettings()
SNAPSHOT = made_snapshot(
    [
        Page("Brand (play)", {"Ibsen": 1, "Norway": 1}),
        Page("Ibsen", {"Ibsen": 2, "Skien": 1, "Norway": 1}),
        Page("Skien", {"Norway": 1}),
    ]
)
GRAPH: EntityGraph = entity_graph(SNAPSHOT, 2.0)
LIKENESS = np.array([1.0, 0.5, 0.0])


def node(name: str) -> int:
    return SNAPSHOT.entities.names.index(name)


def test_names_of_a_question_are_told_by_their_words_the_rarest_first() -> None:
    named = question_names(GRAPH, "Is the author of Brand from Norway?")
    assert [(one.words, one.weight) for one in named] == [("Brand", 1), ("Norway", pytest.approx(1 / 3))]


def test_masses_of_the_question() -> None:
    named = question_names(GRAPH, "Was Ibsen from Norway?")
    seeds = question_seeds(GRAPH, named, LIKENESS, SETTINGS)
    # Names have 1, by 1 / frequency: 1/2 and 1/3; chunks .1, by likeness to the fourth: 1 and 1/16.
    assert seeds.entities[node("Ibsen")] == pytest.approx(0.6 / 1.1)
    assert seeds.entities[node("Norway")] == pytest.approx(0.4 / 1.1)
    assert seeds.chunks.tolist() == pytest.approx([0.1 / 1.1 * 16 / 17, 0.1 / 1.1 / 17, 0])


def test_a_name_that_says_little_has_little_mass() -> None:
    named = question_names(GRAPH, "What is in Norway?")
    strict = replace(SETTINGS, specific=1.0)
    lax, held = (question_seeds(GRAPH, named, LIKENESS, each) for each in (SETTINGS, strict))
    assert lax.entities.sum() == pytest.approx(1 / 1.1)
    assert held.entities.sum() == pytest.approx((1 / 3) / (1 / 3 + 0.1))


def test_anchors_seed_what_the_question_does_not_name() -> None:
    named = question_names(GRAPH, "Who is Ibsen?")
    seeds = anchor_seeds(GRAPH, named, np.array([1], np.int32), np.array([1.0]), LIKENESS, SETTINGS)
    assert seeds.entities[node("Ibsen")] == 0
    assert seeds.entities[node("Skien")] > seeds.entities[node("Norway")] > 0


@given(
    arrays(np.float64, 3, elements=st.floats(0, 1)),
    st.sampled_from(["", "Ibsen", "Norway and Skien", "nothing known"]),
    arrays(np.float64, 2, elements=st.floats(0.001, 1)),
)
def test_masses_add_up_to_one_or_there_is_nothing(likeness: Scores, text: str, strengths: Scores) -> None:
    named = question_names(GRAPH, text)
    anchors = np.array([0, 2], np.int32)
    for seeds in (
        question_seeds(GRAPH, named, likeness, SETTINGS),
        anchor_seeds(GRAPH, named, anchors, strengths, likeness, SETTINGS),
    ):
        total = float(seeds.entities.sum() + seeds.chunks.sum())
        assert total == pytest.approx(1) or total == 0
        assert (seeds.entities >= 0).all()
        assert (seeds.chunks >= 0).all()


def test_scores_by_hand() -> None:
    index = word_index(["red fox red", "fox den", "owl"])
    # df(red) = 1 of 3, lengths 3, 2, 1, mean 2: idf ln(1 + 2.5 / 1.5), tf 2 / (2 + 1.2 (.25 + .75 3 / 2)).
    expected = log(1 + 2.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 1.5))
    assert word_scores(index, "Red?").tolist() == pytest.approx([expected, 0, 0])
    assert word_scores(index, "red red")[0] == pytest.approx(expected)
    assert word_scores(index, "fox")[1] > word_scores(index, "fox")[0] > 0
    assert word_scores(index, "the").tolist() == [0, 0, 0]


def test_terms_are_singular_and_no_function_words() -> None:
    assert terms_of("The cities' foxes and glasses were famous; Carlos is on the bus") == [
        "city", "fox", "glass", "famous", "carlo", "bus",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet="abc d", max_size=12), max_size=6))
def test_the_order_of_texts_does_not_matter(texts: list[str]) -> None:
    order = np.random.default_rng(len(texts)).permutation(len(texts))
    straight = word_scores(word_index(texts), "a ab abc d")
    mixed = word_scores(word_index([texts[at] for at in order]), "a ab abc d")
    assert mixed.tolist() == pytest.approx(straight[order].tolist(), abs=1e-6)
    assert (straight >= 0).all()
