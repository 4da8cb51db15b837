"""The difficulty matrix as a heat map (GRADE, figure 4): depth downwards, retrieval distance to the right."""

from markupsafe import Markup

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL, Cell, Matrix
from services.report import svg
from services.report.html_environment import HEAT_STEPS, heat_step
from services.report.html_values import DASH, SMALL_MARK, percent

_HEAT_LEFT, _HEAT_TOP = 54.0, 40.0
_HEAT_CELL_WIDTH, _HEAT_CELL_HEIGHT, _HEAT_GAP, _HEAT_TOTAL_GAP = 57.0, 46.0, 2.0, 10.0
_HEAT_SWATCH = 15.0


def heat_map(matrix: Matrix, run: str) -> svg.Drawing:
    """The matrix of a run with its totals; small cells are hatched and marked."""
    cells = [
        (cell, *_place(cell)) for cell in (*matrix.cells, *matrix.by_depth, *matrix.by_bin, matrix.total)
    ]
    bottom = max(y for _, _, y in cells) + _HEAT_CELL_HEIGHT
    return svg.Drawing(
        title=f"Error rates of {run} by reasoning depth and retrieval distance",
        desc=_in_words(matrix),
        height=bottom + 58,
        shapes=svg.group(
            (
                *_headers(),
                *(_cell(cell, x, y) for cell, x, y in cells),
                *_legend(bottom + 24),
            )
        ),
    )


def _place(cell: Cell) -> tuple[float, float]:
    column = len(BINS) if cell.bin is None else BINS.index(cell.bin)
    row = len(DEPTHS) if cell.hops is None else list(DEPTHS).index(cell.hops)
    x = _HEAT_LEFT + column * (_HEAT_CELL_WIDTH + _HEAT_GAP) + (_HEAT_TOTAL_GAP if cell.bin is None else 0)
    y = _HEAT_TOP + row * (_HEAT_CELL_HEIGHT + _HEAT_GAP) + (_HEAT_TOTAL_GAP if cell.hops is None else 0)
    return x, y


def _headers() -> list[Markup]:
    across = len(BINS) * (_HEAT_CELL_WIDTH + _HEAT_GAP)
    headers = [svg.text(_HEAT_LEFT + across / 2, 14, "retrieval distance, quartiles", "small")]
    for index, quartile in enumerate(BINS):
        x = _HEAT_LEFT + index * (_HEAT_CELL_WIDTH + _HEAT_GAP) + _HEAT_CELL_WIDTH / 2
        headers.append(svg.text(x, _HEAT_TOP - 7, BIN_NAMES[quartile], "label"))
    headers.append(
        svg.text(_HEAT_LEFT + across + _HEAT_TOTAL_GAP + _HEAT_CELL_WIDTH / 2, _HEAT_TOP - 7, "all", "label")
    )
    for index, depth in enumerate(DEPTHS):
        y = _HEAT_TOP + index * (_HEAT_CELL_HEIGHT + _HEAT_GAP) + _HEAT_CELL_HEIGHT / 2 + 4
        headers.append(svg.text(_HEAT_LEFT - 5, y, f"{depth} hops", "label", "end"))
    y = (
        _HEAT_TOP
        + len(DEPTHS) * (_HEAT_CELL_HEIGHT + _HEAT_GAP)
        + _HEAT_TOTAL_GAP
        + _HEAT_CELL_HEIGHT / 2
        + 4
    )
    return [*headers, svg.text(_HEAT_LEFT - 5, y, "all", "label", "end")]


def _cell(cell: Cell, x: float, y: float) -> Markup:
    middle = x + _HEAT_CELL_WIDTH / 2
    if cell.error_rate is None:
        return svg.group(
            (
                svg.box(x + 0.5, y + 0.5, _HEAT_CELL_WIDTH - 1, _HEAT_CELL_HEIGHT - 1, class_="empty"),
                svg.text(middle, y + 21, DASH, "label"),
                svg.text(middle, y + 36, "none", "tiny"),
            )
        )
    step = heat_step(cell.error_rate)
    shapes = [svg.box(x, y, _HEAT_CELL_WIDTH, _HEAT_CELL_HEIGHT, class_=f"heat-{step}")]
    if cell.small:
        # The plate keeps the hatching away from the figures, so that they are read as well as any other.
        shapes += [
            svg.hatching(x, y, _HEAT_CELL_WIDTH, _HEAT_CELL_HEIGHT),
            svg.box(x + 4, y + 4, _HEAT_CELL_WIDTH - 8, _HEAT_CELL_HEIGHT - 8, class_=f"heat-{step}"),
        ]
    mark = SMALL_MARK if cell.small else ""
    shapes += [
        svg.text(middle, y + 22, percent(cell.error_rate), f"rate heat-{step}-ink"),
        svg.text(middle, y + 37, f"n {cell.n:,}{mark}", f"tiny heat-{step}-ink"),
    ]
    return svg.group(shapes)


def _legend(y: float) -> list[Markup]:
    swatches = [
        svg.box(_HEAT_LEFT + step * _HEAT_SWATCH, y, _HEAT_SWATCH, 10, class_=f"heat-{step}")
        for step in range(HEAT_STEPS)
    ]
    right = _HEAT_LEFT + HEAT_STEPS * _HEAT_SWATCH
    sample = right + 22
    return [
        *swatches,
        svg.text(_HEAT_LEFT, y + 22, "0%", "tiny", "start"),
        svg.text((_HEAT_LEFT + right) / 2, y + 22, "wrong", "tiny"),
        svg.text(right, y + 22, "100%", "tiny", "end"),
        svg.box(sample, y, 2 * _HEAT_SWATCH, 10, class_="empty"),
        svg.hatching(sample, y, 2 * _HEAT_SWATCH, 10),
        svg.text(sample, y + 22, f"{SMALL_MARK} fewer than {SMALL}", "tiny", "start"),
    ]


def _in_words(matrix: Matrix) -> str:
    total = matrix.total
    if total.error_rate is None:
        return "No chain question was answered, so every cell is empty."
    solid = [cell for cell in matrix.cells if cell.error_rate is not None and not cell.small]
    words = f"Of {total.n:,} answers {percent(total.error_rate)} are wrong."
    if solid:
        worst = max(solid, key=lambda cell: cell.error_rate or 0.0)
        best = min(solid, key=lambda cell: cell.error_rate or 0.0)
        words += (
            f" Of the cells with {SMALL} answers or more, the error rate is lowest at {_where(best)} "
            f"and highest at {_where(worst)}."
        )
    return f"{words} {matrix.small_cells} of {len(matrix.cells)} cells have fewer than {SMALL} answers."


def _where(cell: Cell) -> str:
    return f"{cell.hops} hops, {BIN_NAMES[cell.bin or 1]} ({percent(cell.error_rate or 0.0)} of {cell.n:,})"
