"""Holm's adjustment of several p-values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.statistics.several_tests import holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_worked_example() -> None:
    # Sorted .005, .01, .03, .04: 4 x .005, 3 x .01, 2 x .03, then .04, which may not be below .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_no_test_is_no_member_of_the_family() -> None:
    assert holm([None, 0.02, None, 0.04]) == [None, 0.04, None, 0.04]


@given(P_VALUES)
def test_it_keeps_the_order_and_lies_between_p_and_bonferroni(p_values: list[float]) -> None:
    adjusted = [p for p in holm(p_values) if p is not None]
    assert len(adjusted) == len(p_values)
    for p, found in zip(p_values, adjusted, strict=True):
        assert p <= found <= min(1.0, len(p_values) * p) + 1e-12
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert [found for _, found in ranked] == sorted(adjusted)
