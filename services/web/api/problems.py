"""Errors as RFC 9457 tells them: application/problem+json, with our remedy beside the standard's members."""

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from kg.errors import (
    CorpusError,
    EmbeddingError,
    HopgradeError,
    InputError,
    ModelError,
    NothingToDoError,
    ServerError,
    SettingsError,
    StoreUnavailableError,
    TokenNeededError,
)
from services.web.api.jobs import TooManyJobsError
from services.web.views.cursors import MissingError

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 2

STATUS_OF: Mapping[type[HopgradeError], int] = {
    MissingError: 404,
    TooManyJobsError: 429,
    TokenNeededError: 403,
    SettingsError: 422,
    InputError: 422,
    CorpusError: 409,
    NothingToDoError: 409,
    StoreUnavailableError: 503,
    ServerError: 503,
    EmbeddingError: 502,
    ModelError: 502,
}
"""The status of each kind of error; a kind that is not listed has that of the nearest kind above it."""


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    field: str = Field(description="Where it stands, such as query.limit.")
    message: str


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    type: str = Field(default="about:blank", description="Always about:blank: the status tells the kind.")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field(description="One sentence that says what went wrong, with what.")
    remedy: str = Field(default="", description="The next step for the reader, where there is one.")
    errors: list[FieldProblem] = Field(default=[], description="Of a request that can't be read, each field.")


_WHY: Mapping[int, str] = {
    400: "The body is not text in UTF-8.",
    401: "The token is missing or wrong.",
    403: "Another site's page or another host's name asked, or a server without a token was to spend.",
    404: "There is nothing of this name or id.",
    409: "The corpus, or a job over it, does not allow this now.",
    413: "The request's body is too large.",
    422: "The request can't be read.",
    429: "Too many jobs wait already, or too many wrong tokens came from this address.",
    502: "A model or an embedder that is reached over the network failed.",
    503: "Neo4j does not answer, or too many requests are under way.",
}
_TOLD: Mapping[str, Any] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": why, "content": _TOLD} for status, why in _WHY.items()
}
"""What every operation may answer, for the OpenAPI document."""

_log = logging.getLogger("hopgrade.api")


def problem(
    status: int,
    detail: str,
    remedy: str = "",
    errors: Sequence[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response that tells a problem."""
    told = Problem(
        title=HTTPStatus(status).phrase, status=status, detail=detail, remedy=remedy, errors=list(errors)
    )
    # Escaped to ASCII: what a caller sent may hold characters that UTF-8 can't carry.
    body = json.dumps(told.model_dump(), ensure_ascii=True)
    waits = {"Retry-After": str(RETRY_SECONDS)} if status in {429, 503} else {}
    return Response(body, status, {**waits, **(headers or {})}, MEDIA_TYPE)


def status_of(error: HopgradeError) -> int:
    """The status that an error of ours is told with."""
    return next((STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF), 500)


def answer_errors(app: FastAPI) -> None:
    """Make the application tell every error as a problem."""
    app.add_exception_handler(HopgradeError, _ours)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _unexpected)


def _ours(_: Request, error: Exception) -> Response:
    if not isinstance(error, HopgradeError):
        raise error
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.warning("request failed", extra={"error": str(error)})
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return problem(status, "the server failed at this request.", "Its log says at what.")
    return problem(status, error.message, error.remedy)


def _unreadable(_: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    # What was sent is not repeated: it may be large, and it may be a secret.
    wrong = [
        FieldProblem(field=".".join(map(str, one["loc"])), message=str(one["msg"])) for one in error.errors()
    ]
    return problem(422, _in_a_sentence(wrong), "See /api/openapi.json for what may be sent.", wrong)


def _in_a_sentence(wrong: Sequence[FieldProblem]) -> str:
    """The first of what is wrong, and how much more is."""
    if not wrong:
        return "the request can't be read."
    first = wrong[0]
    others = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"{first.field}{others}: {first.message[:1].lower()}{first.message[1:].rstrip('.')}."


def _plain(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return problem(error.status_code, str(error.detail), headers=error.headers)


def _unexpected(_: Request, error: Exception) -> Response:
    # Starlette raises it again behind this answer, for the server's log.
    return problem(500, "the server failed at this request.", "Its log says at what.")
