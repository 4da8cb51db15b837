"""What takes long to compute from runs, computed once for each state that the runs are in.

Requests for the same thing share one computation. Where all of them were given up, such as by a time-out, it
goes on to its end, and whoever asks again gets what came of it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from kg.ids import content_hash
from kg.queries import query
from kg.store.async_graph import AsyncGraph

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
