"""What requests share: the connections to the graph, the settings, threads for slow work, and jobs.

The lifespan of the application opens them; routes take what they need by `Shared` and `Reading`.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ParamSpec, TypeVar

from fastapi import Depends, Request

from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from services.api.jobs import Jobs
from services.api.warm import WarmParts

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resources:
    """`graph` is for what can be awaited, `lent` for functions of the services that are not asynchronous.

    `threads` bounds how many of these run at once, `warm` keeps what asking needs.
    """

    settings: Settings
    graph: AsyncGraph
    lent: Graph
    threads: ThreadPoolExecutor
    jobs: Jobs
    warm: WarmParts

    async def in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that is not asynchronous, when a thread is free.

        Where the request was given up meanwhile, it ends by itself, unseen, and keeps its thread till then;
        one that had not begun never does.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, partial(work, *args, **kwargs))


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
