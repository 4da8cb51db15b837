"""A chat endpoint as a whole system: asked for answers from memory, or sent the bare question.

The bare question is for an endpoint that looks things up by itself and has its own instructions.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from kg.ids import content_hash
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import (
    Estimate,
    Failure,
    Message,
    Model,
    ModelOutcome,
    ModelRequest,
)
from kg.llm.roles import open_model, role_budget, role_endpoint
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.answering import QUESTIONS_A_BATCH
from services.rag.model_generator import (
    ANSWER_TOKENS,
    FROM_MEMORY,
    USUAL_TOKENS,
    memory_request,
    short_answer,
)
from services.rag.protocol import Answered, Outside, RagQuestion, RagSystem, Step

BARE = "question-alone"
"""What stands for the prompt where there is none."""


@dataclass(frozen=True, slots=True)
class ChatSystem:
    """A model that is given no passages."""

    model: Model
    budget: Budget
    bare: bool
    name: str = "chat"

    def answer(self, questions: Sequence[RagQuestion]) -> list[Answered]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        started = monotonic()
        requests = [_request(question.text, self.bare) for question in questions]
        outcomes = list(self.model.ask(requests))
        seconds = (monotonic() - started) / max(len(questions), 1)
        return [
            self._answered(question, request.prompt, outcome, seconds)
            for question, request, outcome in zip(questions, requests, outcomes, strict=True)
        ]

    def _answered(
        self, question: RagQuestion, prompt: str, outcome: ModelOutcome, seconds: float
    ) -> Answered:
        error = outcome.message if isinstance(outcome, Failure) else ""
        text = "" if isinstance(outcome, Failure) else short_answer(outcome.text)
        return Answered(
            question=question.id,
            text=text,
            retrieved=(),
            steps=(Step(1, "answer", question.text, error or text, usage=outcome.usage, seconds=seconds),),
            prompts=(prompt,),
            usage=outcome.usage,
            cost=self.budget.money_of(outcome.usage),
            seconds=seconds,
            error=error,
            tells_retrieval=False,
        )


def chat_outside(settings: Settings, budget: Budget | None, bare: bool) -> Outside:
    """The model of the role "answer" without our retrieval, as what a run takes.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    endpoint = role_endpoint("answer", settings)
    spent = role_budget("answer", settings) if budget is None else budget
    prompt = BARE if bare else load_prompt(FROM_MEMORY).id

    @contextmanager
    def opened(_graph: Graph, _corpus: str) -> Iterator[RagSystem]:
        with open_model("answer", settings, spent) as model:
            yield ChatSystem(model, spent, bare)

    return Outside(
        name=f"chat-{endpoint.model}{'-bare' if bare else ''}",
        system="chat, bare question" if bare else "chat, from memory",
        source=content_hash((endpoint.base_url or "", endpoint.model, prompt)),
        open=opened,
        questions_a_batch=QUESTIONS_A_BATCH,
        generator=endpoint.model,
        prompts=(prompt,),
    )


def estimate_chat(
    graph: Graph, questions: Sequence[str], settings: Settings, budget: Budget, bare: bool
) -> Estimate:
    """What the answers to some questions, given by their ids, would take; nothing is sent.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    rows = graph.read_in_batches(query("questions/read_queries"), questions)
    with open_model("answer", settings, budget) as model:
        return model.estimate(_request(row["text"], bare) for row in rows)


def _request(question: str, bare: bool) -> ModelRequest:
    if bare:
        return ModelRequest(
            (Message("user", question),),
            BARE,
            max_output_tokens=ANSWER_TOKENS,
            expected_output_tokens=USUAL_TOKENS[FROM_MEMORY],
        )
    return memory_request(question)
