"""How a corpus grew: bars of what each period added, as a drawing."""

from collections.abc import Sequence

from markupsafe import Markup

from services.report import svg
from services.report.html_values import plural
from services.views.page_overview import Growth

_LEFT, _RIGHT, _TOP, _BARS, _BETWEEN = 8.0, 8.0, 20.0, 70.0, 34.0


def growth_chart(growth: Sequence[Growth], unit: str) -> svg.Drawing:
    """Articles above, and below them the entities that each period's articles were the first to name."""
    articles = [one.articles for one in growth]
    entities = [one.entities for one in growth]
    second = _TOP + _BARS + _BETWEEN
    bottom = second + _BARS
    return svg.Drawing(
        title=f"Articles and new entities by {unit}",
        desc=(
            f"From {growth[0].period} to {growth[-1].period}: {plural(sum(articles), 'article')} and "
            f"{plural(sum(entities), 'entity', 'entities')} that they name."
        ),
        height=bottom + 22,
        shapes=svg.group(
            (
                *_bars(articles, _TOP, f"articles, at most {max(articles):,} a {unit}", "series-0"),
                *_bars(entities, second, f"new entities, at most {max(entities):,} a {unit}", "series-1"),
                svg.text(_LEFT, bottom + 16, growth[0].period, "tiny", "start"),
                svg.text(svg.WIDTH - _RIGHT, bottom + 16, growth[-1].period, "tiny", "end"),
            )
        ),
    )


def _bars(values: Sequence[int], top: float, label: str, class_: str) -> list[Markup]:
    slot = (svg.WIDTH - _LEFT - _RIGHT) / len(values)
    most = max(1, *values)
    shapes = [
        svg.text(_LEFT, top - 7, label, "small", "start"),
        svg.line(_LEFT, top + _BARS, svg.WIDTH - _RIGHT, top + _BARS, "axis"),
    ]
    for index, value in enumerate(values):
        height = _BARS * value / most
        if height:
            x = _LEFT + index * slot + 0.1 * slot
            shapes.append(svg.box(x, top + _BARS - height, 0.8 * slot, height, class_=f"growth-bar {class_}"))
    return shapes
