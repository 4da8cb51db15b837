"""At which hop a run's wrong answers failed first, and by which cause: one bar a hop."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from services.evaluate.attribution.causes import CAUSES, Cause
from services.evaluate.attribution.figures import CauseFigures
from services.report import svg
from services.report.html_values import plural

_LEFT, _RIGHT, _TOP, _BAR, _STEP, _SIZE = 52.0, 34.0, 4.0, 24.0, 31.0, 11.0

PAINTS: Mapping[Cause, str] = {
    "planning": "hop-1",
    "retrieval": "hop-3",
    "reasoning": "reasoning",
    "answer form": "hop-5",
    "error": "failed",
    "not told": "untold",
}
"""The class of each cause's colour."""


def failure_chart(run: str, total: CauseFigures) -> svg.Drawing:
    """Bars as long as the failures of a hop, cut by their causes; those of no known hop come last."""
    rows = _rows(total)
    most = max((sum(counts.values()) for _, counts in rows), default=0)
    shapes: list[Markup] = []
    for number, (label, counts) in enumerate(rows):
        y = _TOP + number * _STEP
        shapes += [svg.text(_LEFT - 8, y + 16, label, "label", "end"), *_bar(counts, y, most)]
    return svg.Drawing(
        title=f"The first hop at which the wrong answers of {run} failed, by cause",
        desc=" ".join(_in_words(rows)) or "No wrong answer.",
        height=_TOP + max(1, len(rows)) * _STEP,
        shapes=svg.group(shapes),
    )


def cause_key(total: CauseFigures) -> tuple[tuple[str, str], ...]:
    """The classes of the colours in the chart, each with the cause that it stands for."""
    return tuple((PAINTS[cause], cause) for cause in CAUSES if total.causes[cause].value)


def _rows(total: CauseFigures) -> list[tuple[str, Mapping[Cause, int]]]:
    """Every hop up to the last that failed, also those where none did, and what failed at no known hop."""
    deepest = max(total.first_hops, default=0)
    rows = [(f"hop {hop}", total.first_hops.get(hop, {})) for hop in range(1, deepest + 1)]
    return [*rows, ("no hop", total.no_hop)] if total.no_hop else rows


def _bar(counts: Mapping[Cause, int], y: float, most: int) -> list[Markup]:
    width = svg.WIDTH - _LEFT - _RIGHT
    shapes, x = [], _LEFT
    for cause in CAUSES:
        number = counts.get(cause, 0)
        if not number:
            continue
        part = width * number / most
        paint, words = PAINTS[cause], f"{number:,}"
        shapes.append(svg.box(x, y, part, _BAR, class_=f"{paint} part"))
        if svg.text_width(words, _SIZE) + 4 <= part:
            shapes.append(svg.text(x + part / 2, y + 16, words, f"share {paint}-ink"))
        x += part
    shapes.append(svg.text(x + 6, y + 16, f"{sum(counts.values()):,}", "label", "start"))
    return shapes


def _in_words(rows: list[tuple[str, Mapping[Cause, int]]]) -> Iterator[str]:
    for label, counts in rows:
        causes = ", ".join(f"{cause} {counts[cause]:,}" for cause in CAUSES if counts.get(cause))
        failures = plural(sum(counts.values()), "failure")
        yield f"{label[:1].upper()}{label[1:]}, {failures}{': ' if causes else ''}{causes}."
