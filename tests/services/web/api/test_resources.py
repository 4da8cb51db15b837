"""What requests share."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from starlette.testclient import TestClient

from kg.errors import AbandonedError
from kg.queries import query
from kg.store.graph import Row
from services.web.api.resources import MOST_CORPORA, Resources


def opened(api: TestClient) -> Resources:
    found: Resources = api.app.state.resources  # type: ignore[attr-defined]
    return found


def test_work_that_was_given_up_keeps_its_thread_till_it_ends(api: TestClient) -> None:
    shared = opened(api)
    go, begun = threading.Event(), threading.Semaphore(0)
    started: list[int] = []

    def work(number: int) -> None:
        started.append(number)
        begun.release()
        go.wait(600)

    async def scenario(threads: ThreadPoolExecutor) -> None:
        own = replace(shared, threads=threads)
        asked = [asyncio.ensure_future(own.in_thread(work, number)) for number in range(2)]
        await asyncio.to_thread(begun.acquire)
        for one in asked:
            one.cancel()
        await asyncio.wait(asked)
        third = asyncio.ensure_future(own.in_thread(work, 3))
        await asyncio.sleep(0.05)
        # The one thread is still at the first; the second, given up before its turn, never begins.
        assert started == [0]
        go.set()
        await third
        assert started == [0, 3]

    with ThreadPoolExecutor(1) as threads:
        asyncio.run(scenario(threads))


def test_work_behind_a_request_that_was_given_up_stops_at_its_next_statement(api: TestClient) -> None:
    shared = opened(api)
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()
    outcomes: list[object] = []

    def read() -> list[Row]:
        return shared.lent.rows(query("search/read_version"), corpus="none", stages=[])

    def work() -> None:
        begun.set()
        go.wait(600)
        try:
            outcomes.append(read())
        except AbandonedError as error:
            outcomes.append(error)
        finally:
            ended.set()

    async def scenario(threads: ThreadPoolExecutor) -> None:
        own = replace(shared, threads=threads)
        asked = asyncio.ensure_future(own.in_thread(work))
        await asyncio.to_thread(begun.wait)
        asked.cancel()
        await asyncio.wait([asked])
        go.set()
        await asyncio.to_thread(ended.wait)
        # Another one in the same thread is not stopped by it.
        assert await own.in_thread(read)

    with ThreadPoolExecutor(1) as threads:
        asyncio.run(scenario(threads))
    assert [type(one) for one in outcomes] == [AbandonedError]


def test_the_embedder_and_the_snapshot_of_a_corpus_are_kept(api: TestClient, small_corpus: str) -> None:
    warm = opened(api).warm
    assert warm.embedder("builtin") is warm.embedder("builtin")
    first = warm.snapshots(small_corpus)
    assert warm.snapshots(small_corpus) is first
    assert first.current() is warm.snapshots(small_corpus).current()
    for number in range(MOST_CORPORA):
        warm.snapshots(f"another {number}")
    assert warm.snapshots(small_corpus) is not first
