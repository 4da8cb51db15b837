"""What an object of another library is taken for, and what is refused.

LlamaIndex's own query engines and retrievers as systems.
Haystack's own pipelines as systems.
"""

import subprocess
import sys

import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder, PromptBuilder
from haystack.components.rankers import MetaFieldRanker
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode

from kg.errors import SettingsError
from kg.own_system import OwnAnswer
from services.answers import is_abstention
from services.external.adapters.adapt import adapt, only_retrieves
from tests.services.external.adapters.test_langchain import own_retriever


def answer(question: str) -> str:
    return question


class Callable:
    def __call__(self, question: str) -> str:
        return question


class GraphRAG:
    """Named like the library's, but of another."""


def test_a_function_stays_as_it_is() -> None:
    assert adapt(answer) is answer
    callable_object = Callable()
    assert adapt(callable_object) is callable_object


@pytest.mark.parametrize("found", [None, 3, "module", GraphRAG(), Callable])
def test_what_can_not_be_asked_is_refused_with_what_can(found: object) -> None:
    with pytest.raises(SettingsError, match="can't be asked") as caught:
        adapt(found)
    assert "LangChain" in caught.value.remedy


def test_a_retriever_without_anyone_to_answer_is_refused() -> None:
    with pytest.raises(SettingsError, match="only retrieves"):
        adapt(own_retriever())
    assert only_retrieves(own_retriever())
    assert not only_retrieves(answer)


def test_no_library_is_imported_to_recognise_an_object() -> None:
    code = (
        "import sys\n"
        "from services.external.adapters.adapt import adapt\n"
        "adapt(lambda question: question)\n"
        "found = {name.partition('.')[0] for name in sys.modules}\n"
        "print(found & {'langchain_core', 'llama_index', 'haystack', 'neo4j_graphrag'})"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()", said.stdout


def test_answers_of_an_adapted_object_are_typed() -> None:
    system = adapt(own_retriever(), lambda question, texts: OwnAnswer(question, tuple(texts)))
    assert isinstance(system("Who?"), OwnAnswer)


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


DOCUMENTS = [
    Document(content="Halden Shipping was founded by Greta Lindqvist.", meta={"title": "Founder", "rank": 1}),
    Document(content="Halden Shipping owns the Ostby Rovers.", meta={"title": "Owner", "rank": 2}),
]


@component
class LastWords:
    """A generator that needs no model: the last two words of its prompt's first line."""

    @component.output_types(replies=list[str], meta=list[dict[str, object]])
    def run(self, prompt: str) -> dict[str, object]:
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 2}
        return {
            "replies": [" ".join(prompt.splitlines()[0].rstrip(".").split()[-2:])],
            "meta": [{"usage": usage}],
        }


def retriever() -> InMemoryBM25Retriever:
    store = InMemoryDocumentStore()
    store.write_documents(DOCUMENTS)
    return InMemoryBM25Retriever(store, top_k=2)


def answering() -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("generator", LastWords())
    pipeline.add_component(
        "prompt",
        PromptBuilder(
            "{{ documents[0].content }}\n{{ question }}", required_variables=["documents", "question"]
        ),
    )
    pipeline.add_component("retriever", retriever())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "generator.prompt")
    return pipeline


def test_a_pipeline_is_asked_at_every_open_input_and_gives_its_reply_and_documents() -> None:
    answer = adapt(answering())("Who founded Halden Shipping?")
    assert isinstance(answer, OwnAnswer)
    assert answer.text == "Greta Lindqvist"
    assert [one.title for one in answer.retrieved] == ["Founder", "Owner"]
    assert answer.retrieved[0].score is not None
    assert (answer.input_tokens, answer.output_tokens) == (11, 2)


def test_the_answer_of_an_answer_builder_comes_with_the_documents_behind_it() -> None:
    pipeline = answering()
    pipeline.add_component("answers", AnswerBuilder())
    pipeline.connect("generator.replies", "answers.replies")
    pipeline.connect("retriever.documents", "answers.documents")
    answer = adapt(pipeline)("Who founded Halden Shipping?")
    assert isinstance(answer, OwnAnswer)
    assert (answer.text, len(answer.retrieved)) == ("Greta Lindqvist", 2)


def test_documents_are_those_of_what_ran_last_however_it_was_added() -> None:
    pipeline = Pipeline()
    pipeline.add_component("ranker", MetaFieldRanker("rank", weight=1.0, sort_order="descending"))
    pipeline.add_component("retriever", retriever())
    pipeline.connect("retriever.documents", "ranker.documents")
    system = adapt(pipeline, lambda question, texts: OwnAnswer(question, tuple(texts)))
    answer = system("Who founded Halden Shipping?")
    assert isinstance(answer, OwnAnswer)
    assert [one.title for one in answer.retrieved] == ["Owner", "Founder"]


def test_one_that_only_retrieves_needs_someone_to_answer() -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", retriever())
    with pytest.raises(SettingsError, match="no answers and no replies") as caught:
        adapt(pipeline)
    assert "generator" in caught.value.remedy


def test_one_without_an_input_for_a_question_is_refused_with_its_inputs() -> None:
    pipeline = Pipeline()
    pipeline.add_component("prompt", PromptBuilder("{{ subject }}", required_variables=["subject"]))
    pipeline.add_component("generator", LastWords())
    pipeline.connect("prompt.prompt", "generator.prompt")
    with pytest.raises(SettingsError, match=r"prompt\.subject"):
        adapt(pipeline)
