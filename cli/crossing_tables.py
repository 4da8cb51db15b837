"""Error rates by the number of borders that the evidence crosses, in a terminal."""

from collections.abc import Sequence

from cli.console import out, say, table
from services.evaluate.crossings import CrossingCell, CrossingTable
from services.evaluate.matrix import SMALL
from services.evaluate.statistics.trend import Trend


def print_crossings(tables: Sequence[CrossingTable]) -> None:
    """A line for each kind of border, a column for each number of crossings."""
    most = max(cell.crossings for one in tables for cell in one.cells)
    rows = []
    for one in tables:
        cells = {cell.crossings: cell for cell in one.cells}
        trends = (_trend_text(one.trend), _trend_text(one.trend_at_depth))
        rows.append([one.border, *(_cell_text(cells.get(number)) for number in range(most + 1)), *trends])
    heads = ("borders", *(f"{number}" for number in range(most + 1)), "trend", "at equal depth")
    out.print(table("Error rate by borders that the evidence must cross", heads, rows))
    say(
        f"Cell: error rate (questions), 95 % interval by cluster, mean distance; * fewer than {SMALL} "
        "questions. Trend: z and p by cluster of Cochran-Armitage over crossings; z above 0 means more "
        "errors. Deeper questions have more hops that can cross, so the last column compares questions of "
        "equal depth; --json has their cells.",
        "dim",
    )


def _cell_text(cell: CrossingCell | None) -> str:
    if cell is None:
        return "-"
    spread = cell.clustered or cell.interval
    between = f"{spread.low:.2f}-{spread.high:.2f}" if spread else "-"
    mark = "*" if cell.small else ""
    return f"{cell.error_rate:.2f} ({cell.n}){mark}\n{between}\nfar {cell.difficulty:.2f}"


def _trend_text(trend: Trend | None) -> str:
    if trend is None:
        return "-"
    p = trend.p_clustered
    told = "p -" if p is None else "p <.001" if p < 0.001 else f"p {p:.3f}"
    return f"z {trend.z:+.1f}\n{told}"
