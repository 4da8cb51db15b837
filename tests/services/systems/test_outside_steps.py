"""What each step of a system from outside saw, out of the steps that its retrieved texts name."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np

from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.rag.protocol import Answered, Asked
from services.systems.align import Aligner
from services.systems.outside_system import OutsideSystem


def align(texts: Sequence[RetrievedText]) -> list[tuple[str, ...]]:
    """A text stands for the chunks whose letters it is made of; "-" for none."""
    return [tuple(f"chunk-{letter}" for letter in one.text if letter != "-") for one in texts]


def answered(answer: OwnAnswer) -> Answered:
    aligner = cast(Aligner, SimpleNamespace(align=align))
    system = OutsideSystem("own", lambda _: [answer], lambda: aligner)
    (found,) = system.answer([Asked("q", "Who?", np.zeros(3, np.float32))])
    return found


def seen(found: Answered) -> list[tuple[str, bool, list[tuple[str, float]]]]:
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
