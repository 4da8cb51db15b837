"""Names that mean nearly the same by their vectors."""

import numpy as np
import pytest

from services.rag.graph_search.fact_walk import CELL, LEAST, MOST, synonyms
from services.rag.graph_search.snapshot import Floats


def unit(vectors: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Floats:
    made: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return made


def test_two_names_are_joined_by_their_cosine() -> None:
    found = synonyms(unit(np.array([[1.0, 0.0], [4.0, 3.0], [0.0, 1.0]]))).toarray()
    assert found == pytest.approx(np.array([[0, 0.8, 0], [0.8, 0, 0], [0, 0, 0]]), abs=1e-6)


def test_up_to_a_cell_nothing_is_missed() -> None:
    vectors = unit(np.random.default_rng(0).normal(size=(300, 5)))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, 0)
    wanted = np.where(cosines >= 0.93, cosines, 0)
    assert (wanted > 0).sum(axis=1).max() > 2
    assert synonyms(vectors, 0.93, most=300).toarray() == pytest.approx(wanted, abs=1e-6)


def test_beyond_a_cell_little_is_missed() -> None:
    random = np.random.default_rng(1)
    meanings = random.normal(size=(2 * CELL, 32))
    vectors = unit(np.concatenate((meanings, meanings + 0.1 * random.normal(size=meanings.shape))))
    found = synonyms(vectors)
    pairs = np.array([found[one, one + 2 * CELL] > LEAST for one in range(2 * CELL)])
    assert pairs.mean() > 0.9
    assert abs(found - found.T).sum() == 0


def test_nobody_has_more_than_so_many() -> None:
    found = synonyms(np.ones((3 * CELL, 1), np.float32))
    assert 0 < np.diff(found.indptr).max() <= MOST


@pytest.mark.parametrize("size", [0, 1])
def test_where_there_is_nobody_else_there_are_none(size: int) -> None:
    found = synonyms(np.ones((size, 4), np.float32))
    assert found.shape == (size, size)
    assert found.nnz == 0
