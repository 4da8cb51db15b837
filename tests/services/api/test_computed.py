"""What takes long is computed once for each state of a run, by whoever comes first."""

import asyncio

import pytest
from starlette.testclient import TestClient

from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from services.api.computed import MOST_RESULTS, Computed, state_of
from tests.conftest import ServerAddress
from tests.graph_reading import change


def test_those_who_ask_for_the_same_share_one_computation() -> None:
    begun: list[str] = []

    async def scenario() -> None:
        go, computed = asyncio.Event(), Computed()

        async def work() -> int:
            begun.append("work")
            await go.wait()
            return 42

        asked = [asyncio.create_task(computed.once("a run", work)) for _ in range(5)]
        await asyncio.sleep(0)
        asked[0].cancel()
        go.set()
        assert await asyncio.gather(*asked[1:]) == [42] * 4
        assert await computed.once("a run", work) == 42
        assert begun == ["work"]
        assert await computed.once("a run in another state", work) == 42
        assert begun == ["work", "work"]

    asyncio.run(scenario())


def test_what_was_given_up_goes_on_and_what_failed_is_computed_anew() -> None:
    tries: list[int] = []

    async def scenario() -> None:
        go, computed = asyncio.Event(), Computed()

        async def work() -> int:
            tries.append(len(tries))
            await go.wait()
            if len(tries) == 1:
                raise ValueError
            return len(tries)

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(computed.once("a run", work), 0)
        only = asyncio.create_task(computed.once("a run", work))
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(ValueError):
            await only
        assert await computed.once("a run", work) == 2
        for number in range(MOST_RESULTS):
            await computed.once(str(number), work)
        assert await computed.once("a run", work) == MOST_RESULTS + 3, (
            "forgotten, as others were asked for later"
        )

    asyncio.run(scenario())


def test_the_state_of_a_run_follows_its_answers(
    graph: Graph, server_address: ServerAddress, corpus: str
) -> None:
    async def state() -> str:
        address = server_address
        async with await AsyncGraph.connect(
            address.uri, address.username, address.password, address.database
        ) as reading:
            return await state_of(reading, corpus, ["mine"])

    change(
        graph,
        """CREATE (r:Run {id: $corpus, corpus: $corpus, name: 'mine', key: 'k'})
        FOREACH (i IN range(1, 3) |
          CREATE (r)-[:GAVE]->(:Answer {id: $corpus + i, corpus: $corpus, text: 'x', correct: true}))""",
        corpus=corpus,
    )
    states = [asyncio.run(state()), asyncio.run(state())]
    assert states[0] == states[1]
    for text in (
        "MATCH (a:Answer {id: $corpus + '1'}) SET a.correct = false",
        "MATCH (a:Answer {id: $corpus + '2'}) SET a.correct = false, a.broken_by = 'generation'",
        "MATCH (a:Answer {id: $corpus + '2'}) DETACH DELETE a",
        "MATCH (r:Run {id: $corpus}) SET r.key = 'another'",
    ):
        change(graph, text, corpus=corpus)
        states.append(asyncio.run(state()))
    assert len(set(states)) == 5


def test_an_analysis_is_answered_again_after_a_verdict(
    api: TestClient, at: str, graph: Graph, small_corpus: str
) -> None:
    """The second request is answered from before; once an answer counts otherwise it is not."""
    run = api.get(f"{at}/runs").json()[0]["name"]
    first = api.get(f"{at}/runs/{run}/analysis").json()
    assert api.get(f"{at}/runs/{run}/analysis").json() == first
    answers = "MATCH (:Run {corpus: $corpus, name: $run})-[:GAVE]->(a)"
    flip = f"{answers} SET a.correct = NOT a.correct"
    change(graph, flip, corpus=small_corpus, run=run)
    try:
        assert api.get(f"{at}/runs/{run}/analysis").json() != first
    finally:
        change(graph, flip, corpus=small_corpus, run=run)
    assert api.get(f"{at}/runs/{run}/analysis").json() == first
