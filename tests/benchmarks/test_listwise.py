"""Weights that put gold first."""

import numpy as np
import pytest

from benchmarks.listwise import Choice, fit_weights


def choices(count: int, seed: int = 0) -> list[Choice]:
    """Questions whose gold is the candidate with most of the first feature less a tenth of the second."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        features = random.normal(size=(8, 3))
        gold = np.zeros(8, dtype=np.bool_)
        gold[np.argmax(features @ np.array([1.0, -0.1, 0.0]))] = True
        made.append(Choice(features, gold, 1.0))
    return made


def test_the_weights_follow_what_decides() -> None:
    weights = fit_weights(choices(60), penalty=1e-3)
    assert weights[0] > 0 > weights[1]
    assert abs(weights[2]) < 0.2 * weights[0]
    unseen = choices(100, seed=1)
    right = [one.gold[np.argmax(one.features @ weights)] for one in unseen]
    assert np.mean(right) > 0.9


def test_a_question_without_a_choice_says_nothing() -> None:
    usual = choices(20)
    nothing = Choice(np.ones((3, 3)), np.zeros(3, dtype=np.bool_), 1.0)
    everything = Choice(np.ones((3, 3)), np.ones(3, dtype=np.bool_), 1.0)
    both = fit_weights([*usual, nothing, everything], 1e-3)
    assert both.tolist() == pytest.approx(fit_weights(usual, 1e-3).tolist())


def test_a_question_counts_by_its_weight() -> None:
    for_first = Choice(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([True, False]), 1.0)
    for_second = Choice(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([False, True]), 0.1)
    weights = fit_weights([for_first, for_second], 1e-2)
    assert weights[0] > 0 > weights[1]
