"""What every retriever, reranker and generator owes; each runs through the same tests."""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.llm.budget import Budget
from kg.llm.roles import open_model
from kg.store.graph import Graph
from services.rag.model_generator import ModelGenerator
from services.rag.protocol import Generator, RagQuestion, ReadTask, Reranker, Retriever
from services.rag.reader import RulesGenerator
from services.rag.rerank import CrossEncoderReranker, HttpReranker, LexicalReranker
from services.rag.retrieval.index_search import NearestRetriever
from tests.scripted_endpoint import scripted_endpoint
from tests.services.rag.passages import passage
from tests.services.rag.scripted_answers import answer_as_told
from tests.services.rag.scripted_rerankers import rerank_endpoint
from tests.small_world import tools

PASSAGES = [
    passage("The lamps went out over the empty stand.", 1),
    passage("Greta Lindqvist founded Halden Shipping.", 2),
    passage("Halden Shipping owns the Ostby Rovers.", 3),
    passage("", 4),
]
QUESTION = "Who founded Halden Shipping?"


@pytest.fixture(scope="module", params=["vector"])
def retriever(graph: Graph, small_corpus: str) -> Retriever:
    return NearestRetriever(graph, small_corpus, 4)


@pytest.fixture(scope="module", params=["lexical", "http", "cross-encoder"])
def reranker(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    match request.param:
        case "lexical":
            yield LexicalReranker()
        case "http":
            with rerank_endpoint() as endpoint:
                yield HttpReranker(endpoint.url)
        case _:
            if importlib.util.find_spec("sentence_transformers") is None:
                pytest.skip("sentence-transformers is not installed")
            model = os.environ.get("HOPGRADE_TEST_CROSS_ENCODER")
            if model is None:
                pytest.skip("HOPGRADE_TEST_CROSS_ENCODER names no model or model folder")
            yield CrossEncoderReranker(model, device="cpu")


@pytest.fixture(params=["rules", "model"])
def generator(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Generator]:
    if request.param == "rules":
        yield RulesGenerator()
        return
    with scripted_endpoint(answer_as_told) as endpoint:
        budget = Budget()
        with open_model("answer", endpoint.settings(tmp_path), budget) as model:
            yield ModelGenerator(model, budget.money_of)


def test_a_retriever_gives_each_question_its_hits_best_first(retriever: Retriever) -> None:
    texts = [QUESTION, "The Corrin Medal", QUESTION]
    vectors = tools().embedder.embed(texts)
    questions = [
        RagQuestion(f"q{n}", text, vector)
        for n, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]
    found = retriever.retrieve(questions)
    assert [len(hits) for hits in found] == [4, 4, 4]
    for hits in found:
        assert len({hit.chunk for hit in hits}) == len(hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert found[0] == found[2] != found[1]
    assert retriever.retrieve(questions[:1]) == found[:1]
    assert retriever.retrieve([]) == []
    assert retriever.name


def test_a_reranker_gives_every_passage_once_best_first(reranker: Reranker) -> None:
    hits = reranker.rerank(QUESTION, PASSAGES)
    assert sorted(hit.chunk for hit in hits) == [one.chunk for one in PASSAGES]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].chunk == "chunk-2"


def test_a_reranker_takes_any_number_of_passages(reranker: Reranker) -> None:
    assert reranker.rerank(QUESTION, []) == []
    assert [hit.chunk for hit in reranker.rerank("", PASSAGES[:1])] == ["chunk-1"]
    assert reranker.name


def test_a_generator_answers_every_task_in_order(generator: Generator) -> None:
    tasks = [
        ReadTask(QUESTION, tuple(PASSAGES)),
        ReadTask("Which company owns the Ostby Rovers?", tuple(PASSAGES)),
        ReadTask(QUESTION, ()),
        ReadTask(QUESTION, tuple(PASSAGES), ("Which company owns the club?: Halden Shipping",)),
        ReadTask(QUESTION, tuple(PASSAGES), on_the_way=True),
    ]
    found = list(generator.answer(tasks))
    assert [one.error for one in found] == [""] * 5
    assert [one.text for one in found[:3]] == [
        "Greta Lindqvist",
        "Halden Shipping",
        "Insufficient information",
    ]
    assert all(one.text for one in found)
    assert list(generator.answer([])) == []
    assert generator.name


def test_a_generator_takes_every_question_apart_in_order(generator: Generator) -> None:
    questions = [QUESTION, "Who founded the company that owns the Ostby Rovers?"]
    (simple, _), (parts, took) = generator.decompose(questions)
    assert simple == (QUESTION,)
    assert len(parts) == 2
    assert "#1" in parts[1]
    assert took.error == ""
    assert list(generator.decompose([])) == []
