"""Retrievers and chains of LangChain (langchain-core), as their own objects offer them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from services.external.adapters.retrieved import Retrieve, count, retrieved_text

_ANSWERS = ("answer", "result", "output", "text", "response")
_DOCUMENTS = ("context", "source_documents", "documents")
"""The names that LangChain's own chains give to the answer and to the documents behind it."""

_STEPS = "intermediate_steps"
"""Where its agents list what they did, if they are told to return it: pairs of an action and what came."""


class LangChainDocument(Protocol):
    """A `langchain_core.documents.Document`."""

    @property
    def page_content(self) -> str:
        """The text."""
        ...

    @property
    def metadata(self) -> Mapping[str, object]:
        """What is known of it."""
        ...


class LangChainRetriever(Protocol):
    """A `langchain_core.retrievers.BaseRetriever`."""

    def invoke(self, input: str, /) -> Sequence[LangChainDocument]:  # noqa: A002
        """The documents for a question."""
        ...


class LangChainRunnable(Protocol):
    """A `langchain_core.runnables.Runnable` that takes a question."""

    def invoke(self, input: object, /) -> object:  # noqa: A002
        """The answer, in one of LangChain's forms."""
        ...


def langchain_retriever(retriever: LangChainRetriever) -> Retrieve:
    """A retriever, for one of our generators to answer from."""

    def retrieve(question: str) -> list[RetrievedText]:
        return [_text(document) for document in retriever.invoke(question)]

    return retrieve


def langchain_chain(chain: LangChainRunnable, input_name: str = "") -> OwnSystem:
    """A chain that answers: with text, a message, or a mapping that has the answer and perhaps documents.

    The chain gets the question as text, or under `input_name` in a mapping where that is given.
    """

    def system(question: str, /) -> OwnAnswer:
        return _answer(chain.invoke({input_name: question} if input_name else question))

    return system


def _answer(result: object) -> OwnAnswer:
    if not isinstance(result, Mapping):
        said, used = _answer_text(result), _usage(result)
        return OwnAnswer(said or "", input_tokens=used[0], output_tokens=used[1], error=_error(said, result))
    value = next((result[name] for name in _ANSWERS if name in result), None)
    documents = next((found for name in _DOCUMENTS if isinstance(found := result.get(name), list)), None)
    said, used, steps = _answer_text(value), _usage(value), tuple(_steps(result.get(_STEPS)))
    return OwnAnswer(
        said or "",
        tuple(_text(document) for document in documents or () if hasattr(document, "page_content")),
        input_tokens=used[0],
        output_tokens=used[1],
        error=_error(said, result),
        steps=steps,
        tells_retrieved=documents is not None or not steps,
    )


def _steps(value: object) -> Iterator[OwnStep]:
    """The steps of an agent; what a tool took is one text, which stands for its query, or a mapping."""
    for pair in value if isinstance(value, list) else ():
        action, came = pair if isinstance(pair, tuple | list) and len(pair) == 2 else (pair, "")
        given = getattr(action, "tool_input", "")
        queries = (
            [one for one in given.values() if isinstance(one, str)] if isinstance(given, Mapping) else []
        )
        yield OwnStep(
            str(getattr(action, "tool", "") or "step"),
            given if isinstance(given, str) else queries[0] if len(queries) == 1 else str(given),
            came if isinstance(came, str) else str(came),
            thought=str(getattr(action, "log", "")).strip(),
        )


def _answer_text(value: object) -> str | None:
    """The text of an answer, None where it has none; a message has it under `text`, whatever its parts."""
    if isinstance(value, str):
        return value
    said = getattr(value, "text", None)
    return str(said) if isinstance(said, str) else None


def _usage(message: object) -> tuple[int, int]:
    used = getattr(message, "usage_metadata", None)
    if not isinstance(used, Mapping):
        return 0, 0
    return count(used.get("input_tokens")), count(used.get("output_tokens"))


def _error(said: str | None, result: object) -> str:
    if said is not None:
        return ""
    names = f" with {', '.join(map(str, result))}" if isinstance(result, Mapping) else ""
    return f"the chain gave no answer but {type(result).__name__}{names}"


def _text(document: LangChainDocument) -> RetrievedText:
    told = document.metadata
    return retrieved_text(document.page_content, told, told.get("score", told.get("relevance_score")))
