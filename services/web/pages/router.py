"""All views of the page, in the order in which addresses are tried."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.web.pages import (
    assets,
    corpus_pages,
    front_pages,
    matrix_pages,
    question_pages,
    run_pages,
)
from services.web.pages.rendering import NOT_FOUND, PageRoute, error_page

router = APIRouter(route_class=PageRoute, include_in_schema=False)
for module in (
    assets,
    corpus_pages,
    front_pages,
    matrix_pages,
    question_pages,
    run_pages,
):
    router.include_router(module.router)


@router.get("/c/{rest:path}")
async def unknown(request: Request, rest: str) -> Response:
    """Any other address below a corpus; a slash too many at its end is forgiven."""
    path = request.scope["raw_path"].decode("ascii")
    if path.endswith("/"):
        return RedirectResponse(path.rstrip("/") if rest.strip("/") else "/", 308)
    return error_page(
        NOT_FOUND, f"there is no page at {request.url.path}.", "Start from the list of corpora."
    )
