"""What requests share: the connections to the graph, the settings, threads for slow work, and jobs.

The lifespan of the application opens them; routes take what they need by `Shared` and `Reading`.

What takes long to compute from runs, computed once for each state that the runs are in.

Requests for the same thing share one computation. Where all of them were given up, such as by a time-out, it
goes on to its end, and whoever asks again gets what came of it.

What answering a question needs and what takes long to load, kept between requests.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

from fastapi import Depends, Request

from kg.embed.choose import Embedder, asks_endpoint, make_embedder
from kg.errors import TokenNeededError
from kg.ids import content_hash
from kg.queries import query
from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.faults import abandoned_by
from kg.store.graph import Graph
from services.rag.ask import AskResult, ask
from services.rag.graph_search.cache import SnapshotCache
from services.rag.run_options import SystemName
from services.web.api.jobs import Jobs

MOST_CORPORA = 4
"""Corpora whose snapshots stay in memory: those asked last."""


class WarmParts:
    """Embedders by name and snapshots by corpus; several threads may ask for them.

    A snapshot looks whether its graph changed each time it is asked for.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._lock = Lock()
        self._embedders: dict[str, Embedder] = {}
        self._snapshots: OrderedDict[str, SnapshotCache] = OrderedDict()

    def embedder(self, name: str) -> Embedder:
        """The embedder of a name, loaded once.

        Raises:
            SettingsError: no such embedder, or it has no key.
            EmbeddingError: its model can't be loaded.
        """
        with self._lock:
            if name not in self._embedders:
                self._embedders[name] = make_embedder(name, self._settings)
            return self._embedders[name]

    def snapshots(self, corpus: str) -> SnapshotCache:
        """The snapshot of a corpus."""
        with self._lock:
            if corpus not in self._snapshots:
                self._snapshots[corpus] = SnapshotCache(self._graph, corpus, self._settings.hopgrade_cache)
            self._snapshots.move_to_end(corpus)
            while len(self._snapshots) > MOST_CORPORA:
                self._snapshots.popitem(last=False)
            return self._snapshots[corpus]

    def ask(
        self,
        corpus: str,
        embedder: str,
        question: str,
        system: SystemName,
        retriever: str,
        limit: int,
        reranker: str | None = None,
        candidates: int | None = None,
    ) -> AskResult:
        """Answer a question over a corpus that was made with this embedder; `limit` chunks are read, where a
        reranker is named the best of `candidates`.

        Raises:
            NothingToDoError: the corpus has no vectors, or its graph is not built yet.
        """
        return ask(
            self._graph,
            corpus,
            question,
            self.embedder(embedder),
            limit,
            self._settings,
            system,
            retriever,
            self.snapshots(corpus),
            reranker,
            candidates,
        )


T = TypeVar("T")

MOST_RESULTS = 64
"""Results that are remembered; the ones asked for last."""


class Computed:
    """Results by what they are about; everything happens on the event loop."""

    def __init__(self) -> None:
        self._tasks: OrderedDict[str, asyncio.Task[Any]] = OrderedDict()

    async def once(self, about: str, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result about something, computed by `begin` unless it is there or under way.

        What failed is computed anew by the next request.
        """
        task = self._tasks.get(about)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._tasks[about] = asyncio.create_task(begin())
        self._tasks.move_to_end(about)
        while len(self._tasks) > MOST_RESULTS:
            self._tasks.popitem(last=False)
        # The request may be given up; the work that others wait for goes on.
        found: T = await asyncio.shield(task)
        return found


async def state_of(graph: AsyncGraph, corpus: str, runs: Sequence[str]) -> str:
    """A hash that is another one as soon as an answer of the runs comes, goes or is judged otherwise."""
    rows = await graph.rows(query("runs/read_state"), corpus=corpus, runs=list(runs))
    lines = ((row["run"], str(row["key"]), *row["stages"], *sorted(row["answers"])) for row in rows)
    return content_hash(part for line in lines for part in line)


async def state_of_graph(graph: AsyncGraph, corpus: str) -> str:
    """A hash that is another one as soon as a stage of a corpus begins, ends or is outdated."""
    rows = await graph.rows(query("store/read_stages"), corpus=corpus)
    return content_hash(repr(sorted(row["stage"].items())) for row in rows)


P = ParamSpec("P")
THREADS_OF_REQUESTS = "hopgrade-request"
"""How the names of threads begin that work for requests."""


@dataclass(frozen=True, slots=True)
class Resources:
    """`graph` is for what can be awaited, `lent` for functions of the services that are not asynchronous.

    `threads` bounds how many of these run at once, `warm` keeps what asking needs, `computed` what took long
    to compute. `may_spend` tells whether models that cost may be asked: only where the server knows by a
    token who asks.
    """

    settings: Settings
    graph: AsyncGraph
    lent: Graph
    threads: ThreadPoolExecutor
    jobs: Jobs
    warm: WarmParts
    may_spend: bool = True
    computed: Computed = field(default_factory=Computed)

    def require_spending(self, generator: str, embedder: str) -> None:
        """Refuse what asks the endpoint of a model, where nobody shows a token.

        Raises:
            TokenNeededError: it would, and this server has no token.
        """
        if not self.may_spend and (generator == "model" or asks_endpoint(embedder)):
            raise TokenNeededError(
                "this server was started with --no-token, and so spends on no model.",
                "Start it without that option.",
            )

    async def in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that is not asynchronous, when a thread is free.

        Where the request is given up meanwhile, it ends before its next statement on the graph, unseen; one
        that had not begun never does.
        """
        loop = asyncio.get_running_loop()
        abandoned = threading.Event()
        try:
            return await loop.run_in_executor(
                self.threads, _watched, abandoned, partial(work, *args, **kwargs)
            )
        finally:
            abandoned.set()

    async def of_runs(
        self,
        corpus: str,
        runs: Sequence[str],
        work: Callable[Concatenate[Graph, str, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """What `work` computes from the graph and the corpus, once for each state that the runs are in.

        `args` are part of what it is about, and so is the name of `work`. It goes on although the request is
        given up: large runs would never have an answer else.
        """
        about = (corpus, work.__qualname__, *runs, *map(repr, args), *map(repr, sorted(kwargs.items())))
        state = await state_of(self.graph, corpus, runs)
        return await self.computed.once(
            content_hash((*about, state)), lambda: self.in_thread(work, self.lent, corpus, *args, **kwargs)
        )

    async def of_graph(self, corpus: str, work: Callable[[Graph, str], T], also: str = "") -> T:
        """What `work` computes from the graph of a corpus, once for each state that its stages are in.

        `also` tells what else it depends on, such as a number of articles: they come without a stage.
        """
        about = (corpus, work.__qualname__, also, await state_of_graph(self.graph, corpus))
        return await self.computed.once(content_hash(about), lambda: self.in_thread(work, self.lent, corpus))


def _watched(abandoned: threading.Event, work: Callable[[], T]) -> T:
    with abandoned_by(abandoned):
        return work()


# Asynchronous though they wait for nothing: FastAPI would hand other functions to a thread, at every request.
async def resources(request: Request) -> Resources:
    """What the lifespan opened."""
    opened: Resources = request.app.state.resources
    return opened


async def reading(request: Request) -> AsyncGraph:
    """The asynchronous connection to the graph."""
    return (await resources(request)).graph


Shared = Annotated[Resources, Depends(resources)]
Reading = Annotated[AsyncGraph, Depends(reading)]
