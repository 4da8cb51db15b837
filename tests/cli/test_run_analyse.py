"""`kg run analyse`: a run hop by hop, as tables, as JSON and as a page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.store.graph import Graph
from services.runs.records import drop_run
from tests.kg_command import run_kg

pytestmark = pytest.mark.usefixtures("kg_environment")


@pytest.fixture
def deep(
    graph: Graph, small_corpus: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A run of all questions with their prefix questions."""
    started = run_kg(
        capsys, monkeypatch, "run", "start", "single-step", "--name", "deep", "--prefixes",
        "--corpus", small_corpus, "--json",
    )  # fmt: skip
    assert started.code == 0, started.err
    yield "deep"
    drop_run(graph, small_corpus, "deep")


def test_a_run_is_analysed_hop_by_hop(
    small_corpus: str,
    deep: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    page = tmp_path / "hops.html"
    place = ("--corpus", small_corpus)
    found = run_kg(capsys, monkeypatch, "run", "analyse", deep, "--json", "--html", str(page), *place)
    assert found.code == 0, found.err
    (run,) = found.json["runs"]
    hops, failures = run["hops"], run["failures"]
    assert hops["answers"] == hops["total"]["n"] > 8
    chains = [one for one in hops["groups"] if one["group"]["kind"] == "chain" and one["group"]["hops"]]
    assert chains
    assert any(one["depths"]["reached"]["n"] for one in chains)
    for one in chains:
        depths = one["depths"]
        # Questions of which a filter rejected a prefix are left out.
        assert depths["reached"]["n"] <= one["n"]
        if depths["reached"]["n"]:
            assert 0 <= depths["unbroken"]["value"] <= depths["reached"]["value"] <= one["group"]["hops"]
        assert one["steps"]["by_count"] == {"1": [sum_of(one, "right"), one["n"] - sum_of(one, "right")]}
        assert one["steps"]["collapsed"]["value"] == 1
        assert one["accuracies"]["judged"]["value"] is None
    wrong = hops["total"]["n"] - sum_of(hops["total"], "right")
    assert failures["total"]["failures"] == wrong
    assert sum(figure["value"] or 0 for figure in failures["total"]["causes"].values()) == pytest.approx(1)
    listed = found.json["failures"]
    assert len(listed) == wrong
    for one in listed:
        assert set(one) == {"run", "answer", "question", "cause", "hop", "why", "behaviours"}
        assert one["why"]
    assert any("--scale 0-2" in note for note in hops["notes"])
    html = page.read_text(encoding="utf-8")
    assert html.count("<table") >= 8
    assert "not judged" in html

    shown = run_kg(capsys, monkeypatch, "run", "analyse", deep, *place)
    assert shown.code == 0
    # The title of a narrow table is wrapped.
    unwrapped = " ".join(shown.out.split())
    for heading in ("How often right", "How deep it gets", "Steps-C", "What failures are attributed to"):
        assert heading in unwrapped
    last = shown.out.splitlines()[-1]
    assert last.startswith("  kg run trace answer-")
    assert run_kg(capsys, monkeypatch, *last.split()[1:]).code == 0


def test_a_run_without_prefixes_says_that_its_depth_is_not_known(
    small_corpus: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = run_kg(capsys, monkeypatch, "run", "analyse", "single-step", "--corpus", small_corpus)
    assert shown.code == 0
    assert "How deep it gets" not in " ".join(shown.out.split())
    assert "--prefixes" in shown.out
    unknown = run_kg(capsys, monkeypatch, "run", "analyse", "no-such", "--corpus", small_corpus)
    assert unknown.code != 0
    assert "no-such" in unknown.err


def sum_of(one: dict[str, dict[str, dict[str, float]]], name: str) -> int:
    """How many answers of a group are right, from its share."""
    figure = one["accuracies"][name]
    return round(figure["value"] * figure["n"])
