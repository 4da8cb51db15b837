"""The OpenAPI document: what FastAPI finds in the code, with problems, examples and how to prove who asks."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from services.api.examples import ANSWERS, REQUESTS
from services.api.problems import Problem

DESCRIPTION = """Read a knowledge graph of articles, the multi-hop questions made from it, and how RAG systems
answered them.

Lists come in slices: `next_cursor` of one asks for the next. Errors are RFC 9457 problems. Answers have an
ETag: send it back as `If-None-Match`, and an answer that is still the same comes as 304 without a body."""

BEARER = "token"


def describe(app: FastAPI, with_token: bool) -> None:
    """Let the application describe itself; the document is made once."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, with_token)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI, with_token: bool) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        description=DESCRIPTION,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    schemas = made["components"]["schemas"]
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs", {})
    schemas["Problem"] = problem
    for path in made["paths"].values():
        for operation in path.values():
            _add_examples(operation)
            # What FastAPI says of a request that can't be read is not how we tell it.
            if with_token:
                operation["security"] = [{BEARER: []}]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    if with_token:
        made["components"]["securitySchemes"] = {BEARER: {"type": "http", "scheme": "bearer"}}
    return made


def _add_examples(operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    for status in ("200", "202"):
        content = operation["responses"].get(status, {}).get("content", {})
        if name in ANSWERS and "application/json" in content:
            content["application/json"]["example"] = ANSWERS[name]
    if name in REQUESTS:
        operation["requestBody"]["content"]["application/json"]["example"] = REQUESTS[name]
