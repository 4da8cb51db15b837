"""Difficulty and error rate by the number of borders between clusters that a question's evidence must cross.

Beside the difficulty matrix, over the same questions: distance tells how far evidence lies from the question,
a crossing that one piece of it lies in another cluster than the piece before. Questions with more hops can
cross more borders, so the cells of each depth stand beside those of all, and the trend is also tested among
questions of one depth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import SMALL, Judged
from services.evaluate.statistics.intervals import ClusterInterval, Interval, cluster_interval, wilson
from services.evaluate.statistics.trend import Trend, trend_test
from services.questions.spans.border_shares import ORDER, border_name
from services.questions.spans.facets import ClusterFacet


@dataclass(frozen=True, slots=True)
class CrossingCell:
    """The answers to questions that cross so many borders; `hops` is None for all depths.

    `difficulty` is the mean distance from a question to its farthest evidence. `clustered` is None where all
    answers are in one cluster of shared evidence.
    """

    hops: int | None
    crossings: int
    n: int
    errors: int
    clusters: int
    difficulty: float
    error_rate: float
    interval: Interval | None
    clustered: ClusterInterval | None

    @property
    def small(self) -> bool:
        """Whether the cell has too few answers to say anything (n < 20)."""
        return self.n < SMALL


@dataclass(frozen=True, slots=True)
class CrossingTable:
    """A run by crossings of one kind of border; cells without an answer are left out.

    `trend` tests whether error rises from crossing to crossing, over all depths; `trend_at_depth` whether it
    does among questions with as many hops. `by_depth` are the cells of each depth.
    """

    facet: ClusterFacet
    border: str
    n: int
    cells: tuple[CrossingCell, ...]
    trend: Trend | None
    trend_at_depth: Trend | None
    by_depth: tuple[CrossingCell, ...]


def crossing_tables(rows: Sequence[Judged]) -> tuple[CrossingTable, ...]:
    """A table for each kind of border of which the questions' crossings are known, one row a question."""
    return tuple(_table(rows, facet) for facet in ORDER if any(facet in row.crossings for row in rows))


def _table(rows: Sequence[Judged], facet: ClusterFacet) -> CrossingTable:
    known = [row for row in rows if facet in row.crossings]
    asked = (
        [row.crossings[facet] for row in known],
        [row.wrong for row in known],
        [row.cluster for row in known],
    )
    return CrossingTable(
        facet=facet,
        border=border_name(facet),
        n=len(known),
        cells=_cells(known, facet, None),
        trend=trend_test(*asked),
        trend_at_depth=trend_test(*asked, strata=[row.hops for row in known]),
        by_depth=tuple(
            cell
            for depth in DEPTHS
            for cell in _cells([row for row in known if row.hops == depth], facet, depth)
        ),
    )


def _cells(rows: Sequence[Judged], facet: ClusterFacet, hops: int | None) -> tuple[CrossingCell, ...]:
    numbers = sorted({row.crossings[facet] for row in rows})
    return tuple(
        _cell([row for row in rows if row.crossings[facet] == number], hops, number) for number in numbers
    )


def _cell(rows: Sequence[Judged], hops: int | None, crossings: int) -> CrossingCell:
    wrong = [row.wrong for row in rows]
    clusters = [row.cluster for row in rows]
    return CrossingCell(
        hops=hops,
        crossings=crossings,
        n=len(rows),
        errors=sum(wrong),
        clusters=len(set(clusters)),
        difficulty=fmean(row.difficulty for row in rows),
        error_rate=sum(wrong) / len(rows),
        interval=wilson(sum(wrong), len(rows)),
        clustered=cluster_interval(wrong, clusters),
    )
