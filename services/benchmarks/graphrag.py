"""The retrievers of Neo4j's own library neo4j-graphrag, on the same database and with the same embedder.

Its hybrid retriever can't be kept to one corpus, so both work on copies of the chunks, under a label and
indexes of their own: vectors and index as ours have them, full text as the library makes it by default.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j_graphrag.embeddings.base import Embedder as TheirEmbedder
from neo4j_graphrag.exceptions import Neo4jGraphRagError
from neo4j_graphrag.indexes import create_fulltext_index, drop_index_if_exists
from neo4j_graphrag.retrievers import HybridRetriever, VectorRetriever

from kg.embed.choose import Embedder
from kg.errors import StoreError
from kg.queries import query
from kg.store.graph import Graph, lent_driver
from services.benchmarks.contenders import Rank

LIBRARY = "neo4j-graphrag"
LABEL = "BenchmarkPassage"
VECTORS, WORDS = "benchmark_vectors", "benchmark_words"


class SharedEmbedder(TheirEmbedder):
    """One of our embedders, as neo4j-graphrag calls it."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        vector: list[float] = self._embedder.embed_queries([text])[0].tolist()
        return vector


@contextmanager
def passage_copies(graph: Graph, corpus: str) -> Iterator[None]:
    """The chunks of a corpus under the library's own label and indexes, for as long as this lasts.

    Copies that a killed run left are deleted first. One run at a time: the label is for all corpora.
    """
    with lent_driver(graph, LIBRARY) as driver:
        _clear(graph)
        try:
            graph.rows(query("chunks/copy_passages"), corpus=corpus)
            graph.rows(query("chunks/create_copy_index"))
            create_fulltext_index(driver, WORDS, LABEL, ["text"], neo4j_database=graph.database)
            graph.rows(query("store/await_indexes"))
            yield
        finally:
            _clear(graph)


def graphrag_vector(graph: Graph, embedder: Embedder, limit: int) -> Rank:
    """The library's VectorRetriever over `passage_copies`."""
    with lent_driver(graph, LIBRARY) as driver:
        retriever = VectorRetriever(
            driver, VECTORS, SharedEmbedder(embedder), ["id"], neo4j_database=graph.database
        )

    def rank(question: str) -> list[str]:
        with _errors_of_the_library(graph):
            found = retriever.get_search_results(query_text=question, top_k=limit)
        return [record["node"]["id"] for record in found.records]

    return rank


def graphrag_hybrid(graph: Graph, embedder: Embedder, limit: int) -> Rank:
    """The library's HybridRetriever over `passage_copies`, with its default way of joining both lists."""
    with lent_driver(graph, LIBRARY) as driver:
        retriever = HybridRetriever(
            driver, VECTORS, WORDS, SharedEmbedder(embedder), ["id"], neo4j_database=graph.database
        )

    def rank(question: str) -> list[str]:
        with _errors_of_the_library(graph):
            found = retriever.get_search_results(question, top_k=limit)
        return [record["node"]["id"] for record in found.records]

    return rank


@contextmanager
def _errors_of_the_library(graph: Graph) -> Iterator[None]:
    try:
        with lent_driver(graph, LIBRARY):
            yield
    except Neo4jGraphRagError as error:
        raise StoreError(f"{LIBRARY} could not ask: {error}") from error


def _clear(graph: Graph) -> None:
    graph.rows(query("chunks/delete_copies"))
    with lent_driver(graph, LIBRARY) as driver:
        for index in (VECTORS, WORDS):
            drop_index_if_exists(driver, index, neo4j_database=graph.database)
