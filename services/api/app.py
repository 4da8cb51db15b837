"""The application: the API under /api, the page under /, and what keeps both in bounds."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
)
from pathlib import Path

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.errors import ServerErrorMiddleware

from kg import __version__
from kg.errors import SettingsError
from kg.files import working_folder
from kg.progress import Silent
from kg.settings import Settings
from kg.store.connect import open_graph
from kg.store.connect_async import open_async_graph
from services.api.access import Access, AddSecurityHeaders, CheckAccess
from services.api.error_pages import answer_people, failed
from services.api.etags import TagAnswers
from services.api.heads import AnswerHead
from services.api.jobs import Jobs
from services.api.limits import LimitRequests, RequestLimits
from services.api.login import router as login_router
from services.api.observing import ObserveRequests, make_metrics
from services.api.openapi import describe
from services.api.problems import PROBLEMS, answer_errors
from services.api.resources import THREADS_OF_REQUESTS, Resources
from services.api.routes import (
    articles,
    ask,
    claims,
    corpora,
    entities,
    jobs,
    operations,
    paths,
    questions,
    runs,
    standards,
)
from services.api.warm import WarmParts
from services.api.wrong_tokens import WrongTokens
from services.page.router import router as page_router

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
    app.include_router(operations.router, responses=PROBLEMS)
    api = APIRouter(prefix=PREFIX, responses=PROBLEMS)
    for module in (corpora, articles, claims, entities, paths, questions, runs, standards, ask, jobs):
        api.include_router(module.router)
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
            yield

    return lifespan


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
