"""neo4j-graphrag's GraphRAG over a corpus of ours: its Vector, VectorCypher and Hybrid retrievers.

Its hybrid retriever can't be kept to one corpus, and its filters need an index with a fixed number of
dimensions, so all three search in copies of the chunks (`services.benchmarks.graphrag`). VectorCypher goes on
from there into the graph: claims of other chunks about the entities that a found chunk names.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from neo4j_graphrag.exceptions import Neo4jGraphRagError
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.retrievers import HybridRetriever, VectorCypherRetriever, VectorRetriever
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RetrieverResultItem

from kg.embed.choose import Embedder
from kg.errors import StoreError
from kg.own_system import OwnAnswer, OwnStep, OwnSystem, RetrievedText
from kg.queries import query
from kg.store.graph import Graph, lent_driver
from services.benchmarks.graphrag import LIBRARY, VECTORS, WORDS, SharedEmbedder, passage_copies
from services.external.adapters.graphrag_outside import GraphragRetrieverName
from services.external.adapters.graphrag_speakers import FoundChunk, OwnLlm, Speaker

PROCEDURE_FAILED = "Neo.ClientError.Procedure.ProcedureCallFailed"

_PROPERTIES = ["id", "text"]
_FOUND = "found"


class _Record(Protocol):
    """A row as the driver gives it."""

    def __getitem__(self, key: str, /) -> Any: ...  # noqa: ANN401


@contextmanager
def graphrag_system(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    retriever: GraphragRetrieverName,
    speaker: Speaker,
    top: int = 10,
) -> Iterator[OwnSystem]:
    """A GraphRAG over a corpus, for as long as this lasts; one at a time in a database.

    An error of the library becomes the answer's; those of the database and of a model's endpoint are raised.
    """
    with passage_copies(graph, corpus):
        searching = _retriever(graph, retriever, embedder, speaker.show)

        def system(question: str, /) -> OwnAnswer:
            llm = OwnLlm(speaker)
            pipeline = GraphRAG(searching, llm, speaker.template)
            try:
                with lent_driver(graph, LIBRARY):
                    result = pipeline.search(
                        question, return_context=True, retriever_config={"top_k": top}
                    ).retriever_result
            except Neo4jGraphRagError as error:
                return OwnAnswer("", error=f"{type(error).__name__}: {error}")
            except StoreError as error:
                if not _is_lucenes(error):
                    raise
                return OwnAnswer("", error=f"Lucene can't read the question: {error}")
            found = [] if result is None else [(item.metadata or {})[_FOUND] for item in result.items]
            said = llm.said
            return OwnAnswer(
                said.text,
                _retrieved(found),
                (
                    OwnStep("retrieve", question, f"{len(found)} chunks"),
                    OwnStep("answer", question, said.error or said.text),
                ),
                said.usage.input_tokens,
                said.usage.output_tokens,
                said.cost,
                error=said.error,
            )

        yield system


def _is_lucenes(error: StoreError) -> bool:
    """Whether full-text search failed at a question.

    The library hands questions to Lucene as they are, where quotes, brackets and slashes mean something, and
    takes only some of its errors for its own.
    """
    return getattr(error.__cause__, "code", "") == PROCEDURE_FAILED


def _retriever(
    graph: Graph,
    name: GraphragRetrieverName,
    embedder: Embedder,
    show: Callable[[FoundChunk], str],
) -> Retriever:
    shared = SharedEmbedder(embedder)

    def formatter(read: Callable[[_Record], FoundChunk]) -> Callable[[_Record], RetrieverResultItem]:
        def item(record: _Record) -> RetrieverResultItem:
            found = read(record)
            return RetrieverResultItem(content=show(found), metadata={_FOUND: found})

        return item

    of_node, of_row, database = formatter(_found_node), formatter(_found_row), graph.database
    with lent_driver(graph, LIBRARY) as driver:
        match name:
            case "vector":
                return VectorRetriever(driver, VECTORS, shared, _PROPERTIES, of_node, database)
            case "vector-cypher":
                return VectorCypherRetriever(driver, VECTORS, _after_search(), shared, of_row, database)
            case "hybrid":
                return HybridRetriever(driver, VECTORS, WORDS, shared, _PROPERTIES, of_node, database)


def _after_search() -> str:
    """The statement without its version and the line that stands in for the library's search."""
    _, _, *rest = query("chunks/read_around").text.splitlines()
    return "\n".join(rest)


def _found_node(record: _Record) -> FoundChunk:
    node = record["node"]
    return FoundChunk(node["id"], node["text"], record["score"])


def _found_row(record: _Record) -> FoundChunk:
    claims = tuple((claim["chunk"], claim["text"]) for claim in record["claims"])
    return FoundChunk(record["chunk"], record["text"], record["score"], claims)


def _retrieved(found: list[FoundChunk]) -> tuple[RetrievedText, ...]:
    """The chunks that were found, then those of the claims around them, each once."""
    own = {one.id: RetrievedText(one.text, one.id, score=one.score) for one in found}
    around = {chunk: RetrievedText(text, chunk) for one in found for chunk, text in one.claims}
    return tuple((around | own)[chunk] for chunk in dict.fromkeys((*own, *around)))
