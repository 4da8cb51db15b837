"""How many chunks a question's first, second ... search asks for, by run (AgenticRAGTracer, figure 3)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup

from services.evaluate.hop_aware.figures import Figure
from services.report import svg
from services.report.svg_rates import series_class

MOST_SEARCHES = 10
"""Searches that are drawn and listed; few questions take more."""

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 34.0, 8.0, 12.0, 40.0, 196.0
_APART = 9.0
_NICE = (1, 2, 5, 10, 20, 50, 100)


def top_k_chart(title: str, runs: Sequence[tuple[str, Mapping[int, Figure]]]) -> svg.Drawing:
    """Means by the number of the search, joined by lines; runs stand beside each other, as many are alike."""
    last = min(MOST_SEARCHES, max((number for _, means in runs for number in means), default=1))
    drawn = [
        {number: one.value for number, one in means.items() if number <= last and one.value is not None}
        for _, means in runs
    ]
    top = _top(max((value for means in drawn for value in means.values()), default=1.0))
    slot = (svg.WIDTH - _LEFT - _RIGHT) / last
    shapes = _axis(top)
    shapes += [
        svg.text(_LEFT + slot * (number - 0.5), _HEIGHT - _BOTTOM + 17, str(number), "label")
        for number in range(1, last + 1)
    ]
    shapes.append(svg.text(_LEFT + (svg.WIDTH - _LEFT) / 2, _HEIGHT - 6, "search", "small"))
    apart = min(_APART, 0.8 * slot / max(1, len(runs)))
    for at, means in enumerate(drawn):
        shift = apart * (at - (len(runs) - 1) / 2)
        places = [(_LEFT + slot * (number - 0.5) + shift, _y(value / top)) for number, value in means.items()]
        shapes += _series(places, at)
    words = (_in_words(run, means) for (run, _), means in zip(runs, drawn, strict=True))
    return svg.Drawing(title, " ".join(words), _HEIGHT, svg.group(shapes))


def _top(value: float) -> float:
    """A round number that is not below the value."""
    return float(next((nice for nice in _NICE if nice >= value), value))


def _axis(top: float) -> list[Markup]:
    shapes = []
    for part in (0.0, 0.5, 1.0):
        y = _y(part)
        shapes.append(svg.line(_LEFT, y, svg.WIDTH - _RIGHT, y, "grid" if part else "axis"))
        shapes.append(svg.text(_LEFT - 6, y + 3.5, f"{top * part:g}", "tiny", "end"))
    return shapes


def _series(places: Sequence[tuple[float, float]], at: int) -> list[Markup]:
    colour = series_class(at)
    lines = [svg.line(*one, *other, f"whisker {colour}") for one, other in pairwise(places)]
    return [*lines, *(svg.marker(at, x, y, f"mark {colour}") for x, y in places)]


def _in_words(run: str, means: Mapping[int, float]) -> str:
    told = ", ".join(f"search {number} {value:.1f}" for number, value in means.items())
    return f"{run}: {told or 'top-k not known'}."


def _y(part: float) -> float:
    return _HEIGHT - _BOTTOM - part * (_HEIGHT - _BOTTOM - _TOP)
