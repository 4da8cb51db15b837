"""How deep a system gets into a chain, by hand and for any verdicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evaluate.hop_aware.tracks import Depth, depth_of


@pytest.mark.parametrize(
    ("hops", "right", "prefixes", "expected"),
    [
        (3, True, {1: True, 2: True}, Depth(3, 3)),
        (3, False, {1: True, 2: True}, Depth(2, 2)),
        (3, False, {1: False, 2: True}, Depth(2, 0)),
        (3, True, {1: True, 2: False}, Depth(3, 1)),
        (3, False, {1: False, 2: False}, Depth(0, 0)),
        (2, False, {1: True}, Depth(1, 1)),
    ],
    ids=["all", "not the whole", "a gap", "right by chance", "none", "two hops"],
)
def test_worked_examples(hops: int, right: bool, prefixes: dict[int, bool], expected: Depth) -> None:
    assert depth_of(hops, right, prefixes) == expected


@pytest.mark.parametrize("prefixes", [{}, {1: True}, {2: True}])
def test_a_prefix_that_was_not_asked_leaves_the_depth_unknown(prefixes: dict[int, bool]) -> None:
    assert depth_of(3, True, prefixes) is None


def test_a_question_of_one_hop_has_no_depth() -> None:
    assert depth_of(1, True, {}) is None


@given(st.lists(st.booleans(), min_size=2, max_size=6))
def test_unbroken_is_never_deeper_than_reached(verdicts: list[bool]) -> None:
    prefixes = dict(enumerate(verdicts[:-1], start=1))
    found = depth_of(len(verdicts), verdicts[-1], prefixes)
    assert found is not None
    assert 0 <= found.unbroken <= found.reached <= len(verdicts)
    assert (found.reached == len(verdicts)) == verdicts[-1]
    assert (found.unbroken == len(verdicts)) == all(verdicts)
