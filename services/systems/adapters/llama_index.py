"""Query engines and retrievers of LlamaIndex (llama-index-core), as their own objects offer them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from kg.own_system import OwnAnswer, OwnSystem, RetrievedText
from services.evaluate.answers import INSUFFICIENT
from services.systems.adapters.retrieval_only import Retrieve
from services.systems.adapters.retrieved import retrieved_text

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
