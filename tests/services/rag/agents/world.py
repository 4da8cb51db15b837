"""Four passages, a search that finds by a name, and a place for agents over them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from neo4j import GraphDatabase

from kg.llm.budget import Budget
from kg.llm.protocol import Model, Usage
from kg.llm.roles import open_model
from kg.store.graph import Graph
from services.rag.agents.protocol import AgentContext
from services.rag.context import within_evidence
from services.rag.model_generator import ModelGenerator
from services.rag.protocol import Generator, Hit, Passage, RagQuestion
from services.rag.reader import RulesGenerator
from tests.scripted_endpoint import Endpoint
from tests.services.rag.passages import passage
from tests.small_world import tools

QUESTION = "Which organisation owns the club that Mira Tolland plays for?"
SIMPLE = "Who wrote The Grey Rope?"
CHUNKS = [
    passage(
        "Mira Tolland plays for the Ostby Rovers.", 1, facts=[("Mira Tolland", "plays for", "Ostby Rovers")]
    ),
    passage(
        "The Ostby Rovers are owned by Halden Shipping.",
        2,
        facts=[("Ostby Rovers", "are owned by", "Halden Shipping")],
    ),
    passage("Anton Brask wrote The Grey Rope.", 3, facts=[("Anton Brask", "wrote", "The Grey Rope")]),
    passage("The Harbour Fair takes place in Kaldmere.", 4),
]
SUBJECTS = ("Mira Tolland", "Ostby Rovers", "The Grey Rope", "Harbour Fair")


class ByLastName:
    """Finds the passage about the subject that a text names last, then the others in their order."""

    name = "by the last name"

    def __init__(self) -> None:
        self.rounds: list[list[str]] = []

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        self.rounds.append([question.text for question in questions])
        return [self._hits(question.text) for question in questions]

    def _hits(self, text: str) -> list[Hit]:
        first = max(range(4), key=lambda n: text.rfind(SUBJECTS[n]))
        order = [first, *(n for n in range(4) if n != first)]
        return [Hit(CHUNKS[n].chunk, 1.0 - place / 10) for place, n in enumerate(order)]


def read(chunks: Sequence[str]) -> dict[str, Passage]:
    return {one.chunk: one for one in CHUNKS if one.chunk in chunks}


def asked(*texts: str) -> list[RagQuestion]:
    return [RagQuestion(f"q{n}", text, np.zeros(384, np.float32)) for n, text in enumerate(texts)]


@contextmanager
def place(
    retriever: ByLastName,
    model: Model | None = None,
    cost_of: Callable[[Usage], float | None] = lambda _: None,
    top: int = 1,
    most_iterations: int | None = None,
    evidence_tokens: int | None = None,
) -> Iterator[AgentContext]:
    """A place whose graph is nowhere: these agents read it through retriever and reader alone."""
    generator: Generator = RulesGenerator() if model is None else ModelGenerator(model, cost_of)
    if evidence_tokens is not None:
        generator = within_evidence(generator, evidence_tokens)
    with GraphDatabase.driver("bolt://127.0.0.1:9") as driver:
        yield AgentContext(
            graph=Graph(driver, "neo4j", "bolt://127.0.0.1:9"),
            corpus="small",
            embedder=tools().embedder,
            retriever=retriever,
            read=read,
            generator=generator,
            model=model,
            cost_of=cost_of,
            top=top,
            most_iterations=most_iterations,
        )


@contextmanager
def model_place(
    endpoint: Endpoint,
    home: Path,
    retriever: ByLastName | None = None,
    most_iterations: int | None = None,
    evidence_tokens: int | None = None,
    retries: int = 0,
) -> Iterator[AgentContext]:
    """A place with the model at a scripted endpoint, at a price of 1 and 2 for a million tokens."""
    budget = Budget(price=(1.0, 2.0))
    settings = endpoint.settings(home, hopgrade_model_retries=retries)
    with (
        open_model("answer", settings, budget, sleep=lambda _: None) as model,
        place(
            retriever or ByLastName(),
            model,
            budget.money_of,
            most_iterations=most_iterations,
            evidence_tokens=evidence_tokens,
        ) as made,
    ):
        yield made
