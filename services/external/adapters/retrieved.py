"""What other libraries' documents say of themselves, as `RetrievedText`.

Retrievers without a generator: what they find is answered from by one of ours.
"""

from collections.abc import Callable, Mapping, Sequence

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
    facts that the rules read (`services.external.align`).
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


_TITLES = ("title", "file_name", "file_path")
_URLS = ("url", "source")


def retrieved_text(text: str, told: Mapping[str, object] | None, score: object = None) -> RetrievedText:
    """A document's text, with what its metadata `told` of it.

    "chunk" is read as the id of one of Hopgrade's chunks, "title", "file_name" or "file_path" as the title,
    and "url" or "source" as the address where it is one.
    """
    known = told or {}
    return RetrievedText(
        text,
        chunk=_first(known, ("chunk",)),
        title=_first(known, _TITLES),
        url=next((url for name in _URLS if "://" in (url := _first(known, (name,)))), ""),
        score=number(score),
    )


def number(value: object) -> float | None:
    """A score as a float; None for anything that is no number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def count(value: object) -> int:
    """A number of tokens; 0 for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _first(known: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := known.get(name), str) and value), "")
