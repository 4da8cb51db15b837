"""Pictures of a matrix, of runs and of a path, by matplotlib."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, Cell, Matrix
from services.notebook.extras import require_extra

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

COLOURS = "YlOrRd"
_DARK_FROM = 0.7
_LINE = 44
"""Characters of a sentence on a line beside an edge."""


def plot_matrix(matrix: Matrix, title: str = "Error rate", axes: "Axes | None" = None) -> "Axes":
    """A heat map of error rates by depth and retrieval distance, each with its number of questions.

    A star marks cells with fewer than 20 questions.

    Raises:
        SettingsError: matplotlib is not installed.

    >>> kg.plot_matrix(run.difficulty_matrix()).get_title()
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

    >>> drawn = kg.plot_depths({"a": run.difficulty_matrix(), "b": run.difficulty_matrix()})
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
    >>> len(kg.plot_path(path).texts)  # Three entities, and for each of two facts an arrow and a sentence.
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
        told = _plain(f"{data['predicate']}: {_folded(data['sentence'] or '')}")
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


def _folded(text: str) -> str:
    from textwrap import fill  # noqa: PLC0415

    return fill(text, _LINE, max_lines=3, placeholder=" ...")
