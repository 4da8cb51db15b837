"""What speaks for a candidate, on a corpus small enough to count by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from services.rag.graph_search.evidence import (
    ALONE,
    BESIDE,
    FLOOR,
    Anchors,
    Candidates,
    Values,
    alone,
    beside,
)
from tests.services.rag.graph_search.small_library import DIRECTOR, FILM, STUDIO, TOWN, library, sought


def candidates(*chunks: int) -> Candidates:
    """Chunks that both walks came to, the later ones less."""
    shares = np.array([1 / (1 + place) for place in range(len(chunks))], dtype=np.float64)
    return Candidates(np.array(chunks, dtype=np.int32), shares, shares / 2)


def anchors(**strengths: float) -> Anchors:
    """Anchors by the names of their chunks."""
    chunks = {"film": FILM, "director": DIRECTOR, "town": TOWN, "studio": STUDIO}
    return Anchors(
        np.array([chunks[name] for name in strengths], dtype=np.int32),
        np.array(list(strengths.values()), dtype=np.float64),
    )


def column(name: str, found: Anchors, *chunks: int, words: tuple[int, ...] = (0, 1, 2)) -> Values:
    """One feature of some candidates beside anchors."""
    values: Values = beside(library(), sought(words), candidates(*chunks), found)[:, BESIDE.index(name)]
    return values


def test_alone_counts_the_walk_the_title_and_what_the_question_asks_of_its_names() -> None:
    values = alone(library(), sought(), candidates(FILM, TOWN))
    assert values.shape == (2, len(ALONE))
    assert values[:, ALONE.index("walk")] == pytest.approx(np.log([1 + FLOOR, 0.5 + FLOOR]))
    assert list(values[:, ALONE.index("title")]) == [1, 0]
    assert list(values[:, ALONE.index("relation")]) == [0, 1]


def test_the_page_of_what_an_anchor_names_is_told_from_the_page_that_the_question_names() -> None:
    found = column("page", anchors(film=1.0), FILM, DIRECTOR, TOWN, STUDIO)
    assert list(found) == [0, 1, 0, 0]
    assert list(column("page", anchors(director=1.0), FILM, TOWN)) == [0, 1]


def test_a_pair_counts_by_the_strength_of_its_anchor_and_the_strongest_pair_counts() -> None:
    found = column("page", anchors(film=0.5, studio=0.25), DIRECTOR)
    assert list(found) == [0.5]


def test_what_both_name_counts_the_more_the_rarer_it_is_and_never_what_the_question_names() -> None:
    town = column("shared", anchors(director=1.0), TOWN)
    assert town == pytest.approx([1 / np.sqrt(2)])
    # The director stands in three chunks; the film, rarer, is in the question.
    assert column("shared", anchors(film=1.0), DIRECTOR) == pytest.approx([1 / np.sqrt(3)])
    # Director, studio and maker together would be more than 1.
    assert list(column("shared", anchors(film=1.0), STUDIO)) == [1]


def test_new_words_are_those_that_the_anchor_lacks() -> None:
    assert list(column("new words", anchors(film=1.0), TOWN)) == [0]
    new, held = column("new words", anchors(film=1.0), DIRECTOR), column("words", anchors(), DIRECTOR)
    assert new == pytest.approx(held) and 0 < held[0] < 1
    # The rarer of two words has the larger share: word 2 stands in one chunk, word 1 in two.
    assert held[0] > column("words", anchors(), TOWN)[0]


def test_a_question_without_words_has_no_share_of_them() -> None:
    assert list(column("words", anchors(film=1.0), FILM, TOWN, words=())) == [0, 0]
    assert list(column("new words", anchors(film=1.0), FILM, TOWN, words=())) == [0, 0]


def test_the_question_and_an_anchor_are_asked_together() -> None:
    assert column("question after", anchors(film=1.0), DIRECTOR, STUDIO) == pytest.approx(
        [1 / np.sqrt(1.25), 0]
    )
    assert column("relation after", anchors(director=1.0), TOWN) == pytest.approx([1 / np.sqrt(1.25)])
    assert column("question after", anchors(film=1.0, town=1.0), FILM) == pytest.approx([0])


def test_an_anchor_says_nothing_about_itself() -> None:
    for name in ("page", "shared", "new words", "question after", "relation after"):
        assert list(column(name, anchors(director=1.0), DIRECTOR)) == [0]


def test_without_anchors_or_candidates_nothing_fails() -> None:
    assert np.count_nonzero(beside(library(), sought(), candidates(FILM), anchors())[:, -5:]) == 0
    assert beside(library(), sought(), candidates(), anchors()).shape == (0, len(BESIDE))
    assert alone(library(), sought(), candidates()).shape == (0, len(ALONE))


@given(st.permutations([FILM, DIRECTOR, TOWN, STUDIO]))
def test_the_order_of_candidates_changes_no_candidate(order: list[int]) -> None:
    plain = Candidates(np.arange(4, dtype=np.int32), np.ones(4), np.ones(4))
    mixed = Candidates(np.array(order, dtype=np.int32), np.ones(4), np.ones(4))
    found = anchors(film=1.0, studio=0.5)
    expected = beside(library(), sought(), plain, found)[order]
    assert beside(library(), sought(), mixed, found) == pytest.approx(expected)


@given(arrays.arrays(np.float64, 3, elements=st.floats(0.01, 1)))
def test_features_of_pairs_stay_within_their_bounds(strengths: Values) -> None:
    found = Anchors(np.array([FILM, DIRECTOR, STUDIO], dtype=np.int32), strengths)
    pairs = beside(library(), sought(), candidates(FILM, DIRECTOR, TOWN, STUDIO), found)[:, -5:]
    assert pairs.min() >= 0 and pairs.max() <= strengths.max() + 1e-6
