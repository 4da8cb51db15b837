"""The order that the weights make of what speaks for a chunk."""

import numpy as np
import pytest

from services.rag.graph_search.evidence import (
    ALONE,
    ANCHORS,
    BESIDE,
    FIRST,
    SECOND,
    TEMPERATURE,
    Anchors,
    Candidates,
    Values,
    anchors_of,
    first_scores,
    score_parts,
)
from tests.services.rag.graph_search.small_library import DIRECTOR, FILM, STUDIO, TOWN, library, sought


def candidates(*chunks: int) -> Candidates:
    """Chunks that the walks came to alike."""
    return Candidates(np.array(chunks, dtype=np.int32), np.ones(len(chunks)), np.ones(len(chunks)))


def beside_scores(wanted: Candidates, found: Anchors) -> Values:
    """The sums of the parts."""
    scores: Values = np.sum(list(score_parts(library(), sought(), wanted, found).values()), axis=0)
    return scores


def test_every_feature_has_a_weight() -> None:
    assert set(FIRST) == set(ALONE)
    assert set(SECOND) == set(BESIDE)


def test_the_page_that_the_question_names_leads_at_first() -> None:
    scores = first_scores(library(), sought(), candidates(STUDIO, FILM, DIRECTOR))
    assert int(scores.argmax()) == 1


def test_the_page_of_what_the_anchor_names_comes_before_what_merely_stands_near() -> None:
    found = Anchors(np.array([FILM], dtype=np.int32), np.ones(1))
    scores = beside_scores(candidates(DIRECTOR, STUDIO), found)
    assert scores[0] > scores[1]


def test_anchors_are_the_best_and_weaken_with_their_distance_from_the_best_score() -> None:
    found = anchors_of(candidates(FILM, DIRECTOR, TOWN), np.array([1.0, 3.0, 3.0 - TEMPERATURE]))
    assert list(found.chunks) == [DIRECTOR, FILM, TOWN] or list(found.chunks) == [DIRECTOR, TOWN, FILM]
    assert found.strengths[0] == 1
    assert found.strengths[list(found.chunks).index(TOWN)] == pytest.approx(np.exp(-1))


def test_there_are_only_so_many_anchors_and_equal_ones_keep_their_order() -> None:
    many = candidates(*range(ANCHORS + 3))
    found = anchors_of(many, np.zeros(ANCHORS + 3))
    assert list(found.chunks) == list(range(ANCHORS))
    assert list(found.strengths) == [1.0] * ANCHORS


def test_no_candidates_give_no_anchors() -> None:
    found = anchors_of(candidates(), np.zeros(0))
    assert len(found.chunks) == len(found.strengths) == 0
    assert beside_scores(candidates(), found).shape == (0,)


def test_each_part_is_its_feature_times_its_weight() -> None:
    wanted = candidates(FILM, DIRECTOR, TOWN, STUDIO)
    found = Anchors(np.array([FILM, TOWN], dtype=np.int32), np.array([1.0, 0.5]))
    parts = score_parts(library(), sought(), wanted, found)
    assert tuple(parts) == BESIDE
    # The question names the film, the film names the director's page.
    assert list(parts["title"]) == [SECOND["title"], 0, 0, 0]
    assert list(parts["page"]) == [0, SECOND["page"], 0, 0]
