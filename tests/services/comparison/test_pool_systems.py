"""Systems over frozen pools, in the graph of the small world: what they show, and what makes them anew."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import CorpusError, SettingsError
from kg.ids import run_id
from kg.llm.budget import Budget
from kg.llm.protocol import Usage
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph, Row
from kg.text.tokens import count_tokens
from services.comparison.pool_systems import (
    ANSWER_CUT,
    PAST_THE_POOL,
    HeldSystem,
    check_answering,
    check_system,
    outside_of,
    prompts_of,
    within_budget,
)
from services.comparison.protocol import Answering, Protocol, SelectorName, SystemUnderTest
from services.comparison.records import Candidates
from services.rag.agents.protocol import MODEL_ONLY
from services.rag.answering import rag_questions
from services.rag.graph_search.cache import SnapshotCache
from services.rag.graph_search.search import prepare_graph
from services.rag.protocol import (
    Filters,
    Generation,
    Generator,
    Hit,
    Passage,
    RagAnswer,
    RagQuestion,
    RagSystem,
    ReadTask,
    RetrievedChunk,
    Step,
)
from services.rag.reader import READER
from services.rag.retrieval.choose import open_retriever
from services.rag.retrieval.pool import PoolRetriever, pool_index, pool_of
from services.rag.run_options import SYSTEMS, RunOptions, SystemName
from services.rag.selection import choose_selector
from services.runs.records import drop_run, list_runs
from services.runs.start import start_run
from tests.graph_reading import read
from tests.scripted_endpoint import scripted_endpoint
from tests.services.rag.scripted_answers import answer_as_told
from tests.small_world import tools

POOL_SIZE = 6
EVIDENCE_TOKENS = 100
QUESTIONS = """
MATCH (q:Question {corpus: $corpus, status: 'kept'}) WHERE q.kind = 'chain'
RETURN q.id AS id, q.text AS text, q.embedding AS vector ORDER BY id LIMIT 12
"""
SHOWN = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN q.id AS question, a.text AS text, a.error AS error, a.cited AS cited,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c) RETURN {chunk: c.id, text: c.text, rank: t.rank, step: t.step}
                 ORDER BY t.rank } AS shown,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step) RETURN s {.index, .retrieves} ORDER BY s.index } AS steps,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step)-[:SAW]->(c) RETURN DISTINCT c.id } AS found
ORDER BY question
"""
SELECTORS: tuple[SelectorName, ...] = get_args(SelectorName)
OVER_POOLS = tuple(name for name in SYSTEMS if name not in PAST_THE_POOL | MODEL_ONLY)


@pytest.fixture(scope="module")
def questions(graph: Graph, small_corpus: str) -> list[RagQuestion]:
    return rag_questions(read(graph, QUESTIONS, corpus=small_corpus), tools().embedder)


@pytest.fixture(scope="module")
def pool(graph: Graph, small_corpus: str, questions: list[RagQuestion]) -> dict[str, Candidates]:
    retriever = open_retriever("hybrid", graph, small_corpus, tools().embedder, POOL_SIZE)
    return {
        one.id: Candidates(one.id, tuple((hit.chunk, hit.score) for hit in hits))
        for one, hits in zip(questions, retriever.retrieve(questions), strict=True)
    }


@pytest.fixture(autouse=True)
def _without_runs(graph: Graph, small_corpus: str) -> Iterator[None]:
    yield
    for row in list_runs(graph, small_corpus):
        if row["name"].startswith("held/"):
            drop_run(graph, small_corpus, row["name"])


def protocol(corpus: str, **changes: Any) -> Protocol:  # noqa: ANN401 - parts of a document
    parts: dict[str, Any] = {
        "name": "held",
        "dataset": {"corpus": corpus, "version": "v-1"},
        "pool": {"retriever": f"hybrid-{POOL_SIZE}", "size": POOL_SIZE, "hash": "-"},
        "budget": {"evidence_tokens": EVIDENCE_TOKENS, "answer_tokens": 16},
        "generator": {"kind": "rules", "name": READER},
        "judge": {"kind": "rules", "name": "exact"},
        "second_judge": {"kind": "rules", "name": "overlap"},
        "systems": [{"name": "one", "selector": "top-k"}, {"name": "other", "selector": "mmr"}],
        "hypotheses": [{"id": "H1", "system": "other", "against": "one", "smallest": 0.05}],
    }
    return Protocol.model_validate(parts | changes)


def under_test(selector: SelectorName, system: SystemName = "single-step") -> SystemUnderTest:
    return SystemUnderTest(name=f"{selector}.{system}", selector=selector, system=system)


def answers(
    graph: Graph,
    held: Protocol,
    system: SystemUnderTest,
    pool: Mapping[str, Candidates],
    settings: Settings | None = None,
    budget: Budget | None = None,
) -> list[Row]:
    """Run a system, and what the graph has of it."""
    corpus, settings = held.dataset.corpus, settings or Settings()
    outside = outside_of(held, system, pool, {}, settings, tools().embedder, budget)
    name = start_run(graph, corpus, RunOptions(outside=outside), settings, tools().embedder, Silent(), budget)
    assert name == f"held/{system.name}"
    return read(graph, SHOWN, run=run_id(corpus, name))


def check_held(rows: list[Row], pool: Mapping[str, Candidates]) -> None:
    """Every question of the pools was answered, from its pool, under the budget, and the steps tell how."""
    assert [row["question"] for row in rows] == sorted(pool)
    for row in rows:
        within = {chunk for chunk, _ in pool[row["question"]].chunks}
        shown = [one["chunk"] for one in row["shown"]]
        assert row["error"] == ""
        assert set(shown) <= within
        assert set(row["found"]) <= within
        assert set(row["cited"]) <= set(shown)
        assert [one["rank"] for one in row["shown"]] == list(range(1, len(shown) + 1))
        assert 0 < sum(count_tokens(one["text"]) for one in row["shown"]) <= EVIDENCE_TOKENS
        searches = {step["index"] for step in row["steps"] if step["retrieves"]}
        assert {one["step"] for one in row["shown"]} <= searches


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_selector_shows_chunks_of_the_pool_within_the_budget(
    graph: Graph, small_corpus: str, pool: dict[str, Candidates], selector: SelectorName
) -> None:
    rows = answers(graph, protocol(small_corpus), under_test(selector), pool)
    check_held(rows, pool)
    # All that was chosen was shown: what a selector packs is what the budget pays for.
    assert all(set(row["found"]) == {one["chunk"] for one in row["shown"]} for row in rows)


@pytest.mark.campaign
@pytest.mark.parametrize("system", OVER_POOLS)
def test_every_system_of_ours_keeps_to_pool_and_budget(
    graph: Graph, small_corpus: str, pool: dict[str, Candidates], system: SystemName
) -> None:
    check_held(answers(graph, protocol(small_corpus), under_test("mmr", system), pool), pool)


@pytest.mark.campaign
@pytest.mark.parametrize("system", ["single-step", "multi-step", "decomposition"])
def test_a_model_answers_on_the_terms_of_the_protocol(
    graph: Graph, small_corpus: str, pool: dict[str, Candidates], system: SystemName, tmp_path: Path
) -> None:
    few = dict(sorted(pool.items())[:3])
    generator = {"kind": "model", "name": "named", "prompts": prompts_of((system,)), "temperature": 0.5}
    held = protocol(small_corpus, generator=generator, seeds={"generation": 7})
    with scripted_endpoint(answer_as_told, models=("another", "named")) as endpoint:
        settings = endpoint.settings(tmp_path, hopgrade_model_retries=0)
        rows = answers(graph, held, under_test("genetic", system), few, settings, Budget())
        bodies = [one.body for one in endpoint.requests]
    check_held(rows, few)
    assert bodies
    assert {body["model"] for body in bodies} == {"named"}
    assert {(body["temperature"], body["seed"]) for body in bodies} == {(0.5, 7)}


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_question_is_chosen_for_alike_in_any_company(
    graph: Graph,
    small_corpus: str,
    pool: dict[str, Candidates],
    questions: list[RagQuestion],
    selector: SelectorName,
) -> None:
    outside = outside_of(protocol(small_corpus), under_test(selector), pool, {}, Settings(), tools().embedder)
    with outside.open(graph, small_corpus) as system:
        together = [one.retrieved for one in system.answer(questions)]
        alone = [system.answer([one])[0].retrieved for one in reversed(questions)]
    assert together == alone[::-1]


def test_a_search_in_other_words_is_chosen_by_these_words(
    graph: Graph, small_corpus: str, questions: list[RagQuestion]
) -> None:
    snapshot = SnapshotCache(graph, small_corpus).current()
    index = pool_index(snapshot, prepare_graph(snapshot), snapshot.chunks.ids, {})
    one, embed = questions[0], tools().embedder.embed
    # Scores that say the contrary of any likeness to the question.
    cosines = dict(zip(snapshot.chunks.ids, snapshot.chunks.vectors @ one.vector, strict=True))
    ranked = sorted(((chunk, -float(cosine)) for chunk, cosine in cosines.items()), key=lambda pair: -pair[1])
    retriever = PoolRetriever(
        index, {one.id: ranked}, {one.id: one.text}, choose_selector("top-k"), 10_000, 0, embed
    )
    text = "Who leads the Norholm Health Board?"
    own, other, unknown = retriever.retrieve(
        [one, replace(one, text=text, vector=embed([text])[0]), replace(one, id="question-of-no-pool")]
    )
    assert [hit.chunk for hit in own] == [chunk for chunk, _ in ranked]
    texts = dict(zip(snapshot.chunks.ids, snapshot.chunks.texts, strict=True))
    assert "Norholm Health Board" in texts[other[0].chunk]
    assert unknown == []


def test_filters_hold_in_a_pool_too(graph: Graph, small_corpus: str, questions: list[RagQuestion]) -> None:
    snapshot = SnapshotCache(graph, small_corpus).current()
    index = pool_index(snapshot, prepare_graph(snapshot), snapshot.chunks.ids, {})
    ranked = [(chunk, 1.0) for chunk in snapshot.chunks.ids]
    none = replace(questions[0], filters=Filters(sources=("A paper that there is not",)))
    assert len(pool_of(index, questions[0], ranked, None).chunks) == len(ranked)
    assert pool_of(index, none, ranked, None).chunks == ()


def test_a_run_is_made_anew_when_what_its_answers_depend_on_changes(small_corpus: str) -> None:
    def key(
        selector: SelectorName, changes: Mapping[str, object], clusters: Mapping[str, str] | None = None
    ) -> tuple[str, str]:
        held = protocol(small_corpus, **changes)
        outside = outside_of(held, under_test(selector), {}, clusters or {}, Settings(), tools().embedder)
        return outside.source, outside.system

    assert key("mmr", {}) == key("mmr", {})
    changes: list[dict[str, object]] = [
        {},
        {"pool": {"retriever": "vector", "hash": "another"}},
        {"budget": {"evidence_tokens": 101, "answer_tokens": 16}},
        {"budget": {"evidence_tokens": 100, "answer_tokens": 17}},
        {"seeds": {"selection": 1}},
    ]
    assert len({key("top-k", {}), *(key("mmr", one) for one in changes)}) == 1 + len(changes)
    # Hypotheses and judges are no business of the answers; clusters are that of one selector.
    assert key("mmr", {"inference": {"alpha": 0.01}}, {"a": "1"}) == key("mmr", {})
    assert key("genetic", {}, {"a": "1"}) != key("genetic", {}, {"a": "2"})


def test_a_pool_of_chunks_that_are_gone_is_refused(
    graph: Graph, small_corpus: str, questions: list[RagQuestion]
) -> None:
    gone = {questions[0].id: Candidates(questions[0].id, (("chunk-that-was", 1.0),))}
    with pytest.raises(CorpusError, match="lacks 1 of the chunks in the pools, such as chunk-that-was"):
        answers(graph, protocol(small_corpus), under_test("top-k"), gone)


def test_what_no_pool_can_hold_is_refused() -> None:
    with pytest.raises(SettingsError, match="reads the graph past any pool"):
        check_system(under_test("top-k", "graph-agent"))
    with pytest.raises(SettingsError, match="is the run 'theirs' and has no selector"):
        check_system(SystemUnderTest(name="mine", run="theirs"))


def test_a_generator_of_another_version_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"wants answers by the rules 'rules-0', and this Hopgrade"):
        check_answering(Answering(kind="rules", name="rules-0"), "single-step")
    prompts = prompts_of(("single-step",))
    check_answering(Answering(kind="model", name="some", prompts=prompts), "single-step")
    with pytest.raises(SettingsError, match="which the protocol does not name"):
        check_answering(Answering(kind="model", name="some", prompts=prompts), "multi-step")


NOWHERE = np.zeros(4, dtype=np.float32)


def answered(text: str = "Ostby", chunk: str = "", cited: tuple[str, ...] = ()) -> RagAnswer:
    """An answer after two searches; the second found chunk b again, better than the first did."""
    steps = (
        Step(1, "retrieve", "?", "2 chunks", (Hit("a", 0.9), Hit("b", 0.4)), retrieves=True),
        Step(2, "answer", "?", "nothing"),
        Step(3, "retrieve", "!", "2 chunks", (Hit("b", 0.8), Hit("c", 0.7)), retrieves=True),
        Step(4, "answer", "?", text),
    )
    seen = tuple(RetrievedChunk(one, rank, 0.5, 1) for rank, one in enumerate("bac", start=1))
    return RagAnswer("q", text, seen, steps, (), Usage(), None, 0.0, chunk=chunk, cited=cited)


def test_what_was_shown_is_the_evidence_with_the_search_that_brought_it_first() -> None:
    found = within_budget(answered(), ("a", "c", "b"), 16)
    assert found.retrieved == (
        RetrievedChunk("a", 1, 0.9, 1),
        RetrievedChunk("c", 2, 0.7, 3),
        RetrievedChunk("b", 3, 0.4, 1),
    )
    assert within_budget(answered(), ("b",), 16).retrieved == (RetrievedChunk("b", 1, 0.4, 1),)


def test_where_nothing_is_cited_the_chunk_counts_that_was_read() -> None:
    assert within_budget(answered(chunk="b"), ("a", "b"), 16).cited == ("b",)
    assert within_budget(answered(chunk="b", cited=("a",)), ("a", "b"), 16).cited == ("a",)
    assert within_budget(answered(chunk="c"), ("a", "b"), 16).cited == ()


def test_an_answer_over_the_cap_is_cut_and_its_step_says_so() -> None:
    found = within_budget(answered("Ostby Rovers of Norholm"), ("a",), 2)
    assert "Ostby Rovers of Norholm".startswith(found.text)
    assert 0 < len(found.text) < len("Ostby Rovers of Norholm")
    assert [step.fault for step in found.steps] == ["", "", "", ANSWER_CUT]
    assert [step.fault for step in within_budget(answered(), ("a",), 16).steps] == [""] * 4


@given(text=st.text(max_size=300), cap=st.integers(1, 20))
def test_no_answer_is_longer_than_the_cap(text: str, cap: int) -> None:
    found = within_budget(answered(text), (), cap)
    assert count_tokens(found.text) <= cap
    assert text.startswith(found.text)
    assert (found.steps[-1].fault == ANSWER_CUT) == (found.text != text)


@dataclass(frozen=True, slots=True)
class ReadsAll:
    """A system that shows both its chunks to its generator."""

    generator: Generator
    name: str = "reads all"

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """What the generator makes of both."""
        lengths = {"a": 60, "b": 50}
        passages = tuple(Passage(one, " ".join(["lamp"] * many), "", "") for one, many in lengths.items())
        tasks = [ReadTask(one.text, passages, question_id=one.id) for one in questions]
        return [answered(one.text) for one in self.generator.answer(tasks)]


class Shouts:
    """A generator that says which chunks it was shown."""

    name = "shouts"

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generation]:
        """The ids of the passages."""
        return (Generation(" ".join(one.chunk for one in task.passages)) for task in tasks)

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generation]]:
        """Each question is its own part."""
        return (((question,), Generation("")) for question in questions)


def test_every_batch_has_budgets_of_its_own() -> None:
    def make(_: Sequence[RagQuestion], generator: Generator) -> RagSystem:
        return ReadsAll(generator)

    system = HeldSystem("held", make, Shouts(), evidence_tokens=100, answer_tokens=16)
    question = RagQuestion("q", "Which lamp?", NOWHERE)
    for _ in range(2):
        (found,) = system.answer([question])
        assert (found.text, [one.chunk for one in found.retrieved]) == ("a", ["a"])
