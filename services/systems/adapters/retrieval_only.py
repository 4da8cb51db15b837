"""Retrievers without a generator: what they find is answered from by one of ours."""

from collections.abc import Callable, Sequence

from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from services.rag.protocol import Generator, Passage, ReadTask

Retrieve = Callable[[str], Sequence[RetrievedText]]
"""From a question to what a retriever found, best first."""

Answerer = Callable[[str, Sequence[RetrievedText]], OwnAnswer]
"""Answers a question from what was found for it."""

PassageFinder = Callable[[Sequence[RetrievedText]], Sequence[Passage]]
"""The passages that stand behind retrieved texts, in their order, each once."""


def retrieval_system(retrieve: Retrieve, answer: Answerer) -> OwnSystem:
    """A system that retrieves with the one and answers with the other."""

    def system(question: str, /) -> OwnAnswer:
        return answer(question, retrieve(question))

    return system


def generator_answerer(generator: Generator, find: PassageFinder) -> Answerer:
    """Answers by one of our generators.

    `find` gives the passages to read: those of the chunks that the texts were aligned to, with the names and
    facts that the rules read (`services.systems.aligned_passages`).
    """

    def answer(question: str, texts: Sequence[RetrievedText]) -> OwnAnswer:
        (made,) = generator.answer([ReadTask(question, tuple(find(texts)))])
        return OwnAnswer(
            made.text,
            tuple(texts),
            input_tokens=made.usage.input_tokens,
            output_tokens=made.usage.output_tokens,
            cost=made.cost,
            error=made.error,
            steps=(
                OwnStep("retrieve", question, f"{len(texts)} texts", retrieves=True),
                OwnStep("answer", question, made.error or made.text),
            ),
        )

    return answer
