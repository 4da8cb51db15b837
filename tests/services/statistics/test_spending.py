"""Alpha spending: published boundaries, what must hold for any, and simulated looks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.statistics.several_tests import Spending, level_at, looks, spent_at

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
