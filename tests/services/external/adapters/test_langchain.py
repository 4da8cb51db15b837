"""LangChain's own retrievers and chains as systems."""

from langchain_core.agents import AgentAction
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.external.adapters.adapt import adapt
from services.external.adapters.pipelines import langchain_chain

DOCUMENTS = [
    Document(
        "Halden Shipping was founded by Greta Lindqvist.",
        metadata={"title": "Founder", "source": "https://valley.example/founder", "chunk": "c-1"},
    ),
    Document("Orla Venning directs the board.", metadata={"source": "board.txt"}),
]


def own_retriever() -> BaseRetriever:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(DOCUMENTS)
    return store.as_retriever(search_kwargs={"k": 2})


def repeat(question: str, texts: object) -> OwnAnswer:
    assert isinstance(texts, list)
    return OwnAnswer(f"{question} {len(texts)}", tuple(texts))


def test_a_retriever_is_answered_from_by_whom_we_say() -> None:
    answer = adapt(own_retriever(), repeat)("Who founded Halden Shipping?")
    assert isinstance(answer, OwnAnswer)
    assert answer.text == "Who founded Halden Shipping? 2"
    assert set(answer.retrieved) == {
        RetrievedText(
            DOCUMENTS[0].page_content, chunk="c-1", title="Founder", url="https://valley.example/founder"
        ),
        RetrievedText(DOCUMENTS[1].page_content),
    }


def test_a_chain_answers_with_text() -> None:
    prompt = ChatPromptTemplate.from_template("{question}")
    model = FakeListChatModel(responses=["Greta Lindqvist"])
    chain = {"question": RunnablePassthrough()} | prompt | model | StrOutputParser()
    assert adapt(chain)("Who?") == OwnAnswer("Greta Lindqvist")


def test_a_chain_that_keeps_its_documents_gives_them() -> None:
    chain = RunnableParallel(
        context=own_retriever(), answer=RunnableLambda(lambda _: AIMessage("Greta", usage_metadata=USED))
    )
    answer = adapt(chain)("Who?")
    assert isinstance(answer, OwnAnswer)
    assert answer.text == "Greta"
    assert {one.text for one in answer.retrieved} == {document.page_content for document in DOCUMENTS}
    assert (answer.input_tokens, answer.output_tokens) == (90, 4)


USED = {"input_tokens": 90, "output_tokens": 4, "total_tokens": 94}


def test_a_message_of_several_parts_is_read_as_text() -> None:
    message = AIMessage([{"type": "text", "text": "Greta"}, {"type": "text", "text": " Lindqvist"}])
    answer = adapt(RunnableLambda(lambda _: message))("Who?")
    assert isinstance(answer, OwnAnswer)
    assert answer.text == "Greta Lindqvist"


def test_a_chain_that_wants_the_question_under_a_name_gets_it_there() -> None:
    chain = RunnableLambda(lambda given: given["input"].upper())
    assert langchain_chain(chain, "input")("who?") == OwnAnswer("WHO?")


def test_what_holds_no_answer_is_an_error_that_names_what_was_found() -> None:
    answer = adapt(RunnableLambda(lambda _: {"context": [], "verdict": "Greta"}))("Who?")
    assert isinstance(answer, OwnAnswer)
    assert answer.text == ""
    assert "verdict" in answer.error


def test_the_steps_of_an_agent_are_kept() -> None:
    taken = [
        (AgentAction("search", {"query": "Halden", "k": 4}, "I need the founder."), "2 texts"),
        (AgentAction("look_up", "Lindqvist", ""), ["a text"]),
    ]
    answer = adapt(RunnableLambda(lambda _: {"output": "Greta", "intermediate_steps": taken}))("Who?")
    assert isinstance(answer, OwnAnswer)
    assert answer.steps == (
        OwnStep("search", "Halden", "2 texts", thought="I need the founder."),
        OwnStep("look_up", "Lindqvist", "['a text']"),
    )
    assert not answer.tells_retrieved
