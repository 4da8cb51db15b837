"""A judged comparison over the small world: from lock to archive, refused where a run breaks the protocol."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import pytest

from kg.errors import NothingToDoError, UserError
from kg.ids import run_id
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.archive import read_archive
from services.comparison.checks import check_known
from services.comparison.collect import protocol_questions
from services.comparison.judged import archived_results
from services.comparison.judging.calibration import OF_A_RUN
from services.comparison.pool_systems import prompts_of
from services.comparison.refusals import RefusedError
from services.comparison.verify import verify_archive
from services.evaluate.judge_by_hand import Label, record_labels, write_sample
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from tests.conftest import ServerAddress
from tests.graph_reading import read, value
from tests.scripted_bodies import Answer
from tests.scripted_endpoint import Asked, Storm, scripted_endpoint
from tests.services.comparison.small_standard import begin, forget, run, write
from tests.services.rag.scripted_answers import answer_as_told
from tests.small_world import tools

ROOT = Path(__file__).parents[3]


@pytest.fixture
def corpus(graph: Graph, small_corpus: str) -> Iterator[str]:
    """The small world, without what was run in it here."""
    yield small_corpus
    forget(graph, small_corpus)


def _own_run(graph: Graph, corpus: str, options: RunOptions) -> str:
    return start_run(graph, corpus, options, Settings(), tools().embedder, Silent())


def test_a_comparison_is_locked_run_judged_and_archived(graph: Graph, corpus: str, tmp_path: Path) -> None:
    begin(graph, corpus, tmp_path, "whole")
    ran = run(graph, tmp_path)
    assert ran.archive == tmp_path / "whole.zip"
    found = verify_archive(ran.archive)
    assert [str(one) for check in found.checks for one in check.differences] == []
    comparison = read_archive(ran.archive)
    assert len(comparison.questions) == 8
    for system in ("top-k", "mmr"):
        answers = list(comparison.answers[system])
        assert [answer.question for answer in answers] == [question.id for question in comparison.questions]
        assert all(answer.evidence and answer.evidence_tokens <= 128 for answer in answers)
        for role in ("judge", "second_judge"):
            said = comparison.judgements[role][system]
            assert [row.question for row in said] == [answer.question for answer in answers]
            assert all(row.score is not None and len(row.why) == 4 for row in said)
    assert comparison.calibration["judge"]
    assert all(question.gold for question in comparison.questions if question.kind == "chain")
    # The graph knows what came of it.
    kept = value(graph, "MATCH (s:Standard {corpus: $corpus}) RETURN s.results AS results", corpus=corpus)
    assert json.loads(kept)["protocol_hash"] == ran.lock.hash
    compared = "MATCH (:Standard {corpus: $corpus})-[:COMPARES]->(r:Run) RETURN r.name AS run ORDER BY run"
    assert [row["run"] for row in read(graph, compared, corpus=corpus)] == ["whole/mmr", "whole/top-k"]
    # Nothing is left to be done, and so nothing changes.
    before = ran.archive.read_bytes()
    assert run(graph, tmp_path).archive.read_bytes() == before


def test_judges_are_tried_on_answers_of_a_finished_run_too(graph: Graph, corpus: str, tmp_path: Path) -> None:
    """Exact matches are right where nobody labelled; what people say takes their place."""
    _own_run(graph, corpus, RunOptions(name="test-tried"))
    begin(graph, corpus, tmp_path / "none", "no-run", calibration={"questions": 8, "run": "test-none"})
    with pytest.raises(UserError, match=r"calibration\.run: run 'test-none' gave no answer .*kg run sample"):
        run(graph, tmp_path / "none")
    begin(graph, corpus, tmp_path / "exact", "exact", calibration={"questions": 8, "run": "test-tried"})
    exact = read_archive(run(graph, tmp_path / "exact").archive)
    assert {(one.right, one.by) for one in exact.known} == {(True, "exact match")}
    asked = exact.questions
    (told,) = check_known(graph, exact.protocol, asked)
    assert (told.kind, told.place) == ("warning", "calibration.run")
    assert "exact matches alone" in told.text
    answers = [
        row["id"] for row in graph.rows(query("answers/list_to_label"), run=run_id(corpus, "test-tried"))
    ]
    only = protocol_questions(graph, exact.protocol)
    sheet = tmp_path / "sheet.jsonl"
    drawn = write_sample(graph, corpus, "test-tried", 99, 0, sheet, only)
    assert 0 < drawn < len(answers), "abstentions, and answers to other questions, are tried on no judge"
    with pytest.raises(UserError, match="no answer to the comparison's questions, abstentions aside"):
        write_sample(graph, corpus, "test-tried", 99, 0, sheet, ["another"])
    labels = [Label(name, False, "") for name in answers]
    record_labels(graph, corpus, "test-tried", labels, "ana", Silent())
    begin(graph, corpus, tmp_path / "people", "people", calibration={"questions": 2, "run": "test-tried"})
    archive = run(graph, tmp_path / "people").archive
    people = read_archive(archive)
    assert {(one.right, one.by) for one in people.known} == {(False, "people")}
    (told,) = check_known(graph, people.protocol, asked)
    assert told.kind == "warning"
    assert f"people called 0 right and {len(people.known)} wrong" in told.text
    for role in ("judge", "second_judge"):
        tried = [row for row in people.calibration[role] if row.category in OF_A_RUN]
        assert [row.category for row in tried] == ["of a run, wrong"] * 2
        assert {row.text for row in tried} <= {one.answer.text for one in people.known}
    assert verify_archive(archive).equal
    real = archived_results(archive).calibration["judge"].of_a_run
    assert real is not None
    assert (real.answers, real.sensitivity) == (2, None)


@pytest.mark.campaign
def test_a_look_asks_and_judges_no_more_than_its_share(graph: Graph, corpus: str, tmp_path: Path) -> None:
    begin(graph, corpus, tmp_path, "looks", inference={"looks": [0.4, 1.0], "draws": 1_000})
    first = run(graph, tmp_path, look=1)
    assert first.archive.name == "looks-look-1.zip"
    asked = "MATCH (:Run {corpus: $corpus, name: 'looks/mmr'})-[:GAVE]->(a) RETURN count(a) AS answers"
    assert 4 <= first.look.questions < 8
    assert value(graph, asked, corpus=corpus) == first.look.questions
    last = run(graph, tmp_path)
    assert (last.look.questions, value(graph, asked, corpus=corpus)) == (8, 8)
    early, late = read_archive(first.archive), read_archive(last.archive)
    assert late.questions[: len(early.questions)] == early.questions
    assert list(late.answers["mmr"])[: len(early.questions)] == list(early.answers["mmr"])
    assert verify_archive(first.archive).equal
    assert verify_archive(last.archive).equal


@pytest.mark.campaign
def test_an_early_look_that_is_repeated_does_not_replace_the_last(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    begin(graph, corpus, tmp_path, "again", inference={"looks": [0.4, 1.0], "draws": 1_000})
    kept = "MATCH (s:Standard {corpus: $corpus, name: 'again'}) RETURN s.results AS results"
    for look, noted in ((1, 1), (2, 2), (1, 2)):
        run(graph, tmp_path, look=look)
        assert json.loads(value(graph, kept, corpus=corpus))["look"]["number"] == noted


@pytest.mark.campaign
def test_a_hypothesis_that_changed_after_the_lock_is_refused(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    protocol = begin(graph, corpus, tmp_path, "changed")
    run(graph, tmp_path)
    before = (tmp_path / "changed.zip").read_bytes()
    other = [one.model_copy(update={"direction": "less"}) for one in protocol.hypotheses]
    write(tmp_path, protocol.model_copy(update={"hypotheses": tuple(other)}))
    with pytest.raises(UserError, match=r"hypotheses\.H1\.direction.*greater.*less"):
        run(graph, tmp_path)
    (tmp_path / "lock.json").unlink()
    with pytest.raises(UserError, match=r"hypotheses\.H1\.direction"):
        run(graph, tmp_path)
    assert (tmp_path / "changed.zip").read_bytes() == before


@pytest.mark.campaign
def test_a_brought_run_is_made_after_the_lock_and_held_to_the_protocol(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    systems = [{"name": "top-k", "selector": "top-k"}, {"name": "mmr", "run": "test-own"}]
    begin(graph, corpus, tmp_path, "brought", systems=systems)
    _own_run(graph, corpus, RunOptions(name="test-own", top=2))
    with pytest.raises(RefusedError, match="but the protocol was locked at") as early:
        run(graph, tmp_path)
    assert {breach.rule for breach in early.value.breaches} == {"after the lock"}
    # It was refused before any of ours was asked.
    ours = "MATCH (r:Run {corpus: $corpus, name: 'brought/top-k'}) RETURN count(r) AS runs"
    assert value(graph, ours, corpus=corpus) == 0
    drop_run(graph, corpus, "test-own")
    with pytest.raises(NothingToDoError, match="has no run 'test-own'"):
        run(graph, tmp_path)
    _own_run(graph, corpus, RunOptions(name="test-own", top=10))
    with pytest.raises(RefusedError, match=r"of 8 answers show more than 128 tokens of evidence \(question-"):
        run(graph, tmp_path)
    drop_run(graph, corpus, "test-own")
    _own_run(graph, corpus, RunOptions(name="test-own", top=2, question_limit=3))
    with pytest.raises(RefusedError, match="of 8 questions have no answer"):
        run(graph, tmp_path)
    drop_run(graph, corpus, "test-own")
    _own_run(graph, corpus, RunOptions(name="test-own", top=1))
    ran = run(graph, tmp_path)
    assert [record.run for record in read_archive(ran.archive).runs] == ["brought/top-k", "test-own"]
    assert verify_archive(ran.archive).equal


@dataclass
class _Killer:
    """Judges by schema; at request `fatal` it kills whoever asks."""

    fatal: int
    victim: int = 0
    asked: int = 0
    lock: Lock = field(default_factory=Lock)

    def __call__(self, request: Asked) -> Answer:
        with self.lock:
            self.asked += 1
            if self.victim and self.asked == self.fatal:
                os.kill(self.victim, signal.SIGKILL)
        names = list((request.schema or {})["properties"])
        if names == ["answer"]:
            return {"answer": "no words of my own"}
        told = {name: [1] for name in names if name.startswith("hop_")}
        return {"reason": "as it seems", **told, "verdict": "right"}


@pytest.mark.campaign
def test_a_killed_judge_goes_on_with_nothing_lost_or_doubled(
    graph: Graph, corpus: str, tmp_path: Path, server_address: ServerAddress
) -> None:
    folder, fresh = tmp_path / "killed", tmp_path / "fresh"
    judge = {"kind": "model", "name": "judge-model"}
    begin(graph, corpus, folder, "killed", judge=judge, calibration={"questions": 1})
    killer = _Killer(fatal=18)
    with scripted_endpoint(killer) as endpoint:
        given = {
            **server_address.environment(),
            **endpoint.environment(),
            "HOPGRADE_HOME": str(tmp_path / "home"),
            "HOPGRADE_CACHE": str(Settings().hopgrade_cache),
            "HOPGRADE_MODEL_CONCURRENCY": "2",
        }
        command = [sys.executable, "-m", "tests.services.comparison.small_standard", str(folder)]
        with subprocess.Popen(command, cwd=ROOT, env=os.environ | given) as process:
            killer.victim = process.pid
            assert process.wait() == -signal.SIGKILL
        kept = _lines(folder)
        assert kept
        # A home of its own has no replies from before: what is not asked again was in the journal.
        settings = Settings.model_validate(
            {name.lower(): text for name, text in given.items()} | {"hopgrade_home": tmp_path / "second"}
        )
        killer.victim = killer.asked = 0
        resumed = run(graph, folder, settings=settings)
        left = killer.asked
        lines = _lines(folder)
        assert lines[: len(kept)] == kept
        assert len({line[:32] for line in lines}) == len(lines)
        shutil.copytree(folder, fresh, ignore=shutil.ignore_patterns("verdicts", "*.zip"))
        killer.asked = 0
        whole = run(graph, fresh, settings=settings.model_copy(update={"hopgrade_home": tmp_path / "third"}))
    assert whole.archive.read_bytes() == resumed.archive.read_bytes()
    # At most what was under way when it was killed was asked twice.
    assert left < killer.asked
    assert verify_archive(resumed.archive).equal


def _lines(folder: Path) -> list[bytes]:
    files = ("judge-calibration.jsonl", "judge.jsonl")
    found = [folder / "verdicts" / name for name in files]
    return [line for path in found if path.exists() for line in path.read_bytes().splitlines()]


@dataclass
class _Models:
    """A model that answers in words of its evidence, and two that judge, of whom the second is harder."""

    asked: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)

    def __call__(self, request: Asked) -> Answer:
        model = str(request.body["model"])
        with self.lock:
            self.asked[model] += 1
        if model == "writer":
            return answer_as_told(request)
        names = list((request.schema or {})["properties"])
        if names == ["answer"]:
            return {"answer": "no words of my own"}
        told = {name: [1] for name in names if name.startswith("hop_")}
        right = "No words" not in request.text and (model == "first-judge" or len(request.text) % 2)
        return {"reason": "as it seems", **told, "verdict": "right" if right else "wrong"}


@pytest.mark.campaign
def test_models_answer_and_judge_whatever_befalls_the_endpoint(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    folder, models = tmp_path / "models", _Models()
    begin(
        graph,
        corpus,
        folder,
        "models",
        generator={"kind": "model", "name": "writer", "prompts": prompts_of(("single-step",))},
        judge={"kind": "model", "name": "first-judge"},
        second_judge={"kind": "model", "name": "second-judge"},
        calibration={"questions": 1},
    )
    storm = Storm(seed=3, share=0.2, kinds=("429", "500", "reset", "cut", "invalid json", "refusal"))
    with scripted_endpoint(models, models=("writer", "first-judge", "second-judge"), storm=storm) as endpoint:
        settings = endpoint.settings(tmp_path / "home")
        first = run(graph, folder, settings=settings)
        assert verify_archive(first.archive).equal
        written = models.asked["writer"]
        # What a judge refused to say is asked again, and no answer is; then nothing is left to ask.
        ran = run(graph, folder, settings=settings)
        comparison, asked = read_archive(ran.archive), dict(models.asked)
        assert run(graph, folder, settings=settings).archive.read_bytes() == ran.archive.read_bytes()
    assert dict(models.asked) == asked
    assert models.asked["writer"] == written
    assert {record.generator for record in comparison.runs} == {"writer"}
    answers = [answer for rows in comparison.answers.values() for answer in rows]
    assert len(answers) == 16
    assert all(answer.evidence and answer.evidence_tokens <= 128 for answer in answers)
    # The same evidence in the same order is asked about once.
    assert any(answer.text and answer.input_tokens for answer in answers)
    assert storm.met.total() > 0
    for role in ("judge", "second_judge"):
        said = [row.score for rows in comparison.judgements[role].values() for row in rows]
        assert len(said) == 16
        assert None not in said
        assert comparison.calibration[role]
    assert verify_archive(ran.archive).equal
