"""Differences that hypotheses are about, with their intervals by cluster and without: a forest plot."""

from collections.abc import Mapping, Sequence
from math import ceil

from markupsafe import Markup

from services.comparison.analysis.content import HypothesisResult, Role, Tested
from services.comparison.report.tables_hypotheses import by_second, difference_name, lead
from services.report import svg
from services.report.html_values import points, points_range, signed
from services.statistics.intervals import Interval

_LEFT, _RIGHT, _TOP, _NAME, _ROW, _GAP, _SIZE = 62.0, 10.0, 22.0, 20.0, 24.0, 8.0, 12.0
_GRAIN = 0.05
CAPTION = (
    "Mean of the first system less that of the second, in percentage points. Thick: 95% interval by "
    "cluster. Thin, below it: the naive interval, as if questions were independent. A filled square: "
    "supported, or its contrary is. Upright marks: the smallest difference of interest, to either side."
)
"""What the drawing shows, for whoever sees it."""
_WHO: Mapping[Role, str] = {"judge": "judge", "second_judge": "2nd judge", "none": "no judge"}


def forest_plot(hypotheses: Sequence[HypothesisResult]) -> svg.Drawing:
    """A line a hypothesis and judge: thick by cluster, thin as if questions were independent.

    Small upright marks stand at the smallest difference of interest to either side.
    """
    reach = _reach(hypotheses)
    shapes: list[Markup] = []
    y = _TOP
    for one in hypotheses:
        y += _NAME
        shapes.append(svg.text(0, y, svg.fitted(difference_name(one), _SIZE, svg.WIDTH), "label", "start"))
        zero = _x(0, reach)
        shapes.append(svg.line(zero, y + 6, zero, y + _ROW * len(one.by) + 4, "axis"))
        for tested in one.by:
            y += _ROW
            shapes.append(_row(one, tested, y - 8, reach))
        y += _GAP
    bottom = y + 4
    return svg.Drawing(
        title="Differences between systems, hypothesis by hypothesis",
        desc=" ".join(_in_words(one, tested) for one in hypotheses for tested in one.by),
        height=bottom + 26,
        shapes=svg.group((*_sides(reach), *_axis(bottom, reach), *shapes)),
    )


def _reach(hypotheses: Sequence[HypothesisResult]) -> float:
    ends = [0.1]
    for one in hypotheses:
        ends.append(one.smallest)
        for tested in one.by:
            ends.append(abs(tested.estimate or 0.0))
            for interval in (lead(tested), tested.naive_interval):
                if interval is not None:
                    ends += [abs(interval.low), abs(interval.high)]
    return min(1.0, ceil(max(ends) / _GRAIN - 1e-9) * _GRAIN)


def _x(difference: float, reach: float) -> float:
    inside = max(-1.0, min(1.0, difference / reach))
    return _LEFT + (svg.WIDTH - _LEFT - _RIGHT) * (inside + 1) / 2


def _sides(reach: float) -> list[Markup]:
    zero = _x(0, reach)
    return [
        svg.text(zero - 8, 14, "\u2190 first is lower", "tiny", "end"),
        svg.text(zero + 8, 14, "first is higher \u2192", "tiny", "start"),
    ]


def _axis(bottom: float, reach: float) -> list[Markup]:
    left, zero, right = _x(-reach, reach), _x(0, reach), _x(reach, reach)
    return [
        svg.line(left, bottom, right, bottom, "grid"),
        svg.text(left, bottom + 17, signed(-100 * reach, 0), "tiny", "start"),
        svg.text(zero, bottom + 17, "0 points", "tiny"),
        svg.text(right, bottom + 17, signed(100 * reach, 0), "tiny", "end"),
    ]


def _row(one: HypothesisResult, tested: Tested, y: float, reach: float) -> Markup:
    shapes = [svg.text(_LEFT - 6, y + 4, _WHO[tested.role], "tiny", "end")]
    for mark in (-one.smallest, one.smallest):
        shapes.append(svg.line(_x(mark, reach), y - 7, _x(mark, reach), y + 7, "axis"))
    if tested.naive_interval is not None:
        shapes.append(_span(tested.naive_interval, y + 8, reach, "naive"))
    interval = lead(tested)
    if interval is not None:
        shapes.append(_span(interval, y, reach, "clustered"))
    if tested.estimate is not None:
        claimed = tested.decision in ("supported", "contradicted")
        style = "estimate" if claimed else "estimate open"
        shapes.append(svg.box(_x(tested.estimate, reach) - 4, y - 4, 8, 8, class_=style))
    return svg.group(shapes)


def _span(interval: Interval, y: float, reach: float, class_: str) -> Markup:
    return svg.line(_x(interval.low, reach), y, _x(interval.high, reach), y, class_)


def _in_words(one: HypothesisResult, tested: Tested) -> str:
    what = f"{difference_name(one)}{by_second(tested)}"
    if tested.estimate is None:
        return f"{what}: no question where both have a value."
    interval = lead(tested)
    span = f", 95% interval {points_range(interval)}" if interval else ", no interval by cluster"
    return f"{what}: {points(tested.estimate)} points{span}, {tested.decision}."
