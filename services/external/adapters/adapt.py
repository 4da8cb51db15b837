"""Tells what an object of another library is, and makes a system of one's own of it.

An object is recognised by the names of its classes and of the modules that they come from: nothing is
imported, so that a library that isn't there is never missed.

Query engines and retrievers of LlamaIndex (llama-index-core), as their own objects offer them.

GraphRAG and the retrievers of Neo4j's library neo4j-graphrag, as their own objects offer them.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from kg.errors import SettingsError
from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from services.answers import INSUFFICIENT
from services.external.adapters.pipelines import (
    Answerer,
    HaystackPipeline,
    LangChainRetriever,
    LangChainRunnable,
    Retrieve,
    haystack_pipeline,
    langchain_chain,
    langchain_retriever,
    pipeline_answers,
    retrieval_system,
    retrieved_text,
)


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


class GraphragRetrieverResult(Protocol):
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
    def retriever_result(self) -> GraphragRetrieverResult | None:
        """What it was made from."""
        ...


class GraphragPipeline(Protocol):
    """A `neo4j_graphrag.generation.GraphRAG`."""

    def search(self, query_text: str, *, return_context: bool) -> GraphragResult:
        """The answer to a question."""
        ...


class GraphragRetriever(Protocol):
    """A `neo4j_graphrag.retrievers.base.Retriever` that takes a question."""

    def search(self, *, query_text: str) -> GraphragRetrieverResult:
        """What is found for a question."""
        ...


def graphrag_pipeline(pipeline: GraphragPipeline) -> OwnSystem:
    """A GraphRAG of one's own, with its retriever, prompt and model."""

    def system(question: str, /) -> OwnAnswer:
        result = pipeline.search(question, return_context=True)
        found = result.retriever_result
        texts = () if found is None else tuple(map(_content_text, found.items))
        steps = (
            OwnStep("retrieve", question, f"{len(texts)} texts", retrieves=True),
            OwnStep("answer", question, result.answer),
        )
        return OwnAnswer(result.answer, texts, steps, tells_retrieved=found is not None)

    return system


def graphrag_retriever(retriever: GraphragRetriever) -> Retrieve:
    """A retriever, for one of our generators to answer from."""

    def retrieve(question: str) -> list[RetrievedText]:
        return [_content_text(item) for item in retriever.search(query_text=question).items]

    return retrieve


def _content_text(item: GraphragItem) -> RetrievedText:
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


NOTHING_FOUND = "Empty Response"
"""What LlamaIndex answers where it found no node; no model was asked."""


class LlamaIndexNode(Protocol):
    """A `llama_index.core.schema.BaseNode`."""

    @property
    def metadata(self) -> Mapping[str, object]:
        """What is known of it."""
        ...

    def get_content(self) -> str:
        """The text."""
        ...


class LlamaIndexHit(Protocol):
    """A `llama_index.core.schema.NodeWithScore`."""

    @property
    def node(self) -> LlamaIndexNode:
        """The node."""
        ...

    @property
    def score(self) -> float | None:
        """How well it fits, larger is better."""
        ...


class LlamaIndexResponse(Protocol):
    """A `llama_index.core.base.response.schema.Response`, or one of its kin; `str` gives the answer."""

    @property
    def source_nodes(self) -> Sequence[LlamaIndexHit]:
        """What the answer was made from."""
        ...


class LlamaIndexQueryEngine(Protocol):
    """A `llama_index.core.base.base_query_engine.BaseQueryEngine`."""

    def query(self, question: str, /) -> LlamaIndexResponse:
        """The answer to a question, with its sources."""
        ...


class LlamaIndexRetriever(Protocol):
    """A `llama_index.core.base.base_retriever.BaseRetriever`."""

    def retrieve(self, question: str, /) -> Sequence[LlamaIndexHit]:
        """The nodes for a question."""
        ...


def llama_index_query_engine(engine: LlamaIndexQueryEngine) -> OwnSystem:
    """A query engine; its marker for nothing found counts as an abstention."""

    def system(question: str, /) -> OwnAnswer:
        response = engine.query(question)
        # A response without text prints itself as "None".
        silent = getattr(response, "response", response) is None
        said = "" if silent else str(response).strip()
        return OwnAnswer(
            INSUFFICIENT if said == NOTHING_FOUND else said,
            tuple(_text(hit) for hit in response.source_nodes),
            error="the query engine gave no text" if silent else "",
        )

    return system


def llama_index_retriever(retriever: LlamaIndexRetriever) -> Retrieve:
    """A retriever, for one of our generators to answer from."""

    def retrieve(question: str) -> list[RetrievedText]:
        return [_text(hit) for hit in retriever.retrieve(question)]

    return retrieve


def _text(hit: LlamaIndexHit) -> RetrievedText:
    return retrieved_text(hit.node.get_content(), hit.node.metadata, hit.score)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A class of a library, by the package and the name, and what to make of its objects."""

    package: str
    name: str
    system: Callable[[object, Answerer | None], OwnSystem] | None = None
    retrieve: Callable[[object], Retrieve] | None = None


_KINDS = (
    _Kind(
        "neo4j_graphrag",
        "GraphRAG",
        system=lambda found, _: graphrag_pipeline(cast(GraphragPipeline, found)),
    ),
    _Kind(
        "neo4j_graphrag",
        "Retriever",
        retrieve=lambda found: graphrag_retriever(cast(GraphragRetriever, found)),
    ),
    _Kind(
        "langchain_core",
        "BaseRetriever",
        retrieve=lambda found: langchain_retriever(cast(LangChainRetriever, found)),
    ),
    _Kind(
        "langchain_core",
        "Runnable",
        system=lambda found, _: langchain_chain(cast(LangChainRunnable, found)),
    ),
    _Kind(
        "llama_index",
        "BaseQueryEngine",
        system=lambda found, _: llama_index_query_engine(cast(LlamaIndexQueryEngine, found)),
    ),
    _Kind(
        "llama_index",
        "BaseRetriever",
        retrieve=lambda found: llama_index_retriever(cast(LlamaIndexRetriever, found)),
    ),
    _Kind(
        "haystack",
        "PipelineBase",
        system=lambda found, answer: haystack_pipeline(cast(HaystackPipeline, found), answer),
    ),
)
"""In this order: a retriever of LangChain is a Runnable as well."""

_TAKEN = (
    "a function, neo4j-graphrag's GraphRAG or Retriever, LangChain's Runnable or BaseRetriever, LlamaIndex's "
    "BaseQueryEngine or BaseRetriever, or Haystack's Pipeline"
)


def adapt(found: object, answer: Answerer | None = None) -> OwnSystem:
    """A system made of an object: one of another library that is known, or a function, which stays as it is.

    `answer` answers from what an object finds that only retrieves.

    Raises:
        SettingsError: it is nothing that can be asked, or it only retrieves and there is no `answer`.
    """
    kind = next((kind for kind in _KINDS if _is(found, kind)), None)
    if kind is None and callable(found) and not isinstance(found, type):
        return cast(OwnSystem, found)
    if kind is None:
        raise SettingsError(f"{_describe_kind(found)} can't be asked.", f"Name {_TAKEN}.")
    if kind.system is not None:
        return kind.system(found, answer)
    if answer is None or kind.retrieve is None:
        raise SettingsError(
            f"{_describe_kind(found)} only retrieves.",
            "Wrap it in a function that answers as well, or say who answers from what it finds.",
        )
    return retrieval_system(kind.retrieve(found), answer)


def only_retrieves(found: object) -> bool:
    """Whether an object is known to find texts and answer nothing, so that `adapt` wants an `answer`."""
    kind = next((kind for kind in _KINDS if _is(found, kind)), None)
    if kind is not None and kind.package == "haystack":
        return not pipeline_answers(cast(HaystackPipeline, found))
    return kind is not None and kind.system is None


def _is(found: object, kind: _Kind) -> bool:
    return any(
        one.__name__ == kind.name and one.__module__.partition(".")[0] == kind.package
        for one in type(found).__mro__
    )


def _describe_kind(found: object) -> str:
    one = found if isinstance(found, type) else type(found)
    what = "the class" if isinstance(found, type) else "an object of the class"
    return f"{what} {one.__module__}.{one.__qualname__}"
