"""GraphRAG and the retrievers of Neo4j's library neo4j-graphrag, as their own objects offer them."""

import ast
from collections.abc import Mapping, Sequence
from typing import Protocol

from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from services.systems.adapters.retrieval_only import Retrieve
from services.systems.adapters.retrieved import retrieved_text


class GraphragItem(Protocol):
    """A `neo4j_graphrag.types.RetrieverResultItem`."""

    @property
    def content(self) -> object:
        """What the generator reads."""
        ...

    @property
    def metadata(self) -> Mapping[str, object] | None:
        """What is known of it."""
        ...


class GraphragFound(Protocol):
    """A `neo4j_graphrag.types.RetrieverResult`."""

    @property
    def items(self) -> Sequence[GraphragItem]:
        """What was found, best first."""
        ...


class GraphragResult(Protocol):
    """A `neo4j_graphrag.generation.types.RagResultModel`."""

    @property
    def answer(self) -> str:
        """The answer."""
        ...

    @property
    def retriever_result(self) -> GraphragFound | None:
        """What it was made from."""
        ...


class GraphragPipeline(Protocol):
    """A `neo4j_graphrag.generation.GraphRAG`."""

    def search(self, query_text: str, *, return_context: bool) -> GraphragResult:
        """The answer to a question."""
        ...


class GraphragRetriever(Protocol):
    """A `neo4j_graphrag.retrievers.base.Retriever` that takes a question."""

    def search(self, *, query_text: str) -> GraphragFound:
        """What is found for a question."""
        ...


def graphrag_pipeline(pipeline: GraphragPipeline) -> OwnSystem:
    """A GraphRAG of one's own, with its retriever, prompt and model."""

    def system(question: str, /) -> OwnAnswer:
        result = pipeline.search(question, return_context=True)
        found = result.retriever_result
        texts = () if found is None else tuple(map(_text, found.items))
        steps = (
            OwnStep("retrieve", question, f"{len(texts)} texts", retrieves=True),
            OwnStep("answer", question, result.answer),
        )
        return OwnAnswer(result.answer, texts, steps, tells_retrieved=found is not None)

    return system


def graphrag_retriever(retriever: GraphragRetriever) -> Retrieve:
    """A retriever, for one of our generators to answer from."""

    def retrieve(question: str) -> list[RetrievedText]:
        return [_text(item) for item in retriever.search(query_text=question).items]

    return retrieve


def _text(item: GraphragItem) -> RetrievedText:
    told = item.metadata or {}
    properties = _properties(item.content)
    if properties is None:
        return retrieved_text(str(item.content), told, told.get("score"))
    texts = [value for value in properties.values() if isinstance(value, str)]
    return retrieved_text(max(texts, key=len, default=""), {**properties, **told}, told.get("score"))


def _properties(content: object) -> Mapping[str, object] | None:
    """The properties of a node, which the library's own formatter prints as a dictionary of Python."""
    if isinstance(content, Mapping):
        return content
    if not isinstance(content, str) or not content.startswith("{"):
        return None
    try:
        found = ast.literal_eval(content)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
