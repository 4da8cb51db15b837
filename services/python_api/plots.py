"""Pictures of a matrix, of runs and of a path, by matplotlib.

Libraries that only some users install.

Matrices, answers and comparisons as pandas tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from kg.errors import SettingsError, installation
from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, Cell, Matrix
from services.report.content import Compared

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes


def require_extra(module: str, extra: str) -> ModuleType:
    """The module, where the extra that brings it is installed.

    Raises:
        SettingsError: it is not; the remedy is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"the library {module.partition('.')[0]} is not installed.",
            f"Install it: {installation(extra)}",
        ) from error


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


COLOURS = "YlOrRd"
_DARK_FROM = 0.7
_LINE = 44
"""Characters of a sentence on a line beside an edge."""


def plot_matrix(matrix: Matrix, title: str = "Error rate", axes: "Axes | None" = None) -> "Axes":
    """A heat map of error rates by depth and retrieval distance, each with its number of questions.

    A star marks cells with fewer than 20 questions.

    Raises:
        SettingsError: matplotlib is not installed.

    >>> hopgrade.plot_matrix(run.difficulty_matrix()).get_title()
    'Error rate'
    """
    drawn = axes or _new_axes(6.0, 3.6)
    shades = [[_rate(matrix.cell(hops, quartile)) for quartile in BINS] for hops in DEPTHS]
    picture = drawn.imshow(shades, cmap=COLOURS, vmin=0.0, vmax=1.0, aspect="auto")
    for row, hops in enumerate(DEPTHS):
        for column, quartile in enumerate(BINS):
            cell = matrix.cell(hops, quartile)
            dark = cell.error_rate is not None and cell.error_rate > _DARK_FROM
            drawn.text(
                column, row, _cell_text(cell), ha="center", va="center", color="white" if dark else "black"
            )
    drawn.set_xticks(range(len(BINS)), [BIN_NAMES[quartile] for quartile in BINS])
    drawn.set_yticks(range(len(DEPTHS)), [f"{hops} hops" for hops in DEPTHS])
    drawn.set_xlabel("retrieval distance")
    drawn.set_title(title)
    drawn.figure.colorbar(picture, ax=drawn, label="error rate")
    return drawn


def plot_depths(matrices: Mapping[str, Matrix], axes: "Axes | None" = None) -> "Axes":
    """The error rates of runs, given by name, by depth, with their 95 % intervals by cluster.

    Raises:
        SettingsError: matplotlib is not installed.

    >>> drawn = hopgrade.plot_depths({"a": run.difficulty_matrix(), "b": run.difficulty_matrix()})
    >>> [entry.get_text() for entry in drawn.get_legend().get_texts()]
    ['a', 'b']
    """
    drawn = axes or _new_axes(6.0, 3.6)
    width = 0.5 / max(1, len(matrices))
    for place, (name, matrix) in enumerate(matrices.items()):
        cells = [cell for cell in matrix.by_depth if cell.error_rate is not None]
        rates = [_rate(cell) for cell in cells]
        bounds = [cell.clustered or cell.interval for cell in cells]
        below = [rate - bound.low if bound else 0.0 for rate, bound in zip(rates, bounds, strict=True)]
        above = [bound.high - rate if bound else 0.0 for rate, bound in zip(rates, bounds, strict=True)]
        places = [(cell.hops or 0) + (place - (len(matrices) - 1) / 2) * width for cell in cells]
        drawn.errorbar(places, rates, yerr=[below, above], fmt="o", capsize=3, label=name)
    drawn.set_xticks(DEPTHS, [f"{hops} hops" for hops in DEPTHS])
    drawn.set_ylim(0.0, 1.0)
    drawn.set_ylabel("error rate")
    drawn.legend()
    return drawn


def plot_path(path: "nx.DiGraph[str]", axes: "Axes | None" = None) -> "Axes":
    """A hop path from top to bottom, each fact with the sentence that states it.

    Raises:
        SettingsError: matplotlib is not installed.

    >>> path = corpus.path(next(corpus.questions(hops=[2], kinds=["chain"])))
    >>> len(hopgrade.plot_path(path).texts)  # Three entities; an arrow and a sentence for each fact.
    7
    """
    drawn = axes or _new_axes(8.0, 1.0 + 1.1 * path.number_of_edges())
    height = {node: -float(data["index"]) for node, data in path.nodes(data=True)}
    for node, data in path.nodes(data=True):
        drawn.text(
            0.0, height[node], _plain(data["name"]), ha="center", va="center",
            bbox={"boxstyle": "round", "facecolor": "lightsteelblue", "edgecolor": "none"},
        )  # fmt: skip
    for start, end, data in path.edges(data=True):
        arrow = {"arrowstyle": "->", "shrinkA": 12.0, "shrinkB": 12.0}
        drawn.annotate("", xy=(0.0, height[end]), xytext=(0.0, height[start]), arrowprops=arrow)
        told = _plain(f"{data['predicate']}: {_wrap_text(data['sentence'] or '')}")
        drawn.text(0.06, (height[start] + height[end]) / 2, told, va="center", fontsize="small")
    drawn.set_xlim(-0.35, 1.0)
    drawn.set_ylim(min(height.values()) - 0.5, 0.5)
    drawn.axis("off")
    return drawn


def _new_axes(width: float, height: float) -> "Axes":
    require_extra("matplotlib", "notebook")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    _, axes = plt.subplots(figsize=(width, height), layout="constrained")
    return axes


def _rate(cell: Cell) -> float:
    return float("nan") if cell.error_rate is None else cell.error_rate


def _cell_text(cell: Cell) -> str:
    if cell.error_rate is None:
        return "-"
    return f"{cell.error_rate:.2f}\n({cell.n}){'*' if cell.small else ''}"


def _plain(text: str) -> str:
    # Between two dollars matplotlib would read a formula.
    return text.replace("$", r"\$")


def _wrap_text(text: str) -> str:
    from textwrap import fill  # noqa: PLC0415

    return fill(text, _LINE, max_lines=3, placeholder=" ...")
