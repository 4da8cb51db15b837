"""Retrieval difficulty of a question, and the quartile of its difficulty (GRADE, sections 3.3 and 4.4)."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from kg.errors import SettingsError, UserError
from kg.store.graph import Row

Aggregate = Literal["min", "mean", "power"]
"""How the similarities of a question's hops become one: the weakest, the mean, the power mean (p = -3)."""

AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)

QUARTILES = 4
POWER = -3

_BELOW_ALL = -1.0
"""Below every difficulty, so that nothing lies in an empty lowest quartile."""

_ROUNDING = 1e-4
"""How far a cosine of float32 vectors may lie outside [-1, 1]; what is further out is not a cosine."""


def difficulty(similarities: Sequence[Sequence[float]], aggregate: Aggregate = "min") -> float:
    """D = 1 - aggregate over the hops of the hop's similarity; 0 is easiest (GRADE, equation 1).

    `similarities[h]` holds the cosines between the question and each chunk that supports hop h; the hop's
    similarity is the largest of them, since one good chunk is enough to answer the hop. D is in [0, 2] for
    "min" and "mean", in [0, 1] for "power". The power mean (GRADE, section 4.4) is defined for positive
    numbers; where a hop's similarity is 0 or less it takes its limit, 0, so D is 1 however negative it is.
    Raises UserError where a hop has no chunk, where there is no hop, and where a value is not a cosine.
    """
    if not similarities:
        raise UserError(
            "A question without hops has no difficulty.", "Give it the path that it was made from."
        )
    hops = [_hop_similarity(number, chunks) for number, chunks in enumerate(similarities, start=1)]
    match aggregate:
        case "min":
            return 1.0 - min(hops)
        case "mean":
            return 1.0 - math.fsum(hops) / len(hops)
        case "power":
            return 1.0 - _power_mean(hops)
    raise SettingsError(f"There is no aggregate {aggregate!r}.", f"Use one of {', '.join(AGGREGATES)}.")


def difficulties(cosines: Iterable[tuple[int, float]]) -> dict[Aggregate, float]:
    """All three difficulties to six digits, from (hop, cosine) of every supporting chunk.

    Empty without any chunk. Raises UserError where a value is not a cosine.
    """
    by_hop: dict[int, list[float]] = defaultdict(list)
    for hop, cosine in cosines:
        by_hop[hop].append(cosine)
    similarities = [by_hop[hop] for hop in sorted(by_hop)]
    return {one: round(difficulty(similarities, one), 6) for one in AGGREGATES} if similarities else {}


def difficulty_properties(support: Iterable[Row]) -> dict[str, float]:
    """What a Question node holds of its difficulty, from rows with `hop` and `similarity`."""
    found = difficulties((row["hop"], row["similarity"]) for row in support)
    return {f"difficulty_{aggregate}": value for aggregate, value in found.items()}


def quartile_bins(values: Sequence[float], groups: Sequence[int] | None) -> list[int]:
    """The quartile, 1 (lowest) to 4, of each value among the values of its group, in the order given.

    The columns of GRADE's matrix (section 3.3), which doesn't say within what the quartiles are cut.
    `groups` holds each value's group, the hop depth; None cuts one set of quartiles over all values. Equal
    values always share a bin: that in which the middle of their ranks lies, and the lower one where the
    middle lies on a cut. Bins of n distinct values differ in size by at most one. With fewer than four
    distinct values some bins stay empty (a lone value is in bin 2): `groups_without_quartiles` names them.
    """
    bins = [0] * len(values)
    for members in _members(values, groups).values():
        ordered = sorted(values[i] for i in members)
        for i in members:
            below = bisect_left(ordered, values[i])
            up_to = bisect_right(ordered, values[i])
            # The middle rank is (below + up_to) / 2n; in integers, so that a cut is never missed by rounding.
            bins[i] = -(-(below + up_to) * QUARTILES // (2 * len(ordered)))
    return bins


def cut_points(values: Sequence[float]) -> tuple[float, ...]:
    """The upper bounds of the three lower quartiles of one group, as `quartile_bins` cuts it.

    A quartile without a value ends where the one below it does, and below every difficulty if there is none.
    Without any value there is no bound.
    """
    if not values:
        return ()
    bins = quartile_bins(values, None)
    return tuple(
        max(
            (value for value, found in zip(values, bins, strict=True) if found <= quartile),
            default=_BELOW_ALL,
        )
        for quartile in range(1, QUARTILES)
    )


def bin_of(value: float, bounds: Sequence[float]) -> int | None:
    """The quartile, 1 to 4, in which a value lies by bounds that were cut before; None without bounds."""
    return 1 + bisect_left(bounds, value) if bounds else None


def _hop_similarity(number: int, chunks: Sequence[float]) -> float:
    if not chunks:
        raise UserError(
            f"Hop {number} has no supporting chunk, so the question's difficulty is undefined.",
            "Link the hop's claim to its chunks first.",
        )
    for value in chunks:
        if not abs(value) <= 1 + _ROUNDING:  # also catches NaN
            raise UserError(
                f"Hop {number} has similarity {value}, and a cosine lies between -1 and 1.",
                "Embed questions and chunks with the same embedder and compare unit vectors.",
            )
    return min(1.0, max(-1.0, *chunks))


def _power_mean(values: Sequence[float]) -> float:
    lowest = min(values)
    if lowest <= 0:
        return 0.0
    # Ratios to the lowest value lie in (0, 1], so that no power overflows however small the value is.
    ratios = [(value / lowest) ** POWER for value in values]
    return min(1.0, lowest * math.pow(math.fsum(ratios) / len(ratios), 1 / POWER))


def _members(values: Sequence[float], groups: Sequence[int] | None) -> dict[int | None, list[int]]:
    if groups is not None and len(groups) != len(values):
        raise ValueError(f"{len(values)} values and {len(groups)} groups: there must be one group a value.")
    members: dict[int | None, list[int]] = defaultdict(list)
    for i, value in enumerate(values):
        if math.isnan(value):
            raise ValueError(f"Value {i} is not a number, and has no quartile.")
        members[None if groups is None else groups[i]].append(i)
    return dict(members)
