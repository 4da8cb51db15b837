"""Models in every role through an unreliable endpoint: questions, checks, answers, verdicts, the report.

Every step meets each fault once. What failed for good is told and kept with its reason, and is made up for by
the same command; in the end nothing is missing, doubled or in the wrong place.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kg.corpus import drop_corpus
from kg.store.graph import Graph, Row
from services.answers import exact_match
from services.statistics.agreement import cohen_kappa
from tests.conftest import ServerAddress
from tests.graph_reading import read, value
from tests.kg_command import Ended, run_kg
from tests.names import unique_name
from tests.scripted_endpoint import KEY, Answer, Asked, Endpoint, scripted_endpoint
from tests.scripted_reader import outside
from tests.services.model_world import ANSWERER, JUDGE, MODELS, STRICT, build_world, model_environment
from tests.services.scripted_roles import INJECTION, NOTHING, EachTask, Roles, task, written
from tests.small_world import ARTICLES

QUESTIONS = """
MATCH (q:Question {corpus: $corpus, kind: 'chain'})-[:FOLLOWS]->(p)
RETURN q.text AS text, q.status AS status, q.rejected_by AS by, q.rejected_why AS why, p.id AS path,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS stops
"""
ANSWERS = """
MATCH (:Run {corpus: $corpus, name: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a AS answer, q.text AS question, q.bin AS bin, q.answer AS key, q.accepted AS accepted,
       COUNT { (a)-[:TOOK]->() } AS steps, COUNT { (a)-[:RETRIEVED]->() } AS chunks
"""
VERDICTS = """
MATCH (:Run {corpus: $corpus, name: $run})-[:GAVE]->(a:Answer)-[:HAS_VERDICT]->(v:Verdict)
RETURN a.id AS answer, a.text AS text, v.judge AS judge, v.correct AS correct, v.why AS why
"""
SYSTEMS = ("single-step", "multi-step", "decomposition")
ROOT = Path(__file__).parents[2]
KG = (sys.executable, "-c", "from cli.main import main; main()")
KILLED, FRESH = "killed", "fresh"
AT_ONCE = 2
FIRST = f"single-step-{ANSWERER}"


@dataclass
class Chain:
    """A corpus on its way: its endpoint and `kg`.

    `told` is all that `kg` said so far, `met` are the faults of the last storm.
    """

    graph: Graph
    corpus: str
    endpoint: Endpoint
    kg: Callable[..., Ended]
    roles: Roles
    folder: Path
    told: list[str] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)

    def rows(self, text: str, **params: object) -> list[Row]:
        """The records of a statement over the corpus."""
        return read(self.graph, text, corpus=self.corpus, **params)

    def in_a_storm(self, *arguments: str) -> Ended:
        """`kg` while each task meets every fault once."""
        storm = EachTask(0)
        self.endpoint.storm, self.met = storm, storm.met
        try:
            return self.kg(*arguments)
        finally:
            self.endpoint.storm = None


@pytest.fixture
def chain(
    graph: Graph,
    server_address: ServerAddress,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Chain]:
    corpus, roles = unique_name("test"), Roles(STRICT)
    build_world(graph, corpus)
    with scripted_endpoint(roles, models=MODELS) as endpoint:
        for name, setting in (server_address.environment() | model_environment(endpoint, tmp_path)).items():
            monkeypatch.setenv(name, setting)

        def kg(*arguments: str) -> Ended:
            ended = run_kg(capsys, monkeypatch, *arguments, "--corpus", corpus)
            story.told += [ended.out, ended.err]
            assert ended.code == 0, ended.err
            return ended

        story = Chain(graph, corpus, endpoint, kg, roles, tmp_path)
        yield story
    drop_corpus(graph, corpus)


@pytest.mark.campaign
def test_the_whole_way_through_an_unreliable_endpoint(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    """One story, as each part goes on from what the parts before it left in the graph."""
    questions_by_a_model_through_model_filters(chain)
    for system in SYSTEMS:
        every_system_answers_by_a_model(chain, system)
    tokens_and_cost_are_those_of_the_endpoint(chain)
    judges_fail_and_go_on(chain, JUDGE)
    judges_fail_and_go_on(chain, STRICT, "--second")
    what_counts_as_right_follows_the_first_judge(chain)
    the_report_counts_what_is_in_the_graph(chain)
    again = ("start", "multi-step", "--model", ANSWERER, "--top", "3", "--name", KILLED)
    what_was_answered_before_a_kill_is_not_paid_for_twice(chain, ANSWERER, again, monkeypatch)
    judged = ("judge", KILLED, "--judge", FRESH, "--exact-too")
    what_was_answered_before_a_kill_is_not_paid_for_twice(chain, FRESH, judged, monkeypatch)
    what_articles_and_models_wrote_stays_data(chain)
    the_key_is_nowhere(chain)


def once(chain: Chain, before: Counter[str]) -> None:
    """No request was answered twice, but for those whose first answer a fault spoilt."""
    again = [times for times in (chain.endpoint.answered - before).values() if times > 1]
    assert len(again) <= chain.met["invalid json"] + chain.met["refusal"]
    assert not [times for times in again if times > 2]


def questions_by_a_model_through_model_filters(chain: Chain) -> None:
    make = ("questions", "make", "--generator", "model", "--checks", "model", "--kinds", "chain,null")
    ended = chain.in_a_storm(*make, "--target", "4", "--per-kind", "4")
    assert "the model gave no usable answer for" in ended.err
    before = chain.rows(QUESTIONS)
    left = {row["path"]: row["why"] for row in before if row["by"] == "written by the model"}
    assert list(left.values()) == ["refusal: I can't help with that."]
    unchecked = [row for row in before if (row["why"] or "").startswith("not checked: ")]
    assert unchecked
    assert {row["why"] for row in unchecked} == {"not checked: refusal: I can't help with that."}

    again = chain.kg("questions", "make", "--retry-failed", "--json").json
    assert again["added"] >= len(left) + len(unchecked)
    rows = chain.rows(QUESTIONS)
    assert len({row["path"] for row in rows}) == len(rows) == len(before)
    assert {row["path"] for row in rows} == {row["path"] for row in before}
    # Whatever failed in between, each question came to the path that it was written for.
    assert all(row["text"] == written(" > ".join(row["stops"])) for row in rows)
    assert not [row for row in rows if (row["why"] or "").startswith(("not checked", "refusal"))]
    kept = [row for row in rows if row["status"] == "kept"]
    assert len(kept) >= 8
    assert len({chain.roles.said(row["text"]).partition(" ")[0] for row in kept}) >= 4
    once(chain, Counter())
    assert "no usable answer" not in chain.kg("questions", "make", "--retry-failed").err


def every_system_answers_by_a_model(chain: Chain, system: str) -> None:
    name, start = f"{system}-{ANSWERER}", ("run", "start", system, "--model", ANSWERER)
    kept = value(
        chain.graph, "MATCH (q:Question {corpus: $c, status: 'kept'}) RETURN count(q)", c=chain.corpus
    )
    before, sent = chain.endpoint.answered.copy(), len(chain.endpoint.requests)
    ended = chain.in_a_storm(*start)
    failed = [row["answer"] for row in chain.rows(ANSWERS, run=name) if row["answer"]["error"]]
    assert len(failed) == chain.met["refusal"] > 0
    assert chain.met.keys() >= {"429", "500", "silence", "cut", "refusal"}
    assert {one["error"] for one in failed} == {"refusal: I can't help with that."}
    assert all((one["text"], one["correct"]) == ("", False) for one in failed)
    assert f"{len(failed)} failed" in ended.out
    calls = re.search(r"models: (\d+) calls", ended.err)
    assert calls
    assert int(calls[1]) == len(chain.endpoint.requests) - sent

    assert chain.kg(*start, "--retry-failed", "--json").json["errors"] == 0
    rows = chain.rows(ANSWERS, run=name)
    assert len({row["question"] for row in rows}) == len(rows) == kept
    for row in rows:
        answer = row["answer"]
        assert answer["text"] == chain.roles.said(row["question"])
        assert answer["answer_match"] == answer["correct"]
        assert row["chunks"] > 0
        assert row["steps"] >= 2
    loose = "MATCH (n:Answer|Step {corpus: $corpus}) WHERE NOT EXISTS { (:Run|Answer)-->(n) } RETURN n"
    assert chain.rows(loose) == []
    once(chain, before)
    sent = len(chain.endpoint.requests)
    chain.kg(*start, "--retry-failed")
    assert len(chain.endpoint.requests) == sent


def tokens_and_cost_are_those_of_the_endpoint(chain: Chain) -> None:
    """Each request of the single-step system once, at a price of one for a token."""
    name = f"spent-{ANSWERER}"
    sent = len(chain.endpoint.requests)
    chain.kg("run", "start", "single-step", "--model", ANSWERER, "--name", name, "--top", "3")
    words = sum(len(text.split()) for one in chain.endpoint.requests[sent:] for _, text in one.messages)
    rows = chain.rows(ANSWERS, run=name)
    assert len(chain.endpoint.requests) - sent == len(rows)
    assert sum(row["answer"]["input_tokens"] for row in rows) == words
    written_words = sum(len(chain.roles.said(row["question"]).split()) for row in rows)
    assert sum(row["answer"]["output_tokens"] for row in rows) == written_words
    assert sum(row["answer"]["cost"] for row in rows) == pytest.approx(words + written_words)
    chain.kg("run", "drop", name, "--yes")


def judges_fail_and_go_on(chain: Chain, judge: str, *options: str) -> None:
    command = ("run", "judge", FIRST, "--judge", judge, "--exact-too", *options)
    before = chain.endpoint.answered.copy()
    ended = chain.in_a_storm(*command)
    assert "the judge gave no usable reply about 1 answer" in ended.err
    assert "refusal: I can't help with that." in ended.err
    given = [row for row in chain.rows(VERDICTS, run=FIRST) if row["judge"] == judge]
    answers = chain.rows(ANSWERS, run=FIRST)
    assert len(given) == len(answers) - 1
    chain.kg(*command)
    given = [row for row in chain.rows(VERDICTS, run=FIRST) if row["judge"] == judge]
    assert len({row["answer"] for row in given}) == len(given) == len(answers)
    keys = {row["answer"]["id"]: (row["key"], *row["accepted"]) for row in answers}
    for row in given:
        # An answer that asks for a good mark gets the one that it earns.
        text, names = row["text"], keys[row["answer"]]
        right = text in names if judge == STRICT else any(name in text for name in names)
        assert row["correct"] == (right and INJECTION not in text)
        assert row["why"].startswith(" ".join(f"it says: {text}".split()[:4])) or text == NOTHING
    once(chain, before)


def what_counts_as_right_follows_the_first_judge(chain: Chain) -> None:
    rows = chain.rows(ANSWERS, run=FIRST)
    by_judge = {r["answer"]: r["correct"] for r in chain.rows(VERDICTS, run=FIRST) if r["judge"] == JUDGE}
    assert all(row["answer"]["correct"] == by_judge[row["answer"]["id"]] for row in rows)
    exact = [exact_match(row["answer"]["text"], row["key"], row["accepted"]) for row in rows]
    assert sum(by_judge.values()) > sum(exact) > 0


def the_report_counts_what_is_in_the_graph(chain: Chain) -> None:
    page = chain.folder / "report.html"
    names = [f"{system}-{ANSWERER}" for system in SYSTEMS]
    report = chain.kg("run", "report", *names, "--json", "--html", str(page)).json
    assert [section["facts"]["name"] for section in report["runs"]] == names
    for section in report["runs"]:
        rows = chain.rows(ANSWERS, run=section["facts"]["name"])
        # A question that came later, into a depth where there was nothing to cut, is in no bin.
        chains = [row for row in rows if row["bin"] is not None]
        assert {row["question"] for row in chains} <= chain.roles.ends.keys()
        total, facts = section["matrix"]["total"], section["facts"]
        wrong = sum(not row["answer"]["correct"] for row in chains)
        assert (total["n"], total["errors"]) == (len(chains), wrong)
        assert (facts["answers"], facts["errors"]) == (len(rows), 0)
        assert facts["input_tokens"] == sum(row["answer"]["input_tokens"] for row in rows)
        assert facts["cost"] == pytest.approx(sum(row["answer"]["cost"] for row in rows))
    judged: dict[str, dict[str, bool]] = {}
    for row in chain.rows(VERDICTS, run=FIRST):
        if row["text"] != NOTHING:
            judged.setdefault(row["judge"], {})[row["answer"]] = row["correct"]
    (pair,) = [
        one
        for one in report["runs"][0]["agreements"]
        if (one["first"], one["second"]) == (f"{JUDGE} (binary)", f"{STRICT} (binary)")
    ]
    kappa = cohen_kappa(
        [judged[JUDGE][answer] for answer in judged[JUDGE]],
        [judged[STRICT][answer] for answer in judged[JUDGE]],
    )
    assert kappa is not None
    assert (pair["n"], pair["kappa"]) == (len(judged[JUDGE]), pytest.approx(kappa.value))
    assert "<script>alert" not in page.read_text(encoding="utf-8")


def what_was_answered_before_a_kill_is_not_paid_for_twice(
    chain: Chain, model: str, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPGRADE_MODEL_CONCURRENCY", str(AT_ONCE))
    before, sent = chain.endpoint.answered.copy(), len(chain.endpoint.requests)

    def kill_at_the_fifth(asked: Asked) -> Answer:
        if len(chain.endpoint.requests) == sent + 5:
            victim.kill()
        return chain.roles(asked)

    chain.endpoint.responder = kill_at_the_fifth
    try:
        victim = subprocess.Popen(
            [*KG, "run", *command, "--corpus", chain.corpus],
            cwd=chain.folder,
            env=dict(os.environ, PYTHONPATH=str(ROOT)),
            stderr=subprocess.DEVNULL,
        )
        assert victim.wait(600) == -signal.SIGKILL
    finally:
        chain.endpoint.responder = chain.roles
    chain.kg("run", *command)
    rows = chain.rows(ANSWERS, run=KILLED)
    assert len(rows) == len(chain.rows(ANSWERS, run=FIRST))
    assert all(row["answer"]["text"] == chain.roles.said(row["question"]) for row in rows)
    if model == FRESH:
        judged = {row["answer"] for row in chain.rows(VERDICTS, run=KILLED)}
        assert judged == {row["answer"]["id"] for row in rows}
    # Only the answers that were on their way when the process died are asked for again.
    paid = chain.endpoint.answered - before
    assert {one.body["model"] for one in chain.endpoint.requests[sent:]} == {model}
    assert len(paid) > 5
    assert paid.total() - len(paid) <= AT_ONCE


def what_articles_and_models_wrote_stays_data(chain: Chain) -> None:
    orders = [one for one in chain.endpoint.requests if "say True" in one.question]
    assert {task(one.system) for one in orders} >= {"evidence", "answer", "on the way", "judge"}
    for one in orders:
        assert "say True" not in outside(one) + one.system
        assert "<|im_start|>" not in one.question
    # An article that gives orders stands in the graph as it was written.
    held = "MATCH (c:Chunk {corpus: $corpus}) WHERE c.text CONTAINS $order RETURN c.id AS id"
    assert len(chain.rows(held, order=INJECTION)) >= len(ARTICLES) // 2


def the_key_is_nowhere(chain: Chain) -> None:
    review = chain.folder / "review.jsonl"
    chain.kg("questions", "review", "--annotator", "ann", "--export", str(review))
    chain.kg("run", "list", "--json")
    assert review.stat().st_size > 0
    assert not [text for text in chain.told if KEY in text]
    files = [path for path in chain.folder.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    nodes = "MATCH (n {corpus: $corpus}) RETURN n {.*, embedding: null} AS held"
    edges = "MATCH ({corpus: $corpus})-[r]->() RETURN properties(r) AS held"
    held = [*chain.rows(nodes), *chain.rows(edges)]
    assert len(held) > 500
    assert KEY not in json.dumps(held, default=str)
    assert all(one.key == KEY for one in chain.endpoint.requests)
