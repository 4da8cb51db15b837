"""`kg run judge` and `kg run revise` as a user meets them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.store.graph import Graph
from tests.cli.conftest import Kg
from tests.graph_reading import value
from tests.scripted_endpoint import Endpoint, scripted_endpoint
from tests.services.evaluate.judged_world import ASKED, RUN, answer_id, mark, question_id, write_world

RIGHT = "MATCH (a:Answer {id: $id}) RETURN a.correct AS correct"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(mark) as running:
        yield running


@pytest.fixture
def world(graph: Graph, corpus: str, kg: Kg, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> str:
    """A corpus with a run of eight answers, and settings that lead every role to the scripted endpoint."""
    for name, setting in endpoint.environment().items():
        monkeypatch.setenv(name, setting)
    write_world(graph, corpus)
    return corpus


def test_a_run_is_judged_then_by_a_second_judge_and_both_are_compared(kg: Kg, world: str) -> None:
    first = kg("run", "judge", RUN, "--corpus", world)
    assert first.code == 0
    assert "7 of 8 answers judged, 3 without a call, 1 failed and count as wrong" in first.out
    assert "Right: 4 of 7 (57.1 %); by exact match 2 of them" in first.out
    assert "What counts as right follows: scripted (binary)" in first.out
    assert "models: 4 calls" in first.err
    second = kg("run", "judge", RUN, "--corpus", world, "--judge", "another", "--json").json
    assert second["follows"] == "scripted (binary)"
    pairs = {(one["first"], one["second"]): one for one in second["agreements"]}
    both = pairs["another (binary)", "scripted (binary)"]
    assert (both["n"], both["kappa"], both["flips"], both["both_right"]) == (ASKED, 1, 0, 2)
    assert both["interval"]["low"] < 0.7
    table = kg("run", "judge", RUN, "--corpus", world)
    assert "another (binary) / scripted (binary)" in table.out
    assert "models:" not in table.err


def test_failures_of_the_judge_are_told_with_the_way_on(
    kg: Kg, world: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPGRADE_MODEL_RETRIES", "0")
    endpoint.faults += ["refusal"]
    shown = kg("run", "judge", RUN, "--corpus", world, "--limit", "2")
    assert shown.code == 0
    assert "no usable reply about 1 answer, which answer match decides for now" in shown.err
    assert "refusal" in shown.err
    assert f"2 answers are left for the next time: kg run judge {RUN} --corpus {world}" in shown.err


def test_a_dry_run_sends_nothing(kg: Kg, world: str, endpoint: Endpoint) -> None:
    shown = kg("run", "judge", RUN, "--corpus", world, "--dry-run")
    assert "Nothing was sent." in shown.out
    assert kg("run", "judge", RUN, "--corpus", world, "--dry-run", "--json").json["calls"] == ASKED
    assert endpoint.requests == []


@pytest.mark.campaign
def test_a_verdict_by_hand_is_given_by_id_or_address_and_taken_back(kg: Kg, graph: Graph, world: str) -> None:
    answer = answer_id(world, "other")
    shown = kg("run", "revise", answer, "right", "--why", "two founders", "--by", "ana")
    assert shown.code == 0
    assert "wrong before, now right, by hand" in shown.out
    assert value(graph, RIGHT, id=answer) is True
    address = ("--run", RUN, "--question", question_id(world, "other"), "--corpus", world)
    done = kg("run", "revise", *address, "--undo", "--json").json
    assert (done["answer"], done["was"], done["correct"]) == (answer, True, False)
    assert kg("run", "revise", "right", *address, "--why", "two founders").code == 0
    kg("run", "judge", RUN, "--corpus", world)
    assert value(graph, RIGHT, id=answer) is True


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("judge", "other"), "has no run 'other'"),
        (("judge", RUN, "--scale", "1-10"), "'1-10' is no scale"),
        (("judge", RUN, "--second", "--prefer"), "--second and --prefer"),
        (("revise", "answer-none", "right", "--why", "x"), "there is no answer 'answer-none'"),
        (("revise", "answer-none", "perhaps", "--why", "x"), "'perhaps' is no verdict"),
        (("revise", "answer-none", "right"), "--why TEXT"),
        (("revise", "right", "--why", "x"), "--run and --question"),
        (("revise", "answer-none", "right", "--why", "x", "--run", RUN), "--run and --question"),
        (("revise",), "there is no verdict"),
    ],
)
def test_mistakes_are_told_in_a_sentence(kg: Kg, world: str, arguments: tuple[str, ...], named: str) -> None:
    ended = kg("run", *arguments, "--corpus", world)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert named in ended.err


def test_a_model_is_not_let_judge_itself(kg: Kg, graph: Graph, world: str) -> None:
    write_world(graph, world, generator="scripted")
    ended = kg("run", "judge", RUN, "--corpus", world)
    assert ended.code == 2
    assert "'scripted' wrote the answers of run 'vector-10'" in ended.err
    assert kg("run", "judge", RUN, "--corpus", world, "--same-judge").code == 0


def test_a_rule_decides_where_it_is_named_and_asks_no_model(kg: Kg, world: str, endpoint: Endpoint) -> None:
    kg("run", "judge", RUN, "--corpus", world)
    sent = len(endpoint.requests)
    shown = kg("run", "judge", RUN, "--judge", "exact", "--corpus", world)
    assert shown.out == f"Right: 2 of 8 answers of run '{RUN}', by exact match\n"
    told = kg("run", "judge", RUN, "--judge", "match", "--corpus", world, "--json").json
    assert (told["right"], told["answers"], told["follows"]) == (3, 8, "answer match")
    wrong = kg("run", "judge", RUN, "--judge", "exact", "--second", "--corpus", world)
    assert wrong.code == 2
    assert "exact match is a rule and asks no model" in wrong.err
    assert len(endpoint.requests) == sent


def test_a_sheet_that_nobody_filled_in_is_said_to_be_one(kg: Kg, world: str, tmp_path: Path) -> None:
    sheet = tmp_path / "labels.jsonl"
    written = kg("run", "sample", RUN, "--answers", "3", "--out", str(sheet), "--corpus", world)
    assert written.code == 0
    refused = kg("run", "label", RUN, str(sheet), "--corpus", world)
    assert refused.code == 2
    assert "labels.jsonl has a label" in refused.err
