"""Looking before the end: how alpha is spent over the looks, and what a p-value must be at each.

looks((.25, .5, 1), alpha=.05, spending="obrien-fleming")
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import e, inf, log, sqrt
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from services.evaluate.statistics.groups import Floats

Spending = Literal["obrien-fleming", "pocock"]

_FAR = 9.0
_LEAST = 1e-15
_PANELS = (8, 300)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


@dataclass(frozen=True, slots=True)
class Look:
    """A look after `share` of the information: `spent` of alpha in all so far, `level` for p at this look.

    `bound` is what |z| (or z, one-sided) must reach; infinite where too little may be spent to reach any.
    """

    share: float
    spent: float
    bound: float
    level: float


def spent_at(share: float, alpha: float, spending: Spending = "obrien-fleming") -> float:
    """How much of a one-sided `alpha` may be used up by `share` of the information (Lan and DeMets 1983).

    O'Brien and Fleming's 2 - 2 Φ(z / √share) for z = Φ⁻¹(1 - alpha / 2), which hardly spends early, or
    Pocock's alpha ln(1 + (e - 1) share), which spends almost evenly.
    """
    if spending == "pocock":
        return alpha * log(1 + (e - 1) * share)
    return float(2 * ndtr(ndtri(alpha / 2) / sqrt(share)))


@lru_cache(maxsize=1_024)
def looks(
    shares: tuple[float, ...],
    alpha: float,
    spending: Spending = "obrien-fleming",
    two_sided: bool = True,
) -> tuple[Look, ...]:
    """The boundary at each of growing `shares` of the information, the last being 1.

    Two-sided ones are symmetric and spend `alpha` / 2 on each side. At look k the chance to get there without
    having crossed, and to cross now, is what is newly spent: the density of the running sum over those that
    did not cross is carried from look to look (Armitage, McPherson and Rowe 1969) by Gauss-Legendre
    quadrature. A single look has `alpha` itself.
    """
    if not shares or shares[-1] != 1 or shares[0] <= 0 or any(b <= a for a, b in pairwise(shares)):
        raise ValueError(f"Looks come after growing shares that end with 1, not after {shares}.")
    sides = 2 if two_sided else 1
    if len(shares) == 1:
        return (Look(1.0, alpha, -float(ndtri(alpha / sides)), alpha),)
    found: list[Look] = []
    points, masses = np.zeros(1), np.ones(1)
    before, used = 0.0, 0.0
    for share in shares:
        spent = spent_at(share, alpha / sides, spending)
        step = sqrt(share - before)
        bound = _bound(points, masses, step, share, spent - used)
        if bound < inf:
            used = spent
        found.append(Look(share, sides * spent, bound, sides * float(ndtr(-bound))))
        points, masses = _carried(points, masses, step, share, bound, two_sided)
        before = share
    return tuple(found)


def level_at(
    shares: Sequence[float],
    look: int,
    alpha: float,
    spending: Spending = "obrien-fleming",
    two_sided: bool = True,
) -> float:
    """What a p-value must not exceed at look `look`, counted from 1."""
    return looks(tuple(shares), alpha, spending, two_sided)[look - 1].level


def _bound(points: Floats, masses: Floats, step: float, share: float, spend: float) -> float:
    if spend < _LEAST:
        return inf
    scale = sqrt(share)

    def excess(bound: float) -> float:
        return float(masses @ ndtr((points - bound * scale) / step)) - spend

    return float(brentq(excess, -_FAR, _FAR, xtol=1e-12)) if excess(_FAR) < 0 else inf


def _carried(
    points: Floats, masses: Floats, step: float, share: float, bound: float, two_sided: bool
) -> tuple[Floats, Floats]:
    scale = sqrt(share)
    high = min(bound, _FAR) * scale
    low = -high if two_sided else -_FAR * scale
    panels = int(np.clip(np.ceil((high - low) / step), *_PANELS))
    half = (high - low) / panels / 2
    middles = low + half * (2 * np.arange(panels) + 1)
    places = (middles[:, None] + half * _NODES).ravel()
    apart = (places[:, None] - points) / step
    density = np.exp(-(apart**2) / 2) @ masses / (step * sqrt(2 * np.pi))
    return places, density * np.tile(_WEIGHTS * half, panels)
