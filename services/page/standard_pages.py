"""The judged comparisons of a corpus, and what came of one of them."""

from fastapi import APIRouter
from fastapi.responses import Response

from services.api.resources import Shared
from services.page.known import require_known
from services.page.parameters import CorpusName, Id
from services.page.rendering import PageRoute, page
from services.report.svg import figure
from services.standard.report.forest import CAPTION, forest_plot
from services.standard.report.sections import sections
from services.views.standards import list_standards, read_standard

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/c/{corpus}/standards")
async def standards(shared: Shared, corpus: CorpusName) -> Response:
    """Every judged comparison with how its hypotheses were decided."""
    await require_known(shared.graph, corpus)
    found = await list_standards(shared.graph, corpus)
    return page("standards.html", "Judged comparisons", corpus, "standards", standards=found)


@router.get("/c/{corpus}/standards/{id}")
async def standard(shared: Shared, corpus: CorpusName, name: Id) -> Response:
    """One judged comparison: its report, and the same as files."""
    await require_known(shared.graph, corpus)
    found = await read_standard(shared.graph, corpus, name)
    results = found.results
    return page(
        "one_standard.html",
        f"Comparison {found.name}",
        corpus,
        "standards",
        standard=found,
        parts=sections(results) if results else (),
        plot=figure("forest", forest_plot(results.hypotheses)) if results else None,
        plot_caption=CAPTION,
    )
