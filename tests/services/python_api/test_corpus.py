"""What a corpus hands out: questions, runs, paths; and a system of one's own that answers."""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx
import pytest

import hopgrade
from kg.errors import CorpusError, NothingToDoError, SettingsError, UserError, installation
from kg.ids import run_id
from kg.settings import Settings
from kg.store.graph import Graph
from services.python_api.corpus import Corpus
from services.runs.records import drop_run
from tests.gold_replies import gold_responder
from tests.graph_reading import change, read
from tests.scripted_endpoint import scripted_endpoint
from tests.services.report.planted import Given, Planted, answer, plant, question_id


@pytest.fixture
def own_run(valley: Corpus) -> Iterator[str]:
    """The name of a run that is dropped afterwards."""
    yield "own-run"
    if any(run.name == "own-run" for run in valley.runs()):
        drop_run(valley.graph, valley.name, "own-run")


def test_questions_are_those_that_were_asked_for(valley: Corpus) -> None:
    every = list(valley.questions())
    assert len(every) == len({question.id for question in every}) == valley.sizes()["questions"]
    deep = list(valley.questions(hops=[3, 4], kinds=["chain"]))
    assert {question.hops for question in deep} == {3, 4}
    assert deep == [one for one in every if one.hops in {3, 4} and one.kind == "chain"]
    assert list(valley.questions(limit=2)) == every[:2]
    with pytest.raises(SettingsError, match="'chains' is no kind of questions"):
        valley.questions(kinds=["chains"])
    with pytest.raises(SettingsError, match="'lost' is no status of questions"):
        valley.questions(status="lost")
    for question in deep:
        assert {piece.hop for piece in question.evidence} == set(range(1, question.hops + 1))
        assert question.answer in question.accepted
        assert question.bin in {1, 2, 3, 4}
    rejected = next(valley.questions(status="rejected"))
    assert rejected.rejected_by
    assert rejected.difficulty is None


def test_a_path_leads_from_what_is_asked_about_to_the_answer(valley: Corpus) -> None:
    question = next(valley.questions(hops=[4], kinds=["chain"]))
    path = valley.path(question)
    assert nx.is_directed_acyclic_graph(path)
    (start,) = [node for node, degree in path.in_degree() if degree == 0]
    (end,) = [node for node, degree in path.out_degree() if degree == 0]
    assert nx.shortest_path_length(path, start, end) == 4
    assert path.nodes[end]["name"] in question.accepted
    for _, _, edge in path.edges(data=True):
        assert {"predicate", "sentence", "title", "link", "claim"} <= edge.keys()
        assert edge["sentence"]


def test_a_fact_that_a_path_takes_backwards_keeps_its_direction(
    graph: Graph, corpus: str, settings: Settings
) -> None:
    plant(graph, corpus, [Planted("q", hops=2, start=3)])
    # From entity 3 to 4 along the fact, and on to 5 against it.
    backwards = "MATCH (:Path {id: $id})-[h:HOP]->() SET h.reversed = h.index = 2"
    change(graph, backwards, id=f"{corpus}-p-q")
    path = Corpus(graph, corpus, settings).path(f"{corpus}-p-q")
    assert set(path.edges) == {(f"{corpus}-e3", f"{corpus}-e4"), (f"{corpus}-e5", f"{corpus}-e4")}


def test_tables_of_a_run_hold_the_planted_numbers(graph: Graph, corpus: str, settings: Settings) -> None:
    questions = [Planted(f"2-{i}", start=i, bin=1 + i % 2) for i in range(6)] + [Planted("3", hops=3, bin=4)]
    plant(graph, corpus, questions)
    answer(graph, corpus, "one", [Given(q.name, right=q.bin == 1, chunks=(q.start,)) for q in questions])
    answer(graph, corpus, "two", [Given(q.name, right=True) for q in questions])
    run = Corpus(graph, corpus, settings).run("one")
    rates, counts, wrong = (run.matrix(value) for value in ("error_rate", "n", "errors"))
    assert (rates.loc["2 hops", "near"], rates.loc["2 hops", "Q2"]) == (0.0, 1.0)
    assert rates.loc["4 hops"].isna().all()
    assert (counts.loc["all", "all"], wrong.loc["all", "all"]) == (7, 4)
    low, high = (run.matrix(bound).to_numpy()[0, -1] for bound in ("low", "high"))
    assert low < 0.5 < high
    cells = run.cells().set_index(["depth", "distance"])
    assert cells.loc[("3 hops", "far"), "errors"] == 1
    assert bool(cells.loc[("all", "all"), "small"])
    answers = run.answer_table()
    assert bool(answers.loc[question_id(corpus, "2-1"), "correct"]) is False
    assert answers.loc[question_id(corpus, "2-2"), "retrieved"] == [f"{corpus}-c2"]
    compared = run.compare("two")
    assert compared.loc["all", "difference"] == pytest.approx(-4 / 7)
    assert list(compared.index) == ["all", "2 hops", "3 hops"]


@pytest.mark.campaign
def test_an_own_system_keeps_its_answers_until_it_is_asked_anew(valley: Corpus, own_run: str) -> None:
    first = next(valley.questions())

    run = valley.evaluate(_knowing({first.text: first}), own_run)
    assert (run.answers, run.right, run.errors) == (valley.sizes()["questions"], 1, run.answers - 1)
    given = run.answer_table().loc[first.id]
    assert first.evidence[0].chunk in given["retrieved"]
    assert "beyond me" in run.answer_table()["error"].iloc[0] + run.answer_table()["error"].iloc[1]
    every = _knowing({question.text: question for question in valley.questions()})
    assert valley.evaluate(every, own_run).right == 1
    assert valley.evaluate(every, own_run, retry_failed=True).right > 1
    assert valley.evaluate(every, own_run, anew=True, limit=3).answers == 3


def _knowing(known: Mapping[str, hopgrade.Question]) -> hopgrade.OwnSystem:
    """A system that answers some questions, and fails on all others; one looks like another."""

    def ours(question: str) -> hopgrade.OwnAnswer:
        if question not in known:
            raise ValueError("beyond me")
        found = known[question]
        retrieved = tuple(hopgrade.RetrievedText(piece.text) for piece in found.evidence)
        return hopgrade.OwnAnswer(found.answer, retrieved=retrieved)

    return ours


@pytest.mark.campaign
def test_a_run_with_verdicts_is_not_made_anew(valley: Corpus, own_run: str) -> None:
    valley.start_run("single-step", name=own_run, top=1, limit=1)
    verdict = (
        "MATCH (:Run {id: $run})-[:GAVE]->(a) CREATE (a)-[:HAS_VERDICT]->(:Verdict {id: $run, by_hand: true})"
    )
    change(valley.graph, verdict, run=run_id(valley.name, own_run))
    with pytest.raises(UserError, match="would delete 1 answers with 1 verdicts"):
        valley.start_run("single-step", name=own_run, top=2, limit=1)


def test_runs_that_differ_in_the_seed_have_a_name_in_common(
    graph: Graph, small_corpus: str, settings: Settings
) -> None:
    names = ["drawn-seed-0", "drawn-seed-3"]
    with scripted_endpoint(lambda _: "Kaldmere", models=("two",)) as endpoint:
        told = {name.lower(): value for name, value in endpoint.environment().items()}
        corpus = Corpus(graph, small_corpus, Settings.model_validate(settings.model_dump() | told))
        try:
            runs = [
                corpus.start_run(
                    "single-step", model="two", limit=1, seed=seed, temperature=0.7, repeats="drawn"
                )
                for seed in (0, 3)
            ]
            assert [run.name for run in runs] == names
            rows = "MATCH (r:Run {corpus: $corpus, repeats: 'drawn'}) RETURN r.name AS name, r.seed AS seed"
            found = {row["name"]: row["seed"] for row in read(graph, rows, corpus=small_corpus)}
            assert found == dict(zip(names, (0, 3), strict=True))
            assert {one.body["temperature"] for one in endpoint.requests} == {0.7}
        finally:
            for name in names:
                drop_run(graph, small_corpus, name)


def test_the_prompts_of_a_model_are_tried_before_it_is_asked(
    graph: Graph, small_corpus: str, settings: Settings, tmp_path: Path
) -> None:
    with scripted_endpoint(gold_responder(wrong=("answer-question",)), models=("two",)) as endpoint:
        told = {name.lower(): value for name, value in endpoint.environment().items()}
        tried = told | {"hopgrade_preflight": True, "hopgrade_home": tmp_path}
        corpus = Corpus(graph, small_corpus, Settings.model_validate(settings.model_dump() | tried))
        with pytest.raises(UserError, match=r"fails the prompt answer-question \(none of 3 passed\)"):
            corpus.start_run("single-step", "tried", model="two", limit=1)
        with pytest.raises(UserError, match="fails the prompt answer-question"):
            corpus.sweep(tops=[1], model="two", limit=1)
        assert len(endpoint.requests) == 3
    assert "tried" not in [run.name for run in corpus.runs()]


def test_what_is_not_there_is_told(valley: Corpus, kg_environment: None) -> None:
    with pytest.raises(NothingToDoError, match=r"no run 'gone' \(found: 'multi-step', 'single-step'\)"):
        valley.run("gone")
    with pytest.raises(NothingToDoError, match="no question 'gone'"):
        valley.question("gone")
    with pytest.raises(NothingToDoError, match="no path 'gone'"):
        valley.path("gone")
    with pytest.raises(CorpusError, match="no corpus 'gone'"):
        hopgrade.open_corpus("gone")
    with pytest.raises(SettingsError, match="can't be asked"):
        valley.evaluate(3, "three")


def test_a_missing_extra_is_told_with_its_remedy(valley: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    question = next(valley.questions(kinds=["chain"]))
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(SettingsError, match=re.escape(installation("notebook"))):
        valley.path(question)


@pytest.mark.campaign
def test_the_only_corpus_needs_no_name(graph: Graph, corpus: str, kg_environment: None) -> None:
    plant(graph, corpus, [])
    if hopgrade.corpora() == [corpus]:
        with hopgrade.open_corpus() as opened:
            assert opened.name == corpus
    else:
        with pytest.raises(CorpusError, match="not exactly one corpus"):
            hopgrade.open_corpus()
