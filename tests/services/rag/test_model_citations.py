"""A model's citations on their way to the answer, from requests that hold numbered passages."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kg.llm.budget import Budget
from kg.llm.roles import open_model
from services.rag.model_generator import CONTEXT_TOKENS, ModelGenerator, context_of
from services.rag.protocol import Hit, Passage, RagQuestion, ReadTask
from services.rag.systems import SingleStep
from tests.scripted_endpoint import Answer, scripted_endpoint
from tests.scripted_endpoint import Asked as Request
from tests.services.rag.passages import passage
from tests.services.rag.scripted_answers import fences

PASSAGES = {
    one.chunk: one
    for one in (
        passage("Halden Shipping was founded by Greta Lindqvist.", 1),
        passage("The Harbour Fair takes place in Kaldmere.", 2),
    )
}
QUESTION = "Who founded Halden Shipping?"


class Everything:
    name = "everything"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        return [[Hit("chunk-2", 0.9), Hit("chunk-1", 0.8)] for _ in questions]


def read(chunks: Sequence[str]) -> dict[str, Passage]:
    return {chunk: PASSAGES[chunk] for chunk in chunks}


def cite(request: Request) -> Answer:
    """The passage that tells the answer, and one that nobody showed."""
    (number,) = (label.split()[1] for label, text in fences(request).items() if "Greta" in text)
    return f"Greta Lindqvist [{number}][9]"


def test_citations_are_taken_off_and_checked(tmp_path: Path) -> None:
    with scripted_endpoint(cite) as endpoint:
        budget = Budget()
        with open_model("answer", endpoint.settings(tmp_path), budget) as model:
            system = SingleStep(Everything(), read, ModelGenerator(model, budget.money_of))
            (found,) = system.answer([RagQuestion("q", QUESTION, np.zeros(3, np.float32))])
        (request,) = endpoint.requests
    assert list(fences(request)) == ["question", "passage 1", "passage 2"]
    assert found.text == "Greta Lindqvist"
    assert found.cited == ("chunk-1",)
    assert found.chunk == "chunk-1"
    assert found.unknown_citations == 1


def test_many_long_passages_are_kept_within_the_budget() -> None:
    many = tuple(passage(f"The Ostby Rovers won {number} cups. " * 90, number) for number in range(40))
    context = context_of(ReadTask("Who won?", many))
    assert CONTEXT_TOKENS * 0.8 < context.tokens <= CONTEXT_TOKENS
    assert context.left_out
