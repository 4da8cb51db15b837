"""Accuracy by depth or by quartile as points with their intervals (GRADE, figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from services.evaluate.statistics.intervals import ClusterInterval, Interval
from services.report import svg
from services.report.html_values import DASH, SMALL_MARK, percent

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
    shapes = _axis()
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


def _axis() -> list[Markup]:
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
