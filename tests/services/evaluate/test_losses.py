"""Where an answer was lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evaluate.write_back import Loss, find_loss

EVIDENCE = st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=12)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        # One of the second hop's two chunks is enough.
        ([(1, True), (2, False), (2, True)], Loss((True, True), None, "reasoning")),
        ([(1, True), (2, False), (3, False)], Loss((True, False, False), 2, "retrieval")),
        ([(2, True), (1, False)], Loss((False, True), 1, "retrieval")),
        ([], Loss((), None, "reasoning")),
    ],
)
def test_a_wrong_answer_is_lost_at_the_first_hop_without_a_chunk(
    evidence: list[tuple[int, bool]], expected: Loss
) -> None:
    assert find_loss(evidence, correct=False) == expected


def test_what_failed_is_an_error_and_what_is_right_is_not_broken() -> None:
    evidence = [(1, False), (2, True)]
    assert find_loss(evidence, correct=False, failed=True) == Loss((False, True), 1, "error")
    assert find_loss(evidence, correct=True) == Loss((False, True), 1, None)


def test_what_stands_nowhere_can_not_be_lost_in_retrieval() -> None:
    assert find_loss([(1, False)], correct=False, answerable=False) == Loss((False,), None, "reasoning")


@given(EVIDENCE, st.booleans())
def test_retrieval_is_to_blame_exactly_where_a_hop_is_lost(
    evidence: list[tuple[int, bool]], failed: bool
) -> None:
    loss = find_loss(evidence, correct=False, failed=failed)
    assert len(loss.hops_found) == len({hop for hop, _ in evidence})
    assert (loss.first_lost is None) == all(loss.hops_found)
    expected = "error" if failed else "reasoning" if loss.first_lost is None else "retrieval"
    assert loss.broken_by == expected


def test_without_word_of_what_was_retrieved_only_errors_are_known() -> None:
    evidence = [(1, False), (2, False)]
    assert find_loss(evidence, correct=False, told=False) == Loss((), None, "not told")
    assert find_loss(evidence, correct=True, told=False) == Loss((), None, None)
    assert find_loss(evidence, correct=False, failed=True, told=False) == Loss((), None, "error")
