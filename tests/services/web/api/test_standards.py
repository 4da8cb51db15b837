"""Judged comparisons over the API: what was fixed, what came of it, and the report as a file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from kg.corpus import CorpusSettings, open_corpus
from kg.store.graph import Graph
from services.comparison.analysis.content import Results, read_results
from services.comparison.report.renderers import render_html, render_latex, render_markdown
from tests.services.web.views.planted_standards import (
    ANALYSED,
    LOCKED,
    OUTDATED,
    made_results,
    plant_standards,
)


@pytest.fixture
def standards(graph: Graph, corpus: str, tmp_path: Path) -> str:
    """The address of the comparisons of a corpus that holds nothing else."""
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin", 384, "128-256/50", "rules"))
    plant_standards(graph, corpus, tmp_path)
    return f"/api/corpora/{corpus}/standards"


def test_the_list_tells_how_far_each_is_and_how_its_hypotheses_were_decided(
    api: TestClient, standards: str
) -> None:
    listed = {one["name"]: one for one in api.get(standards).json()}
    assert {name: one["state"] for name, one in listed.items()} == {
        ANALYSED: "analysed",
        LOCKED: "locked",
        OUTDATED: "of another version",
    }
    results = made_results()
    done = listed[ANALYSED]
    assert (done["systems"], done["hypotheses"]) == (["good", "poor"], 1)
    assert (done["questions"], done["clusters"]) == (
        results.clusters.questions,
        results.clusters.clusters,
    )
    assert done["decisions"] == {results.hypotheses[0].decision: 1}
    assert (listed[LOCKED]["questions"], listed[LOCKED]["decisions"]) == (None, {})


def test_one_has_every_figure_of_its_report(api: TestClient, standards: str, corpus: str) -> None:
    told = api.get(f"{standards}/{ANALYSED}").json()
    assert told["protocol"]["dataset"]["corpus"] == corpus
    found = read_results(json.dumps(told["results"]))
    assert found.measures == made_results().measures
    assert found.hypotheses == made_results().hypotheses
    assert api.get(f"{standards}/{LOCKED}").json()["results"] is None


@pytest.mark.parametrize(
    ("form", "render"), [("html", render_html), ("md", render_markdown), ("tex", render_latex)]
)
def test_the_report_is_kept_as_a_file_with_the_name_of_the_comparison(
    api: TestClient, standards: str, form: str, render: Callable[[Results], str]
) -> None:
    answer = api.get(f"{standards}/{ANALYSED}/report.{form}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{ANALYSED}.{form}"
    results = json.dumps(api.get(f"{standards}/{ANALYSED}").json()["results"])
    assert answer.text == render(read_results(results))


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [(LOCKED, 409, "has no results yet"), (OUTDATED, 409, "another version"), ("none", 404, "no standard")],
)
def test_a_report_that_can_not_be_had_says_why(
    api: TestClient, standards: str, name: str, status: int, says: str
) -> None:
    answer = api.get(f"{standards}/{name}/report.html")
    assert answer.status_code == status
    assert says in answer.json()["detail"]
    assert "kg standard run" in answer.json()["remedy"] or status == 404


def test_a_form_that_there_is_not_is_refused(api: TestClient, standards: str) -> None:
    assert api.get(f"{standards}/{ANALYSED}/report.pdf").status_code == 422
