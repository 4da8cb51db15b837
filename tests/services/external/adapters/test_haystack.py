"""Haystack's own pipelines as systems."""

import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder, PromptBuilder
from haystack.components.rankers import MetaFieldRanker
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from kg.errors import SettingsError
from kg.own_system import OwnAnswer
from services.external.adapters.adapt import adapt

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
