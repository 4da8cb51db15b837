"""`kg questions` as a reader at a terminal meets it."""

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.llm.prompts import load_prompt
from kg.store.graph import Graph, Row
from services.questions.generate import FOUND_SHARE
from tests.cli.conftest import Built, Kg
from tests.graph_reading import read, value
from tests.scripted_endpoint import Endpoint, scripted_endpoint
from tests.services.questions.test_generate import write
from tests.small_world import run_small_job, with_paths

KEPT = "MATCH (q:Question {corpus: $corpus, status: 'kept'}) RETURN count(q)"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(write) as running:
        yield running


def test_the_funnel_adds_up_and_fits_a_terminal(
    kg: Kg, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = kg("questions", "funnel", "--corpus", built.corpus, "--json").json["columns"]
    assert [column["hops"] for column in columns][:4] == [2, 3, 4, 5]
    for column in columns:
        assert column["drawn"] == column["kept"] + column["dropped"] + sum(column["fell"].values())
    # The fixture's output was taken apart at 300 columns; here a line must not be longer than a terminal.
    monkeypatch.setenv("COLUMNS", "80")
    shown = kg("questions", "funnel", "--corpus", built.corpus)
    assert shown.code == 0
    tables = [line for line in shown.out.splitlines() if "hops: " not in line]
    assert max(map(len, tables)) <= 80
    assert "- retrieval necessary" in shown.out
    borders = kg("questions", "funnel", "--corpus", built.corpus, "--json").json["borders"]
    articles = next(one for one in borders if one["facet"] == "articles")
    assert articles["crossing"] == articles["questions"] - articles["by_crossings"].get("0", 0) > 0
    assert f"{articles['crossing']} of {articles['questions']}" in shown.out
    assert re.search(r"5 hops: 1 of 200: \d+ paths are all that the graph has.*; most fell at", shown.out)


def test_a_question_is_shown_with_all_that_is_known_of_it(kg: Kg, built: Built) -> None:
    listed = kg("questions", "list", "--corpus", built.corpus, "--hops", "5", "--json").json
    (question,) = listed
    shown = kg("questions", "show", question["id"])
    for expected in (
        question["text"],
        "path: Mira Tolland > Ostby Rovers > Halden Shipping",
        "Mira Tolland plays for the Ostby Rovers. (Rovers)",
        "every hop needed",
        "For which club does Mira Tolland play?",
        "single-step",
        "answer match",
        "Its evidence lies, at least, in 5 articles (4 crossings)",
    ):
        assert expected in shown.out
    row = kg("questions", "show", question["id"], "--json").json
    assert [one["hops"] for one in row["prefixes"]] == [1, 2, 3, 4]
    assert [hop["index"] for hop in row["hops"]] == [1, 2, 3, 4, 5]
    assert row["question"]["bin"] == question["bin"]
    difficulty, quartile = row["question"]["difficulty_min"], question["bin"]
    assert f", difficulty {difficulty:.3f}, quartile {quartile}, " in " ".join(shown.out.split())
    assert question["crossings"]["articles"] == row["question"]["crossings_articles"] == 4
    wrong = kg("questions", "make", "--corpus", built.corpus, "--span-clusters", "2", "--cluster-by", "mood")
    assert (wrong.code, "claims, communities, place, time, domain" in wrong.err) == (2, True)


def test_questions_are_listed_by_kind_status_and_filter(kg: Kg, built: Built) -> None:
    def listed(*options: str) -> list[dict[str, object]]:
        found = kg("questions", "list", "--corpus", built.corpus, "--limit", "100", "--json", *options).json
        return list(found)

    assert {row["status"] for row in listed()} == {"kept"}
    assert {row["kind"] for row in listed("--kind", "bridge-entity,null")} == {"bridge entity", "null"}
    assert {row["hops"] for row in listed("--status", "prefix")} == {1, 2, 3, 4}
    fell = listed("--filter", "retrieval necessary")
    assert {(row["status"], row["rejected_by"]) for row in fell} == {("rejected", "retrieval necessary")}
    text = kg(
        "questions", "list", "--corpus", built.corpus, "--filter", "retrieval necessary", "--limit", "1"
    )
    assert "is guessed without reading" in text.out
    assert "there are more" in text.err
    wrong = kg("questions", "list", "--corpus", built.corpus, "--filter", "no such")
    assert (wrong.code, "'no such' is not a filter" in wrong.err) == (2, True)
    wrong = kg("questions", "list", "--status", "kept", "--filter", "solvable")
    assert (wrong.code, "Leave --status out" in wrong.err) == (2, True)


@pytest.mark.campaign
@pytest.mark.usefixtures("kg_environment")
def test_questions_are_made_by_a_model_after_a_dry_run_and_remembered(
    kg: Kg, graph: Graph, corpus: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_small_job(graph, corpus, options=with_paths(2))
    for name in ("HOPGRADE_GENERATE_MODEL", "HOPGRADE_MODEL"):
        monkeypatch.delenv(name, raising=False)
    make = (
        "questions",
        "make",
        "--corpus",
        corpus,
        "--generator",
        "model",
        "--kinds",
        "chain",
        "--target",
        "1",
    )
    refused = kg(*make)
    assert (refused.code, "HOPGRADE_GENERATE_MODEL" in refused.err) == (2, True)
    for name, setting in endpoint.environment().items():
        monkeypatch.setenv(name, setting)

    estimate = kg(*make, "--checks", "model", "--dry-run", "--json").json
    # No more than four paths of a depth for the question that is wanted of it.
    assert 8 <= estimate["writing"]["calls"] == estimate["paths"] <= 16
    assert f"{FOUND_SHARE:.0%} of the paths become a question" in estimate["assumption"]
    assert estimate["checking"]["calls"] > 0
    # What a model knows is not asked for where it makes no difference, and more is kept.
    kept = kg(*make, "--checks", "model", "--known", "keep", "--dry-run", "--json").json
    assert "retrieval necessary" in estimate["assumption"]
    assert "retrieval necessary" not in kept["assumption"]
    assert kept["paths"] <= estimate["paths"]
    assert kg(*make, "--known", "perhaps").code == 2
    assert "Nothing was sent." in kg(*make, "--dry-run").out
    assert endpoint.requests == []

    endpoint.faults = ["400"]
    refused = kg(*make)
    assert refused.code == 2
    assert "paths have their question" in refused.err
    made = kg(*make)
    assert made.code == 0, made.err
    assert f"corpus {corpus!r}: " in made.out
    assert "models: " in made.err
    generators = "MATCH (q:Question {corpus: $corpus, kind: 'chain'}) RETURN collect(DISTINCT q.generator)"
    assert value(graph, generators, corpus=corpus) == [f"model-2/scripted/{load_prompt('write-question').id}"]
    asked = len(endpoint.requests)
    again = kg("questions", "make", "--corpus", corpus, "--json")
    assert (again.code, len(endpoint.requests)) == (0, asked)
    assert "done before" in again.err
    assert again.json["kept"] == value(graph, KEPT, corpus=corpus)


def test_the_work_of_people_is_not_thrown_away_unasked(
    kg: Kg, graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_small_job(graph, corpus, options=with_paths(2))
    monkeypatch.setattr(sys, "stdin", io.StringIO("keep\n" * 1000))
    reviewed = kg("questions", "review", "--corpus", corpus, "--annotator", "ana", "--json").json
    make = ("questions", "make", "--corpus", corpus, "--kinds", "chain")
    refused = kg(*make)
    assert refused.code == 2
    assert f"anew would delete {reviewed['decided']['keep']} reviews. Save the reviews of each" in refused.err
    assert "kg questions review --export FILE --annotator NAME" in refused.err
    assert kg("questions", "make", "--corpus", corpus).code == 0  # as they are: nothing is at stake
    made = kg(*make, "--discard-work")
    assert made.code == 0, made.err
    assert "runs that answered them are deleted: single-step" in made.err
    stayed = value(graph, "MATCH (v:Review {corpus: $corpus}) RETURN count(v)", corpus=corpus)
    assert 0 < stayed == value(graph, KEPT, corpus=corpus) < reviewed["decided"]["keep"]


FOREIGN = "A text about a lighthouse and a very slow train that stands in none of the articles."
GIVEN = """
MATCH (:Run {corpus: $corpus, name: 'theirs'})-[:GAVE]->(a:Answer)-[:TO]->(q {kind: 'chain'})
RETURN q.id AS question,
       a {.text, .correct, .error, .confidence, .cost, .seconds, .input_tokens, .retrieval_told,
          .steps_told, .unaligned} AS a,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c)
                 RETURN [t.rank, t.score, t.step, c.id] ORDER BY t.rank } AS retrieved,
       COLLECT { MATCH (a)-[:TOOK]->(s)
                 RETURN s {.index, .action, .query, .thought, .top_k, .retrieves, .fault,
                           saw: COLLECT { MATCH (s)-[t:SAW]->(c)
                                          RETURN [t.rank, t.score, c.id] ORDER BY t.rank }}
                 ORDER BY s.index } AS steps
ORDER BY question
"""


def test_an_outside_run_that_was_saved_as_the_refusal_says_comes_back_as_it_was(
    kg: Kg, graph: Graph, corpus: str, tmp_path: Path
) -> None:
    """Of an agent that sees a text twice, of a system that fails, and of one that tells no retrieval."""
    run_small_job(graph, corpus, options=with_paths(2))
    asked = read(
        graph,
        "MATCH (q:Question {corpus: $corpus, status: 'kept'}) "
        "RETURN q.id AS id, q.answer AS answer, "
        "COLLECT { MATCH (q)-[:SUPPORTED_BY]->(c) RETURN DISTINCT c.text ORDER BY c.text } AS texts "
        "ORDER BY q.kind <> 'chain', id",
        corpus=corpus,
    )
    rows: list[Row] = [
        {"id": row["id"], "answer": row["answer"], "retrieved": [*row["texts"], FOREIGN], "confidence": 0.5}
        for row in asked[3:]
    ]
    seen = [{"text": text, "score": 0.25, "step": step} for step in (2, 3) for text in asked[0]["texts"]]
    steps = [{"action": "plan", "thought": "First."}, *[{"action": "search", "query": "it", "top_k": 5}] * 2]
    rows.append({"id": asked[0]["id"], "answer": "Nobody", "retrieved": seen, "steps": steps, "cost": 0.5})
    rows.append({"id": asked[1]["id"], "answer": "", "error": "time-out", "seconds": 30.0})
    rows.append({"id": asked[2]["id"], "answer": "Nobody", "input_tokens": 7})
    answers = tmp_path / "theirs.jsonl"
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call = ("--name", "theirs", "--corpus", corpus, "--no-report")
    assert kg("evaluate", "answers", str(answers), *call).code == 0
    before = read(graph, GIVEN, corpus=corpus)
    assert len(before) > 3
    make = ("questions", "make", "--corpus", corpus, "--kinds", "chain")
    refused = kg(*make)
    save = f"kg run export RUN --trec FOLDER --corpus {corpus}"
    back = f"kg evaluate answers FOLDER/answers.jsonl --name RUN --corpus {corpus}"
    assert f"Save a run's answers: {save}. Then add --discard-work." in refused.err
    assert refused.err.rstrip().endswith(f"To have the answers again: {back}")
    assert kg("run", "export", "theirs", "--trec", "saved", "--corpus", corpus).code == 0
    assert kg(*make, "--discard-work").code == 0
    assert read(graph, GIVEN, corpus=corpus) == []
    ended = kg("evaluate", "answers", "saved/answers.jsonl", *call)
    assert ended.code == 0, ended.err
    assert read(graph, GIVEN, corpus=corpus) == before


@pytest.mark.campaign
def test_what_an_outside_system_answered_is_not_deleted_unasked(
    kg: Kg, graph: Graph, corpus: str, tmp_path: Path
) -> None:
    """Asking a team's own system again costs its team; our own runs are made again from stored replies."""
    run_small_job(graph, corpus, options=with_paths(2))
    ids = "MATCH (q:Question {corpus: $corpus, status: 'kept'}) RETURN collect(q.id)"
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps({"id": one, "answer": "Nobody"}) + "\n" for one in value(graph, ids, corpus=corpus)
        )
    )
    given = kg("evaluate", "answers", str(answers), "--name", "theirs", "--corpus", corpus, "--no-report")
    assert given.code == 0, given.err
    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"title": "One more", "body": "Nils Abernock coaches the Wheelers. " * 5}))
    assert kg("corpus", "ingest", str(more), "--corpus", corpus, "--min-tokens", "1").code == 0
    runs = (
        "MATCH (r:Run {corpus: $corpus})-[:GAVE]->(a) RETURN r.name AS run, count(a) AS answers ORDER BY run"
    )
    before = read(graph, runs, corpus=corpus)
    assert len(before) == 2
    for call in (("corpus", "build"), ("run-all", str(more), "--min-tokens", "1")):
        refused = kg(*call, "--corpus", corpus)
        assert refused.code == 2
        assert "making the graph of corpus" in refused.err
        assert "would delete the outside run 'theirs'. Save a run's answers: kg run export" in refused.err
        assert "Then add --discard-work." in refused.err
        assert read(graph, runs, corpus=corpus) == before
    built = kg("corpus", "build", "--corpus", corpus, "--discard-work")
    assert built.code == 0, built.err
    assert "run theirs" in built.err
    assert f"kg corpus graph --corpus {corpus}" in built.out
    assert read(graph, runs, corpus=corpus) == []


@pytest.mark.campaign
def test_a_path_is_added_and_a_wrong_one_refused(kg: Kg, graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus, options=with_paths(2))
    wrong = kg("questions", "make", "--corpus", corpus, "--path", "path-nowhere")
    assert (wrong.code, "has no path 'path-nowhere'" in wrong.err) == (2, True)
    both = kg("questions", "make", "--corpus", corpus, "--path", "path-x", "--retry-failed")
    assert (both.code, "don't go together" in both.err) == (2, True)
    listed = kg("questions", "list", "--corpus", corpus, "--limit", "1000", "--json").json
    kinds = [row["kind"] == "chain" for row in listed]
    assert kinds == sorted(kinds, reverse=True)
    (one,) = [row for row in kg("corpus", "list", "--json").json if row["name"] == corpus]
    assert one["questions"] == len(listed)
    path = value(graph, "MATCH (p:Path {corpus: $corpus, hops: 5}) RETURN min(p.id)", corpus=corpus)
    before = kg("questions", "make", "--corpus", corpus, "--path", path, "--json").json
    assert before["added"] == 0  # a drawn path has its question already
    one = "MATCH (q:Question)-[:FOLLOWS]->(:Path {id: $path}) RETURN count(q)"
    assert value(graph, one, path=path) == 1


@pytest.mark.campaign
def test_without_questions_or_paths_the_next_step_is_named(kg: Kg, corpus: str, built: Built) -> None:
    assert "there is no question 'question-x'" in kg("questions", "show", "question-x").err
    kg("corpus", "ingest", str(built.articles), "--corpus", corpus, "--min-tokens", "1")
    for command in ("make", "funnel"):
        ended = kg("questions", command, "--corpus", corpus)
        assert ended.code == 2
        assert f"--corpus {corpus}" in ended.err
