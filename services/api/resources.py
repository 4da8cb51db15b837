"""What requests share: the connections to the graph, the settings, threads for slow work, and jobs.

The lifespan of the application opens them; routes take what they need by `Shared` and `Reading`.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Concatenate, ParamSpec, TypeVar

from fastapi import Depends, Request

from kg.embed.choose import asks_endpoint
from kg.errors import TokenNeededError
from kg.ids import content_hash
from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from kg.store.interrupts import abandoned_by
from services.api.computed import Computed, state_of
from services.api.jobs import Jobs
from services.api.warm import WarmParts

P = ParamSpec("P")
T = TypeVar("T")
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
