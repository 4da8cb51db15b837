"""What the page shows of a difficulty matrix: the cells of one run, or of two beside their difference."""

from collections.abc import Mapping
from dataclasses import dataclass

from kg.ids import run_id
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.evaluate.matrix import SMALL

Place = tuple[int | None, int | None]
"""Hops and bin; None stands for all."""


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell or total; `low` and `high` bound its error rate at 95%, by cluster where there are several."""

    hops: int | None
    bin: int | None
    n: int
    errors: int
    error_rate: float | None
    low: float | None
    high: float | None

    @property
    def small(self) -> bool:
        """Whether the cell has too few answers to say anything."""
        return self.n < SMALL


@dataclass(frozen=True, slots=True)
class CellDifference:
    """The error rates of one cell in two runs; `difference` is the second's less the first's."""

    hops: int | None
    bin: int | None
    difference: float | None
    small: bool


Cells = Mapping[Place, CellView]


async def read_cells(graph: AsyncGraph, corpus: str, run: str) -> Cells:
    """The cells of a run by their place; empty where the run has no matrix yet."""
    rows = await graph.rows(query("page/read_cells"), run=run_id(corpus, run))
    return {(row["hops"], row["bin"]): CellView(**row) for row in rows}


def differences(first: Cells, second: Cells) -> dict[Place, CellDifference]:
    """The difference of each cell that both have."""
    found = {}
    for place in first.keys() & second.keys():
        one, other = first[place], second[place]
        both = one.error_rate is not None and other.error_rate is not None
        found[place] = CellDifference(
            *place,
            (other.error_rate or 0.0) - (one.error_rate or 0.0) if both else None,
            one.small or other.small,
        )
    return found
