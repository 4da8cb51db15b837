"""`kg standard run` on the command line: what it says, and how it ends where it is refused."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.made_comparison import PlantedEffects, made_comparison
from cli.standard_run import several_tests_of
from kg.store.graph import Graph
from services.comparison.analysis.analyse import analyse
from services.statistics.intervals import Interval
from tests.cli.conftest import Built, Kg
from tests.services.comparison.analysis.planted_protocol import planted_protocol
from tests.services.comparison.small_standard import forget


@pytest.fixture
def corpus(graph: Graph, built: Built) -> Iterator[str]:
    """The small world, without what was run in it here."""
    yield built.corpus
    forget(graph, built.corpus)


def test_from_a_folder_to_an_archive_that_verifies(kg: Kg, corpus: str, tmp_path: Path) -> None:
    folder = tmp_path / "first"
    begun = kg(
        *("standard", "init", str(folder), "--corpus", corpus, "--name", corpus[:30]),
        *("--questions", "8", "--pool-size", "6", "--evidence-tokens", "128"),
    )
    assert begun.code == 0, begun.err
    assert f"Next: kg standard run {folder}" in kg("standard", "check", str(folder)).out
    ran = kg("standard", "run", str(folder))
    assert ran.code == 0, ran.err
    archive = folder / f"{corpus[:30]}.zip"
    assert f"Archive written: {archive}" in ran.out
    assert "8 of 8 questions in " in ran.out
    assert "4 systems, each answer judged by two rules that share code." in ran.out
    assert "by both" not in ran.out
    told = kg("standard", "run", str(folder), "--json").json
    assert told["archive"] == str(archive)
    assert len(told["hypotheses"]) == 6
    checked = kg("standard", "check", str(folder)).out
    assert f"Next: kg standard report {archive}" in checked
    assert "kg standard run" not in checked
    assert kg("standard", "verify", str(archive)).code == 0
    again = tmp_path / "again"
    repeated = kg("standard", "repeat", str(archive), str(again))
    assert f"Next: kg standard check {again}" in repeated.out
    assert (again / "pool.jsonl.gz").read_bytes() == (folder / "pool.jsonl.gz").read_bytes()
    hashes = {kg("standard", "check", str(at), "--json").json["hash"] for at in (folder, again)}
    assert len(hashes) == 1
    assert kg("standard", "run", str(again)).code == 0
    assert kg("standard", "repeat", str(archive), str(again)).code == 2
    (listed,) = kg("standard", "list", "--corpus", corpus, "--json").json
    assert (listed["name"], listed["state"], listed["hypotheses"]) == (corpus[:30], "analysed", 6)
    assert sum(listed["decisions"].values()) == 6
    assert f"Judged comparisons on {corpus}" in kg("standard", "list", "--corpus", corpus).out
    protocol = folder / "standard.yaml"
    text = protocol.read_text(encoding="utf-8")
    protocol.write_text(text.replace("smallest: 0.05", "smallest: 0.06", 1), encoding="utf-8")
    refused = kg("standard", "run", str(folder))
    assert refused.code == 2
    assert "hypotheses.H1.smallest" in refused.err
    assert kg("standard", "run", str(folder), "--look", "2").code == 2


def test_a_corpus_without_a_comparison_says_how_to_begin_one(kg: Kg, corpus: str) -> None:
    listed = kg("standard", "list", "--corpus", corpus)
    assert listed.code == 0
    assert f"Begin one: kg standard init FOLDER --corpus {corpus}" in listed.out
    assert kg("standard", "list", "--corpus", corpus, "--json").json == []


def test_a_folder_without_a_protocol_is_refused(kg: Kg, tmp_path: Path) -> None:
    ended = kg("standard", "run", str(tmp_path))
    assert ended.code == 2
    assert "standard.yaml can't be read" in ended.err


def test_a_claim_that_falls_though_its_interval_leaves_out_0_is_explained() -> None:
    first, second, third, *_ = analyse(made_comparison(planted_protocol(), PlantedEffects())).hypotheses
    alone = replace(first.by[0], t_interval=Interval(0.01, 0.2))
    fell = replace(first, id="H1", direction="greater", decision="not supported", by=(alone,))
    stood = replace(second, id="H2", direction="greater", decision="supported", by=(alone,))
    equal = replace(third, id="H3", direction="equivalent", decision="not supported", by=(alone,))
    note = several_tests_of([fell, stood, equal])
    assert note.startswith("H1: the interval leaves out 0")
    assert "Holm" in note
    assert several_tests_of([stood, equal]) == ""
