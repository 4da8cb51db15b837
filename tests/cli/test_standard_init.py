"""`kg standard init` and `kg standard check`, as they are typed."""

from pathlib import Path

import pytest

from kg.store.graph import Graph
from kg.store.leases import writing_to
from tests.cli.conftest import Kg
from tests.examples import examples


@pytest.fixture
def begun(kg: Kg, small_corpus: str, tmp_path: Path) -> Path:
    """The folder that `kg standard init` made."""
    folder = tmp_path / "first"
    ended = kg(
        "standard", "init", str(folder), "--corpus", small_corpus, "--questions", "6", "--pool-size", "5"
    )
    assert ended.code == 0, ended.err
    assert "6 questions; pools of 5 chunks by hybrid" in ended.out
    assert f"kg standard check {folder}" in ended.out
    return folder


def test_init_and_check_fit(kg: Kg, begun: Path) -> None:
    ended = kg("standard", "check", str(begun))
    assert ended.code == 0
    assert "not locked yet" in ended.out
    assert "Check: pass" in ended.out
    assert "No model is asked." in ended.out
    document = kg("standard", "check", str(begun / "standard.yaml"), "--json").json
    assert document["passed"]
    assert document["questions"] == 6
    assert document["hash"] in ended.out
    assert [one["hypothesis"] for one in document["power"]] == ["H1", "H2", "H3", "H4", "H5", "H6"]


def test_mistakes_are_listed_with_their_lines_and_end_with_2(kg: Kg, begun: Path) -> None:
    path = begun / "standard.yaml"
    text = path.read_text(encoding="utf-8").replace("alpha: 0.05", "alfa: 0.05")
    path.write_text(text.replace("    direction: greater", "    direction: up", 1), encoding="utf-8")
    ended = kg("standard", "check", str(begun))
    assert ended.code == 2
    lines = ended.err.splitlines()
    assert len(lines) == 3
    assert f"{path}, line" in lines[0]
    assert "hypotheses.H1.direction: it must be 'greater'" in lines[0]
    assert "inference.alfa" in lines[1]
    assert lines[2].startswith("Mend the file")
    assert not kg("standard", "check", str(begun), "--json").json["passed"]


def test_a_breach_ends_with_2(kg: Kg, begun: Path) -> None:
    path = begun / "standard.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("sample: 0", "sample: 1"), encoding="utf-8")
    ended = kg("standard", "check", str(begun))
    assert ended.code == 2
    assert "breach: dataset.questions: " in ended.err
    assert "Check: FAIL" in ended.out
    assert kg("standard", "check", str(begun), "--json").code == 2


def test_a_rule_whose_name_is_mistyped_is_taken_for_no_model(
    kg: Kg, small_corpus: str, tmp_path: Path
) -> None:
    folder = str(tmp_path / "typed")
    ended = kg("standard", "init", folder, "--corpus", small_corpus, "--second-judge", "overlp")
    assert ended.code == 2
    assert "'overlp'" in ended.err
    assert "overlap" in ended.err
    assert not (tmp_path / "typed").exists()


def test_init_takes_systems_of_your_own(kg: Kg, small_corpus: str, tmp_path: Path) -> None:
    ended = kg(
        "standard", "init", str(tmp_path / "own"), "--corpus", small_corpus, "--questions", "4",
        "--system", "mine=my-run", "--second-judge", "some-model", "--smallest", ".1", "--json",
    )  # fmt: skip
    protocol = ended.json["protocol"]
    assert protocol["systems"][-1]["run"] == "my-run"
    assert protocol["second_judge"]["kind"] == "model"
    assert {one["smallest"] for one in protocol["hypotheses"]} == {0.1}
    assert protocol["name"] == "own"


@examples("arguments, complaint")
def test_what_can_not_work_ends_with_2_and_leaves_no_folder(
    kg: Kg, small_corpus: str, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    ended = kg("standard", "init", str(tmp_path / "new"), "--corpus", small_corpus, *arguments)
    assert ended.code == 2
    assert complaint in " ".join(ended.err.split())
    assert not (tmp_path / "new").exists()


def test_init_waits_for_no_other_command_on_the_corpus(
    kg: Kg, graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    with writing_to(graph, small_corpus):
        ended = kg("standard", "init", str(tmp_path / "new"), "--corpus", small_corpus)
    assert ended.code == 2
    assert f"another command works on corpus '{small_corpus}'" in " ".join(ended.err.split())
    assert not (tmp_path / "new").exists()


def test_a_check_of_nothing_says_how_to_begin(kg: Kg, tmp_path: Path) -> None:
    ended = kg("standard", "check", str(tmp_path / "nothing"))
    assert ended.code == 2
    assert "kg standard init" in ended.err
