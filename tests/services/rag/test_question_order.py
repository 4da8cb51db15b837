"""The order in which a run asks."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from services.runs.start import Listed, limited

QUESTIONS = st.lists(
    st.builds(
        Listed,
        id=st.uuids().map(str),
        kind=st.sampled_from(["chain", "comparison", "null"]),
        hops=st.integers(2, 5),
        bin=st.none() | st.integers(1, 4),
        answered=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda one: one.id,
)


@given(QUESTIONS, st.integers(0, 60))
def test_a_smaller_limit_is_the_beginning_of_a_larger_one(questions: list[Listed], limit: int) -> None:
    assert limited(questions, limit) == limited(questions, None)[:limit]
    assert limited(list(reversed(questions)), None) == limited(questions, None)
    assert sorted(one.id for one in limited(questions, None)) == sorted(one.id for one in questions)


@given(QUESTIONS, st.integers(1, 60))
def test_no_group_is_ahead_of_another_that_has_more(questions: list[Listed], limit: int) -> None:
    def group(one: Listed) -> tuple[str, int, int]:
        return one.kind, one.hops, one.bin or 0

    sizes, taken = Counter(map(group, questions)), Counter(map(group, limited(questions, limit)))
    for one, size in sizes.items():
        if taken[one] < size:
            assert taken[one] >= max(taken.values()) - 1
