"""The application: the API under /api, the page under /, and what keeps both in bounds.

HEAD for everything that can be read: the headers of the answer to GET, without its body.

Errors at addresses that are not the API's, as pages for whoever opened them in a browser.

ETags: a client that has the newest answer already gets none again.

The OpenAPI document: what FastAPI finds in the code, with problems, examples and how to prove who asks.

Examples for the OpenAPI document, by operation: what is sent, and what comes back, cut short.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg import __version__
from kg.connect import open_async_graph, open_graph
from kg.errors import HopgradeError, SettingsError
from kg.files import working_folder
from kg.progress import Silent
from kg.settings import Settings
from services.web.api.access import Access, AddSecurityHeaders, CheckAccess, WrongTokens
from services.web.api.access import router as login_router
from services.web.api.graph_routes import (
    articles_router,
    claims_router,
    corpora_router,
    entities_router,
    paths_router,
)
from services.web.api.job_routes import router as jobs_router
from services.web.api.jobs import Jobs
from services.web.api.parameters import require_known_parameters
from services.web.api.problems import PROBLEMS, Problem, answer_errors, problem
from services.web.api.question_routes import ask_router, question_jobs_router
from services.web.api.resources import THREADS_OF_REQUESTS, Resources, WarmParts
from services.web.api.result_routes import questions_router, runs_router, standards_router
from services.web.api.serving import (
    LimitRequests,
    ObserveRequests,
    RequestLimits,
    make_metrics,
    operations_router,
)
from services.web.pages import (
    corpus_pages,
    front_pages,
    job_pages,
    question_pages,
    run_pages,
)
from services.web.pages.front_pages import warm_front
from services.web.pages.rendering import NOT_FOUND, PageRoute, assets_router, error_page

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

_KEPT: Mapping[str, Mapping[str, Json]] = json.loads(
    (Path(__file__).parent / "examples.json").read_text(encoding="utf-8")
)

REQUESTS: Mapping[str, Json] = _KEPT["requests"]
"""Bodies, by operation."""
ANSWERS: Mapping[str, Json] = _KEPT["answers"]
"""Answers, by operation; made from the bundled corpus."""


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


TAGGED = ("application/json", "text/html")


class TagAnswers:
    """Gives whole answers to GET a tag of their content, and answers 304 to who has that tag."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, and tag its answer."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        start: Message | None = None

        async def tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _taggable(message):
                start = message
                return
            if start is not None:
                first, start = start, None
                if not message.get("more_body", False):
                    message = _with_tag(first, message, known)
                await send(first)
            await send(message)

        await self._app(scope, receive, tagged)


def _taggable(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return (
        start["status"] == 200
        and headers.get("content-type", "").startswith(TAGGED)
        and "etag" not in headers
        and headers.get("cache-control") != "no-store"
    )


def _with_tag(start: Message, body: Message, known: str) -> Message:
    """Put the tag into the headers; the body to send, which is empty where the tag is known."""
    tag = f'"{blake2b(body.get("body", b""), digest_size=16).hexdigest()}"'
    headers = MutableHeaders(raw=start["headers"])
    headers["ETag"] = tag
    headers.setdefault("Cache-Control", "private, no-cache")
    if known != "*" and tag not in (part.strip().removeprefix("W/") for part in known.split(",")):
        return body
    start["status"] = 304
    del headers["content-length"]
    del headers["content-type"]
    return {"type": "http.response.body", "body": b"", "more_body": False}


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
        allowed = (error.headers or {}).get("Allow", "")
        remedy = f"Ask with {allowed.replace(', ', ' or ')}." if allowed else ""
    if not _wants_page(request):
        return problem(status, detail, remedy, headers=error.headers)
    page = error_page(status, detail, "Start from the list of corpora.")
    page.headers.update(error.headers or {})
    return page


def _wants_page(request: Request) -> bool:
    path = request.url.path
    return path != API and not path.startswith(f"{API}/") and "text/html" in request.headers.get("accept", "")


class AnswerHead:
    """Asks the application for what GET gets, and sends no more of it than its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, as GET where it is HEAD."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        # A scope of its own: the HTTP server goes by the method that it was sent.
        reading = {**scope, "method": "GET"}
        ended = False

        async def without_body(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start":
                await send(message)
            elif not ended:
                # The first piece ends it: a job's events would go on.
                ended = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        try:
            await self._app(reading, receive, without_body)
        finally:
            if "route" in reading:
                scope["route"] = reading["route"]


PAGES = (corpus_pages, front_pages, job_pages, question_pages, run_pages)
"""The views of the page, in the order in which addresses are tried."""
page_router = APIRouter(route_class=PageRoute, include_in_schema=False)
page_router.include_router(assets_router)
for module in PAGES:
    page_router.include_router(module.router)


@page_router.get("/c/{rest:path}")
async def unknown_page(request: Request, rest: str) -> Response:
    """Any other address below a corpus; a slash too many at its end is forgiven."""
    path = request.scope["raw_path"].decode("ascii")
    if path.endswith("/"):
        return RedirectResponse(path.rstrip("/") if rest.strip("/") else "/", 308)
    return error_page(
        NOT_FOUND, f"there is no page at {request.url.path}.", "Start from the list of corpora."
    )


PREFIX = "/api"
THREADS = 4
"""Functions that are not asynchronous and run at once; each keeps a core busy."""


def create_app(
    settings: Settings, access: Access | None = None, limits: RequestLimits | None = None
) -> FastAPI:
    """The application; it connects when it starts and gives everything back when it stops.

    Without a token in `access` it answers to names of this machine only, and spends nothing on models.
    """
    access = access or Access()
    app = FastAPI(
        title="Hopgrade",
        version=__version__,
        lifespan=_lifespan(settings, may_spend=access.token is not None),
        openapi_url=f"{PREFIX}/openapi.json",
        # Their pages load scripts from elsewhere, which no page of ours may.
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
    )
    app.state.metrics = make_metrics()
    app.state.access = access
    app.state.wrong_tokens = WrongTokens()
    answer_errors(app)
    answer_people(app)
    app.include_router(operations_router, responses=PROBLEMS)
    api = APIRouter(prefix=PREFIX, responses=PROBLEMS, dependencies=[Depends(require_known_parameters)])
    for router in (
        corpora_router,
        articles_router,
        claims_router,
        entities_router,
        paths_router,
        questions_router,
        runs_router,
        standards_router,
        ask_router,
        jobs_router,
        question_jobs_router,
    ):
        api.include_router(router)
    app.include_router(api)
    app.include_router(login_router)
    app.include_router(page_router)
    describe(app, with_token=access.token is not None)
    # The last one added is the first to see a request.
    app.add_middleware(ServerErrorMiddleware, handler=failed)
    app.add_middleware(TagAnswers)
    app.add_middleware(AnswerHead)
    app.add_middleware(LimitRequests, limits=limits or RequestLimits())
    app.add_middleware(CheckAccess, access=access, wrong=app.state.wrong_tokens)
    app.add_middleware(AddSecurityHeaders)
    app.add_middleware(ObserveRequests, metrics=app.state.metrics)
    return app


def _lifespan(settings: Settings, may_spend: bool) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            # First the one that starts the managed server and brings its schema up to date.
            lent = await asyncio.to_thread(open_graph, settings, Silent())
            opened.callback(lent.close)
            graph = await opened.enter_async_context(await open_async_graph(settings))
            folder = opened.enter_context(_jobs_folder(settings))
            jobs_of_app = Jobs(folder)
            opened.push_async_callback(jobs_of_app.close)
            threads = ThreadPoolExecutor(THREADS, thread_name_prefix=THREADS_OF_REQUESTS)
            opened.callback(threads.shutdown, wait=False, cancel_futures=True)
            app.state.resources = Resources(
                settings,
                graph,
                lent,
                threads,
                jobs_of_app,
                WarmParts(lent, settings),
                may_spend,
            )
            warming = asyncio.create_task(_warm(app.state.resources))
            opened.callback(warming.cancel)
            yield

    return lifespan


async def _warm(resources: Resources) -> None:
    """Compute what the first page shows before it is opened; what fails here is told to whoever opens it."""
    with suppress(HopgradeError):
        await warm_front(resources)


@contextmanager
def _jobs_folder(settings: Settings) -> Iterator[Path]:
    """Where jobs leave their files; what a killed server left there, texts of articles too, is deleted.

    Raises:
        SettingsError: the cache can't be written.
    """
    parent = settings.hopgrade_cache.expanduser().absolute() / "jobs"
    with ExitStack() as opened:
        try:
            folder = opened.enter_context(working_folder(parent, "jobs-"))
        except OSError as error:
            raise SettingsError(
                f"the files of jobs can't be written to {parent}: {error.strerror or error}.",
                "Set HOPGRADE_CACHE to a folder that you may write to.",
            ) from error
        yield folder


def _operation_id(route: APIRoute) -> str:
    return route.name
