"""What counts as a step of a hop path, and how long a path may be."""

from collections.abc import Collection
from dataclasses import dataclass

MAX_HOPS = 5
"""The statements under cypher/paths hold it as a literal: Cypher takes no parameter as a bound."""
DEPTHS = (2, 3, 4, 5)
"""The lengths of hop paths (GRADE, section 3.2); a path of one hop is a fact."""
QUESTION_HOPS = (1, *DEPTHS)
"""How many hops a question may have; the first hop of a longer one, asked alone, has one."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Which edges may be walked, and in which direction.

    Only edges that resolution left in paths count at all. None of these leaves a literal or a hub, so a path
    along their direction has either at its end or nowhere. Undirected, that is a rule of the walk: no step
    leaves a hub, nor a date or a number unless `literals_inside` says so.
    """

    undirected: bool = False
    mirrored: bool = True
    literals_inside: bool = False


@dataclass(frozen=True, slots=True)
class Without:
    """The ids of edges that a draw leaves out: those not walked along their direction, and not against it."""

    forwards: Collection[str] = frozenset()
    backwards: Collection[str] = frozenset()


NOTHING = Without()
