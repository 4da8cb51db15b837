"""A route whose errors end in a page that says what went wrong and what to do about it."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from kg.errors import (
    CorpusError,
    EmbeddingError,
    HopgradeError,
    ModelError,
    NothingToDoError,
    SettingsError,
    StoreTooOldError,
    StoreUnavailableError,
    TokenNeededError,
    UserError,
)
from services.page.addresses import name_of
from services.page.rendering import page
from services.views.missing import MissingError

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
NOT_FOUND = 404


class PageRoute(APIRoute):
    """A route of the page."""

    def get_route_handler(self) -> Handler:
        """The handler with errors turned into pages."""
        handler = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handler(request)
            except HopgradeError as error:
                return error_page(status_of(error), error.message, error.remedy, _known(request, error))
            except RequestValidationError as error:
                wrong = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
                return error_page(400, f"The address holds a value that can't work ({wrong}).")

        return handled


def status_of(error: HopgradeError) -> int:
    """The HTTP status of one of our errors."""
    if isinstance(error, CorpusError | NothingToDoError | MissingError):
        return NOT_FOUND
    if isinstance(error, StoreUnavailableError | StoreTooOldError):
        return 503
    if isinstance(error, ModelError | EmbeddingError):
        return 502
    if isinstance(error, TokenNeededError):
        return 403
    return 400 if isinstance(error, UserError) else 500


def error_page(status: int, message: str, remedy: str = "", corpus: str = "") -> Response:
    """What went wrong, as a page; with a corpus, its views are offered."""
    said = message[:1].upper() + message[1:]
    return page(
        "error.html",
        "Not found" if status == NOT_FOUND else "Error",
        corpus,
        status=status,
        said=said,
        remedy=remedy,
    )


def _known(request: Request, error: HopgradeError) -> str:
    """The corpus of the address, where the error is not about it."""
    if isinstance(error, NothingToDoError | SettingsError | MissingError):
        return name_of(str(request.path_params.get("corpus", "")))
    return ""
