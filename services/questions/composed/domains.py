"""How composed questions spread over domains, and which of them stay when none may have too large a share."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

NOT_TOLD = "not told"
"""The domain of articles without a category."""


LEEWAY = Fraction(3, 2)
"""How many equal shares a domain may have where there are too few domains for the share asked for."""


def fair_share(share: float, domains: int) -> Fraction:
    """The share that a domain may have: the one asked for, or more where there are too few domains for it.

    With three domains a sixth each would leave half of everything out, whatever is chosen, and a third each
    as much as the rarest domain leaves out; so it is one and a half times an equal share.
    """
    wanted = Fraction(share).limit_denominator(10_000)
    if not domains or wanted * domains >= 1:
        return min(wanted, Fraction(1))
    return min(LEEWAY / domains, Fraction(1))


def within_share(domains: Sequence[str], share: float, most: int) -> list[bool]:
    """Which items stay, in order of preference: the most, up to `most`, with no domain above its fair share.

    `domains` has the domain of each item. The first ones of each domain stay. Where even one of each domain
    is above the share, that one stays.
    """
    counts = Counter(domains)
    allowed = fair_share(share, len(counts))
    total, limit = _largest(counts, allowed, min(most, len(domains)))
    taken: defaultdict[str, int] = defaultdict(int)
    stays = []
    for domain in domains:
        stay = sum(taken.values()) < total and taken[domain] < limit
        taken[domain] += stay
        stays.append(stay)
    return stays


def _largest(counts: Counter[str], share: Fraction, most: int) -> tuple[int, int]:
    """The largest total, and how many of a domain it allows."""
    for total in range(most, 0, -1):
        limit = int(share * total)
        if sum(min(count, limit) for count in counts.values()) >= total:
            return total, limit
    return (1, 1) if most else (0, 0)
