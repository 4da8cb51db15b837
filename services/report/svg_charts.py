"""Searches against hops as a grid: a row for each depth, a column for each number of searches.

The difficulty matrix as a heat map (GRADE, figure 4): depth downwards, retrieval distance to the right.

Where the chain of hops broke first, as one bar a depth.

Accuracy by depth or by quartile as points with their intervals (GRADE, figure 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kg.paths.protocol import DEPTHS
from services.evaluate.hop_aware import CHAINED, GroupFigures, HopAware
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL, Cell, Matrix
from services.report import svg
from services.report.content import HopLoss
from services.report.html_environment import DAY, HEAT_STEPS, heat_step
from services.report.html_hop_aware import MOST_COUNTED, counts_by_column
from services.report.html_values import DASH, SMALL_MARK, percent, plural
from services.statistics.clustered_means import ClusterInterval
from services.statistics.intervals import Interval

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


_LOSSES_LEFT, _LOSSES_TOP, _LOSSES_BAR, _LOSSES_STEP, _LOSSES_SIZE = 66.0, 6.0, 26.0, 42.0, 11.0


def loss_chart(losses: Sequence[HopLoss], run: str) -> svg.Drawing:
    """Bars of all the wrong answers of a depth, cut by where the chain broke."""
    shapes: list[Markup] = []
    for index, loss in enumerate(losses):
        y = _LOSSES_TOP + index * _LOSSES_STEP
        shapes += [
            svg.text(_LOSSES_LEFT - 6, y + 12, f"{loss.hops} hops", "label", "end"),
            svg.text(_LOSSES_LEFT - 6, y + 25, f"n {loss.wrong:,}", "tiny", "end"),
            *_bar(loss, y),
        ]
    bottom = _LOSSES_TOP + max(1, len(losses)) * _LOSSES_STEP - (_LOSSES_STEP - _LOSSES_BAR)
    shapes += _axis(bottom)
    return svg.Drawing(
        title=f"Where the wrong answers of {run} went wrong first, by reasoning depth",
        desc=" ".join(map(_losses_in_words, losses)) or "No wrong answers to chain questions.",
        height=bottom + 26,
        shapes=svg.group(shapes),
    )


def loss_parts(loss: HopLoss) -> list[tuple[str, str, int]]:
    """The parts of a bar: class, name and number of answers, the empty ones too."""
    return [
        *((f"hop-{hop}", f"hop {hop}", lost) for hop, lost in enumerate(loss.retrieval, start=1)),
        ("reasoning", "reasoning", loss.reasoning),
        ("failed", "error", loss.errors),
        ("untold", "not told", loss.untold),
    ]


def _bar(loss: HopLoss, y: float) -> list[Markup]:
    width = svg.WIDTH - _LOSSES_LEFT - 2
    parts = loss_parts(loss)
    whole = sum(number for *_, number in parts)
    if not whole:
        return [
            svg.box(_LOSSES_LEFT, y, width, _LOSSES_BAR, class_="empty"),
            svg.text(_LOSSES_LEFT + width / 2, y + 17, "no wrong answers", "tiny"),
        ]
    shapes = []
    x = _LOSSES_LEFT
    for class_, _, number in parts:
        part = width * number / whole
        if number:
            shapes.append(svg.box(x, y, part, _LOSSES_BAR, class_=f"{class_} part"))
            words = percent(number / whole)
            if svg.text_width(words, _LOSSES_SIZE) + 4 <= part:
                shapes.append(svg.text(x + part / 2, y + 17, words, f"share {class_}-ink"))
        x += part
    return shapes


def _axis(y: float) -> list[Markup]:
    width = svg.WIDTH - _LOSSES_LEFT - 2
    ticks = ((0.0, "0%", "start"), (0.5, "50%", "middle"), (1.0, "100%", "end"))
    return [
        *(
            svg.line(_LOSSES_LEFT + width * share, y + 3, _LOSSES_LEFT + width * share, y + 7, "axis")
            for share, *_ in ticks
        ),
        *(
            svg.text(_LOSSES_LEFT + width * share, y + 19, words, "tiny", anchor)
            for share, words, anchor in ticks
        ),
    ]


def _losses_in_words(loss: HopLoss) -> str:
    parts = [f"{name} {number}" for _, name, number in loss_parts(loss) if number]
    return f"{loss.hops} hops, {plural(loss.wrong, 'wrong answer')}: {', '.join(parts) or 'none'}."


_RATES_LEFT, _RATES_RIGHT, _RATES_TOP, _RATES_BOTTOM, _RATES_HEIGHT = 40.0, 8.0, 12.0, 44.0, 216.0
_RATES_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_RATES_APART = 13.0
"""Units between the points of two systems over the same label."""


@dataclass(frozen=True, slots=True)
class Point:
    """An accuracy with its interval; None where nothing was answered."""

    n: int
    accuracy: float | None
    interval: Interval | ClusterInterval | None
    small: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one system, in the order of the labels."""

    name: str
    points: tuple[Point, ...]


def rate_chart(title: str, desc: str, labels: Sequence[str], series: Sequence[Series]) -> svg.Drawing:
    """Points over labels; one system's values are written beside its points, several ones' are not."""
    slot = (svg.WIDTH - _RATES_LEFT - _RATES_RIGHT) / max(1, len(labels))
    shapes = _rates_axis()
    for index, label in enumerate(labels):
        centre = _RATES_LEFT + slot * (index + 0.5)
        shapes.append(svg.text(centre, _RATES_HEIGHT - _RATES_BOTTOM + 18, label, "label"))
        if len(series) == 1:
            point = series[0].points[index]
            mark = SMALL_MARK if point.small else ""
            shapes.append(
                svg.text(centre, _RATES_HEIGHT - _RATES_BOTTOM + 33, f"n {point.n:,}{mark}", "tiny")
            )
        apart = min(_RATES_APART, 0.8 * slot / max(1, len(series)))
        for number, one in enumerate(series):
            x = centre + apart * (number - (len(series) - 1) / 2)
            shapes.append(_point(one.points[index], x, number, alone=len(series) == 1))
    return svg.Drawing(title, desc, _RATES_HEIGHT, svg.group(shapes))


def series_class(number: int) -> str:
    """The class of a system's marks: four colours, filled for the first four systems, then open."""
    return f"series-{number % 4}" + (" open" if number % 8 >= 4 else "")


def _rates_axis() -> list[Markup]:
    shapes = []
    for tick in _RATES_TICKS:
        y = _y(tick)
        shapes.append(svg.line(_RATES_LEFT, y, svg.WIDTH - _RATES_RIGHT, y, "axis" if tick == 0 else "grid"))
        shapes.append(svg.text(_RATES_LEFT - 6, y + 3.5, percent(tick), "tiny", "end"))
    return shapes


def _point(point: Point, x: float, number: int, alone: bool) -> Markup:
    if point.accuracy is None:
        return svg.text(x, _y(0) - 6, f"{DASH} none" if alone else DASH, "tiny")
    colour = series_class(number)
    shapes = []
    if point.interval is not None:
        low, high = _y(point.interval.low), _y(point.interval.high)
        shapes.append(svg.line(x, low, x, high, f"whisker {colour}"))
        shapes += [svg.line(x - 4, y, x + 4, y, f"whisker {colour}") for y in (low, high)]
    shapes.append(svg.marker(number, x, _y(point.accuracy), f"mark {colour}"))
    if alone:
        y = min(max(_y(point.accuracy) + 4, _RATES_TOP + 10), _y(0) - 3)
        shapes.append(svg.text(x + 9, y, percent(point.accuracy), "value", "start"))
    return svg.group(shapes)


def _y(share: float) -> float:
    return _RATES_HEIGHT - _RATES_BOTTOM - share * (_RATES_HEIGHT - _RATES_BOTTOM - _RATES_TOP)


_STEPS_LEFT, _STEPS_TOP, _STEPS_ROW, _STEPS_GAP = 66.0, 24.0, 34.0, 2.0
_STEPS_SHADES = len(DAY.hops)
"""Of one hue, which is not that of error rates."""


def grid_figures(id_: str, found: HopAware) -> tuple[Markup, ...]:
    """A grid for each kind of question that is a chain of hops, where searches are known."""
    kinds = dict.fromkeys(one.group.label for one in found.groups if one.group.kind in CHAINED)
    grids = []
    for number, label in enumerate(kinds, start=1):
        rows = [one for one in found.groups if one.group.label == label and one.group.hops is not None]
        if any(one.steps.by_count for one in rows):
            title = f"Searches of {found.run} for a question, by depth: {label}"
            grids.append(svg.figure(f"{id_}-{number}", steps_grid(rows, title)))
    return tuple(grids)


def steps_grid(rows: Sequence[GroupFigures], title: str) -> svg.Drawing:
    """The shares of a depth's answers by their number of searches; a frame is around as many as hops."""
    most = max((count for one in rows for count in (*one.steps.by_count, one.group.hops or 0)), default=0)
    columns = min(most, MOST_COUNTED) + 1 + (most > MOST_COUNTED)
    width = (svg.WIDTH - _STEPS_LEFT - 2) / columns
    shapes = [
        svg.text(_STEPS_LEFT + (at + 0.5) * width, _STEPS_TOP - 8, _label(at, columns, most), "tiny")
        for at in range(columns)
    ]
    for number, one in enumerate(rows):
        shapes += _row(one, _STEPS_TOP + number * (_STEPS_ROW + _STEPS_GAP), columns, width)
    bottom = _STEPS_TOP + len(rows) * (_STEPS_ROW + _STEPS_GAP)
    shapes.append(
        svg.text(_STEPS_LEFT + (svg.WIDTH - _STEPS_LEFT) / 2, bottom + 14, "searches for a question", "small")
    )
    return svg.Drawing(title, " ".join(map(_steps_in_words, rows)), bottom + 22, svg.group(shapes))


def _label(at: int, columns: int, most: int) -> str:
    return f"{at}+" if at == columns - 1 and most > at else str(at)


def _row(one: GroupFigures, y: float, columns: int, width: float) -> list[Markup]:
    counts = counts_by_column(one.steps, columns)
    answers = sum(right + wrong for right, wrong in counts)
    mark = SMALL_MARK if one.accuracies.right.small else ""
    shapes = [
        svg.text(_STEPS_LEFT - 6, y + 14, f"{one.group.hops} hops", "label", "end"),
        svg.text(_STEPS_LEFT - 6, y + 27, f"n {answers:,}{mark}", "tiny", "end"),
    ]
    for at, (right, wrong) in enumerate(counts):
        x = _STEPS_LEFT + at * width
        if not right + wrong:
            shapes.append(svg.box(x + 0.5, y + 0.5, width - _STEPS_GAP - 1, _STEPS_ROW - 1, class_="empty"))
        else:
            part = (right + wrong) / answers
            paint = f"hop-{_STEPS_SHADES - min(_STEPS_SHADES - 1, int(part * _STEPS_SHADES))}"
            shapes += [
                svg.box(x, y, width - _STEPS_GAP, _STEPS_ROW, class_=paint),
                svg.text(x + (width - _STEPS_GAP) / 2, y + 21, percent(part), f"tiny {paint}-ink"),
            ]
        if at == one.group.hops:
            shapes.append(svg.box(x + 1.5, y + 1.5, width - _STEPS_GAP - 3, _STEPS_ROW - 3, class_="framed"))
    return shapes


def _steps_in_words(one: GroupFigures) -> str:
    told = sum(right + wrong for right, wrong in one.steps.by_count.values())
    if not told:
        return f"At {one.group.hops} hops the searches are not known."
    counts = sorted(one.steps.by_count.items(), key=lambda item: -sum(item[1]))[:3]
    words = ", ".join(
        f"{percent(sum(both) / told)} took {plural(count, 'search', 'searches')}" for count, both in counts
    )
    return f"At {one.group.hops} hops {words}."
