"""What each step of a system from outside saw, out of the steps that its retrieved texts name."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from kg.llm.protocol import Usage
from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.external.align import Aligner
from services.external.outside_system import ExternalRagSystem
from services.rag.protocol import RagAnswer, RagQuestion


def align(texts: Sequence[RetrievedText]) -> list[tuple[str, ...]]:
    """A text stands for the chunks whose letters it is made of; "-" for none."""
    return [tuple(f"chunk-{letter}" for letter in one.text if letter != "-") for one in texts]


def answered(answer: OwnAnswer, tells: bool = False) -> RagAnswer:
    aligner = cast(Aligner, SimpleNamespace(align=align))
    question = RagQuestion("q", "Who?", np.zeros(3, np.float32))
    system = ExternalRagSystem("own", lambda _, take: take([(question, answer)]), lambda: aligner, tells)
    (found,) = system.answer([question])
    return found


def seen(found: RagAnswer) -> list[tuple[str, bool, list[tuple[str, float]]]]:
    return [(s.action, s.retrieves, [(hit.chunk, hit.score) for hit in s.hits]) for s in found.steps]


def test_texts_go_to_the_steps_that_retrieved_them() -> None:
    texts = (
        RetrievedText("ab", score=0.9, step=2),
        RetrievedText("a", score=0.8, step=3),
        RetrievedText("c", score=0.7, step=3),
    )
    steps = (OwnStep("plan"), OwnStep("search", "one"), OwnStep("search", "two"), OwnStep("answer"))
    found = answered(OwnAnswer("Oda", texts, steps))
    assert seen(found) == [
        ("plan", False, []),
        ("search", True, [("chunk-a", 0.9), ("chunk-b", 0.9)]),
        ("search", True, [("chunk-a", 0.8), ("chunk-c", 0.7)]),
        ("answer", False, []),
    ]
    assert [one.chunk for one in found.retrieved] == ["chunk-a", "chunk-b", "chunk-c"]


def test_a_step_whose_texts_are_in_no_chunk_retrieved_all_the_same() -> None:
    found = answered(
        OwnAnswer("Oda", (RetrievedText("-", step=1),), (OwnStep("search"), OwnStep("retrieve")))
    )
    assert seen(found) == [("search", True, []), ("retrieve", True, [])]
    assert found.unaligned == ("-",)


def test_without_steps_each_number_is_a_retrieval() -> None:
    found = answered(OwnAnswer("Oda", (RetrievedText("a", step=1), RetrievedText("b", step=4))))
    assert seen(found) == [
        ("retrieve", True, [("chunk-a", 1.0)]), ("retrieve", True, [("chunk-b", 0.5)]), ("answer", False, []),
    ]  # fmt: skip


def test_a_text_of_a_step_that_is_not_there_is_kept_with_the_answer() -> None:
    found = answered(OwnAnswer("Oda", (RetrievedText("a", step=7),), (OwnStep("answer"),)))
    assert seen(found) == [("answer", False, [])]
    assert [one.step for one in found.retrieved] == [7]


def test_what_is_told_of_a_step_is_kept() -> None:
    told = OwnStep(
        "search",
        "who",
        "1 text",
        thought="why not",
        top_k=7,
        fault="repeated query",
        seconds=0.5,
        input_tokens=3,
        output_tokens=2,
    )
    found = answered(OwnAnswer("Oda", (RetrievedText("a"),), (told, OwnStep("answer"))))
    step = found.steps[0]
    assert (step.query, step.observation, step.thought, step.top_k) == ("who", "1 text", "why not", 7)
    assert (step.fault, step.seconds, step.usage) == ("repeated query", 0.5, Usage(3, 2))
    assert (step.retrieves, found.steps_reported) == (True, True)


def test_a_step_says_itself_whether_it_searched() -> None:
    steps = (OwnStep("retrieve", retrieves=False), OwnStep("look", retrieves=True), OwnStep("look"))
    texts = (RetrievedText("a", step=1), RetrievedText("b", step=3))
    found = answered(OwnAnswer("Oda", texts, steps))
    assert seen(found) == [
        ("retrieve", False, [("chunk-a", 1.0)]), ("look", True, []), ("look", True, [("chunk-b", 0.5)]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "number"),
    [
        ((OwnStep("plan"), OwnStep("search", retrieves=True), OwnStep("answer")), 2),
        ((OwnStep("plan"), OwnStep("retrieve"), OwnStep("retrieve"), OwnStep("answer")), 3),
        ((OwnStep("plan"), OwnStep("vector"), OwnStep("answer")), 2),
        ((OwnStep("note", retrieves=False), OwnStep("vector")), 2),
        ((OwnStep("vector"), OwnStep("vector"), OwnStep("answer")), 1),
        ((OwnStep("plan"), OwnStep("answer")), 1),
    ],
    ids=["marked", "the last", "by its action", "not the first", "it can be the first", "none can be it"],
)
def test_texts_without_numbers_are_those_of_a_step_that_can_have_found_them(
    steps: tuple[OwnStep, ...], number: int
) -> None:
    found = answered(OwnAnswer("Oda", (RetrievedText("a"), RetrievedText("b")), steps))
    assert [step.index for step in found.steps if step.hits] == [number]
    assert {one.step for one in found.retrieved} == {number}


@pytest.mark.parametrize(
    ("answer", "retrieval", "steps"),
    [
        (OwnAnswer("Oda"), False, False),
        (OwnAnswer("Oda", (RetrievedText("a"),)), True, False),
        (OwnAnswer("Oda", steps=(OwnStep("retrieve"),)), True, True),
        (OwnAnswer("Oda", steps=(OwnStep("look", retrieves=True),)), True, True),
        (OwnAnswer("Oda", steps=(OwnStep("look"),)), False, True),
        (OwnAnswer("Oda", steps=(OwnStep("retrieve"),), tells_retrieved=False), False, True),
    ],
    ids=["nothing", "texts alone", "found nothing", "marked", "may have searched", "searched in silence"],
)
def test_what_is_not_told_is_known(answer: OwnAnswer, retrieval: bool, steps: bool) -> None:
    found = answered(answer)
    assert (found.retrieval_reported, found.steps_reported) == (retrieval, steps)
    assert all(not step.query for step in found.steps if step.retrieves and not steps)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (OwnAnswer("Oda"), True),
        (OwnAnswer("Oda", tells_retrieved=False), False),
        (OwnAnswer("", error="time-out", tells_retrieved=False), True),
    ],
    ids=["an empty list", "no list", "an error"],
)
def test_where_others_tell_an_answer_without_a_list_still_does_not(answer: OwnAnswer, told: bool) -> None:
    assert answered(answer, tells=True).retrieval_reported is told
