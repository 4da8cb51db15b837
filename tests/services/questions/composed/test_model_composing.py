"""Joining, audits, solving and mending by a model, against an endpoint that answers from what it is shown."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kg.ledger import record_stage
from kg.llm.protocol import Estimate
from kg.llm.roles import open_model
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.questions.composed.estimate import RoleModels, estimate_composing
from services.questions.composed.pipeline import ComposeSize, Place, compose
from services.questions.composed.protocol import Candidate, Composed, Refused, paid_for
from services.questions.composed.stage import ComposeJob, compose_stage
from services.questions.composed.store import ComposedWriter
from services.questions.draft import Check
from services.questions.estimate import SHARES
from services.questions.filters.choose import FILTERS, was_checked
from tests.examples import examples
from tests.graph_reading import change, read
from tests.scripted_endpoint import Answer, Fault, scripted_endpoint
from tests.scripted_reader import fences
from tests.services.questions.composed.scripted_author import (
    FOUNDER,
    MUSEUMS,
    OLDER,
    OWNER,
    SHORT_FOUNDER,
    YEARS,
    author,
    composing,
    instead,
    passages,
    started,
    task,
)
from tests.services.questions.filters.little_world import CHAIN, Said, World
from tests.small_world import tools

_AS_BUILT = """
CYPHER 25
MATCH (k:Chunk {corpus: $corpus})-[:HAS_CLAIM]->(c) SET k.embedding = $vector, c.sentence = c.text
WITH DISTINCT c
MATCH (s:Entity)-[r:RELATES {claim: c.id}]->(o:Entity)
SET r.stated = true, r.subject = s.name, r.object = o.name
"""


@pytest.fixture
def world(graph: Graph, corpus: str) -> World:
    """A corpus with the chain and the two museums."""
    planted = World(graph, corpus)
    planted.plant(*CHAIN, *MUSEUMS, **YEARS)
    return planted


def test_three_questions_become_one_that_passes_every_filter(world: World, tmp_path: Path) -> None:
    with composing(world, tmp_path) as it:
        question = it.joined(*CHAIN)
        checks = it.checks(question)
    assert [hop.question for hop in question.hops[1:]] == [OWNER, FOUNDER]
    assert (question.last.answer, question.answered_by) == ("Greta Lindqvist", world.id("Greta Lindqvist"))
    assert (question.topology, [hop.number for hop in question.hops]) == ("inference", [1, 2, 3])
    assert question.generator == "model/scripted/join-sequential@2+join-parallel@2"
    assert all(check.passed for check in checks)
    assert {check.filter for check in checks} <= set(FILTERS)
    joins = [
        fences(request)["first question"] for request in it.endpoint.requests if task(request) == "sequential"
    ]
    assert joins[1].splitlines()[2:] == ["Answers of its steps: Ostby Rovers"]
    left_out = [request for request in it.endpoint.requests if task(request) == "evidence"][1:]
    assert len(left_out) == len(CHAIN)


def test_two_questions_are_set_side_by_side(world: World, tmp_path: Path) -> None:
    with composing(world, tmp_path) as it:
        question = it.joined(*MUSEUMS, topology="comparison")
        checks = it.checks(question)
        (memory,) = (request for request in it.endpoint.requests if task(request) == "memory")
    assert (question.last.question, question.last.answer) == (OLDER, "Brinmoor Museum")
    assert question.answered_by == world.id("Brinmoor Museum")
    assert question.topology == "comparison"
    assert all(check.passed for check in checks)
    assert "audit parallel" in it.asked
    assert "guess" in memory.system


def test_a_model_may_say_that_two_questions_do_not_go_together(world: World, tmp_path: Path) -> None:
    nothing: Answer = {"outcome": "none", "question": "", "reason": "another\nHalden."}
    with composing(world, tmp_path, instead(sequential=nothing)) as it:
        first, second = it.atoms(*CHAIN[:2])
        (refused,) = it.parts.joiner.join([Candidate(started(first), second, "inference")])
    assert refused == Refused("the model does not join them: another Halden")


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("", "Tarn Museum", "the model left the question empty"),
        ("Tarn Museum or Brinmoor Museum", "", "the question does not end in a question mark"),
        ("When did Tarn Museum open?", "1931", "the question is one of the two that it should join"),
        (
            OLDER,
            "Vell Museum",
            'the answer "Vell Museum" is neither yes or no nor one of the things compared',
        ),
        (OLDER, "1928", 'the answer "1928" is neither yes or no nor one of the things compared'),
        (OLDER, "", 'the answer "" is neither yes or no nor one of the things compared'),
    ],
    ids=["empty", "no question", "same", "stranger", "value", "no answer"],
)
def test_a_comparison_that_picks_nothing_is_refused(
    world: World, tmp_path: Path, question: str, answer: str, reason: str
) -> None:
    made: Answer = {"outcome": "question", "question": question, "answer": answer, "reason": ""}
    with composing(world, tmp_path, instead(parallel=made)) as it:
        first, second = it.atoms(*MUSEUMS)
        (refused,) = it.parts.joiner.join([Candidate(started(first), second, "comparison")])
    assert refused == Refused(reason)


def test_what_leads_back_or_to_a_bare_number_is_not_asked_about(world: World, tmp_path: Path) -> None:
    with composing(world, tmp_path) as it:
        first, second, museum = it.atoms(*CHAIN[:2], MUSEUMS[0])
        back = replace(second, answered_by=world.id("Mira Tolland"))
        candidates = [Candidate(started(first), one, "inference") for one in (back, museum)]
        before = len(it.endpoint.requests)
        refused = it.parts.joiner.join(candidates)
        assert len(it.endpoint.requests) == before
    assert refused == [Refused("it leads back to where it has been"), Refused("its answer is a bare number")]


def test_yes_and_no_are_answers_without_an_entity(world: World, tmp_path: Path) -> None:
    text = "Did Tarn Museum open before Brinmoor Museum?"
    made: Answer = {"outcome": "question", "question": text, "answer": "no", "reason": ""}
    with composing(world, tmp_path, instead(parallel=made)) as it:
        question = it.joined(*MUSEUMS, topology="comparison")
        (forms,) = it.parts.refiner.alternatives([question])
        assert "forms" not in it.asked
    assert (question.last.answer, question.last.accepted, question.answered_by) == ("No", ("No",), "")
    assert forms == ("No",)


@pytest.mark.parametrize(
    ("facts", "answers", "failed", "reason"),
    [
        (CHAIN[:2], {"audit_sequential": {"verdict": "false link", "reason": "another club."}},
         "model: makes sense", "false link: another club"),
        (CHAIN[:2], {"audit_sequential": {"verdict": "bad link", "reason": ""}}, "model: makes sense",
         "bad link"),
        (MUSEUMS, {"audit_parallel": {"verdict": "lacking evidence", "reason": "a year only"}},
         "model: makes sense", "lacking evidence: a year only"),
        (CHAIN[:2], {"memory": {"answer": "halden shipping"}}, "model: retrieval necessary",
         'scripted answers "halden shipping" from memory'),
        (CHAIN[:2], {"evidence": {"answer": "Insufficient information"}}, "model: solvable",
         "its evidence leads nowhere"),
        (CHAIN[:2], {"evidence": {"answer": "Halden Shipping"}}, "model: every hop needed",
         "it is answered without the evidence of hop 2"),
    ],
    ids=["false link", "bad link", "lacking evidence", "memory", "unsolvable", "hop not needed"],
)  # fmt: skip
def test_what_the_model_finds_wrong_is_told(
    world: World,
    tmp_path: Path,
    facts: tuple[Said, ...],
    answers: dict[str, Answer],
    failed: str,
    reason: str,
) -> None:
    with composing(world, tmp_path, instead(**answers)) as it:
        check = it.checks(it.joined(*facts, topology="comparison" if facts == MUSEUMS else "inference"))[-1]
    assert (check.filter, check.passed, check.reason) == (failed, False, reason)
    assert was_checked(check)


@pytest.mark.parametrize("fault", ["refusal", "empty", "length"])
def test_a_verdict_that_fails_is_no_verdict(world: World, tmp_path: Path, fault: Fault) -> None:
    with composing(world, tmp_path) as it:
        question = it.joined(*CHAIN[:2])
        it.endpoint.faults.append(fault)
        failed = it.checks(question)[-1]
        again = it.checks(question)[-1]
    assert failed.filter == "model: makes sense"
    assert not failed.passed
    assert not was_checked(failed)
    assert again.passed


def test_a_join_that_fails_is_refused_and_the_others_go_on(world: World, tmp_path: Path) -> None:
    with composing(world, tmp_path, hopgrade_model_retries=0, hopgrade_model_concurrency=1) as it:
        first, second, third = it.atoms(*CHAIN)
        it.endpoint.faults.append("500")
        wanted = [
            Candidate(started(one), other, "inference") for one, other in ((first, second), (second, third))
        ]
        refused, made = it.parts.joiner.join(wanted)
    assert isinstance(refused, Refused)
    assert refused.reason.startswith("not checked: server error")
    assert isinstance(made, Composed)


def rejected(question: Composed, name: str, reason: str) -> Composed:
    """The question as a filter rejected it."""
    return replace(question, checks=(Check("first", passed=True), Check(name, passed=False, reason=reason)))


def test_a_leaking_question_is_worded_anew_with_its_fault_told(world: World, tmp_path: Path) -> None:
    with composing(world, tmp_path) as it:
        question = it.joined(*CHAIN[:2])
        leaking = "Which company owns Ostby Rovers, the club that Mira Tolland plays for?"
        bad = Composed((question.hops[0], replace(question.last, question=leaking)), question.generator)
        (mended,) = it.parts.refiner.mend([rejected(bad, "middle hidden", '"Ostby Rovers" stands in it')])
        (asked,) = (request for request in it.endpoint.requests if task(request) == "mend")
    assert mended is not None
    assert (mended.last.question, mended.last.answer, mended.checks) == (OWNER, "Halden Shipping", ())
    assert fences(asked)["fault"] == 'middle hidden: "Ostby Rovers" stands in it'
    assert "Answer: Ostby Rovers" in fences(asked)["step 1"]


@examples("name, reason")
def test_what_words_can_not_mend_is_not_asked_about(
    world: World, tmp_path: Path, name: str, reason: str
) -> None:
    with composing(world, tmp_path) as it:
        question = it.joined(*CHAIN[:2])
        before = len(it.endpoint.requests)
        assert it.parts.refiner.mend([rejected(question, name, reason)]) == [None]
        assert len(it.endpoint.requests) == before


@pytest.mark.parametrize("answer", ["", OWNER])
def test_a_question_that_comes_back_as_it_was_is_not_mended(
    world: World, tmp_path: Path, answer: str
) -> None:
    with composing(world, tmp_path, instead(mend={"question": answer})) as it:
        question = it.joined(*CHAIN[:2])
        assert it.parts.refiner.mend([rejected(question, "model: makes sense", "joined: an and")]) == [None]
        assert it.asked[-1] == "mend"


@pytest.mark.parametrize(
    ("shorter", "kept"),
    [("Halden Shipping", True), ("Halden Shipping of Ostby", False), ("Shipping Halden", False), ("", False)],
)
def test_an_answer_is_cut_but_never_changed(world: World, tmp_path: Path, shorter: str, kept: bool) -> None:
    with composing(world, tmp_path, instead(cut={"answer": shorter})) as it:
        question = it.joined(*CHAIN[:2])
        long = replace(question.last, answer="Halden Shipping, which is owned by nobody", accepted=("long",))
        wordy = Composed((question.hops[0], long), question.generator)
        reason = 'its evidence leads to "Halden Shipping"'
        (mended,) = it.parts.refiner.mend([rejected(wordy, "model: solvable", reason)])
    assert (mended is not None) == kept
    if mended is not None:
        assert (mended.last.answer, mended.last.accepted) == ("Halden Shipping", ("Halden Shipping", "long"))


def test_other_forms_of_an_answer_are_its_own_and_nobody_elses(world: World, tmp_path: Path) -> None:
    world.alias("Halden", "Halden Shipping")
    forms: Answer = {"forms": ["Halden Shipping Co", "Ostby Rovers", "Halden 2", " HSC ", ""]}
    with composing(world, tmp_path, instead(forms=forms)) as it:
        (found,) = it.parts.refiner.alternatives([it.joined(*CHAIN[:2])])
    assert found == ("Halden Shipping", "Halden", "Halden Shipping Co", "HSC")


def test_without_the_models_word_an_answer_has_the_forms_of_the_graph(world: World, tmp_path: Path) -> None:
    world.alias("Halden", "Halden Shipping")
    with composing(world, tmp_path) as it:
        question = it.joined(*CHAIN[:2])
        it.endpoint.faults.append("refusal")
        assert it.parts.refiner.alternatives([question]) == [("Halden Shipping", "Halden")]


def test_the_whole_way_from_chunks_to_questions_of_three_hops(
    world: World, corpus: str, tmp_path: Path
) -> None:
    stated(world)
    with composing(world, tmp_path) as it:
        made = compose(Place(world.graph, corpus), it.parts, ComposeSize((2, 3), 5, 1.0), Silent())
        asked = len(it.endpoint.requests)
        again = compose(Place(world.graph, corpus), it.parts, ComposeSize((2, 3), 5, 1.0), Silent())
        assert len(it.endpoint.requests) == asked
    kept = {number: sorted(one.last.question for one in some.kept) for number, some in made.selected.items()}
    assert kept[3] == [FOUNDER]
    assert kept[2] == sorted([OWNER, SHORT_FOUNDER, OLDER])
    assert [one.hops for one in again.selected[3].kept] == [one.hops for one in made.selected[3].kept]


def repeated(world: World, chunk: str) -> Said:
    """Let a chunk say in other words who owns the club."""
    again = Said("Ostby Rovers", "thank", "Halden Shipping", chunk)
    world.plant(again)
    stated(world)
    world.word(again, "Ostby Rovers, owned by Halden Shipping for years, thank it.")
    return again


def test_what_another_article_repeats_is_the_same_evidence(world: World, tmp_path: Path) -> None:
    """Hop 2 is stated in k2 and, in other words, in k9: left out with it, and support of the question."""
    texts = {fact.text: fact.chunk for fact in (*CHAIN, repeated(world, "k9"))}
    with composing(world, tmp_path) as it:
        made = compose(Place(world.graph, world.corpus), it.parts, ComposeSize((3,), 5, 1.0), Silent())
        shown = [
            {chunk for text, chunk in texts.items() if text in passages(request)}
            for request in it.endpoint.requests
            if task(request) == "evidence" and fences(request)["question"] == FOUNDER
        ]
    # All, then without hop 2, the last one and the first.
    assert shown == [{"k1", "k2", "k3", "k9"}, {"k1", "k3"}, {"k1", "k2", "k9"}, {"k2", "k3", "k9"}]
    (id_,) = ComposedWriter(world.graph, world.corpus, tools().embedder).write(made.selected[3].kept)
    support = "MATCH (:Question {id: $id})-[s:SUPPORTED_BY]->(k) RETURN s.hop AS hop, collect(k.id) AS chunks"
    found = {row["hop"]: set(row["chunks"]) for row in read(world.graph, support, id=id_)}
    assert found == {1: {world.id("k1")}, 2: {world.id("k2"), world.id("k9")}, 3: {world.id("k3")}}


def test_no_chunk_states_two_hops_in_whatever_words(world: World, tmp_path: Path) -> None:
    repeated(world, CHAIN[2].chunk)
    with composing(world, tmp_path) as it:
        made = compose(Place(world.graph, world.corpus), it.parts, ComposeSize((2, 3), 5, 1.0), Silent())
    kept = {number: sorted(one.last.question for one in some.kept) for number, some in made.selected.items()}
    assert kept == {2: sorted([OWNER, OLDER]), 3: []}
    assert made.depths[2].refused["one chunk states two of its hops"] == 1


@pytest.mark.campaign
def test_a_stage_with_missing_verdicts_goes_on_at_the_next_start(
    world: World, corpus: str, tmp_path: Path
) -> None:
    stated(world)
    record_stage(world.graph, corpus, "resolution", "graph-1", {})
    with scripted_endpoint(author, ("refusal",)) as endpoint:
        job = ComposeJob(
            world.graph,
            corpus,
            ComposeSize((2, 3), 5, 1.0),
            "model",
            endpoint.settings(tmp_path),
            tools().embedder,
            Silent(),
        )
        first = compose_stage(job)
        asked = len(endpoint.requests)
        second = compose_stage(job)
        assert len(endpoint.requests) > asked
        third = compose_stage(job)
    assert [one.counts["not_checked"] for one in (first, second, third)] == [1, 0, 0]
    assert [one.ran for one in (first, second, third)] == [True, True, False]
    assert second.counts["kept_3_hops"] == 1


def test_a_dry_run_counts_by_role_and_asks_nothing(world: World, corpus: str, tmp_path: Path) -> None:
    stated(world)
    with scripted_endpoint(author) as endpoint:
        found = estimated(world.graph, corpus, endpoint.settings(tmp_path))
        assert not endpoint.requests
    assert found["atomic questions"].calls == len(CHAIN) + len(MUSEUMS)
    assert all(part.input_tokens for part in found.values() if part.calls)


def test_a_dry_run_counts_its_share_of_mending_and_comparing(
    graph: Graph, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were each question worded anew and its answer shortened, it would be judged and answered each time."""
    found = []
    with scripted_endpoint(author) as endpoint:
        for share in (0, 1):
            for name in ("MENDED", "SHORTENED", "COMPARED"):
                monkeypatch.setattr(f"services.questions.composed.estimate.{name}", share)
            found.append(estimated(graph, small_corpus, endpoint.settings(tmp_path)))
    none, each = found
    assert none["questions mended"].calls == none["answers compared"].calls == 0
    judged = none["joins judged"].calls
    assert judged < each["questions mended"].calls <= 2 * judged + 1
    # Each is a mean of some draws, rounded.
    assert each["joins judged"].calls == pytest.approx(3 * judged, abs=2)
    assert each["questions answered"].calls == pytest.approx(3 * none["questions answered"].calls, abs=2)
    answered = none["atomic questions answered"].calls + none["questions answered"].calls
    assert each["answers compared"].calls >= answered


def test_what_falls_at_a_check_comes_to_no_later_one_in_a_dry_run(
    graph: Graph, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known by heart, an atomic question is asked once and joined to nothing; sound ones go the whole way."""
    found = []
    with scripted_endpoint(author) as endpoint:
        for share in (0.0, 0.5, 1.0):
            shares = dict.fromkeys(SHARES, 1.0) | {"model: retrieval necessary": share}
            monkeypatch.setattr("services.questions.composed.estimate.SHARES", shares)
            found.append(estimated(graph, small_corpus, endpoint.settings(tmp_path)))
    known, half, fresh = found
    assert known["atomic questions answered"].calls == known["atomic questions judged"].calls > 0
    assert known["joins"].calls == known["questions answered"].calls == known["forms of answers"].calls == 0
    assert fresh["atomic questions answered"].calls == 2 * fresh["atomic questions judged"].calls
    assert 0 < half["joins"].calls < fresh["joins"].calls
    assert 0 < half["questions answered"].calls < fresh["questions answered"].calls


def estimated(graph: Graph, corpus: str, settings: Settings) -> Mapping[str, Estimate]:
    """What composing would take of one model in all roles."""
    with open_model("generate", settings) as model:
        wanted, models = ComposeSize((2, 3), 5, 1.0), RoleModels(model, model, model)
        return estimate_composing(Place(graph, corpus), wanted, models, Silent())


def test_a_bound_on_chunks_bounds_what_is_asked_and_only_wanted_atoms_are_checked(
    world: World, tmp_path: Path
) -> None:
    stated(world)
    with composing(world, tmp_path) as it:
        parts = paid_for(it.parts, 1)
        made = compose(Place(world.graph, world.corpus), parts, ComposeSize((2,), 1, 1.0, 0, 2), Silent())
        asked = [task(request) for request in it.endpoint.requests]
    assert made.stock.chunks == 2
    assert asked.count("atoms") == 2
    assert asked.count("alone") == made.stock.made == len(made.stock.checked) <= 2
    assert (parts.batch, parts.bases, parts.chunks_a_question) == (2, 1, 3)


def stated(world: World) -> None:
    """Let the world's facts, sentences and vectors be as a build leaves them."""
    vector = [float(one) for one in tools().embedder.embed(["Halden Shipping"])[0]]
    change(world.graph, _AS_BUILT, corpus=world.corpus, vector=vector)
