"""neo4j-graphrag's GraphRAG over a corpus of ours, by each of its retrievers, with rules and with a model."""

from pathlib import Path

import pytest
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.retrievers import VectorRetriever

from kg.errors import ModelRefusedError
from kg.llm.roles import open_model
from kg.own_system import OwnAnswer
from kg.queries import query
from kg.store.graph import Graph, lent_driver
from services.benchmarks.graphrag import VECTORS, SharedEmbedder, passage_copies
from services.external.adapters.adapt import adapt
from services.external.adapters.graphrag_outside import GRAPHRAG_RETRIEVERS, GraphragRetrieverName
from services.external.adapters.graphrag_over_graph import graphrag_system, model_speaker, rules_speaker
from services.rag.reader import RulesGenerator
from tests.scripted_endpoint import KEY, Answer, Asked, scripted_endpoint
from tests.small_world import tools

QUESTION = "Who founded Halden Shipping?"
FOUNDER = "Greta Lindqvist"


def read(graph: Graph, corpus: str) -> dict[str, tuple[str, str]]:
    """Title and text of each chunk of a corpus."""
    return {row["id"]: (row["title"], row["text"]) for row in chunks(graph, corpus)}


def chunks(graph: Graph, corpus: str) -> list[dict[str, str]]:
    return graph.rows(query("search/read_chunks"), corpus=corpus)


def ask(
    graph: Graph, corpus: str, retriever: GraphragRetrieverName, top: int = 3, question: str = QUESTION
) -> OwnAnswer:
    speaker = rules_speaker(graph, RulesGenerator())
    with graphrag_system(graph, corpus, tools().embedder, retriever, speaker, top) as system:
        answer = system(question)
    assert isinstance(answer, OwnAnswer)
    return answer


@pytest.mark.parametrize("retriever", GRAPHRAG_RETRIEVERS)
def test_every_retriever_finds_chunks_of_the_corpus_and_the_reader_answers(
    graph: Graph, small_corpus: str, retriever: GraphragRetrieverName
) -> None:
    answer = ask(graph, small_corpus, retriever)
    assert answer.text == FOUNDER
    assert not answer.error
    known = read(graph, small_corpus)
    assert {one.chunk for one in answer.retrieved} <= known.keys()
    assert "founded by Greta Lindqvist" in answer.retrieved[0].text
    assert [step.action for step in answer.steps] == ["retrieve", "answer"]


@pytest.mark.campaign
def test_vector_cypher_goes_on_to_claims_of_other_chunks_about_the_same_entities(
    graph: Graph, small_corpus: str
) -> None:
    plain = ask(graph, small_corpus, "vector", top=1)
    further = ask(graph, small_corpus, "vector-cypher", top=1)
    assert len(plain.retrieved) == 1
    assert further.retrieved[0].chunk == plain.retrieved[0].chunk
    around = further.retrieved[1:]
    assert around
    assert all("Halden" in one.text or "Lindqvist" in one.text or "Greta" in one.text for one in around)
    known = read(graph, small_corpus)
    own_title = known[plain.retrieved[0].chunk][0]
    assert any(known[one.chunk][0] != own_title for one in around)


def test_a_question_that_lucene_can_not_read_is_an_error_of_that_answer(
    graph: Graph, small_corpus: str
) -> None:
    answer = ask(graph, small_corpus, "hybrid", question='Who said "We sail?')
    assert answer.text == ""
    assert "Lucene" in answer.error


def test_no_copies_of_chunks_are_left(graph: Graph, small_corpus: str) -> None:
    ask(graph, small_corpus, "vector")
    with lent_driver(graph, "a test") as driver:
        left = driver.execute_query("MATCH (n:BenchmarkPassage) RETURN count(n)").records[0].value()
    assert left == 0


@pytest.mark.campaign
def test_a_model_gets_the_librarys_prompt_with_texts_and_claims_by_our_endpoint(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    def founder(request: Asked) -> Answer:
        assert "using the provided context" in request.system
        assert "Halden Shipping was founded by Greta Lindqvist" in request.text
        assert "Related: " in request.text
        assert request.text.index("Context:") < request.text.index(f"Question:\n{QUESTION}")
        return f'"{FOUNDER}"'

    with (
        scripted_endpoint(founder, faults=["429"]) as endpoint,
        open_model("answer", endpoint.settings(tmp_path)) as model,
        graphrag_system(
            graph, small_corpus, tools().embedder, "vector-cypher", model_speaker(model, lambda _: 0.5), 2
        ) as system,
    ):
        answer = system(QUESTION)
    assert isinstance(answer, OwnAnswer)
    assert answer.text == FOUNDER
    assert answer.input_tokens > 0
    assert answer.cost == 0.5
    assert len(endpoint.requests) == 2


@pytest.mark.campaign
def test_a_refusal_for_good_ends_the_run_and_a_failure_only_the_answer(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    with (
        scripted_endpoint(faults=["401"]) as endpoint,
        open_model("answer", endpoint.settings(tmp_path)) as model,
        graphrag_system(
            graph, small_corpus, tools().embedder, "vector", model_speaker(model, lambda _: None), 2
        ) as system,
        pytest.raises(ModelRefusedError),
    ):
        system(QUESTION)
    with (
        scripted_endpoint(lambda _: "") as endpoint,
        open_model("answer", endpoint.settings(tmp_path)) as model,
        graphrag_system(
            graph, small_corpus, tools().embedder, "vector", model_speaker(model, lambda _: None), 2
        ) as system,
    ):
        answer = system(QUESTION)
    assert isinstance(answer, OwnAnswer)
    assert answer.error.startswith("empty")
    assert len(answer.retrieved) == 2


@pytest.mark.campaign
def test_a_graphrag_of_ones_own_is_asked_as_it_is(graph: Graph, small_corpus: str) -> None:
    """With the library's own model class, and its own way of printing nodes."""
    known = read(graph, small_corpus)
    with (
        scripted_endpoint(lambda _: FOUNDER) as endpoint,
        passage_copies(graph, small_corpus),
        lent_driver(graph, "a test") as driver,
    ):
        retriever = VectorRetriever(
            driver, VECTORS, SharedEmbedder(tools().embedder), neo4j_database=graph.database
        )
        llm = OpenAILLM("scripted", base_url=endpoint.base_url, api_key=KEY)
        answer = adapt(GraphRAG(retriever, llm))(QUESTION)
        found = adapt(retriever, lambda question, texts: OwnAnswer(question, tuple(texts)))(QUESTION)
    assert isinstance(answer, OwnAnswer)
    assert isinstance(found, OwnAnswer)
    assert answer.text == FOUNDER
    assert answer.retrieved == found.retrieved
    assert len(answer.retrieved) == 5
    texts = {f"{title}\n{text}" for title, text in known.values()}
    assert {one.text for one in answer.retrieved} <= texts
    assert all(one.score for one in answer.retrieved)
