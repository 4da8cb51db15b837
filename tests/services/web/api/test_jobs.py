"""Jobs: started, followed, stopped, and what they leave."""

import asyncio
import io
import json
import threading
import zipfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kg.corpus import drop_corpus
from kg.errors import CorpusError
from kg.files import FOLDER_LOCK
from kg.ids import run_id
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import writing_to
from services.rag.rerank import reranker_name
from services.runs.records import drop_run
from services.web.api.access import Access
from services.web.api.app import create_app
from services.web.api.jobs import MOST_WAITING, Jobs, JobState, TooManyJobsError, Watched, follow
from tests.examples import examples
from tests.gold_replies import gold_responder
from tests.graph_reading import read
from tests.scripted_endpoint import scripted_endpoint
from tests.services.web.api.conftest import HERE, TOKEN


def with_jobs(folder: Path, scenario: Callable[[Jobs], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        jobs = Jobs(folder)
        try:
            await scenario(jobs)
        finally:
            await jobs.close()

    asyncio.run(run())


async def seen(jobs: Jobs, state: JobState) -> list[JobState]:
    job = jobs.find(state.id)
    assert job is not None
    return [now async for now in follow(job)]


def test_a_job_is_followed_to_its_end_and_leaves_files(tmp_path: Path) -> None:
    def work(progress: Watched, folder: Path) -> Mapping[str, int]:
        progress.begin("counting", 2)
        progress.advance(2)
        progress.end("two")
        (folder / "out.txt").write_text("2", encoding="utf-8")
        return {"counted": 2}

    async def scenario(jobs: Jobs) -> None:
        states = await seen(jobs, jobs.start("count", "mine", work))
        last = states[-1]
        assert (last.state, last.result, last.files) == ("done", {"counted": 2}, ("out.txt",))
        assert last.notes == ("counting: two",)
        assert last.ended_at
        versions = [one.version for one in states]
        assert versions == sorted(set(versions))

    with_jobs(tmp_path, scenario)


def test_a_job_that_is_stopped_ends_at_its_next_step(tmp_path: Path) -> None:
    stopped = threading.Event()

    def work(progress: Watched, _: Path) -> Mapping[str, int]:
        progress.begin("for ever")
        stopped.wait(600)
        progress.advance()
        raise AssertionError

    async def scenario(jobs: Jobs) -> None:
        state = jobs.start("count", "mine", work)
        job = jobs.find(state.id)
        assert job is not None
        job.stop()
        stopped.set()
        assert (await seen(jobs, state))[-1].state == "stopped"

    with_jobs(tmp_path, scenario)


def test_an_error_of_ours_is_told_and_a_mistake_of_ours_is_not(tmp_path: Path) -> None:
    def refused(_: Watched, __: Path) -> Mapping[str, int]:
        raise CorpusError("the corpus is busy.", "Wait.")

    def broken(_: Watched, __: Path) -> Mapping[str, int]:
        raise ZeroDivisionError("secret detail")

    async def scenario(jobs: Jobs) -> None:
        assert (await seen(jobs, jobs.start("a", "mine", refused)))[-1].error == "the corpus is busy. Wait."
        last = (await seen(jobs, jobs.start("b", "mine", broken)))[-1]
        assert last.state == "failed"
        assert "secret" not in last.error

    with_jobs(tmp_path, scenario)


def test_so_many_jobs_wait_and_no_more(tmp_path: Path) -> None:
    gate = threading.Event()

    def work(_: Watched, __: Path) -> Mapping[str, int]:
        gate.wait(600)
        return {}

    async def scenario(jobs: Jobs) -> None:
        try:
            for _ in range(MOST_WAITING):
                jobs.start("wait", "mine", work)
            with pytest.raises(TooManyJobsError):
                for _ in range(5):
                    jobs.start("wait", "mine", work)
        finally:
            gate.set()

    with_jobs(tmp_path, scenario)


def followed(api: TestClient, at: str, body: Mapping[str, object]) -> dict[str, Any]:
    """Start a job and follow its events; its last state."""
    started = api.post(at, json=body)
    assert started.status_code == 202, started.text
    with api.stream("GET", f"{started.headers['Location']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = list(stream.iter_lines())
    events = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert events[-1] == "end"
    assert events.count("end") == 1
    last: dict[str, Any] = json.loads(
        [line for line in lines if line.startswith("data: ")][-1].removeprefix("data: ")
    )
    assert api.get(started.headers["Location"]).json() == last
    return last


def test_a_run_is_answered_and_the_same_again_is_done_at_once(
    api: TestClient, at: str, graph: Graph, small_corpus: str
) -> None:
    body = {"system": "single-step", "retriever": "words", "name": "by-api", "limit": 3}
    try:
        last = followed(api, f"{at}/runs", body)
        assert (last["state"], last["result"]["run"]) == ("done", "by-api"), last
        assert api.get(f"{at}/runs/by-api").json()["answers"] == 3
        refused = followed(api, f"{at}/runs", {**body, "top": 3})
        assert refused["state"] == "failed"
        assert "3 answers would go" in refused["error"]
        assert api.get(f"{at}/runs/by-api").json()["answers"] == 3
    finally:
        drop_run(graph, small_corpus, "by-api")


def test_runs_are_repeated_with_other_seeds_of_the_model(
    api_settings: Settings, at: str, graph: Graph, small_corpus: str
) -> None:
    body = {"name": "drawn", "limit": 2, "repeat": 2, "seed": 7, "temperature": 0.7}
    names = ["drawn-seed-7", "drawn-seed-8"]
    with scripted_endpoint(lambda _: "Kaldmere", models=("two",)) as endpoint:
        told = {name.lower(): value for name, value in endpoint.environment().items()}
        settings = Settings.model_validate(api_settings.model_dump() | told)
        signed = {"Authorization": f"Bearer {TOKEN}"}
        with TestClient(create_app(settings, Access(TOKEN)), base_url=HERE, headers=signed) as api:
            try:
                refused = api.post(f"{at}/runs", json=body)
                assert refused.status_code == 422
                assert "rules answer alike" in refused.text
                last = followed(api, f"{at}/runs", {**body, "generator": "model"})
                assert (last["state"], last["result"]["run"], last["result"]["runs"]) == ("done", names[0], 2)
                assert [api.get(f"{at}/runs/{name}").json()["answers"] for name in names] == [2, 2]
                asked = {(one.body["seed"], one.body["temperature"]) for one in endpoint.requests}
                assert asked == {(7, 0.7), (8, 0.7)}
            finally:
                for name in names:
                    drop_run(graph, small_corpus, name)


def test_a_job_tells_its_cost_and_tries_its_prompts_before_it_asks(
    api_settings: Settings, at: str, tmp_path: Path
) -> None:
    body = {"generator": "model", "limit": 2}
    ours = {"hopgrade_preflight": True, "hopgrade_home": tmp_path}
    with scripted_endpoint(gold_responder(wrong=("answer-question", "judge-binary"))) as endpoint:
        told = {name.lower(): value for name, value in endpoint.environment().items()}
        settings = Settings.model_validate(api_settings.model_dump() | told | ours)
        signed = {"Authorization": f"Bearer {TOKEN}"}
        with TestClient(create_app(settings, Access(TOKEN)), base_url=HERE, headers=signed) as api:
            run, swept = (followed(api, f"{at}/{kind}", body) for kind in ("runs", "sweeps"))
            assert len(endpoint.requests) == 3  # the gold items; the second time their replies are kept
            judged = followed(api, f"{at}/runs/single-step/judging", {"limit": 2, "exact_too": True})
        assert len(endpoint.requests) == 6
    for refused, prompt in ((run, "answer-question"), (swept, "answer-question"), (judged, "judge-binary")):
        assert refused["state"] == "failed"
        assert f"fails the prompt {prompt} (none of 3 passed)" in refused["error"]
        assert "HOPGRADE_PREFLIGHT=false" in refused["error"]
    assert run["notes"][0].startswith("The job, answers: about 2 calls, ")
    assert swept["notes"][0].startswith("The job, answers from 10 chunks: about 2 calls, ")
    assert judged["notes"][0].startswith("The job, judging: about 2 calls, ")


def test_a_model_judges_a_run_and_a_rule_takes_its_place(
    api_settings: Settings, at: str, graph: Graph, small_corpus: str
) -> None:
    with scripted_endpoint(lambda _: {"reason": "as good", "verdict": "right"}, models=("two",)) as endpoint:
        told = {name.lower(): value for name, value in endpoint.environment().items()}
        settings = Settings.model_validate(api_settings.model_dump() | told)
        signed = {"Authorization": f"Bearer {TOKEN}"}
        with TestClient(create_app(settings, Access(TOKEN)), base_url=HERE, headers=signed) as api:
            try:
                followed(api, f"{at}/runs", {"name": "by-api", "limit": 6})
                place = f"{at}/runs/by-api/judging"
                judged = followed(api, place, {"judge": "strict", "exact_too": True})
                assert judged["result"] == {"run": "by-api", "follows": "strict (binary)"}, judged
                file = api.get(f"/api/jobs/{judged['id']}/files/judging.json").json()
                assert file["asked"] == len(endpoint.requests) > 0
                assert {one.body["model"] for one in endpoint.requests} == {"strict"}
                assert {"first", "kappa", "both_right", "flips"} <= file["agreements"][0].keys()
                ruled = followed(api, place, {"judge": "exact"})
                assert ruled["result"]["follows"] == api.get(f"{at}/runs/by-api").json()["judge"]
                assert ruled["result"]["follows"] == "exact match"
                assert file["asked"] == len(endpoint.requests)
            finally:
                drop_run(graph, small_corpus, "by-api")


@pytest.mark.campaign
def test_an_agent_runs_within_its_limits_and_its_prefix_questions_are_asked(
    api: TestClient, at: str, graph: Graph, small_corpus: str
) -> None:
    limits = {"most_iterations": 2, "evidence_tokens": 300}
    body = {"system": "react", "name": "by-api", "top": 3, "limit": 2, "prefixes": True, **limits}
    try:
        last = followed(api, f"{at}/runs", body)
        assert last["state"] == "done", last
        ((run, prefixes),) = (
            (row["run"], row["prefixes"])
            for row in read(
                graph,
                "MATCH (r:Run {id: $run}) RETURN properties(r) AS run, "
                "COUNT { (r)-[:GAVE_PREFIX]->() } AS prefixes",
                run=run_id(small_corpus, "by-api"),
            )
        )
        assert {name: run[name] for name in limits} == limits
        assert run["policy"].startswith("react-rules-")
        assert prefixes >= 1
    finally:
        drop_run(graph, small_corpus, "by-api")


@pytest.mark.campaign
def test_a_job_waits_for_whoever_changes_its_corpus(
    api: TestClient, at: str, graph: Graph, small_corpus: str
) -> None:
    def begun() -> str:
        place = str(api.post(f"{at}/reports", json={}).headers["Location"])
        while not (now := api.get(place).json())["step"].startswith("waiting for"):
            assert now["state"] in {"waiting", "running"}
        return place

    with writing_to(graph, small_corpus):
        place, stopped = begun(), begun()
        assert api.delete(stopped).status_code == 200
        while (now := api.get(stopped).json())["state"] == "running":
            pass
        assert now["state"] == "stopped"
    while (now := api.get(place).json())["state"] == "running":
        pass
    assert now["state"] == "done", now


def test_a_report_is_left_as_a_page_and_as_json(api: TestClient, at: str, small_corpus: str) -> None:
    last = followed(api, f"{at}/reports", {})
    assert last["files"] == ["report.html", "report.json"], last
    page = api.get(f"/api/jobs/{last['id']}/files/report.html")
    assert "attachment" in page.headers["content-disposition"]
    report = api.get(f"/api/jobs/{last['id']}/files/report.json").json()
    assert report["corpus"] == small_corpus
    assert api.get(f"/api/jobs/{last['id']}/files/..%2F..%2Fetc%2Fpasswd").status_code == 404


def test_a_sweep_and_what_a_model_could_have_known_are_left_as_json(
    api: TestClient, at: str, graph: Graph, small_corpus: str
) -> None:
    try:
        wanted = {"chunks": ["24-64/8"], "top": [1, 10], "limit": 4, "reranker": "lexical", "candidates": 20}
        swept = followed(api, f"{at}/sweeps", wanted)
        assert (swept["state"], swept["files"]) == ("done", ["sweep.json"]), swept
        rows = api.get(f"/api/jobs/{swept['id']}/files/sweep.json").json()["rows"]
        found = [(row["top"], row["error"]["n"]) for row in rows if row["hops"] is None]
        assert found == [(1, 4), (10, 4)]
        reranked = "MATCH (r:Run {corpus: $corpus}) RETURN DISTINCT r.reranker AS by, r.candidates AS of"
        settings = read(graph, reranked, corpus=f"{small_corpus} (24-64/8, builtin)")
        assert settings == [{"by": reranker_name("lexical"), "of": 20}]
    finally:
        drop_corpus(graph, f"{small_corpus} (24-64/8, builtin)")
    own = api.get(f"{at}/questions", params={"limit": 1}).json()["items"][0]["text"]
    body = {"cutoff": "2031-01-01", "sets": [{"name": "published", "questions": [own]}], "show": 1}
    last = followed(api, f"{at}/contamination", body)
    assert (last["state"], last["files"]) == ("done", ["contamination.json"]), last
    told = api.get(f"/api/jobs/{last['id']}/files/contamination.json").json()
    assert told["age"]["cutoff"] == "2031-01-01"
    (overlap,) = told["sets"]
    words = overlap["likeness"][0]
    assert (overlap["name"], words["origin"], words["measure"]) == ("published", "made", "words")
    assert words["highest"] == 1.0
    assert overlap["nearest"][0]["other"] == own


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("kind", "body", "inside"),
    [("dataset", {"format": "beir"}, "corpus.jsonl"), ("graph", {"format": "graphml"}, "graph.graphml")],
)
def test_an_export_is_left_as_an_archive(
    api: TestClient, at: str, kind: str, body: dict[str, str], inside: str
) -> None:
    last = followed(api, f"{at}/exports/{kind}", body)
    assert last["state"] == "done", last
    (name,) = last["files"]
    content = api.get(f"/api/jobs/{last['id']}/files/{name}").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {"manifest.json", inside} <= set(archive.namelist()), archive.namelist()


@examples("tail, body, status")
def test_what_can_not_be_done_is_no_job(
    api: TestClient, at: str, tail: str, body: dict[str, object], status: int
) -> None:
    before = api.get("/api/jobs").json()
    assert api.post(f"{at}{tail}", json=body).status_code == status
    assert api.get("/api/jobs").json() == before


def test_an_unknown_job_is_404(api: TestClient) -> None:
    for method, tail in (("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/files/x")):
        assert api.request(method, f"/api/jobs/nothing{tail}").status_code == 404


def test_what_a_killed_server_left_is_deleted_at_the_next_start(
    api_settings: Settings, tmp_path: Path
) -> None:
    left = tmp_path / "jobs" / "jobs-killed"
    left.mkdir(parents=True)
    (left / FOLDER_LOCK).touch()
    (left / "texts.zip").write_bytes(b"what articles say")
    settings = api_settings.model_copy(update={"hopgrade_cache": tmp_path})
    with TestClient(create_app(settings), base_url=HERE):
        assert not left.exists()
        assert len([one for one in (tmp_path / "jobs").iterdir() if one.is_dir()]) == 1
    assert not [one for one in (tmp_path / "jobs").iterdir() if one.is_dir()]
