"""The difficulty matrix of a run, or of two with the difference between them."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from services.api.resources import Shared
from services.page.known import read_runs, require_known, require_run
from services.page.matrix_rows import HOW_TO_READ, difference_rows, rate_rows
from services.page.parameters import CorpusName
from services.page.rendering import page
from services.page.route import PageRoute
from services.views.page_matrix import differences, read_cells

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/c/{corpus}/matrix")
async def matrix(
    shared: Shared, corpus: CorpusName, run: str = "", other: Annotated[str, Query(alias="with")] = ""
) -> Response:
    """Without a run, that of the first one; with two, both and their difference."""
    await require_known(shared.graph, corpus)
    runs = await read_runs(shared.graph, corpus)
    chosen = require_run(runs, corpus, run) if run else runs[0].name if runs else ""
    beside = require_run(runs, corpus, other) if other and other != chosen else ""
    views = []
    cells = await read_cells(shared.graph, corpus, chosen) if chosen else {}
    others = await read_cells(shared.graph, corpus, beside) if beside else {}
    if cells:
        views.append(rate_rows(corpus, chosen, cells, beside))
    if others:
        views.append(rate_rows(corpus, beside, others, chosen))
    if cells and others:
        views.append(difference_rows(corpus, chosen, beside, differences(cells, others)))
    return page(
        "matrix.html",
        "Difficulty matrix",
        corpus,
        "matrix",
        runs=runs,
        run=chosen,
        other=beside,
        views=views,
        without=[name for name, found in ((chosen, cells), (beside, others)) if name and not found],
        how_to_read=HOW_TO_READ,
    )
