"""The four retrieving primitives: where they look, how much they bring, which searches are the same."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kg.llm.protocol import JsonValue
from services.rag.agents.goal_seeking.primitives import RETRIEVING, Documents, PrimitiveResult
from services.rag.agents.goal_seeking.tools import RetrievingTool
from services.rag.agents.protocol import Call, PendingCall
from services.rag.metadata import index_metadata
from services.rag.protocol import Filters, Hit, RagQuestion
from tests.small_world import tools

METADATA = index_metadata(["The Ostby Post", "Norholm Echo | Sport", "Norholm Echo | News"], ["Business"])
ASKED = RagQuestion("q0", "Who?", np.zeros(384, np.float32))


class Recording:
    """Finds as many chunks as an agent may want, and keeps what it was asked."""

    name = "recording"

    def __init__(self) -> None:
        self.rounds: list[list[RagQuestion]] = []

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        self.rounds.append(list(questions))
        return [[Hit(f"chunk-{n}", 1 - n / 100) for n in range(20)] for _ in questions]


def tool(retriever: Recording, name: str = "retrieve_filtered") -> RetrievingTool:
    return RetrievingTool(name, retriever, tools().embedder, METADATA)


def call(query: str = "harbour dues", /, **more: JsonValue) -> Call:
    empty: dict[str, JsonValue] = {"sources": [], "category": "", "since": "", "until": "", "k": 3}
    return Call("retrieve_filtered", {"query": query, **empty, **more})


@pytest.mark.parametrize(
    ("arguments", "filters"),
    [
        ({}, Filters()),
        ({"sources": ["the OSTBY-post"]}, Filters(sources=("The Ostby Post",))),
        (
            {"sources": ["Norholm Echo"]},
            Filters(sources=("Norholm Echo | News", "Norholm Echo | Sport")),
        ),
        ({"sources": ["Reuters"]}, Filters(sources=("Reuters",))),
        ({"category": "business"}, Filters(categories=("Business",))),
        ({"since": "2021-03-05", "until": "2021-03-06"}, Filters(since="2021-03-05", until="2021-03-06")),
    ],
)
def test_filters_are_those_of_the_corpus(arguments: dict[str, JsonValue], filters: Filters) -> None:
    retriever = Recording()
    (seen,) = tool(retriever).run([PendingCall(ASKED, call(**arguments))])
    assert retriever.rounds[0][0].filters == filters == seen.filters


def test_the_filters_that_a_question_came_with_always_hold() -> None:
    retriever = Recording()
    given = replace(ASKED, filters=Filters(sources=("The Ostby Post",), until="2021-12-31"))
    tool(retriever).run([PendingCall(given, call(sources=["Norholm Echo"], until="2022-12-31"))])
    assert retriever.rounds[0][0].filters == Filters(sources=("The Ostby Post",), until="2021-12-31")


def test_many_calls_are_one_search_and_each_has_as_many_chunks_as_it_wants() -> None:
    retriever = Recording()
    seen = tool(retriever, "retrieve").run(
        [
            PendingCall(ASKED, call("a", k=1)),
            PendingCall(ASKED, call("b", k=7)),
            PendingCall(ASKED, call("c", k=99)),
        ]
    )
    assert [one.text for one in retriever.rounds[0]] == ["a", "b", "c"]
    assert len(retriever.rounds) == 1
    assert [len(one.hits) for one in seen] == [1, 7, 20] == [one.top_k for one in seen]
    assert all(one.retrieves for one in seen)
    first = seen[0]
    assert isinstance(first, PrimitiveResult)
    assert first.result == Documents(("chunk-0",))
    assert not np.array_equal(retriever.rounds[0][0].vector, retriever.rounds[0][1].vector)


def test_the_same_words_and_filters_are_the_same_search_by_whichever_primitive() -> None:
    one, *others = (tool(Recording(), name) for name in RETRIEVING)
    assert {other.sought(call("Harbour dues?")) for other in others} == {
        one.sought(call("harbour DUES", k=9))
    }
    assert one.sought(call()) != one.sought(call(since="2021-03-05"))
