"""The ledger decides what runs: by key, by what was cut off, and by what was made anew before it."""

from dataclasses import dataclass, field

import pytest

from kg.ledger import (
    STAGES,
    Counts,
    Outcome,
    counts_of,
    describe,
    making_command,
    missing_stages,
    read_ledger,
    read_stage,
    record_stage,
    run_stage,
    stage_key,
)
from kg.progress import Silent
from kg.store.graph import Graph
from kg.text.chunks import ChunkSize


@dataclass
class Stages:
    """Runs stages of one corpus and keeps what they did."""

    graph: Graph
    corpus: str
    did: list[str] = field(default_factory=list)

    def run(self, name: str, key: str, fails: str = "") -> Outcome:
        def work() -> Counts:
            self.did.append(f"work {name}")
            if fails == "work":
                raise KeyboardInterrupt
            return {"things": 3}

        def clear() -> None:
            self.did.append(f"clear {name}")
            if fails == "clear":
                raise KeyboardInterrupt

        return run_stage(self.graph, self.corpus, name, key, work, clear, Silent())

    def taken(self) -> list[str]:
        done, self.did = self.did, []
        return done

    def state(self, name: str) -> str:
        line = read_stage(self.graph, self.corpus, name)
        return str(line["state"]) if line else "never ran"


@pytest.fixture
def stages(graph: Graph, corpus: str) -> Stages:
    return Stages(graph, corpus)


def test_a_stage_runs_once_for_a_key(stages: Stages) -> None:
    first, second = stages.run("chunks", "k1"), stages.run("chunks", "k1")
    assert (first.ran, second.ran) == (True, False)
    assert first.counts == second.counts == {"things": 3}
    assert stages.taken() == ["work chunks"]


def test_another_key_clears_first(stages: Stages) -> None:
    stages.run("paths", "k1")
    assert stages.run("paths", "k2").ran
    assert stages.taken() == ["work paths", "clear paths", "work paths"]


def test_what_was_cut_off_goes_on_without_clearing(stages: Stages) -> None:
    with pytest.raises(KeyboardInterrupt):
        stages.run("paths", "k1", fails="work")
    assert stages.state("paths") == "running"
    stages.run("paths", "k1")
    assert stages.taken() == ["work paths", "work paths"]
    assert stages.state("paths") == "done"


def test_what_was_cut_off_under_another_key_is_cleared(stages: Stages) -> None:
    with pytest.raises(KeyboardInterrupt):
        stages.run("paths", "k1", fails="work")
    stages.run("paths", "k2")
    assert stages.taken() == ["work paths", "clear paths", "work paths"]


def test_a_clearing_that_was_cut_off_is_done_again(stages: Stages) -> None:
    stages.run("paths", "k1")
    with pytest.raises(KeyboardInterrupt):
        stages.run("paths", "k2", fails="clear")
    assert stages.state("paths") == "clearing"
    stages.run("paths", "k2")
    assert stages.taken() == ["work paths", "clear paths", "clear paths", "work paths"]


def test_a_clearing_that_was_cut_off_does_not_leave_the_old_key_done(stages: Stages) -> None:
    stages.run("paths", "k1")
    with pytest.raises(KeyboardInterrupt):
        stages.run("paths", "k2", fails="clear")
    assert stages.run("paths", "k1").ran


def test_later_stages_are_outdated_once_an_earlier_one_is_redone(stages: Stages) -> None:
    for name in ("chunks", "paths", "questions", "run a", "matrix a"):
        stages.run(name, "k1")
    stages.run("paths", "k2")
    assert stages.state("chunks") == "done"
    assert {stages.state(name) for name in ("questions", "run a", "matrix a")} == {"outdated"}
    stages.taken()
    stages.run("paths", "k1")
    assert stages.run("questions", "k1").ran
    assert not stages.run("chunks", "k1").ran


def test_a_run_outdates_its_own_matrix_only(stages: Stages) -> None:
    others = ("run b", "matrix b", "matrix b a", "prefixes b a")
    for name in ("run a", "matrix a", *others):
        stages.run(name, "k1")
    stages.run("run a", "k2")
    assert stages.state("matrix a") == "outdated"
    assert {stages.state(name) for name in others} == {"done"}


def test_a_stage_that_runs_for_the_first_time_outdates_nothing(stages: Stages) -> None:
    stages.run("run a", "k1")
    stages.run("matrix a", "k1")
    stages.run("run b", "k1")
    assert (stages.state("run a"), stages.state("matrix a")) == ("done", "done")


def test_the_ledger_of_another_corpus_is_untouched(stages: Stages) -> None:
    other = Stages(stages.graph, stages.corpus + "-other")
    other.run("paths", "k1")
    other.run("questions", "k1")
    stages.run("paths", "k1")
    stages.run("paths", "k2")
    assert other.state("questions") == "done"
    assert not other.run("paths", "k1").ran


def test_lines_come_in_the_order_of_the_stages(graph: Graph, stages: Stages) -> None:
    for name in ("matrix a", "run a", "claims", "chunks"):
        stages.run(name, "k")
    record_stage(graph, stages.corpus, "articles", "k", {"articles": 2})
    lines = read_ledger(graph, stages.corpus)
    assert [line["name"] for line in lines] == ["articles", "chunks", "claims", "run a", "matrix a"]
    assert counts_of(lines[0]) == {"articles": 2}
    assert counts_of(lines[1]) == {"things": 3}


def test_a_key_tells_settings_apart() -> None:
    assert stage_key("k", ChunkSize(16, 32, 4)) == stage_key("k", ChunkSize(16, 32, 4))
    keys = {
        stage_key("k", ChunkSize(16, 32, 4)),
        stage_key("k", ChunkSize(16, 32, 5)),
        stage_key("l", ChunkSize(16, 32, 4)),
        stage_key("k", 1),
        stage_key("k", "1"),
    }
    assert len(keys) == 5


def test_counts_are_described_in_words() -> None:
    described = describe({"paths_2_hops": 12_000, "share": 0.5})
    assert "_" not in described
    assert [figure for figure in ("12,000", "share", "0.5") if figure not in described] == []


def test_a_run_s_stages_count_whatever_the_run_is_called() -> None:
    lacking = ("chunks", "vectors", "claims", "resolution", "paths", "questions", "matrix")
    assert missing_stages(["articles", "run a b"]) == lacking
    assert missing_stages([]) == STAGES


def test_each_missing_stage_has_the_command_that_makes_it() -> None:
    assert {stage: making_command(stage, "two words").split(" --corpus")[0] for stage in STAGES} == {
        "articles": "kg corpus ingest FILE",
        "chunks": "kg corpus build",
        "vectors": "kg corpus build",
        "claims": "kg corpus build",
        "resolution": "kg corpus build",
        "paths": "kg corpus build",
        "questions": "kg questions make",
        "run": "kg run start single-step",
        "matrix": "kg run start single-step",
    }
    assert making_command("paths", "two words").endswith("--corpus 'two words'")
