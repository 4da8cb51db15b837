"""A comparison is begun on the small world and held against it, whole and broken in every way."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kg.errors import CorpusError, NothingToDoError, SettingsError
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.beginning import (
    CALIBRATED,
    LEAST_CALIBRATED,
    FirstOptions,
    NewComparison,
    begin_standard,
    calibration_size,
    check_options,
    first_protocol,
)
from services.comparison.checks import Checked, check_calibration, check_standard
from services.comparison.locking import lock_protocol
from services.comparison.planning import planned_calls
from services.comparison.pool import read_pool, write_pool
from services.comparison.protocol import Calibration, Protocol
from services.comparison.protocol_file import read_protocol
from services.comparison.records import Candidates
from tests.examples import examples
from tests.graph_reading import change
from tests.small_world import tools

OPTIONS = FirstOptions(name="first", questions=6, pool_size=5, evidence_tokens=100)


def begin(graph: Graph, corpus: str, folder: Path, options: FirstOptions = OPTIONS) -> NewComparison:
    return begin_standard(graph, corpus, folder, options, Settings(), tools().embedder, Silent())


@pytest.fixture
def folder(graph: Graph, small_corpus: str, tmp_path: Path) -> Iterator[Path]:
    """The folder of a comparison that was begun."""
    begin(graph, small_corpus, tmp_path / "first")
    yield tmp_path / "first"
    change(graph, "MATCH (s:Standard {corpus: $corpus}) DETACH DELETE s", corpus=small_corpus)


def checked(graph: Graph, folder: Path, edit: Callable[[str], str] = str) -> Checked:
    path = folder / "standard.yaml"
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    return check_standard(graph, read_protocol(folder), folder, Settings())


def broken(found: Checked) -> dict[str, str]:
    return {one.place: one.text for one in found.breaches}


def test_what_was_begun_passes(graph: Graph, small_corpus: str, folder: Path) -> None:
    found = checked(graph, folder)
    assert found.breaches == ()
    assert found.lock is None
    assert found.questions == 6
    assert found.recall is not None
    assert 0 < found.recall.found <= found.recall.hops
    pools = read_pool(folder / "pool.jsonl.gz").of
    assert {len(pool.chunks) for pool in pools.values()} == {5}
    for pool in pools.values():
        scores = [score for _, score in pool.chunks]
        assert scores == sorted(scores, reverse=True)
    assert [one.name for one in found.protocol.systems] == ["top-k", "mmr", "genetic", "graph"]
    assert {(one.against, one.measure) for one in found.protocol.hypotheses} == {
        ("top-k", "cluster recall"),
        ("top-k", "accuracy"),
    }


def test_the_same_beginning_makes_the_same_files(
    graph: Graph, small_corpus: str, folder: Path, tmp_path: Path
) -> None:
    begin(graph, small_corpus, tmp_path / "again")
    for name in ("standard.yaml", "pool.jsonl.gz"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_a_folder_and_a_locked_name_are_not_taken_twice(
    graph: Graph, small_corpus: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match="holds a comparison already"):
        begin(graph, small_corpus, folder)
    lock_protocol(graph, read_protocol(folder), folder)
    with pytest.raises(SettingsError, match="has a comparison 'first'"):
        begin(graph, small_corpus, tmp_path / "other")


def test_what_a_cut_off_beginning_left_is_filled_again(graph: Graph, small_corpus: str, folder: Path) -> None:
    (folder / "standard.yaml").unlink()
    begin(graph, small_corpus, folder)
    assert checked(graph, folder).breaches == ()


class StopsAfter(Silent):
    """A reader who presses Ctrl-C after the first pools."""

    def advance(self, steps: int = 1) -> None:
        raise KeyboardInterrupt


class Counts(Silent):
    """A reader who counts what is still to be drawn."""

    def __init__(self) -> None:
        self.totals: list[int | None] = []

    def step(self, name: str, total: int | None = None) -> None:
        self.totals.append(total)


def test_pools_that_were_drawn_before_a_stop_are_not_drawn_again(
    graph: Graph, small_corpus: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.comparison.pool.QUESTIONS_A_BATCH", 4)
    rest, again = Counts(), tmp_path / "again"
    with pytest.raises(KeyboardInterrupt):
        begin_standard(graph, small_corpus, again, OPTIONS, Settings(), tools().embedder, StopsAfter())
    assert not (again / "standard.yaml").exists()
    begin_standard(graph, small_corpus, again, OPTIONS, Settings(), tools().embedder, rest)
    assert rest.totals == [2]
    assert {path.name for path in again.iterdir()} == {"standard.yaml", "pool.jsonl.gz"}
    assert (again / "pool.jsonl.gz").read_bytes() == (folder / "pool.jsonl.gz").read_bytes()


@examples("find, replace, place")
def test_an_edit_that_breaks_it_is_told_at_its_place(
    graph: Graph, small_corpus: str, folder: Path, find: str, replace: str, place: str
) -> None:
    found = checked(graph, folder, lambda text: text.replace(find, replace, 1))
    assert place in broken(found)


def test_a_breach_says_what_is_wrong_and_what_to_do(graph: Graph, small_corpus: str, folder: Path) -> None:
    text = (folder / "standard.yaml").read_text(encoding="utf-8")

    def told(find: str, replace: str) -> dict[str, str]:
        assert find in text
        return broken(checked(graph, folder, lambda _: text.replace(find, replace, 1)))

    asked = told("questions: 6", "questions: 4000")["dataset.questions"]
    assert "kept questions, not 4,000. Ask for" in asked
    assert told("size: 5", "size: 4")["pool.size"] == (
        "the pools were drawn with at most 5 chunks, not 4: put it back."
    )
    assert told("version: v-", "version: v-x")["dataset.version"].endswith("anew: kg standard init")
    looks = told("looks: [1.0]", "looks: [0.01, 0.02, 1.0]")["inference.looks"]
    assert looks.startswith("looks 1 and 2 hold equally many questions (")


def test_a_judge_who_answers_is_refused(graph: Graph, small_corpus: str, folder: Path) -> None:
    def by_one_model(text: str) -> str:
        text = text.replace("kind: rules\n  name: extractive-4", "kind: model\n  name: m", 1)
        return text.replace("judge:\n  kind: rules\n  name: exact", "judge:\n  kind: model\n  name: m", 1)

    assert (
        "its answers are written by m, which is the judge"
        in broken(checked(graph, folder, by_one_model))["judge"]
    )


def test_pools_that_were_changed_or_lost_are_told(graph: Graph, small_corpus: str, folder: Path) -> None:
    path = folder / "pool.jsonl.gz"
    frozen = read_pool(path)
    pools = list(frozen.of.values())
    first = pools[0]
    other = [Candidates(first.question, (("chunk-none", 1.0), *first.chunks[1:])), *pools[1:]]
    digest = write_pool(path, frozen.method, other)
    assert "put the file back as it was written" in broken(checked(graph, folder))["pool.hash"]
    honest = read_protocol(folder).pool.hash
    found = checked(graph, folder, lambda text: text.replace(honest, digest))
    assert "chunk-none" in broken(found)["pool"]
    path.unlink()
    found = checked(graph, folder)
    assert "can't be read" in broken(found)["pool"]
    assert found.recall is None


def test_what_changed_since_the_lock_is_told(graph: Graph, small_corpus: str, folder: Path) -> None:
    lock = lock_protocol(graph, read_protocol(folder), folder)
    assert checked(graph, folder).lock == lock
    found = checked(graph, folder, lambda text: text.replace("smallest: 0.05", "smallest: 0.02", 1))
    assert broken(found) == {
        "hypotheses.H1.smallest": f"it was locked at {lock.locked_at} otherwise: 0.05 became 0.02."
    }


def test_weak_points_are_warnings(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    options = FirstOptions(
        name="weak",
        questions=6,
        pool_by="graph",
        pool_size=5,
        runs=(("mine", "no/such"), ("old", "single-step")),
    )
    begin(graph, small_corpus, tmp_path / "weak", options)
    found = checked(graph, tmp_path / "weak")
    assert found.breaches == ()
    warned = {one.place: one.text for one in found.findings if one.kind == "warning"}
    assert "top-k by another name" in warned["systems.graph"]
    (power,) = (one for one in found.findings if "would be seen with chance" in one.text)
    assert power.place == f"hypotheses.{', '.join(one.id for one in found.protocol.hypotheses)}"
    noted = {one.place: one.text for one in found.findings if one.kind == "note"}
    assert "after the lock" in noted["systems.mine"]
    assert "begun before the lock is refused" in warned["systems.old"]


def test_a_judge_by_a_model_is_tried_on_as_many_questions_as_fit_the_answers(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    assert [calibration_size(questions, 4, by_models=True) for questions in (6, 50, 200)] == [10, 20, 40]
    assert calibration_size(6, 4, by_models=False) == CALIBRATED
    models = replace(OPTIONS, name="judged", judge="judge-a", second_judge="judge-b")
    begun = begin_standard(
        graph, small_corpus, tmp_path / "f", models, Settings(), tools().embedder, Silent()
    )
    assert begun.protocol.calibration.questions == LEAST_CALIBRATED
    smaller = replace(models, calibration=3)
    asked = first_protocol(smaller, begun.protocol.dataset, "-", Settings(), 8).calibration
    assert asked.questions == 3
    (told,) = check_calibration(begun.protocol)
    assert (told.kind, told.place) == ("warning", "calibration.questions")
    assert "± 0.26" in told.text
    assert planned_calls(begun.protocol, 8).calibrating == 2 * 22 * 8
    of_a_run = replace(models, calibration_run="earlier")
    tried = first_protocol(of_a_run, begun.protocol.dataset, "-", Settings(), 8)
    assert (tried.calibration.run, planned_calls(tried, 8).calibrating) == ("earlier", 2 * 23 * 8)
    # What names no run is the same protocol as before there could be one.
    assert "run" not in begun.protocol.model_dump()["calibration"]
    assert list(check_calibration(begun.protocol.model_copy(update={"calibration": Calibration()}))) == []


def test_a_model_without_an_endpoint_is_a_warning_of_this_machine(
    graph: Graph, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    options = FirstOptions(name="judged", questions=6, pool_size=5, judge="some-model")
    begin(graph, small_corpus, tmp_path / "judged", options)
    found = checked(graph, tmp_path / "judged")
    assert found.breaches == ()
    assert any(one.kind == "warning" and one.place == "judge" for one in found.findings)
    assert found.calls.judging == 6 * 4


def test_there_must_be_a_corpus_with_questions(
    graph: Graph, corpus: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(NothingToDoError):
        begin(graph, corpus, tmp_path / "other")
    assert not (tmp_path / "other").exists()
    protocol = read_protocol(folder)
    elsewhere = Protocol.model_validate(
        protocol.model_dump() | {"dataset": protocol.dataset.model_dump() | {"corpus": corpus}}
    )
    with pytest.raises(CorpusError, match="there is no corpus"):
        check_standard(graph, elsewhere, folder, Settings())


@examples("options, message")
def test_options_that_contradict_each_other_are_refused_first(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        check_options(FirstOptions(**options))
