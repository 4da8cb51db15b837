"""Differences of two systems with their intervals, one line a depth: a forest plot."""

from collections.abc import Sequence
from math import ceil

from markupsafe import Markup

from services.evaluate.statistics.intervals import Interval
from services.report import svg
from services.report.content import Compared
from services.report.html_values import points, points_range, signed

_LEFT, _RIGHT, _TOP, _STEP, _SIZE, _SMALL = 60.0, 10.0, 26.0, 36.0, 12.0, 11.0
_GRAIN = 0.05


def forest_plot(found: Sequence[Compared]) -> svg.Drawing:
    """The comparisons of one pair of systems; thick by cluster, thin as if questions were independent."""
    reach = _reach(found)
    bottom = _TOP + len(found) * _STEP
    rows = [_row(one, _TOP + (index + 0.5) * _STEP, reach) for index, one in enumerate(found)]
    first, second = found[0].first, found[0].second
    return svg.Drawing(
        title=f"Accuracy of {second} less that of {first}",
        desc=" ".join(map(_in_words, found)),
        height=bottom + 26,
        shapes=svg.group((*_sides(first, second, reach), *_axis(bottom, reach), *rows)),
    )


def _reach(found: Sequence[Compared]) -> float:
    ends = [0.1]
    for one in found:
        ends.append(abs(one.difference))
        for interval in (one.interval, one.naive_interval):
            if interval is not None:
                ends += [abs(interval.low), abs(interval.high)]
    return ceil(max(ends) / _GRAIN - 1e-9) * _GRAIN


def _x(difference: float, reach: float) -> float:
    return _LEFT + (svg.WIDTH - _LEFT - _RIGHT) * (difference / reach + 1) / 2


def _sides(first: str, second: str, reach: float) -> list[Markup]:
    """Which system is better on which side of zero; long names are cut."""
    zero = _x(0, reach)
    left = svg.fitted(f"\u2190 {first}", _SMALL, zero - 10)
    right = svg.fitted(f"{second} \u2192", _SMALL, svg.WIDTH - zero - 10)
    return [svg.text(zero - 8, 14, left, "tiny", "end"), svg.text(zero + 8, 14, right, "tiny", "start")]


def _axis(bottom: float, reach: float) -> list[Markup]:
    left, zero, right = _x(-reach, reach), _x(0, reach), _x(reach, reach)
    return [
        svg.line(zero, _TOP - 4, zero, bottom, "axis"),
        svg.line(left, bottom, right, bottom, "grid"),
        svg.text(left, bottom + 17, signed(-100 * reach, 0), "tiny", "start"),
        svg.text(zero, bottom + 17, "0 points", "tiny"),
        svg.text(right, bottom + 17, signed(100 * reach, 0), "tiny", "end"),
    ]


def _row(one: Compared, y: float, reach: float) -> Markup:
    shapes = [svg.text(_LEFT - 6, y + 4, svg.fitted(one.scope, _SIZE, _LEFT - 6), "label", "end")]
    if one.naive_interval is not None:
        shapes.append(_span(one.naive_interval, y + 8, reach, "naive"))
    if one.interval is not None:
        shapes.append(_span(one.interval, y, reach, "clustered"))
    style = "estimate" if one.decided else "estimate open"
    shapes.append(svg.box(_x(one.difference, reach) - 4, y - 4, 8, 8, class_=style))
    return svg.group(shapes)


def _span(interval: Interval, y: float, reach: float, class_: str) -> Markup:
    return svg.line(_x(interval.low, reach), y, _x(interval.high, reach), y, class_)


def _in_words(one: Compared) -> str:
    span = f", 95% {points_range(one.interval)}" if one.interval else ", no interval by cluster"
    verdict = "shown to differ" if one.decided else "not shown to differ"
    return f"{one.scope}: {points(one.difference)} points{span}, {verdict}."
