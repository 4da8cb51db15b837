"""Errors at addresses that are not the API's, as pages for whoever opened them in a browser."""

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from services.api.problems import problem
from services.page.route import NOT_FOUND, error_page

API = "/api"


def answer_people(app: FastAPI) -> None:
    """Tell what the application itself refuses as a page where one is wanted, else as a problem."""
    app.add_exception_handler(HTTPException, _refused)


async def failed(request: Request, _: Exception) -> Response:
    """The answer where a mistake of ours came to light; its cause is raised again, for the log."""
    detail = "the server failed at this request."
    remedy = "Its log says at what."
    return error_page(500, detail, remedy) if _wants_page(request) else problem(500, detail, remedy)


def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    status, path = error.status_code, request.url.path
    detail, remedy = str(error.detail), ""
    if status == NOT_FOUND:
        detail, remedy = f"there is nothing at {path}.", "See /api/openapi.json for what there is."
    elif status == 405:
        detail = f"{request.method} is not possible at {path}."
    if not _wants_page(request):
        return problem(status, detail, remedy, headers=error.headers)
    page = error_page(status, detail, "Start from the list of corpora.")
    page.headers.update(error.headers or {})
    return page


def _wants_page(request: Request) -> bool:
    path = request.url.path
    return path != API and not path.startswith(f"{API}/") and "text/html" in request.headers.get("accept", "")
