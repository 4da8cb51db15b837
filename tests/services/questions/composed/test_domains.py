"""No domain has more than its share, and no more is left out for it than must be."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.questions.composed.selection import fair_share, within_share
from tests.examples import examples


@examples("share, domains, allowed")
def test_a_share_that_can_not_be_kept_gives_way(share: float, domains: int, allowed: tuple[Any, ...]) -> None:
    assert fair_share(share, domains) == Fraction(*allowed)


def test_the_first_of_each_domain_stay() -> None:
    domains = ["news", "news", "news", "sport", "science", "science", "law"]
    assert within_share(domains, 0.25, 7) == [True, False, False, True, True, False, True]
    assert within_share(domains, 0.5, 4) == [True, True, False, True, True, False, False]


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=9),
    st.floats(min_value=0.05, max_value=1.0),
    st.integers(min_value=1, max_value=9),
)
def test_no_domain_is_above_its_share_and_nothing_larger_would_do(
    domains: list[str], share: float, most: int
) -> None:
    stays = within_share(domains, share, most)
    kept = [domain for domain, stay in zip(domains, stays, strict=True) if stay]
    allowed = fair_share(share, len(set(domains)))

    def fits(some: list[str]) -> bool:
        return all(count <= allowed * len(some) for count in Counter(some).values())

    assert len(kept) <= most
    assert bool(kept) == bool(domains)
    assert fits(kept) or len(kept) == 1
    larger = range(len(kept) + 1, min(most, len(domains)) + 1)
    assert not any(fits(list(some)) for size in larger for some in combinations(domains, size))
