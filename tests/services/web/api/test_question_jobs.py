"""Composing and reviews over HTTP, their pages, and the graph in figures."""

import json
from collections.abc import Iterator
from dataclasses import asdict

import pytest
from starlette.testclient import TestClient

from kg.corpus import CorpusSettings, open_corpus
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.graph_quality import read_graph_quality
from services.questions.composed.selection import read_composed_funnel
from services.web.api.access import Access
from services.web.api.app import create_app
from services.web.pages.parameters import address
from tests.examples import examples
from tests.gold_replies import gold_responder
from tests.scripted_endpoint import scripted_endpoint
from tests.services.questions.composed.test_composed_corpus import leave_as_before
from tests.services.questions.reviewed_world import write_world
from tests.services.report.pages import read_page
from tests.services.web.api.conftest import HERE, TOKEN
from tests.services.web.api.test_jobs import followed


@pytest.fixture(scope="module")
def valley(graph: Graph, small_corpus: str) -> Iterator[str]:
    """The small world, where questions may be composed."""
    yield small_corpus
    leave_as_before(graph, small_corpus)


def test_questions_are_composed_as_a_job_with_a_page(api: TestClient, graph: Graph, valley: str) -> None:
    body = {"hops": [2], "per_hops": 3, "max_domain_share": 1}
    done = followed(api, f"/api/corpora/{valley}/composing", body)
    assert (done["state"], done["files"]) == ("done", ["composed.json"]), done
    told = api.get(f"/api/jobs/{done['id']}/files/composed.json").json()
    found = read_composed_funnel(graph, valley)
    kept = {(column.kind, column.hops): column.kept for column in found.columns}
    assert {hops for _, hops in kept} == {2}
    assert 0 < done["result"]["questions"] == sum(kept.values()) <= 6
    assert told["atoms"] == json.loads(json.dumps(asdict(found.atoms)))
    listed = api.get(f"/api/corpora/{valley}/questions", params={"kind": ["sequential", "parallel"]}).json()
    assert len(listed["items"]) == done["result"]["questions"]
    html = api.get(address(valley, "jobs", done["id"])).text
    assert f"{sum(kept.values())} composed questions kept" in html
    shown = {one.one("caption").text: one for one in read_page(html).all("table")}
    atoms = shown["Atomic questions"].one("tbody").all("tr")
    assert [cell.text for cell in atoms[-1].children] == ["kept", f"{found.atoms.kept:,}"]
    refused = followed(api, f"/api/corpora/{valley}/composing", {**body, "chunks": 1, "seed": 3})
    assert refused["state"] == "failed"
    assert "no composed question" in refused["error"]


def test_a_model_that_fails_its_prompts_composes_nothing(
    api_settings: Settings, graph: Graph, valley: str
) -> None:
    before = read_composed_funnel(graph, valley)
    with scripted_endpoint(gold_responder(wrong=("write-atomic-questions",))) as endpoint:
        told = {name.lower(): value for name, value in endpoint.environment().items()}
        settings = Settings.model_validate(api_settings.model_dump() | told | {"hopgrade_preflight": True})
        signed = {"Authorization": f"Bearer {TOKEN}"}
        with TestClient(create_app(settings, Access(TOKEN)), base_url=HERE, headers=signed) as api:
            place = f"/api/corpora/{valley}/composing"
            refused = followed(api, place, {"generator": "model", "hops": [2], "chunks": 4})
    assert refused["state"] == "failed"
    assert "fails the prompt write-atomic-questions" in refused["error"]
    assert any("about" in note and "calls" in note for note in refused["notes"])
    assert read_composed_funnel(graph, valley) == before


def test_a_sheet_is_fetched_filled_in_and_sent_back(api: TestClient, graph: Graph, corpus: str) -> None:
    write_world(graph, corpus)
    at = f"/api/corpora/{corpus}"
    sent: dict[str, str | int] = {"annotator": "ana", "sample": 3, "seed": 5}
    sheet = api.get(f"{at}/reviews/sheet", params=sent)
    assert sheet.headers["content-type"].startswith("application/jsonl")
    lines = [json.loads(line) for line in sheet.text.splitlines()]
    assert [line["decision"] for line in lines] == ["", "", ""]
    assert {len(line["evidence"]) for line in lines if line["kind"] == "chain"} == {2}
    lines[0] |= {"decision": "drop", "reason": "fluent: who would ask so?"}
    lines[1] |= {"decision": "keep"}
    done = followed(api, f"{at}/reviews", {"annotator": "ana", "lines": lines})
    assert (done["state"], done["result"]) == ("done", {"reviews": 2}), done
    ben = [lines[0] | {"decision": "edit", "new_text": ""}, lines[1] | {"decision": "keep"}]
    refused = followed(api, f"{at}/reviews", {"annotator": "ben", "lines": ben})
    assert refused["state"] == "failed"
    assert "line 1: the new text can't be used" in refused["error"]
    ben[0]["decision"] = "keep"
    assert followed(api, f"{at}/reviews", {"annotator": "ben", "lines": ben})["result"] == {"reviews": 2}
    report = api.get(f"{at}/reviews").json()
    assert (report["questions"], report["shared"], report["split"]) == (2, 2, 1)
    assert report["open"] == [lines[0]["id"]]
    assert report["failed"] == {"fluent": 1}
    # Of 4 decisions 3 are keep: expected 5/8, observed (0 + 1) / 2, so kappa is (1/2 - 5/8) / (3/8).
    assert report["decisions"]["value"] == pytest.approx(-1 / 3)
    again = api.get(f"{at}/reviews/sheet", params=sent).text.splitlines()
    assert [json.loads(line)["decision"] for line in again] == ["drop", "keep", ""]
    html = api.get(address(corpus, "reviews")).text
    shown = {one.one("caption").text: one for one in read_page(html).all("table")}
    ana, _ = shown["Decisions by person"].one("tbody").all("tr")
    assert [cell.text for cell in ana.children] == ["ana", "1", "1", "0", "2"]
    assert "2 questions decided, 2 by two or more people" in html
    assert f'href="{address(corpus, "reviews")}"' in api.get(address(corpus, "questions")).text


def test_the_graph_in_figures(api: TestClient, at: str, graph: Graph, small_corpus: str) -> None:
    found = read_graph_quality(graph, small_corpus, Silent())
    told = api.get(f"{at}/graph-quality").json()
    assert told == json.loads(json.dumps(asdict(found)))
    assert told["pairs"]["pairs"][0] > 0
    html = api.get(address(small_corpus, "graph-quality")).text
    shown = {one.one("caption").text: one for one in read_page(html).all("table")}
    gates = [
        [cell.text for cell in row.children]
        for row in shown["Facts that gates keep out of paths"].one("tbody").all("tr")
    ]
    assert gates == [[one["gate"], f"{one['facts']:,}", f"{one['alone']:,}"] for one in found.gates]
    rows = shown["Pairs of entities by distance"].one("tbody").all("tr")
    assert [row.children[1].text for row in rows] == [f"{pairs:,}" for pairs in found.pairs.pairs[1:]]
    assert f'href="{address(small_corpus, "graph-quality")}"' in api.get(address(small_corpus)).text


def test_a_graph_that_is_not_built_has_no_figures(api: TestClient, graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin", 384, "128-256/50", "rules"))
    refused = api.get(f"/api/corpora/{corpus}/graph-quality")
    assert (refused.status_code, refused.json()["remedy"]) == (
        409,
        f"Build it: kg corpus build --corpus {corpus}",
    )
    assert f"kg corpus build --corpus {corpus}" in api.get(address(corpus, "graph-quality")).text


@examples("tail, body, status")
def test_what_can_not_be_done_is_no_job(
    api: TestClient, at: str, tail: str, body: dict[str, object], status: int
) -> None:
    before = api.get("/api/jobs").json()
    assert api.post(f"{at}/{tail}", json=body).status_code == status
    assert api.get("/api/jobs").json() == before
