"""Questions as they stand in the graph: verdicts, evidence, first hops, bins; more paths for short depths."""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kg.corpus import fingerprint
from kg.ledger import Outcome, counts_of, read_stage
from kg.progress import Silent
from kg.stages.path_finding import PathOptions, forget_questions
from kg.store.graph import Graph, Row, vector_of
from services.pipeline import questions_key
from services.questions.choice import (
    QuestionChoice,
    QuestionJob,
    QuestionTools,
    read_question_choice,
    write_question_choice,
)
from services.questions.dataset import dataset_version
from services.questions.difficulty import difficulty, quartile_bins
from services.questions.draft import count_kept
from services.questions.filters.choose import rule_filters
from services.questions.hand_work import read_hand_work
from services.questions.make import UNDIRECTED_ROUND, add_questions, make_questions
from services.questions.review import Review, record_reviews
from tests.graph_reading import change, read, value
from tests.small_world import OPTIONS, run_small_job, tools, with_paths

QUESTIONS = """
MATCH (q:Question {corpus: $corpus, kind: 'chain'})-[:FOLLOWS]->(p:Path)
RETURN q AS question, p.hops AS path_hops, p.id AS path,
       COLLECT { MATCH (q)-[:ASKS_ABOUT]->(e) RETURN e.name } AS asks_about,
       COLLECT { MATCH (q)-[:ANSWERED_BY]->(e) RETURN e.name } AS answered_by,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS stops,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.type ORDER BY v.index } AS types,
       COLLECT { MATCH (p)-[h:HOP]->() RETURN h.claim ORDER BY h.index } AS claims,
       COLLECT { MATCH (q)-[r:RESTS_ON]->(c) RETURN c.id ORDER BY r.index } AS rests_on,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c)
                 RETURN [s.hop, s.similarity, c.id] ORDER BY s.hop, c.id } AS support,
       COLLECT { MATCH (q)-[x:HAS_PREFIX]->(f) RETURN f {.*, index: x.hops,
                   claims: COLLECT { MATCH (f)-[r:RESTS_ON]->(c) RETURN c.id ORDER BY r.index },
                   support: COLLECT { MATCH (f)-[s:SUPPORTED_BY]->(c)
                                      RETURN [s.hop, s.similarity, c.id] ORDER BY s.hop, c.id },
                   answered_by: COLLECT { MATCH (f)-[:ANSWERED_BY]->(e) RETURN e.name }[0]}
                 ORDER BY x.hops } AS prefixes
"""


def job(graph: Graph, corpus: str, choice: QuestionChoice | None = None, per_depth: int = 12) -> QuestionJob:
    """The job of the questions stage on the small world."""
    draw = PathOptions(per_depth, seed=0)
    made_by = QuestionTools()
    return QuestionJob(graph, corpus, choice or QuestionChoice(), draw, made_by, tools().embedder, Silent())


@pytest.fixture(scope="module")
def done(small_corpus: str) -> str:
    """The small world with its questions; tests only read it."""
    return small_corpus


@pytest.fixture(scope="module")
def questions(graph: Graph, done: str) -> list[Row]:
    return read(graph, QUESTIONS, corpus=done)


@pytest.fixture(scope="module")
def kept(questions: list[Row]) -> list[Row]:
    return [row for row in questions if row["question"]["status"] == "kept"]


def kept_texts(rows: list[Row]) -> set[str]:
    """What the kept ones among some questions ask."""
    return {row["question"]["text"] for row in rows if row["question"]["status"] == "kept"}


def test_every_path_is_one_question(graph: Graph, done: str, questions: list[Row]) -> None:
    assert len(questions) == value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=done)
    for row in questions:
        assert row["question"]["hops"] == row["path_hops"] == len(row["stops"]) - 1
        assert row["asks_about"] == row["stops"][:1]
        assert row["answered_by"] == row["stops"][-1:] == [row["question"]["answer"]]
        assert row["question"]["answer_type"] == row["types"][-1]
        assert row["question"]["query_type"] == "inference"
        assert row["rests_on"] == row["claims"]


def test_other_names_of_the_answer_are_accepted(questions: list[Row]) -> None:
    accepted = {row["question"]["answer"]: row["question"]["accepted"] for row in questions}
    assert "NHB" in accepted["Norholm Health Board"]
    assert all(row["question"]["answer"] in row["question"]["accepted"] for row in questions)


def test_every_verdict_is_kept_with_the_reason(graph: Graph, done: str, questions: list[Row]) -> None:
    filters = ["checkable facts", *(one.name for one in rule_filters(graph, done)), "variety"]
    seen = set()
    for row in questions:
        asked = row["question"]
        seen.add(asked["status"])
        assert len(asked["passed"]) == len(asked["reasons"]) == len(asked["checked"])
        if asked["status"] == "kept":
            assert (asked["checked"], set(asked["passed"])) == (filters, {True})
            assert set(asked["reasons"]) == {""}
            assert "rejected_by" not in asked
        else:
            # What is about the same as another question meets no other filter.
            assert asked["checked"] in (filters[: len(asked["checked"])], ["variety"])
            assert asked["passed"] == [*[True] * (len(asked["checked"]) - 1), False]
            assert (asked["rejected_by"], asked["rejected_why"]) == (
                asked["checked"][-1],
                asked["reasons"][-1],
            )
            assert asked["rejected_why"]
    assert seen == {"kept", "rejected"}


def test_only_a_kept_question_holds_the_vector_of_its_text(questions: list[Row], kept: list[Row]) -> None:
    vectors = tools().embedder.embed([row["question"]["text"] for row in kept])
    for row, vector in zip(kept, vectors, strict=True):
        assert vector_of(row["question"]["embedding"]).tolist() == vector.tolist()
    others = [row["question"] for row in questions if row not in kept]
    others += [one for row in kept for one in row["prefixes"]]
    assert [one for one in others if "embedding" in one or "difficulty_min" in one] == []


def test_each_hop_has_evidence_and_all_three_difficulties_follow_from_it(
    questions: list[Row], kept: list[Row]
) -> None:
    for row in questions:
        assert sorted({hop for hop, *_ in row["support"]}) == list(range(1, row["path_hops"] + 1))
    for row in kept:
        by_hop: dict[int, list[float]] = defaultdict(list)
        for hop, similarity, _ in row["support"]:
            by_hop[hop].append(similarity)
        similarities = [by_hop[hop] for hop in sorted(by_hop)]
        for aggregate in ("min", "mean", "power"):
            assert row["question"][f"difficulty_{aggregate}"] == pytest.approx(
                difficulty(similarities, aggregate), abs=2e-6
            )


def test_the_first_hops_are_questions_of_their_own_and_shared(
    graph: Graph, done: str, kept: list[Row]
) -> None:
    for row in kept:
        assert [one["index"] for one in row["prefixes"]] == list(range(1, row["path_hops"]))
        for one in row["prefixes"]:
            hops = one["index"]
            assert (one["status"], one["kind"], one["hops"]) == ("prefix", "prefix", hops)
            assert one["answer"] == one["answered_by"] == row["stops"][hops]
            assert one["answer"] in one["accepted"]
            assert one["claims"] == row["claims"][:hops]
            evidence = {(hop, chunk) for hop, _, chunk in row["support"] if hop <= hops}
            assert {(hop, chunk) for hop, _, chunk in one["support"]} == evidence
    used = Counter(one["id"] for row in kept for one in row["prefixes"])
    there = value(graph, "MATCH (q:Question {corpus: $corpus, kind: 'prefix'}) RETURN count(q)", corpus=done)
    assert len(used) == there < used.total()


def test_questions_of_other_kinds_rest_on_claims_and_have_no_bin(graph: Graph, done: str) -> None:
    rows = read(
        graph,
        """
        MATCH (q:Question {corpus: $corpus}) WHERE NOT q.kind IN ['chain', 'prefix']
        RETURN q AS question, COUNT { (q)-[:RESTS_ON]->(:Claim) } AS claims,
               COUNT { (q)-[:SUPPORTED_BY]->(:Chunk) } AS chunks, EXISTS { (q)-[:FOLLOWS]->() } AS follows
        """,
        corpus=done,
    )
    assert rows
    for row in rows:
        assert row["claims"] == row["question"]["hops"] - (row["question"]["kind"] == "null")
        assert row["chunks"] >= row["claims"]
        assert "bin" not in row["question"]
        assert not row["follows"]
    kept = [row["question"] for row in rows if row["question"]["status"] == "kept"]
    assert {one["checked"][-1] for one in kept} == {"variety"}


def test_bins_are_quartiles_of_the_kept_questions_of_a_depth(questions: list[Row]) -> None:
    found = [row["question"] for row in questions if row["question"]["status"] == "kept"]
    bins = quartile_bins([q["difficulty_min"] for q in found], [q["hops"] for q in found])
    assert [q["bin"] for q in found] == bins
    assert all("bin" not in row["question"] for row in questions if row["question"]["status"] != "kept")


def test_counts_are_those_of_the_graph_and_say_why_a_depth_is_short(
    graph: Graph, done: str, questions: list[Row]
) -> None:
    line = read_stage(graph, done, "questions")
    assert line is not None
    counts = counts_of(line)
    by_depth = Counter(row["path_hops"] for row in questions if row["question"]["status"] == "kept")
    for hops in (2, 3, 4, 5):
        assert counts[f"kept_{hops}_hops"] == by_depth[hops]
    total = "MATCH (q:Question {corpus: $corpus}) WHERE q.kind <> 'prefix' RETURN count(q)"
    assert counts["drawn"] == value(graph, total, corpus=done)
    five = sum(row["path_hops"] == 5 for row in questions)
    assert str(counts["short_5_hops"]).startswith(
        f"{by_depth[5]} of 200: {five} paths are all that the graph has; most fell at "
    )


@pytest.mark.campaign
def test_without_enough_questions_paths_are_drawn_until_none_is_left(
    graph: Graph, done: str, corpus: str, questions: list[Row]
) -> None:
    small = replace(OPTIONS, build=replace(OPTIONS.build, paths=PathOptions(1, 0)))
    run_small_job(graph, corpus, options=small)
    rounds = dict(
        value(
            graph,
            "MATCH (p:Path {corpus: $corpus, hops: 2}) RETURN collect([p.round, p.drawn])",
            corpus=corpus,
        )
    )
    assert rounds.keys() >= {None, UNDIRECTED_ROUND}
    assert set(rounds.values()) == {True}
    assert kept_texts(read(graph, QUESTIONS, corpus=corpus)) == kept_texts(questions)

    before = fingerprint(graph, corpus)
    make_questions(job(graph, corpus, per_depth=1))
    assert fingerprint(graph, corpus) != before  # its runs are gone
    after = fingerprint(graph, corpus)
    make_questions(job(graph, corpus, per_depth=1))
    assert fingerprint(graph, corpus) == after

    forget_questions(graph, corpus)
    assert value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=corpus) == 4


@pytest.mark.campaign
def test_no_more_paths_are_drawn_than_are_needed(graph: Graph, corpus: str) -> None:
    few = QuestionChoice(target=1, kinds=("chain",))
    options = replace(OPTIONS, build=replace(OPTIONS.build, paths=PathOptions(1, 0)), questions=few)
    run_small_job(graph, corpus, options=options)
    line = read_stage(graph, corpus, "questions")
    assert line is not None
    counts = counts_of(line)
    assert [name for name in counts if name.startswith("short")] == []
    every = "MATCH (p:Path {corpus: $corpus}) RETURN count(p)"
    assert 4 <= value(graph, every, corpus=corpus) < 20
    assert value(
        graph, "MATCH (q:Question {corpus: $corpus}) RETURN collect(DISTINCT q.kind)", corpus=corpus
    ) in (
        ["chain", "prefix"],
        ["prefix", "chain"],
    )


@pytest.mark.campaign
def test_questions_that_span_clusters_are_kept_and_short_paths_are_not_drawn_for_them(
    graph: Graph, corpus: str
) -> None:
    wide = QuestionChoice(target=1, kinds=("chain", "null"), span_clusters=3, cluster_by="articles")
    run_small_job(graph, corpus, options=replace(OPTIONS, questions=wide))
    line = read_stage(graph, corpus, "questions")
    assert line is not None
    counts = counts_of(line)
    assert counts["kept_2_hops"] == 0
    assert counts["short_2_hops"] == "0 of 1: the evidence of 2 hops can't lie in 3 clusters"
    rows = read(
        graph,
        "MATCH (q:Question {corpus: $corpus}) WHERE q.kind <> 'prefix' "
        "RETURN q.kind AS kind, q.status AS status, q.hops AS hops, q.rejected_by AS fell, "
        "q.spans_articles AS spans, q.crossings_articles AS crossings",
        corpus=corpus,
    )
    kept = [row for row in rows if row["status"] == "kept" and row["kind"] == "chain"]
    assert {row["hops"] for row in kept} >= {3, 4}
    assert all(row["spans"] >= 3 and row["crossings"] >= 2 for row in kept)
    assert all(row["spans"] is None for row in rows if row["kind"] == "null" or row["status"] != "kept")
    assert {row["fell"] for row in rows if row["hops"] == 2 and row["kind"] == "chain"} >= {"spans clusters"}

    # The choice is remembered, and asking for no span again makes the questions of every depth.
    assert read_question_choice(graph, corpus) == QuestionChoice()
    write_question_choice(graph, corpus, wide)
    assert read_question_choice(graph, corpus) == wide
    assert questions_key_of(graph, corpus, wide) != questions_key_of(
        graph, corpus, replace(wide, span_clusters=2)
    )
    knowing = replace(wide, known="keep")
    write_question_choice(graph, corpus, knowing)
    assert read_question_choice(graph, corpus) == knowing
    assert questions_key_of(graph, corpus, wide) != questions_key_of(graph, corpus, knowing)
    alike = replace(wide, span_clusters=1), replace(wide, span_clusters=1, cluster_by="time")
    assert len({questions_key_of(graph, corpus, one) for one in alike}) == 1


def questions_key_of(graph: Graph, corpus: str, choice: QuestionChoice) -> str:
    return questions_key(job(graph, corpus, choice), Outcome("paths", {}, ran=False))


@pytest.mark.campaign
def test_a_saved_path_is_added_under_the_old_cuts(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    kept = "MATCH (q:Question {corpus: $corpus, kind: 'chain', status: 'kept'})-[:FOLLOWS]->(p)"
    change(graph, f"{kept} SET p.saved = true", corpus=corpus)
    few, draw = QuestionChoice(target=1, kinds=("chain",)), PathOptions(1, 0)
    options = replace(OPTIONS, build=replace(OPTIONS.build, paths=draw), questions=few)
    run_small_job(graph, corpus, options=options)
    path = value(
        graph,
        "MATCH (p:Path {corpus: $corpus}) WHERE p.saved AND NOT p.drawn RETURN min(p.id)",
        corpus=corpus,
    )
    bins = "MATCH (q:Question {corpus: $corpus}) WHERE q.bin IS NOT NULL RETURN collect([q.id, q.bin])"
    cut, version = dict(value(graph, bins, corpus=corpus)), dataset_version(graph, corpus)

    adding = replace(job(graph, corpus, few), draw=draw)
    assert count_kept(add_questions(adding, [path])) == 1
    now = dict(value(graph, bins, corpus=corpus))
    assert len(now) == len(cut) + 1
    assert {id_: now[id_] for id_ in cut} == cut
    assert dataset_version(graph, corpus) != version
    assert add_questions(adding, [path]) == []

    added = dataset_version(graph, corpus)
    make_questions(adding)
    assert dict(value(graph, bins, corpus=corpus)) == now
    assert dataset_version(graph, corpus) == added


@pytest.mark.campaign
def test_the_version_follows_what_is_kept_and_moves_no_bin(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    stored = "MATCH (c:Corpus {corpus: $corpus}) RETURN [c.dataset, c.bins]"
    first = dataset_version(graph, corpus)
    assert value(graph, stored, corpus=corpus) == [first, "depth"]
    assert len(first) == len("v-") + 12
    one = "MATCH (q:Question {corpus: $corpus, status: 'kept'}) WITH q ORDER BY q.id LIMIT 1 SET q.text = $w"
    was = value(
        graph,
        "MATCH (q:Question {corpus: $corpus, status: 'kept'}) WITH q ORDER BY q.id LIMIT 1 RETURN q.text",
        corpus=corpus,
    )
    change(graph, one, corpus=corpus, w="Another?")
    assert dataset_version(graph, corpus) != first
    change(graph, one, corpus=corpus, w=was)
    assert dataset_version(graph, corpus) == first


@pytest.mark.campaign
def test_a_question_that_gives_itself_away_is_kept_aside_with_the_reason(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    change(
        graph,
        "MATCH (e:Entity {corpus: $corpus, name: 'Otto Pelham'}) "
        "SET e.aliases = ['Board That Orla Venning Directs']",
        corpus=corpus,
    )
    make_questions(job(graph, corpus))
    rejected = {
        (row["stops"][0], row["question"]["rejected_by"])
        for row in read(graph, QUESTIONS, corpus=corpus)
        if row["stops"][-1] == "Otto Pelham" and row["stops"][0] == "Orla Venning"
    }
    assert rejected == {("Orla Venning", "answer hidden")}, "the question names it"


@pytest.mark.campaign
def test_clearing_takes_questions_and_runs_and_leaves_the_rest(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    there = "MATCH (n:Path|Claim|Entity|Chunk {corpus: $corpus}) WHERE n.round IS NULL RETURN count(n)"
    before = value(graph, there, corpus=corpus)
    forget_questions(graph, corpus)
    gone = "MATCH (n:Question|Run|Answer|Cell {corpus: $corpus}) RETURN count(n)"
    assert (value(graph, gone, corpus=corpus), value(graph, there, corpus=corpus)) == (0, before)


@pytest.mark.campaign
def test_reviews_count_again_on_questions_that_come_again_and_wait_for_the_others(
    graph: Graph, corpus: str
) -> None:
    run_small_job(graph, corpus, options=with_paths(2))
    embed, now = tools().embedder.embed, datetime(2031, 1, 9, tzinfo=UTC)
    chains, nulls = (
        value(
            graph,
            "MATCH (q:Question {corpus: $corpus, kind: $kind, status: 'kept'}) RETURN collect(q.id)",
            corpus=corpus,
            kind=kind,
        )
        for kind in ("chain", "null")
    )
    dropped, edited, other = sorted(chains)[0], sorted(chains)[1], sorted(nulls)[0]
    record_reviews(
        graph,
        corpus,
        [
            Review(dropped, "ana", "drop", "", "", now),
            Review(edited, "ana", "edit", "", "Which one, then?", now),
            Review(other, "ben", "drop", "", "", now),
        ],
        embed,
    )
    reviewed = (
        "MATCH (q:Question {corpus: $corpus})-[:HAS_REVIEW]->() RETURN collect([q.id, q.status, q.text])"
    )
    before = sorted(value(graph, reviewed, corpus=corpus))

    make_questions(job(graph, corpus, QuestionChoice(kinds=("chain",)), per_depth=2))
    done = read_hand_work(graph, corpus)
    assert (done.reviews, done.waiting, done.annotators) == (2, 1, ("ana",))
    assert sorted(value(graph, reviewed, corpus=corpus)) == [one for one in before if one[0] != other]

    make_questions(job(graph, corpus, per_depth=2))
    assert sorted(value(graph, reviewed, corpus=corpus)) == before
    stored = "MATCH (c:Corpus {corpus: $corpus}) RETURN c.dataset"
    assert value(graph, stored, corpus=corpus) == dataset_version(graph, corpus)
