import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evaluate.resolution_gold import b_cubed, pairwise, share

GOLD = {"a": "1", "b": "1", "c": "1", "d": "2", "e": "2"}
FOUND = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}


def test_pairs_worked_by_hand() -> None:
    """Found joins ab and cd, gold joins ab, ac, bc and de: one of two is right, one of four is found."""
    precision, recall = pairwise(FOUND, GOLD)
    assert (precision.right, precision.n, precision.rate) == (1, 2, 0.5)
    assert (recall.right, recall.n, recall.rate) == (1, 4, 0.25)
    assert precision.interval is not None
    assert precision.interval.low < 0.5 < precision.interval.high


def test_b_cubed_worked_by_hand() -> None:
    """Precision: a and b 1, c and d 1/2, e 1, so 4/5. Recall: a and b 2/3, c 1/3, d and e 1/2, so 8/15."""
    scores = b_cubed(FOUND, GOLD)
    assert scores.precision == pytest.approx(4 / 5)
    assert scores.recall == pytest.approx(8 / 15)
    assert scores.f1 == pytest.approx(2 * (4 / 5) * (8 / 15) / (4 / 5 + 8 / 15))


def test_the_example_of_bagga_and_baldwin() -> None:
    """Their chains 1-5, 6-7, 8-12 with the second and the third joined: precision 16/21, recall 1."""
    gold = {str(i): "A" if i <= 5 else "B" if i <= 7 else "C" for i in range(1, 13)}
    found = {item: "A" if chain == "A" else "BC" for item, chain in gold.items()}
    scores = b_cubed(found, gold)
    assert scores.precision == pytest.approx(16 / 21, abs=1e-9)
    assert scores.recall == 1


def test_nothing_is_no_rate_and_no_mistake() -> None:
    assert share([]).rate is None
    assert b_cubed({}, {}).f1 == 1
    with pytest.raises(ValueError, match="same items"):
        b_cubed({"a": "x"}, {})


ITEMS = st.dictionaries(
    st.integers(0, 20), st.tuples(st.sampled_from("xyz"), st.sampled_from("123")), min_size=1
)


@given(ITEMS)
def test_scores_are_shares_and_swap_with_their_arguments(items: dict[int, tuple[str, str]]) -> None:
    found = {item: pair[0] for item, pair in items.items()}
    gold = {item: pair[1] for item, pair in items.items()}
    scores, swapped = b_cubed(found, gold), b_cubed(gold, found)
    assert 0 < scores.precision <= 1
    assert (scores.precision, scores.recall) == pytest.approx((swapped.recall, swapped.precision))
    assert b_cubed(gold, gold).f1 == 1
