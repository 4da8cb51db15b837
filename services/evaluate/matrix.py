"""The difficulty matrix: error rates by reasoning depth and quartile of retrieval difficulty.

GRADE, sections 3.3, 3.4 and 4.2; the intervals, the tests and the marks on small cells are beyond it.

Difficulty and error rate by the number of borders between clusters that a question's evidence must cross.

Beside the difficulty matrix, over the same questions: distance tells how far evidence lies from the question,
a crossing that one piece of it lies in another cluster than the piece before. Questions with more hops can
cross more borders, so the cells of each depth stand beside those of all, and the trend is also tested among
questions of one depth.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite
from statistics import fmean

from kg.errors import UserError
from kg.paths.protocol import DEPTHS
from services.questions.spans.facets import ORDER, ClusterFacet, border_name
from services.statistics.clustered_means import ClusterInterval, cluster_interval
from services.statistics.intervals import GroupSizes, Interval, group_sizes, wilson
from services.statistics.trend import Correlation, Trend, pearson, point_biserial, trend_test

BINS = (1, 2, 3, 4)
BIN_NAMES = {1: "near", 2: "Q2", 3: "Q3", 4: "far"}
"""What tables call the quartiles of distance."""
SMALL = 20
"""A cell with fewer answers says next to nothing: even at a rate of .5 its interval spans over .4."""


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The verdict on one question's answer.

    `cluster` is its group of shared evidence, `articles` are all that its evidence stands in. `crossings`
    maps what evidence is clustered by to how many borders of these clusters it must cross.
    """

    question_id: str
    hops: int
    bin: int
    difficulty: float
    wrong: bool
    cluster: str
    articles: tuple[str, ...] = ()
    crossings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """The errors of one depth and bin; None for `hops` or `bin` stands for all of them, a total.

    Rate and intervals are None where there is no answer, `clustered` also where there is but one cluster.
    """

    hops: int | None
    bin: int | None
    n: int
    errors: int
    clusters: int
    error_rate: float | None
    interval: Interval | None
    clustered: ClusterInterval | None

    @property
    def small(self) -> bool:
        """Whether the cell has too few answers to say anything (n < 20)."""
        return self.n < SMALL


@dataclass(frozen=True, slots=True)
class Association:
    """How error goes with retrieval difficulty at one depth; None for `hops` stands for all depths.

    `bins` is Pearson's r between bin number and error rate over the bins that have answers, each bin
    counted once whatever its size (GRADE, table 1; at most four points, so its p-value is seldom small);
    `questions` is the point-biserial r between difficulty and error; `trend` tests whether error rises
    from bin to bin. Each is None where undefined.
    """

    hops: int | None
    n: int
    bins: Correlation | None
    questions: Correlation | None
    trend: Trend | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """The 16 cells by depth, then bin, with totals and with what goes with what (GRADE, 3.4 and figure 3).

    The totals by depth are GRADE's figure 2, as errors.
    `diagonal` is Pearson's r between step and error rate over the cells (2, 1), (3, 2), (4, 3), (5, 4)
    that have answers; `depth_trend` tests whether error rises with hops. `clusters` tells what the
    cluster-aware figures rest on.
    """

    cells: tuple[Cell, ...]
    by_depth: tuple[Cell, ...]
    by_bin: tuple[Cell, ...]
    total: Cell
    associations: tuple[Association, ...]
    overall: Association
    diagonal: Correlation | None
    depth_trend: Trend | None
    clusters: GroupSizes

    def cell(self, hops: int, quartile: int) -> Cell:
        """The cell of a depth, 2 to 5, and a bin, 1 to 4; KeyError for any other."""
        for cell in self.cells:
            if (cell.hops, cell.bin) == (hops, quartile):
                return cell
        raise KeyError((hops, quartile))

    @property
    def small_cells(self) -> int:
        """How many of the 16 cells have fewer than 20 answers, the empty ones included."""
        return sum(cell.small for cell in self.cells)

    @property
    def too_thin(self) -> bool:
        """Whether not one of the 16 cells has 20 answers, so that nothing can be read from it."""
        return self.small_cells == len(self.cells)


def difficulty_matrix(rows: Sequence[AnswerVerdict]) -> Matrix:
    """The difficulty matrix of one run, one row a question.

    Raises UserError where a question comes twice or its hops, bin or difficulty have no place in it.
    """
    _check(rows)
    cells = tuple(_cell(rows, hops, quartile) for hops in DEPTHS for quartile in BINS)
    by_bin = tuple(_cell(rows, None, quartile) for quartile in BINS)
    diagonal = [cell for cell in cells if (cell.hops, cell.bin) in set(zip(DEPTHS, BINS, strict=True))]
    return Matrix(
        cells=cells,
        by_depth=tuple(_cell(rows, hops, None) for hops in DEPTHS),
        by_bin=by_bin,
        total=_cell(rows, None, None),
        associations=tuple(
            _association(
                [row for row in rows if row.hops == hops], hops, [c for c in cells if c.hops == hops]
            )
            for hops in DEPTHS
        ),
        overall=_association(rows, None, by_bin),
        diagonal=_rate_by_bin(diagonal),
        depth_trend=_trend(rows, lambda row: row.hops),
        clusters=group_sizes({row.question_id: row.cluster for row in rows}, [row.articles for row in rows]),
    )


def error_slope(totals: Sequence[Cell]) -> float | None:
    """How much the error rate rises from one depth or one quartile to the next: 0.1 is 10 points.

    The slope of least squares over `Matrix.by_depth` or `by_bin`, each weighted by its answers. It is U of
    the Cochran-Armitage test divided by the spread of the scores, so its sign is that of the trend's z. None
    where fewer than two of them have answers.
    """
    told = [
        (cell.hops or cell.bin or 0, cell.n, cell.error_rate)
        for cell in totals
        if cell.error_rate is not None
    ]
    if len(told) < 2:
        return None
    middle = fsum(score * n for score, n, _ in told) / sum(n for _, n, _ in told)
    spread = fsum(n * (score - middle) ** 2 for score, n, _ in told)
    return fsum(n * (score - middle) * rate for score, n, rate in told) / spread


def _cell(rows: Sequence[AnswerVerdict], hops: int | None, quartile: int | None) -> Cell:
    inside = [row for row in rows if hops in (None, row.hops) and quartile in (None, row.bin)]
    wrong = [row.wrong for row in inside]
    clusters = [row.cluster for row in inside]
    return Cell(
        hops=hops,
        bin=quartile,
        n=len(inside),
        errors=sum(wrong),
        clusters=len(set(clusters)),
        error_rate=sum(wrong) / len(wrong) if wrong else None,
        interval=wilson(sum(wrong), len(wrong)),
        clustered=cluster_interval(wrong, clusters),
    )


def _association(rows: Sequence[AnswerVerdict], hops: int | None, cells: Sequence[Cell]) -> Association:
    return Association(
        hops=hops,
        n=len(rows),
        bins=_rate_by_bin(cells),
        questions=point_biserial(
            [row.difficulty for row in rows], [row.wrong for row in rows], [row.cluster for row in rows]
        ),
        trend=_trend(rows, lambda row: row.bin),
    )


def _rate_by_bin(cells: Sequence[Cell]) -> Correlation | None:
    points = [(c.bin, c.error_rate) for c in cells if c.bin is not None and c.error_rate is not None]
    return pearson([number for number, _ in points], [rate for _, rate in points])


def _trend(rows: Sequence[AnswerVerdict], score: Callable[[AnswerVerdict], int]) -> Trend | None:
    return trend_test(
        [score(row) for row in rows], [row.wrong for row in rows], [row.cluster for row in rows]
    )


def _check(rows: Sequence[AnswerVerdict]) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.hops not in DEPTHS:
            raise UserError(
                f"Question {row.question_id} has {row.hops} hops, and the difficulty matrix holds 2 to 5.",
                "Leave such questions out of it.",
            )
        if row.bin not in BINS or not isfinite(row.difficulty):
            raise UserError(
                f"Question {row.question_id} can't have bin {row.bin} and difficulty {row.difficulty}.",
                "Compute the difficulties and bins of the questions again.",
            )
        if row.question_id in seen:
            raise UserError(
                f"Question {row.question_id} was judged twice.",
                "Make one matrix a run, with one verdict a question.",
            )
        seen.add(row.question_id)


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


def crossing_tables(rows: Sequence[AnswerVerdict]) -> tuple[CrossingTable, ...]:
    """A table for each kind of border of which the questions' crossings are known, one row a question."""
    return tuple(_table(rows, facet) for facet in ORDER if any(facet in row.crossings for row in rows))


def _table(rows: Sequence[AnswerVerdict], facet: ClusterFacet) -> CrossingTable:
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


def _cells(rows: Sequence[AnswerVerdict], facet: ClusterFacet, hops: int | None) -> tuple[CrossingCell, ...]:
    numbers = sorted({row.crossings[facet] for row in rows})
    return tuple(
        _crossing_cell([row for row in rows if row.crossings[facet] == number], hops, number)
        for number in numbers
    )


def _crossing_cell(rows: Sequence[AnswerVerdict], hops: int | None, crossings: int) -> CrossingCell:
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
