"""What requests share: the connections to the graph, the settings, threads for slow work, and jobs.

The lifespan of the application opens them; routes take what they need by `Shared` and `Reading`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ParamSpec, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends, Request

from kg.settings import Settings
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from services.api.jobs import Jobs

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resources:
    """`graph` is for what can be awaited, `lent` for functions of the services that are not asynchronous.

    `threads` bounds how many of these run at once.
    """

    settings: Settings
    graph: AsyncGraph
    lent: Graph
    threads: anyio.CapacityLimiter
    jobs: Jobs

    async def in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that is not asynchronous, when a thread is free.

        It ends by itself, unseen, where the request was given up meanwhile.
        """
        return await anyio.to_thread.run_sync(
            lambda: work(*args, **kwargs), limiter=self.threads, abandon_on_cancel=True
        )


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
