"""Several hypotheses at several looks: Holm's method with the levels that spending leaves at each look."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.evaluate.statistics.spending import Spending, level_at

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Held:
    """What came of a hypothesis: `level` is what its p-value was last held against, None without any.

    `shown_at` is the number of the look, from 1, at which it was shown; None where it was not.
    """

    level: float | None
    shown_at: int | None


def sequential_holm(
    p_values: Sequence[Sequence[float | None]],
    two_sided: Sequence[bool],
    shares: Sequence[float] = (1.0,),
    alpha: float = 0.05,
    spending: Spending = "obrien-fleming",
    correct: bool = True,
) -> list[Held]:
    """Decide hypotheses by their p-values at the looks so far; `alpha` is the chance of any false claim.

    `p_values` has one row a look, in order, with one entry a hypothesis; None is no test. `two_sided` tells
    which hypotheses have two-sided ones, `shares` are those of all planned looks. With h hypotheses of the
    family not yet shown, each is held against the level of its look for alpha / h; whenever one is shown,
    what it had goes to the others, which are then held against a higher level (Holm 1979; with looks, Ye, Li,
    Liu and Yao 2013, Maurer and Bretz 2013). Hypotheses without any test have their part too: if one that
    gets a test later changed the levels of earlier looks, what was shown then could be taken back. With one
    look this is Holm's method; without `correct`, each has all of alpha.
    """
    if any(len(row) != len(two_sided) for row in p_values) or len(p_values) > len(shares):
        raise ValueError("There must be one p-value a hypothesis, and no more rows of them than looks.")
    number = len(two_sided)
    open_ = list(range(number))
    held = [Held(None, None)] * number
    for look, row in enumerate(p_values, start=1):
        while open_:
            share = alpha / len(open_) if correct else alpha
            for place in open_:
                if row[place] is not None:
                    level = level_at(shares, look, share, spending, two_sided[place])
                    held[place] = Held(level, held[place].shown_at)
            shown = [place for place in open_ if _reaches(row[place], held[place].level)]
            if not shown:
                break
            first = min(shown, key=lambda place: (row[place] or 0.0) / (held[place].level or 1.0))
            held[first] = Held(held[first].level, look)
            open_.remove(first)
    return held


def _reaches(p_value: float | None, level: float | None) -> bool:
    return p_value is not None and level is not None and level > 0 and p_value <= level * (1 + _ROUNDING)
