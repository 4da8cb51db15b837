"""Matrices, answers and comparisons as pandas tables."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, Cell, Matrix
from services.report.content import Compared

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"
CellValue = Literal["error_rate", "n", "errors", "low", "high"]
"""What a table of a matrix may show; `low` and `high` bound the error rate with 95 % confidence."""


def matrix_frame(matrix: Matrix, value: CellValue) -> "pd.DataFrame":
    """A row a depth, a column a quartile of retrieval distance, with totals; NaN where there is no answer."""
    import pandas as pd  # noqa: PLC0415

    by_place = {(cell.hops, cell.bin): _value(cell, value) for cell in _every(matrix)}
    rows = [[by_place[hops, quartile] for quartile in (*BINS, None)] for hops in (*DEPTHS, None)]
    return pd.DataFrame(
        rows,
        index=pd.Index([_depth(hops) for hops in (*DEPTHS, None)], name="depth"),
        columns=pd.Index([*(BIN_NAMES[quartile] for quartile in BINS), ALL], name="distance"),
    )


def cells_frame(matrix: Matrix) -> "pd.DataFrame":
    """A row a cell, totals included: depth, distance, n, errors, error_rate, low, high, clusters, small."""
    import pandas as pd  # noqa: PLC0415

    rows = [
        {
            "depth": _depth(cell.hops),
            "distance": ALL if cell.bin is None else BIN_NAMES[cell.bin],
            "n": cell.n,
            "errors": cell.errors,
            "error_rate": cell.error_rate,
            "low": _value(cell, "low"),
            "high": _value(cell, "high"),
            "clusters": cell.clusters,
            "small": cell.small,
        }
        for cell in _every(matrix)
    ]
    return pd.DataFrame(rows)


def compared_frame(compared: Sequence[Compared]) -> "pd.DataFrame":
    """A row a scope: questions, clusters, difference in accuracy with its 95 % interval, p, adjusted p."""
    import pandas as pd  # noqa: PLC0415

    rows = [
        {
            "scope": one.scope,
            "n": one.n,
            "clusters": one.clusters,
            "difference": one.difference,
            "low": one.interval.low if one.interval else None,
            "high": one.interval.high if one.interval else None,
            "p": one.p_value,
            "p_holm": one.p_holm,
        }
        for one in compared
    ]
    return pd.DataFrame(rows).set_index("scope") if rows else pd.DataFrame(rows)


def _every(matrix: Matrix) -> Iterator[Cell]:
    yield from (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total)


def _depth(hops: int | None) -> str:
    return ALL if hops is None else f"{hops} hops"


def _value(cell: Cell, value: CellValue) -> float | int | None:
    spread = cell.clustered or cell.interval
    match value:
        case "error_rate":
            return cell.error_rate
        case "n":
            return cell.n
        case "errors":
            return cell.errors
        case "low":
            return spread.low if spread else None
        case "high":
            return spread.high if spread else None
