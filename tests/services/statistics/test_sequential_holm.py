"""Holm's method at several looks: by hand, as Holm's with one look, and at its level under simulation.

Alpha spending: published boundaries, what must hold for any, and simulated looks.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from services.statistics.several_tests import (
    HolmOutcome,
    Spending,
    holm,
    level_at,
    looks,
    sequential_holm,
    spent_at,
)

P_VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8)


@given(P_VALUES)
def test_with_one_look_it_is_holms(p_values: list[float | None]) -> None:
    found = sequential_holm([p_values], [True] * len(p_values))
    # One without a test has its part in the family, as if it showed nothing.
    adjusted_all = holm([1.0 if p is None else p for p in p_values])
    for p_value, held, adjusted in zip(p_values, found, adjusted_all, strict=True):
        assert adjusted is not None
        if p_value is None:
            assert held == HolmOutcome(None, None)
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
    assert later == [HolmOutcome(first, 1), HolmOutcome(last, 2)]
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


# Two-sided alpha .05, equally spaced looks: the bounds of Lan and DeMets' program (Reboussin et al. 2000), as
# in Jennison and Turnbull (2000, section 7.2) and in the R packages ldbounds and gsDesign.
PUBLISHED: dict[tuple[Spending, int], list[float]] = {
    ("obrien-fleming", 2): [2.963, 1.969],
    ("obrien-fleming", 3): [3.710, 2.511, 1.993],
    ("obrien-fleming", 4): [4.333, 2.963, 2.359, 2.014],
    ("obrien-fleming", 5): [4.877, 3.357, 2.680, 2.290, 2.031],
    ("pocock", 2): [2.157, 2.201],
    ("pocock", 3): [2.279, 2.295, 2.296],
    ("pocock", 5): [2.438, 2.427, 2.410, 2.397, 2.386],
}

SHARES = st.lists(st.integers(1, 99), max_size=4, unique=True).map(
    lambda drawn: (*(share / 100 for share in sorted(drawn)), 1.0)
)


@pytest.mark.parametrize(("spending", "number"), PUBLISHED)
def test_bounds_are_the_published_ones(spending: Spending, number: int) -> None:
    shares = tuple((look + 1) / number for look in range(number))
    found = [look.bound for look in looks(shares, 0.05, spending)]
    assert found == pytest.approx(PUBLISHED[spending, number], abs=6e-4)
    # One side of half the alpha has the same bounds: crossing both in one trial is next to impossible.
    one_sided = [look.bound for look in looks(shares, 0.025, spending, two_sided=False)]
    assert one_sided == pytest.approx(PUBLISHED[spending, number], abs=6e-4)


def test_a_single_look_has_alpha_itself() -> None:
    for two_sided in (True, False):
        (only,) = looks((1.0,), 0.05, two_sided=two_sided)
        assert (only.level, only.spent) == (0.05, 0.05)
    assert looks((1.0,), 0.05)[0].bound == pytest.approx(1.959964, abs=1e-6)


def test_spending_by_hand() -> None:
    # 2 - 2 Φ(1.95996 / .70711) at half the information for a one-sided .05; .05 ln(1.85914).
    assert spent_at(0.5, 0.05) == pytest.approx(0.00557, abs=1e-5)
    assert spent_at(0.5, 0.05, "pocock") == pytest.approx(0.05 * 0.620115, abs=1e-6)


@settings(deadline=None, max_examples=15)
@given(SHARES, st.sampled_from([0.001, 0.01, 0.05, 0.2]), st.booleans())
def test_what_holds_for_any_looks(shares: tuple[float, ...], alpha: float, two_sided: bool) -> None:
    for spending in ("obrien-fleming", "pocock"):
        found = looks(shares, alpha, spending, two_sided)
        assert found[-1].spent == pytest.approx(alpha)
        assert all(0 <= look.level <= look.spent + 1e-9 for look in found)
        assert [look.spent for look in found] == sorted(look.spent for look in found)
        half = looks(shares, alpha / 2, spending, two_sided)
        assert all(less.level <= more.level for less, more in zip(half, found, strict=True))


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_simulated_looks_cross_in_alpha_of_all_cases(spending: Spending) -> None:
    rng = np.random.default_rng(0)
    shares = np.array([0.2, 0.5, 0.6, 1.0])
    steps = np.sqrt(np.diff(shares, prepend=0.0))
    z = np.cumsum(rng.normal(size=(200_000, 4)) * steps, axis=1) / np.sqrt(shares)
    bounds = [look.bound for look in looks(tuple(shares.tolist()), 0.05, spending)]
    assert np.mean((np.abs(z) >= bounds).any(axis=1)) == pytest.approx(0.05, abs=0.0016)
    # Looking as often with the level of a single look would be wrong twice as often.
    assert np.mean((np.abs(z) >= 1.96).any(axis=1)) > 0.1


def test_many_looks_are_no_trouble_and_one_too_early_shows_nothing() -> None:
    many = looks(tuple((look + 1) / 50 for look in range(50)), 0.05)
    assert many[0].level == 0.0
    assert many[-1].bound == pytest.approx(2.1636, abs=1e-3)
    assert level_at((0.5, 1.0), 2, 0.05) == looks((0.5, 1.0), 0.05)[1].level


@pytest.mark.parametrize("shares", [(), (0.5,), (0.0, 1.0), (0.6, 0.4, 1.0), (0.5, 0.5, 1.0)])
def test_looks_that_do_not_grow_to_the_end_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="growing shares"):
        looks(shares, 0.05)
