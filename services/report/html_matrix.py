"""Tables of the difficulty matrix and of how error goes with difficulty.

The table of error rates by borders that the evidence of questions must cross.
"""

from collections.abc import Sequence

from markupsafe import Markup

from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import (
    BIN_NAMES,
    BINS,
    SMALL,
    Association,
    Cell,
    CrossingCell,
    CrossingTable,
    Matrix,
)
from services.report.content import Ablation, Rebinned
from services.report.html_values import (
    DASH,
    Column,
    Entry,
    Row,
    TableView,
    correlation_entry,
    name,
    none,
    p_text,
    percent,
    percent_range,
    range_entry,
    signed,
    whole,
)
from services.statistics.clustered_means import ClusterInterval
from services.statistics.intervals import Interval
from services.statistics.trend import Trend


def crossings_view(tables: Sequence[CrossingTable]) -> TableView:
    """A row for each kind of border, a column for each number of crossings."""
    most = max(cell.crossings for one in tables for cell in one.cells)
    return TableView(
        "Error rate by borders that the evidence must cross",
        "borders",
        (
            *(Column(f"{number} crossed") for number in range(most + 1)),
            Column("trend p"),
            Column("at equal depth, p"),
        ),
        tuple(
            Row(one.border, (*_cells(one, most), _trend(one.trend), _trend(one.trend_at_depth)))
            for one in tables
        ),
        (
            "A question crosses a border where the evidence of one hop lies in another region, month, "
            "domain, article, cluster of claims or community than that of the hop before, whichever chunk "
            "shows it. In a cell: the share of wrong answers, of how many, its 95% interval by cluster of "
            "shared evidence, and the mean distance to the farthest evidence. The trend is tested over "
            "crossings (Cochran\u2013Armitage, p by cluster; z above 0 means more errors). Deeper questions "
            "have more hops that can cross, so part of a rise is depth: the last column tests it among "
            "questions with as many hops.",
        ),
    )


def _cells(table: CrossingTable, most: int) -> tuple[Entry, ...]:
    found = {cell.crossings: cell for cell in table.cells}
    return tuple(_entry(found.get(number)) for number in range(most + 1))


def _entry(cell: CrossingCell | None) -> Entry:
    if cell is None:
        return none("no answers")
    interval = cell.clustered or cell.interval
    notes = [f"{cell.errors:,} of {cell.n:,}"]
    if interval is not None:
        notes.append(percent_range(interval))
    return Entry(percent(cell.error_rate), (*notes, f"distance {cell.difficulty:.2f}"), small=cell.small)


def _trend(trend: Trend | None) -> Entry:
    if trend is None:
        return none("all alike")
    if trend.p_clustered is None:
        return none("too few clusters")
    return Entry(p_text(trend.p_clustered), (f"z {trend.z:+.2f}".replace("-", "\u2212"),))


NO_ANSWERS = "no answers"
ONE_CLUSTER = "one cluster"
TOO_FEW_POINTS = "too few quartiles, or all alike"
ALL_ALIKE = "all alike"
AGGREGATE_NAMES = {"min": "weakest hop (min)", "mean": "mean of hops", "power": "power mean, p = \u22123"}
HOW_TO_READ = (
    "In a cell: the share of wrong answers, of how many, and its 95% interval by cluster; where all of a "
    "cell's answers are in one cluster, Wilson's, which takes them for independent and is too narrow. "
    f"Cells marked * have fewer than {SMALL} answers and say next to nothing on their own."
)


def matrix_table(matrix: Matrix, caption: str | Markup, with_r: bool = False) -> TableView:
    """The matrix with totals; `with_r` adds Pearson's r and leaves out how to read it."""
    rows = [
        Row(
            f"{depth} hops",
            tuple(cell_entry(cell) for cell in (*(matrix.cell(depth, bin_) for bin_ in BINS), total))
            + ((correlation_entry(association.bins, n=False),) if with_r else ()),
        )
        for depth, total, association in zip(DEPTHS, matrix.by_depth, matrix.associations, strict=True)
    ]
    last = tuple(cell_entry(cell) for cell in (*matrix.by_bin, matrix.total))
    last += (correlation_entry(matrix.overall.bins, n=False),) if with_r else ()
    labels = (*(BIN_NAMES[bin_] for bin_ in BINS), "all", *(("r, quartiles",) if with_r else ()))
    return TableView(
        caption,
        "depth",
        tuple(map(Column, labels)),
        (*rows, Row("all", last, total=True)),
        () if with_r else (HOW_TO_READ,),
    )


def cell_entry(cell: Cell) -> Entry:
    """The cell's rate with its numbers, or that there is none."""
    if cell.error_rate is None:
        return none(NO_ANSWERS)
    interval = best_interval(cell)
    notes = (f"{cell.errors:,} of {cell.n:,}", *((percent_range(interval),) if interval else ()))
    return Entry(percent(cell.error_rate), notes, small=cell.small)


def best_interval(cell: Cell) -> Interval | ClusterInterval | None:
    """The interval by cluster, or Wilson's where there is only one cluster."""
    return cell.clustered or cell.interval


def all_cells_table(matrix: Matrix) -> TableView:
    """Every cell and total with both intervals and what they rest on."""
    columns = ("answers", "wrong", "error rate", "95% by cluster", "95% Wilson", "clusters", "design effect",
               "worth")  # fmt: skip
    cells = (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total)
    return TableView(
        "Every cell and total with both intervals",
        "cell",
        tuple(map(Column, columns)),
        tuple(Row(_cell_name(cell), _cell_figures(cell), total=cell is matrix.total) for cell in cells),
        (
            "The design effect tells how many times larger the variance is than that of independent "
            "answers; the last column how many independent answers would say as much.",
        ),
    )


def _cell_name(cell: Cell) -> str:
    depth = "all depths" if cell.hops is None else f"{cell.hops} hops"
    return f"{depth}, {'all' if cell.bin is None else BIN_NAMES[cell.bin]}"


def _cell_figures(cell: Cell) -> tuple[Entry, ...]:
    counts = (Entry(whole(cell.n)), Entry(whole(cell.errors)))
    if cell.error_rate is None:
        return (
            *counts,
            *(none(NO_ANSWERS) for _ in range(3)),
            Entry("0"),
            none(NO_ANSWERS),
            none(NO_ANSWERS),
        )
    by_cluster = cell.clustered
    effect = by_cluster.design_effect if by_cluster else None
    return (
        *counts,
        Entry(percent(cell.error_rate), small=cell.small),
        range_entry(by_cluster, ONE_CLUSTER),
        range_entry(cell.interval, NO_ANSWERS),
        Entry(whole(cell.clusters)),
        none("all alike" if by_cluster else ONE_CLUSTER) if effect is None else Entry(f"{effect:.2f}"),
        Entry(f"{by_cluster.effective_n:.1f}") if by_cluster else none(ONE_CLUSTER),
    )


def accuracy_table(cells: Sequence[Cell], caption: str, corner: str, labels: Sequence[str]) -> TableView:
    """Accuracy of totals of the matrix with both intervals."""
    return TableView(
        caption,
        corner,
        tuple(map(Column, ("right", "accuracy", "95% by cluster"))),
        tuple(Row(label, _accuracy_figures(cell)) for label, cell in zip(labels, cells, strict=True)),
    )


def _accuracy_figures(cell: Cell) -> tuple[Entry, ...]:
    right = Entry(f"{cell.n - cell.errors:,} of {cell.n:,}")
    if cell.error_rate is None:
        return (right, none(NO_ANSWERS), none(NO_ANSWERS))
    by_cluster, wilson = turned(cell.clustered), turned(cell.interval)
    independent = (f"Wilson {percent_range(wilson)}",) if wilson else ()
    return (
        right,
        Entry(percent(1 - cell.error_rate), small=cell.small),
        Entry(percent_range(by_cluster) if by_cluster else f"{DASH} {ONE_CLUSTER}", independent),
    )


def turned(interval: Interval | ClusterInterval | None) -> Interval | None:
    """The interval of the accuracy from that of the error rate."""
    return None if interval is None else Interval(1 - interval.high, 1 - interval.low)


def association_table(matrix: Matrix) -> TableView:
    """How error goes with retrieval distance at each depth."""
    columns = ("r over quartiles", "r over questions", "trend over quartiles, z")
    rows = [Row(f"{one.hops} hops", _association_figures(one)) for one in matrix.associations]
    rows.append(Row("all", _association_figures(matrix.overall), total=True))
    return TableView(
        "How error goes with retrieval distance",
        "depth",
        tuple(map(Column, columns)),
        tuple(rows),
        (
            "r over quartiles is Pearson's between quartile and error rate; it rests on four points at most, "
            "so it is often near 1 or \u22121 by chance. r over questions is the point-biserial correlation "
            "of each question's distance and error. The trend is tested by Cochran and Armitage. A p by "
            "cluster takes only clusters for independent.",
            _diagonal_and_depth(matrix),
        ),
    )


def _association_figures(one: Association) -> tuple[Entry, ...]:
    if one.n == 0:
        return (none(NO_ANSWERS),) * 3
    bins, questions, trend = one.bins, one.questions, one.trend
    return (
        Entry(signed(bins.r), (_n_and_p(bins.n, bins.p_value),)) if bins else none(TOO_FEW_POINTS),
        Entry(
            signed(questions.r),
            (_n_and_p(questions.n, questions.p_value), _by_cluster(questions.p_clustered)),
        )
        if questions
        else none(ALL_ALIKE),
        Entry(signed(trend.z), (_n_and_p(trend.n, trend.p_value), _by_cluster(trend.p_clustered)))
        if trend
        else none(ALL_ALIKE),
    )


def _n_and_p(n: int, p: float) -> str:
    return f"n {whole(n)}, p {p_text(p)}"


def _by_cluster(p: float | None) -> str:
    return "by cluster undefined" if p is None else f"by cluster p {p_text(p)}"


def _diagonal_and_depth(matrix: Matrix) -> str:
    diagonal, trend = matrix.diagonal, matrix.depth_trend
    along = (
        f"Along the diagonal, 2 hops near to 5 hops far, r = {signed(diagonal.r)} over {diagonal.n} cells."
        if diagonal
        else "Along the diagonal r is undefined: too few cells with answers, or all alike."
    )
    if trend is None:
        return (
            f"{along} Whether error rises with depth can't be tested: one depth only, or all answers alike."
        )
    return (
        f"{along} Trend of error over depth: z = {signed(trend.z)}, {_n_and_p(trend.n, trend.p_value)}, "
        f"{_by_cluster(trend.p_clustered)}."
    )


def bin_correlations(matrix: Matrix) -> tuple[Entry, ...]:
    """Pearson's r of quartile and error rate by depth, over all, and along the diagonal."""
    found = [one.bins for one in (*matrix.associations, matrix.overall)]
    return tuple(map(correlation_entry, (*found, matrix.diagonal)))


def ablation_table(ablations: Sequence[Ablation]) -> TableView:
    """Which aggregate of the hops' similarities goes best with error (GRADE, table 3)."""
    columns = (*(f"{depth} hops" for depth in DEPTHS), "average")
    return TableView(
        "Correlation of quartile and error by how a question's hops are made one",
        "similarity of a question",
        tuple(map(Column, columns)),
        tuple(
            Row(
                AGGREGATE_NAMES[one.aggregate],
                (
                    *(correlation_entry(one.by_depth.get(depth)) for depth in DEPTHS),
                    none("undefined") if one.average is None else Entry(signed(one.average)),
                ),
            )
            for one in ablations
        ),
        (
            "Pearson's r between quartile and error rate within a depth, each aggregate with its own "
            "quartiles; n is the number of quartiles that have answers. Differences of a few hundredths "
            "over four points are noise.",
        ),
    )


def rebinned_tables(own: Matrix, found: Sequence[Rebinned]) -> tuple[TableView, ...]:
    """Correlations under each other embedder and chunking, then each's matrix (GRADE, A.7 and A.8)."""
    matrices = (
        matrix_table(
            one.matrix,
            Markup("Error rates with difficulty by {}, chunks of {} tokens, {}").format(
                name(one.embedder), name(one.chunking), _cut(one.bins)
            ),
            with_r=True,
        )
        for one in found
    )
    return (_rebinned_overview(own, found), *matrices)


def _cut(bins: str) -> str:
    return "quartiles over all depths" if bins == "global" else "quartiles within a depth"


def _rebinned_overview(own: Matrix, found: Sequence[Rebinned]) -> TableView:
    """Correlations under every embedder and chunking, one line each, the corpus' own first."""
    rows = [("the corpus\u2019 own", own)]
    rows += [
        (
            Markup("{}, {}, {}").format(name(one.embedder), name(one.chunking), _cut(one.bins)),
            one.matrix,
        )
        for one in found
    ]
    columns = (*(f"{depth} hops" for depth in DEPTHS), "all", "diagonal")
    return TableView(
        "Correlation of quartile and error rate by embedder and chunking",
        "embedder, chunk size in tokens",
        tuple(map(Column, columns)),
        tuple(
            Row(
                label,
                bin_correlations(matrix),
            )
            for label, matrix in rows
        ),
        ("Pearson\u2019s r; n is the number of quartiles or cells that have answers.",),
    )
