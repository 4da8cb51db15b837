"""A retriever of another library with our rules: its texts lead to chunks, and those to facts."""

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from kg.own_system import OwnAnswer, OwnSystem
from kg.store.graph import Graph
from services.answers import is_abstention
from services.external.adapters.adapt import adapt
from services.external.adapters.pipelines import generator_answerer
from services.external.align import passage_finder
from services.rag.reader import RulesGenerator
from tests.small_world import ARTICLES


class WholeArticles(BaseRetriever):
    """Finds the articles that share most words with a question."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        asked = set(query.rstrip("?").split())
        ordered = sorted(ARTICLES, key=lambda name: -len(asked & set(ARTICLES[name].split())))
        return [Document(ARTICLES[name], metadata={"title": name}) for name in ordered[:2]]


def system(graph: Graph, corpus: str) -> OwnSystem:
    return adapt(WholeArticles(), generator_answerer(RulesGenerator(), passage_finder(graph, corpus)))


def test_the_reader_answers_from_the_chunks_of_what_was_found(graph: Graph, small_corpus: str) -> None:
    answer = system(graph, small_corpus)("Who founded Halden Shipping?")
    assert isinstance(answer, OwnAnswer)
    assert answer.text == "Greta Lindqvist"
    assert [one.text for one in answer.retrieved] == [ARTICLES["founder"], ARTICLES["board"]]


def test_what_was_not_found_is_not_answered(graph: Graph, small_corpus: str) -> None:
    answer = system(graph, small_corpus)("Who taught the surveyor of Pellworm?")
    assert isinstance(answer, OwnAnswer)
    assert is_abstention(answer.text)
