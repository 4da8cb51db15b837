"""A dataset goes to another graph and comes out the same, and runs answer it there."""

import json
from pathlib import Path

import pytest

from kg.corpus import drop_corpus
from kg.errors import CorpusError, InputError
from kg.ledger import read_stage
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.datasets.choose import choose_format
from services.datasets.export_dataset import ExportOptions, export_dataset
from services.datasets.folder import MANIFEST
from services.datasets.import_dataset import import_dataset
from services.datasets.source import open_dataset
from services.evaluate.write_back import read_matrix
from services.rag.run_options import RunOptions
from services.runs.start import start_run
from tests.small_world import OPTIONS, run_small_job, tools

FILES = ("articles.jsonl", "questions.jsonl")


def _export(graph: Graph, corpus: str, out: Path, name: str = "hopgrade") -> Path:
    export_dataset(graph, corpus, choose_format(name), out, ExportOptions(), Silent())
    return out


@pytest.fixture(scope="module")
def dataset(graph: Graph, small_corpus: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world as a dataset."""
    return _export(graph, small_corpus, tmp_path_factory.mktemp("dataset") / "small")


def _bring(graph: Graph, corpus: str, dataset: Path, new_ids: bool = True) -> None:
    import_dataset(graph, corpus, dataset, Settings(), Silent(), new_ids)


def test_a_dataset_that_went_round_is_the_same_bytes_and_is_answered_the_same(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    run = run_small_job(graph, corpus)
    before, matrix = _export(graph, corpus, tmp_path / "before"), read_matrix(graph, corpus, run)
    drop_corpus(graph, corpus)
    found = import_dataset(graph, corpus, before, Settings(), Silent())
    assert found.same_version
    after = _export(graph, corpus, tmp_path / "after")
    for name in FILES:
        assert (after / name).read_bytes() == (before / name).read_bytes()
    # The rules' reader reads facts as well, which a dataset leaves to be built.
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    again = start_run(graph, corpus, RunOptions(top=10), Settings(), tools().embedder, Silent())
    assert read_matrix(graph, corpus, again) == matrix


@pytest.mark.campaign
def test_new_ids_let_a_dataset_stand_beside_the_corpus_that_it_is_from(
    graph: Graph, small_corpus: str, corpus: str, dataset: Path
) -> None:
    with pytest.raises(CorpusError, match="--new-ids"):
        _bring(graph, corpus, dataset, new_ids=False)
    _bring(graph, corpus, dataset)
    here = list(open_dataset(graph, corpus, {}, 0).questions())
    there = {one.id: one for one in open_dataset(graph, small_corpus, {}, 0).questions()}
    assert {one.given_id for one in here} == there.keys()
    for one in here:
        original = there[one.given_id]
        assert (one.text, one.kind, one.hops, one.bin) == (
            original.text,
            original.kind,
            original.hops,
            original.bin,
        )
        assert one.difficulty == original.difficulty
        assert len(one.gold) == len(original.gold)
        assert [fact.sentence for fact in one.facts] == [fact.sentence for fact in original.facts]
    questions = read_stage(graph, corpus, "questions")
    assert questions is not None
    assert questions["kept"] == len(there)


@pytest.mark.campaign
def test_an_import_goes_on_and_a_foreign_corpus_is_left_alone(
    graph: Graph, small_corpus: str, corpus: str, dataset: Path
) -> None:
    _bring(graph, corpus, dataset)
    first = list(open_dataset(graph, corpus, {}, 0).questions())
    _bring(graph, corpus, dataset)
    assert list(open_dataset(graph, corpus, {}, 0).questions()) == first
    with pytest.raises(CorpusError, match="is there already"):
        _bring(graph, small_corpus, dataset)


def test_what_is_not_a_whole_dataset_is_refused(
    graph: Graph, small_corpus: str, corpus: str, tmp_path: Path
) -> None:
    other = _export(graph, small_corpus, tmp_path / "grade", "grade")
    with pytest.raises(InputError, match="which tells too little"):
        _bring(graph, corpus, other)
    changed = _export(graph, small_corpus, tmp_path / "changed")
    lines = (changed / "questions.jsonl").read_text().splitlines()
    (changed / "questions.jsonl").write_text("\n".join(lines[1:]) + "\n")
    with pytest.raises(InputError, match="kg dataset verify"):
        _bring(graph, corpus, changed)
    untold = _export(graph, small_corpus, tmp_path / "untold")
    manifest = json.loads((untold / MANIFEST).read_text())
    del manifest["settings"]["chunking"]
    (untold / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="made with"):
        _bring(graph, corpus, untold)
