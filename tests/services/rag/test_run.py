"""A run over the questions of the small world, as it stands in the graph."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.ledger import counts_of, read_stage
from kg.progress import Silent
from kg.store.graph import Graph, Row, vector_of
from services.evaluate.answers import exact_match, is_abstention, token_f1
from services.rag.protocol import Asked
from services.rag.reader import READER, read_answer
from services.rag.run import RunSettings, answer_questions, clear_run, run_id
from services.rag.vector import VectorRetriever, read_passages
from tests.graph_reading import change, read, value
from tests.small_world import run_small_job, tools

ANSWERS = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a AS answer, q AS question,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c) RETURN [c.id, t.score] ORDER BY t.rank } AS retrieved,
       COLLECT { MATCH (a)-[t:RETRIEVED]->() RETURN t.rank ORDER BY t.rank } AS ranks
ORDER BY q.id
"""


@pytest.fixture(scope="module")
def done(graph: Graph) -> Iterator[str]:
    name = f"test-{uuid4().hex[:12]}"
    run_small_job(graph, name)
    yield name
    drop_corpus(graph, name)


@pytest.fixture(scope="module")
def answers(graph: Graph, done: str) -> list[Row]:
    return read(graph, ANSWERS, run=run_id(done, "vector-10"))


def settings(retriever: VectorRetriever) -> RunSettings:
    return RunSettings(retriever.name, retriever.name, tools().embedder.name, retriever.limit)


def test_every_kept_question_is_answered_once(graph: Graph, done: str, answers: list[Row]) -> None:
    kept = "MATCH (q:Question {corpus: $corpus, status: 'kept'}) RETURN count(q)"
    assert len({row["question"]["id"] for row in answers}) == len(answers) == value(graph, kept, corpus=done)


def test_answers_are_what_the_reader_says_of_what_was_retrieved(
    graph: Graph, done: str, answers: list[Row]
) -> None:
    retriever = VectorRetriever(graph, done, 10)
    asked = [
        Asked(r["question"]["id"], r["question"]["text"], vector_of(r["question"]["embedding"]))
        for r in answers
    ]
    for row, question, hits in zip(answers, asked, retriever.retrieve(asked), strict=True):
        assert row["retrieved"] == [[hit.chunk, hit.score] for hit in hits]
        assert row["ranks"] == list(range(1, len(hits) + 1))
        passages = read_passages(graph, [hit.chunk for hit in hits])
        expected = read_answer(question.text, [passages[hit.chunk] for hit in hits])
        assert row["answer"]["text"] == expected.answer


def test_answers_are_judged_against_all_accepted_names(answers: list[Row]) -> None:
    for row in answers:
        text, gold, accepted = row["answer"]["text"], row["question"]["answer"], row["question"]["accepted"]
        assert row["answer"]["correct"] == row["answer"]["exact_match"] == exact_match(text, gold, accepted)
        assert row["answer"]["f1"] == pytest.approx(token_f1(text, gold, accepted), abs=1e-4)
        assert row["answer"]["abstained"] == is_abstention(text)
    assert {row["answer"]["correct"] for row in answers} == {True, False}


def test_the_ledger_counts_the_answers(graph: Graph, done: str, answers: list[Row]) -> None:
    line = read_stage(graph, done, "run vector-10")
    assert line is not None
    assert counts_of(line) == {
        "answers": len(answers),
        "correct": sum(row["answer"]["correct"] for row in answers),
        "abstained": sum(row["answer"]["abstained"] for row in answers),
    }


def test_a_run_records_what_makes_it_repeatable(graph: Graph, done: str) -> None:
    run = value(graph, "MATCH (r:Run {corpus: $corpus}) RETURN r", corpus=done)
    assert (run["name"], run["retriever"], run["limit"]) == ("vector-10", "vector-10", 10)
    assert (run["reader"], run["embedder"]) == (READER, tools().embedder.name)
    assert run["finished_at"] >= run["started_at"]


def test_only_what_is_missing_is_answered(graph: Graph, done: str) -> None:
    before = fingerprint(graph, done)
    change(graph, "MATCH (a:Answer {corpus: $corpus}) WITH a LIMIT 3 DETACH DELETE a", corpus=done)
    retriever = VectorRetriever(graph, done, 10)
    steps: list[int] = []

    class Watching(Silent):
        def advance(self, steps_done: int = 1) -> None:
            steps.append(steps_done)

    answer_questions(graph, done, settings(retriever), retriever, Watching())
    assert sum(steps) == 3
    # Only error rates were not written again, and they are as they were.
    assert fingerprint(graph, done) == before


def test_clearing_a_run_leaves_the_others(graph: Graph, done: str) -> None:
    answers = read(graph, ANSWERS, run=run_id(done, "vector-10"))
    retriever = VectorRetriever(graph, done, 2)
    answer_questions(graph, done, settings(retriever), retriever, Silent())
    clear_run(graph, done, "vector-2")
    assert read(graph, ANSWERS, run=run_id(done, "vector-2")) == []
    assert read(graph, ANSWERS, run=run_id(done, "vector-10")) == answers
    change(graph, "MATCH (r:Run {id: $id}) DETACH DELETE r", id=run_id(done, "vector-2"))
