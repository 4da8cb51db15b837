"""Error rates by the number of borders that the evidence crosses, in a terminal."""

from collections.abc import Sequence

from cli.console import out, p_text, say, table
from services.evaluate.crossings import CrossingCell, CrossingTable
from services.evaluate.matrix import SMALL
from services.evaluate.statistics.trend import Trend


def print_crossings(tables: Sequence[CrossingTable]) -> None:
    """A line for each kind of border, a column for each number of crossings; then how errors rise with it."""
    most = max(cell.crossings for one in tables for cell in one.cells)
    rows = []
    for one in tables:
        cells = {cell.crossings: cell for cell in one.cells}
        rows.append([one.border, *(_cell_text(cells.get(number)) for number in range(most + 1))])
    heads = ("borders", *(f"{number}" for number in range(most + 1)))
    out.print(table("Error rate by borders that the evidence must cross", heads, rows))
    say(
        f"Cell: error rate (questions), 95 % interval by cluster, mean distance; * fewer than {SMALL} "
        "questions. --json has the cells of each depth.",
        "dim",
    )
    out.print()
    trends = [[one.border, *_trend_texts(one.trend), *_trend_texts(one.trend_at_depth)] for one in tables]
    heads = ("borders", "z", "p", "z, equal depth", "p, equal depth")
    out.print(table("How errors rise with borders crossed", heads, trends))
    say(
        "Cochran-Armitage over crossings: z above 0 means more errors; p takes only clusters for "
        "independent. Deeper questions have more hops that can cross, and are harder anyway: equal depth "
        "compares questions with as many hops.",
        "dim",
    )


def _cell_text(cell: CrossingCell | None) -> str:
    if cell is None:
        return "-"
    spread = cell.clustered or cell.interval
    between = f"{spread.low:.2f}-{spread.high:.2f}" if spread else "-"
    mark = "*" if cell.small else ""
    return f"{cell.error_rate:.2f} ({cell.n}){mark}\n{between}\nfar {cell.difficulty:.2f}"


def _trend_texts(trend: Trend | None) -> tuple[str, str]:
    return ("-", "-") if trend is None else (f"{trend.z:+.1f}", p_text(trend.p_clustered))
