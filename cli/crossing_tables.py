"""Error rates by the number of borders that the evidence crosses, in a terminal."""

from collections.abc import Sequence

from cli.console import out, say, table
from services.evaluate.crossings import CrossingCell, CrossingTable
from services.evaluate.matrix import SMALL


def print_crossings(tables: Sequence[CrossingTable]) -> None:
    """A line for each kind of border, a column for each number of crossings."""
    most = max(cell.crossings for one in tables for cell in one.cells)
    rows = []
    for one in tables:
        cells = {cell.crossings: cell for cell in one.cells}
        trend = one.trend.p_clustered if one.trend else None
        told = "-" if trend is None else "<.001" if trend < 0.001 else f"{trend:.3f}"
        rows.append([one.border, *(_cell_text(cells.get(number)) for number in range(most + 1)), told])
    heads = ("borders", *(f"{number}" for number in range(most + 1)), "trend p")
    out.print(table("Error rate by borders that the evidence must cross", heads, rows))
    say(
        f"Cell: error rate (questions), 95 % interval by cluster, mean distance; * fewer than {SMALL} "
        "questions. Deeper questions have more hops that can cross: --json has the cells of each depth. "
        "trend p: Cochran-Armitage over crossings, by cluster.",
        "dim",
    )


def _cell_text(cell: CrossingCell | None) -> str:
    if cell is None:
        return "-"
    spread = cell.clustered or cell.interval
    between = f"{spread.low:.2f}-{spread.high:.2f}" if spread else "-"
    mark = "*" if cell.small else ""
    return f"{cell.error_rate:.2f} ({cell.n}){mark}\n{between}\nfar {cell.difficulty:.2f}"
