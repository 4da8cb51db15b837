"""Holm's method at several looks: by hand, as Holm's with one look, and at its level under simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from services.statistics.several_tests import Held, holm, level_at, sequential_holm

P_VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8)


@given(P_VALUES)
def test_with_one_look_it_is_holms(p_values: list[float | None]) -> None:
    found = sequential_holm([p_values], [True] * len(p_values))
    # One without a test has its part in the family, as if it showed nothing.
    adjusted_all = holm([1.0 if p is None else p for p in p_values])
    for p_value, held, adjusted in zip(p_values, found, adjusted_all, strict=True):
        assert adjusted is not None
        if p_value is None:
            assert held == Held(None, None)
        elif abs(adjusted - 0.05) > 1e-9:
            assert (held.shown_at == 1) == (adjusted < 0.05)


def test_worked_example() -> None:
    # Three at .05: .01 reaches .05 / 3, then .02 reaches .05 / 2, then .06 does not reach .05.
    found = sequential_holm([[0.02, 0.06, 0.01]], [True, False, True])
    assert [held.shown_at for held in found] == [1, None, 1]
    assert [held.level for held in found] == pytest.approx([0.05 / 2, 0.05, 0.05 / 3])


def test_what_one_had_goes_to_the_other_at_a_later_look() -> None:
    looks = (0.5, 1.0)
    # At half, .0006 is below the level for .025 (.0008) and .002 is not below that for .05 (.0031): it is.
    first, both = level_at(looks, 1, 0.025), level_at(looks, 1, 0.05)
    assert first < 0.002 < both
    found = sequential_holm([[first / 2, 0.002]], [True, True], looks)
    assert [held.shown_at for held in found] == [1, 1]
    # One that falls between is shown at the end, where it gets all of alpha.
    last = level_at(looks, 2, 0.05)
    later = sequential_holm([[first / 2, 0.2], [0.9, last * 0.99]], [True, True], looks)
    assert later == [Held(first, 1), Held(last, 2)]
    never = sequential_holm([[0.2, 0.2], [0.9, last * 0.99]], [True, True], looks)
    assert [held.shown_at for held in never] == [None, None]


def test_what_was_shown_stays_shown_and_without_correction_each_has_all_of_alpha() -> None:
    found = sequential_holm([[1e-9], [0.9]], [False], (0.5, 1.0))
    assert found[0].shown_at == 1
    plain = sequential_holm([[0.04, 0.045, None]], [True] * 3, correct=False)
    assert [held.shown_at for held in plain] == [1, 1, None]


def test_a_claim_stands_when_another_hypothesis_gets_its_first_test_later() -> None:
    looks = (0.5, 1.0)
    first = sequential_holm([[0.014, None]], [False] * 2, looks, spending="pocock")
    later = sequential_holm([[0.014, None], [0.2, 0.2]], [False] * 2, looks, spending="pocock")
    assert (first[0].shown_at, later[0].shown_at) == (1, 1)
    # Alone it would have had all of alpha; as one of two it has half, from the first look on.
    alone = level_at(looks, 1, 0.05, "pocock")
    between = sequential_holm([[alone * 0.9, None]], [False] * 2, looks, spending="pocock")
    assert between[0].shown_at is None


def test_rows_must_fit() -> None:
    with pytest.raises(ValueError, match="one p-value a hypothesis"):
        sequential_holm([[0.1]], [True, True])
    with pytest.raises(ValueError, match="no more rows"):
        sequential_holm([[0.1], [0.1]], [True])


def test_over_looks_and_hypotheses_false_claims_stay_at_alpha() -> None:
    rng = np.random.default_rng(0)
    shares = (0.4, 1.0)
    steps = np.sqrt(np.diff(shares, prepend=0.0))[:, None]
    false = naive = 0
    runs = 3_000
    for _ in range(runs):
        z = np.cumsum(rng.normal(size=(2, 3)) * steps, axis=0) / np.sqrt(shares)[:, None]
        p_values = (2 * ndtr(-np.abs(z))).tolist()
        false += any(
            held.shown_at for held in sequential_holm(p_values, [True] * 3, shares, spending="pocock")
        )
        naive += bool((np.array(p_values) <= 0.05).any())
    assert 0.03 <= false / runs <= 0.062
    assert naive / runs > 0.15
