"""Groups of questions that share evidence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.evaluate.groups import effective_groups, group_sizes


def test_a_giant_group_is_worth_one() -> None:
    groups = {f"q{i}": "giant" for i in range(290)} | {f"r{i}": f"r{i}" for i in range(10)}
    sizes = group_sizes(groups)
    assert (sizes.questions, sizes.groups, sizes.largest) == (300, 11, 290)
    assert sizes.effective == pytest.approx(300**2 / (290**2 + 10))
    assert round(sizes.effective, 2) == 1.07


def test_no_questions() -> None:
    sizes = group_sizes({})
    assert (sizes.questions, sizes.groups, sizes.largest, sizes.effective) == (0, 0, 0, 0.0)


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_effective_groups_are_at_most_the_groups(sizes: list[int]) -> None:
    assert 1 <= effective_groups(sizes) <= len(sizes) + 1e-9
