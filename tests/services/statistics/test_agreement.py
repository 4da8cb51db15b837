"""Kappas against published tables, and what must hold for any.

Kappa over clusters: its interval covers where the naive one does not, and depends on no names.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from services.statistics.agreement import ClusteredKappa, clustered_kappa, cohen_kappa, fleiss_kappa
from services.statistics.intervals import Partition, partition

# Fleiss (1971), table 1: 30 patients by 6 psychiatrists: depression, personality disorder, schizophrenia,
# neurosis, other.
FLEISS_1971 = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)

# Fleiss, Levin and Paik (2003), table 18.1: 100 patients by two raters, in percent.
TWO_RATERS = {
    ("psychotic", "psychotic"): 75,
    ("psychotic", "neurotic"): 1,
    ("psychotic", "organic"): 4,
    ("neurotic", "psychotic"): 5,
    ("neurotic", "neurotic"): 4,
    ("neurotic", "organic"): 1,
    ("organic", "organic"): 10,
}

verdicts = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60)
ratings = st.lists(
    st.dictionaries(st.sampled_from(["keep", "drop", "edit"]), st.integers(0, 4), min_size=1),
    max_size=20,
)


def test_cohen_on_fleiss_levin_and_paik() -> None:
    pairs = [pair for pair, number in TWO_RATERS.items() for _ in range(number)]
    found = cohen_kappa([one for one, _ in pairs], [other for _, other in pairs])
    assert found is not None
    assert found.observed == pytest.approx(0.89)
    assert found.expected == pytest.approx(0.66)
    assert found.value == pytest.approx(0.68, abs=0.005)
    assert found.standard_error == pytest.approx(0.087, abs=0.001)


def test_cohen_by_hand() -> None:
    # 20 and 15 agreed, 5 and 10 not: po = .7, pe = .5 * .6 + .5 * .4 = .5.
    first = [True] * 25 + [False] * 25
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    found = cohen_kappa(first, second)
    assert found is not None
    assert found.value == pytest.approx(0.4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_cohen_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    found = cohen_kappa(first, second)
    assert found is not None
    if found.value is not None:
        assert found.value == pytest.approx(cohen_kappa_score(first, second))


def test_fleiss_on_fleiss_1971() -> None:
    found = fleiss_kappa([dict(enumerate(map(int, row))) for row in FLEISS_1971.split(" ")])
    assert found is not None
    assert found.n == 30
    assert found.value == pytest.approx(0.430, abs=0.0005)
    assert found.expected == pytest.approx(0.220, abs=0.0005)


def test_fleiss_with_unequal_numbers_by_hand() -> None:
    # Fleiss and Cuzick: 1 - (0 + 2/3 + 1/2 + 0) / ((9 - 4) * (1 - (5/9)^2 - (4/9)^2)); the lone vote is out.
    items = [{"keep": 2}, {"keep": 2, "drop": 1}, {"keep": 1, "drop": 1}, {"drop": 2}, {"drop": 1}]
    apart = 3 - (4 + 1) / 3 + 2 - (1 + 1) / 2
    found = fleiss_kappa(items)
    assert found is not None
    assert found.n == 4
    assert found.value == pytest.approx(1 - apart / (5 * (1 - (5 / 9) ** 2 - (4 / 9) ** 2)))


@given(verdicts)
def test_two_judges_can_change_places(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    here, there = cohen_kappa(first, second), cohen_kappa(second, first)
    assert here is not None
    assert there is not None
    if here.value is None or there.value is None:
        assert here.value == there.value
        return
    assert here.value == pytest.approx(there.value)
    if here.interval is not None:
        assert -1 <= here.interval.low <= here.value <= here.interval.high <= 1


@given(verdicts)
def test_cohen_equals_one_just_where_all_agree(pairs: list[tuple[bool, bool]]) -> None:
    found = cohen_kappa([one for one, _ in pairs], [other for _, other in pairs])
    assert found is not None
    if found.value is None:
        assert len(set(pairs)) == 1
    else:
        assert (found.value > 1 - 1e-9) == all(one == other for one, other in pairs)


@given(ratings)
def test_fleiss_stays_in_bounds_and_does_not_mind_order(items: list[dict[str, int]]) -> None:
    found, turned = fleiss_kappa(items), fleiss_kappa(items[::-1])
    assert (found is None) == all(sum(item.values()) < 2 for item in items)
    if found is None or found.value is None:
        return
    assert turned is not None
    assert turned.value == pytest.approx(found.value)
    assert -1 - 1e-9 <= found.value <= 1 + 1e-9
    if found.interval is not None:
        assert found.interval.low <= found.value <= found.interval.high
    if all(sum(x > 0 for x in item.values()) < 2 for item in items if sum(item.values()) > 1):
        assert found.value == pytest.approx(1)


def test_full_agreement_of_a_few_promises_little() -> None:
    few = cohen_kappa([True, False] * 5, [True, False] * 5)
    many = cohen_kappa([True, False] * 200, [True, False] * 200)
    assert few is not None
    assert many is not None
    assert few.value == many.value == 1
    assert few.interval is not None
    assert many.interval is not None
    assert few.interval.low < 0.6
    assert many.interval.low > 0.95


def test_chance_gives_about_nothing_and_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    held, values = 0, []
    for _ in range(300):
        first, second = generator.random((2, 150)) < 0.6
        found = cohen_kappa(first.tolist(), second.tolist())
        assert found is not None
        assert found.value is not None
        assert found.interval is not None
        values.append(found.value)
        held += found.interval.low <= 0 <= found.interval.high
    assert abs(np.mean(values)) < 0.02
    assert 0.91 <= held / 300 <= 0.985


def test_one_who_always_says_the_same_has_a_kappa_of_nothing() -> None:
    found = cohen_kappa([False] * 40, [True] * 30 + [False] * 10)
    assert found is not None
    assert found.value == pytest.approx(0)
    assert found.interval is None


def test_where_everybody_says_the_same_there_is_no_kappa() -> None:
    found = cohen_kappa([True] * 9, [True] * 9)
    assert found is not None
    assert (found.value, found.interval, found.observed) == (None, None, 1)
    everyone = fleiss_kappa([{"keep": 3}, {"keep": 2}])
    assert everyone is not None
    assert everyone.value is None
    assert cohen_kappa([], []) is None
    assert fleiss_kappa([{"keep": 1}]) is None
    with pytest.raises(ValueError, match="can't be paired"):
        cohen_kappa([True], [])


def told(first: list[bool], second: list[bool], parts: Partition, seed: int = 0) -> ClusteredKappa:
    found = clustered_kappa(first, second, parts, np.random.default_rng(seed), draws=400)
    assert found is not None
    return found


def clustered_verdicts(
    rng: np.random.Generator, clusters: int, each: int
) -> tuple[list[bool], list[bool], Partition]:
    """Whole clusters on which the second judge agrees or throws a coin, half and half: kappa .5."""
    parts = Partition(np.repeat(np.arange(clusters), each), clusters)
    first = rng.random(clusters * each) < 0.5
    follows = (rng.random(clusters) < 0.5)[parts.codes]
    second = np.where(follows, first, rng.random(clusters * each) < 0.5)
    return first.tolist(), second.tolist(), parts


def test_the_point_is_cohens_and_the_interval_holds_it() -> None:
    first, second, parts = clustered_verdicts(np.random.default_rng(1), 30, 4)
    found = told(first, second, parts)
    assert found.plain == cohen_kappa(first, second)
    assert found.clusters == 30
    assert found.interval is not None
    assert found.plain.value is not None
    assert found.interval.low < found.plain.value < found.interval.high


def test_lone_items_have_about_the_naive_interval() -> None:
    first, second, parts = clustered_verdicts(np.random.default_rng(2), 400, 1)
    found = told(first, second, parts)
    assert found.interval is not None
    assert found.plain.interval is not None
    assert found.interval.low == pytest.approx(found.plain.interval.low, abs=0.02)
    assert found.interval.high == pytest.approx(found.plain.interval.high, abs=0.02)


def test_it_covers_where_the_naive_interval_does_not() -> None:
    rng = np.random.default_rng(3)
    covered = naive = 0
    for seed in range(150):
        found = told(*clustered_verdicts(rng, 40, 10), seed=seed)
        assert found.interval is not None
        assert found.plain.interval is not None
        covered += found.interval.low <= 0.5 <= found.interval.high
        naive += found.plain.interval.low <= 0.5 <= found.plain.interval.high
    assert 0.9 <= covered / 150 <= 0.985
    assert naive / 150 < 0.8


def test_names_and_order_change_nothing() -> None:
    first, second, parts = clustered_verdicts(np.random.default_rng(4), 12, 5)
    order = np.random.default_rng(5).permutation(60)
    turned = partition([f"c{parts.codes[place]}" for place in order])
    shuffled = told([first[place] for place in order], [second[place] for place in order], turned)
    assert shuffled.interval == told(first, second, parts).interval


def test_three_categories_can_be_told_apart() -> None:
    first = ["right", "partly", "wrong", "right", "wrong", "partly"] * 10
    second = ["right", "partly", "wrong", "partly", "wrong", "right"] * 10
    parts = Partition(np.repeat(np.arange(15), 4), 15)
    found = clustered_kappa(first, second, parts, np.random.default_rng(0), draws=500)
    assert found is not None
    assert found.plain.value == pytest.approx(0.5)
    assert found.interval is not None


def test_one_cluster_full_agreement_or_no_item_gives_no_interval() -> None:
    alone = Partition(np.zeros(4, np.intp), 1)
    assert told([True, False, True, True], [True, False, False, True], alone).interval is None
    parts = Partition(np.arange(4), 4)
    agreed = told([True, False, True, True], [True, False, True, True], parts)
    assert (agreed.plain.value, agreed.interval) == (1.0, None)
    assert told([True] * 4, [True] * 4, parts).plain.value is None
    assert clustered_kappa([], [], Partition(np.zeros(0, np.intp), 0), np.random.default_rng(0)) is None
    with pytest.raises(ValueError, match="4 items and 1 clusters"):
        told([True] * 4, [False] * 4, partition(["a"]))
