"""The list of corpora, and the overview of one."""

from fastapi import APIRouter
from fastapi.responses import Response

from kg.errors import CorpusError
from services.api.resources import Shared
from services.page.growth_chart import growth_chart
from services.page.parameters import CorpusName
from services.page.rendering import page
from services.page.route import PageRoute
from services.report.svg import figure
from services.views.page_overview import missing_stages, read_known_corpora, read_overview

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
