"""What is told of an answer that was held to a budget and a cap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kg.llm.protocol import Usage
from kg.text.tokens import count_tokens
from services.comparison.pool_systems import ANSWER_CUT, HeldSystem, within_budget
from services.rag.protocol import (
    Answered,
    Generated,
    Generator,
    Hit,
    Passage,
    RagQuestion,
    RagSystem,
    ReadTask,
    Retrieved,
    Step,
)

NOWHERE = np.zeros(4, dtype=np.float32)


def answered(text: str = "Ostby", chunk: str = "", cited: tuple[str, ...] = ()) -> Answered:
    """An answer after two searches; the second found chunk b again, better than the first did."""
    steps = (
        Step(1, "retrieve", "?", "2 chunks", (Hit("a", 0.9), Hit("b", 0.4)), retrieves=True),
        Step(2, "answer", "?", "nothing"),
        Step(3, "retrieve", "!", "2 chunks", (Hit("b", 0.8), Hit("c", 0.7)), retrieves=True),
        Step(4, "answer", "?", text),
    )
    seen = tuple(Retrieved(one, rank, 0.5, 1) for rank, one in enumerate("bac", start=1))
    return Answered("q", text, seen, steps, (), Usage(), None, 0.0, chunk=chunk, cited=cited)


def test_what_was_shown_is_the_evidence_with_the_search_that_brought_it_first() -> None:
    found = within_budget(answered(), ("a", "c", "b"), 16)
    assert found.retrieved == (
        Retrieved("a", 1, 0.9, 1),
        Retrieved("c", 2, 0.7, 3),
        Retrieved("b", 3, 0.4, 1),
    )
    assert within_budget(answered(), ("b",), 16).retrieved == (Retrieved("b", 1, 0.4, 1),)


def test_where_nothing_is_cited_the_chunk_counts_that_was_read() -> None:
    assert within_budget(answered(chunk="b"), ("a", "b"), 16).cited == ("b",)
    assert within_budget(answered(chunk="b", cited=("a",)), ("a", "b"), 16).cited == ("a",)
    assert within_budget(answered(chunk="c"), ("a", "b"), 16).cited == ()


def test_an_answer_over_the_cap_is_cut_and_its_step_says_so() -> None:
    found = within_budget(answered("Ostby Rovers of Norholm"), ("a",), 2)
    assert "Ostby Rovers of Norholm".startswith(found.text)
    assert 0 < len(found.text) < len("Ostby Rovers of Norholm")
    assert [step.fault for step in found.steps] == ["", "", "", ANSWER_CUT]
    assert [step.fault for step in within_budget(answered(), ("a",), 16).steps] == [""] * 4


@given(text=st.text(max_size=300), cap=st.integers(1, 20))
def test_no_answer_is_longer_than_the_cap(text: str, cap: int) -> None:
    found = within_budget(answered(text), (), cap)
    assert count_tokens(found.text) <= cap
    assert text.startswith(found.text)
    assert (found.steps[-1].fault == ANSWER_CUT) == (found.text != text)


@dataclass(frozen=True, slots=True)
class ReadsAll:
    """A system that shows both its chunks to its generator."""

    generator: Generator
    name: str = "reads all"

    def answer(self, questions: Sequence[RagQuestion]) -> list[Answered]:
        """What the generator makes of both."""
        lengths = {"a": 60, "b": 50}
        passages = tuple(Passage(one, " ".join(["lamp"] * many), "", "") for one, many in lengths.items())
        tasks = [ReadTask(one.text, passages, question_id=one.id) for one in questions]
        return [answered(one.text) for one in self.generator.answer(tasks)]


class Shouts:
    """A generator that says which chunks it was shown."""

    name = "shouts"

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generated]:
        """The ids of the passages."""
        return (Generated(" ".join(one.chunk for one in task.passages)) for task in tasks)

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generated]]:
        """Each question is its own part."""
        return (((question,), Generated("")) for question in questions)


def test_every_batch_has_budgets_of_its_own() -> None:
    def make(_: Sequence[RagQuestion], generator: Generator) -> RagSystem:
        return ReadsAll(generator)

    system = HeldSystem("held", make, Shouts(), evidence_tokens=100, answer_tokens=16)
    question = RagQuestion("q", "Which lamp?", NOWHERE)
    for _ in range(2):
        (found,) = system.answer([question])
        assert (found.text, [one.chunk for one in found.retrieved]) == ("a", ["a"])
