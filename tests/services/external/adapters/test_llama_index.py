"""LlamaIndex's own query engines and retrievers as systems."""

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode

from kg.own_system import OwnAnswer
from services.answers import is_abstention
from services.external.adapters.adapt import adapt

NODES = [
    TextNode(text="Halden Shipping was founded by Greta Lindqvist.", metadata={"title": "Founder"}),
    TextNode(text="Orla Venning directs the board.", metadata={"file_name": "board.txt"}),
]


@pytest.fixture(scope="module")
def index() -> VectorStoreIndex:
    return VectorStoreIndex(NODES, embed_model=MockEmbedding(embed_dim=8))


def test_a_query_engine_gives_its_answer_and_its_nodes(index: VectorStoreIndex) -> None:
    engine = index.as_query_engine(llm=MockLLM(max_tokens=3), similarity_top_k=2)
    answer = adapt(engine)("Who founded Halden Shipping?")
    assert isinstance(answer, OwnAnswer)
    assert len(answer.text.split()) == 3
    assert {(one.title, one.text) for one in answer.retrieved} == {
        ("Founder", NODES[0].text),
        ("board.txt", NODES[1].text),
    }
    assert all(one.score is not None for one in answer.retrieved)


def test_a_streaming_engine_is_read_to_its_end(index: VectorStoreIndex) -> None:
    engine = index.as_query_engine(llm=MockLLM(max_tokens=3), similarity_top_k=1, streaming=True)
    answer = adapt(engine)("Who?")
    assert isinstance(answer, OwnAnswer)
    assert len(answer.text.split()) == 3
    assert not answer.error


def test_an_engine_that_finds_nothing_abstains() -> None:
    empty = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=8))
    answer = adapt(empty.as_query_engine(llm=MockLLM()))("Who?")
    assert isinstance(answer, OwnAnswer)
    assert is_abstention(answer.text)
    assert answer.text
    assert not answer.error


def test_a_retriever_is_answered_from_by_whom_we_say(index: VectorStoreIndex) -> None:
    system = adapt(
        index.as_retriever(similarity_top_k=2), lambda question, texts: OwnAnswer(question, tuple(texts))
    )
    answer = system("Who?")
    assert isinstance(answer, OwnAnswer)
    assert {one.text for one in answer.retrieved} == {node.text for node in NODES}
