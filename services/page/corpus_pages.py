"""The list of corpora, and the overview of one.

How a corpus grew: bars of what each period added, as a drawing.
"""

from collections.abc import Sequence

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from kg.errors import CorpusError
from services.api.resources import Shared
from services.page.parameters import CorpusName
from services.page.rendering import PageRoute, page
from services.report import svg
from services.report.html_values import plural
from services.report.svg import figure
from services.views.page_overview import Growth, missing_stages, read_known_corpora, read_overview

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


router = APIRouter(route_class=PageRoute, include_in_schema=False)

MAKING = {
    "articles": "kg corpus ingest FILE",
    "chunks": "kg corpus build",
    "vectors": "kg corpus build",
    "claims": "kg corpus build",
    "resolution": "kg corpus build",
    "paths": "kg corpus build",
    "questions": "kg questions make",
    "run": "kg run start single-step",
    "matrix": "kg run start single-step",
}
"""The command that does a stage of the ledger."""


@router.get("/")
async def corpora(shared: Shared) -> Response:
    """Every corpus with its sizes."""
    return page("corpora.html", "Corpora", corpora=await read_known_corpora(shared.graph))


@router.get("/c/{corpus}")
async def overview(shared: Shared, corpus: CorpusName) -> Response:
    """A corpus at a glance: its parts, the state of its pipeline, and how it grew."""
    found = await read_overview(shared.graph, corpus)
    if found is None:
        raise CorpusError(f"there is no corpus {corpus!r}.", "Choose one of the list of corpora.")
    missing = missing_stages(found.stages)
    return page(
        "overview.html",
        corpus,
        corpus,
        "",
        view=found,
        missing=missing,
        next_command=MAKING[missing[0]] if missing else "",
        chart=figure("growth", growth_chart(found.growth, found.unit)) if found.growth else None,
    )
