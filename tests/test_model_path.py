"""What a model answered once takes the whole way from articles to judged answers again, with no model.

Each manifest in tests/data/model_replies is replayed; it and the files it names are all that a new recording
changes.
"""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.model_results import Json, differences, results
from benchmarks.model_sheets import FIELDS, write_sheets
from kg.corpus import drop_corpus
from kg.store.graph import Graph
from services.answers import RULES
from tests.conftest import ServerAddress
from tests.model_path import (
    FACTOR,
    PAID,
    Manifest,
    Replay,
    environment,
    manifests,
    missing_text,
    open_replay,
    outdated_text,
)
from tests.recorded_replies import read_replies, shipped_recordings

MANIFESTS = manifests()
REPLAYED = [
    pytest.param(one, id=one.name, marks=[pytest.mark.campaign] if one.campaign else []) for one in MANIFESTS
]


@pytest.fixture(scope="module", params=REPLAYED)
def replay(
    request: pytest.FixtureRequest,
    graph: Graph,
    server_address: ServerAddress,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Replay]:
    manifest: Manifest = request.param
    folder = tmp_path_factory.mktemp(manifest.name)
    home = {"HOPGRADE_HOME": str(folder / "home")}
    with environment(server_address.environment() | home), open_replay(manifest, folder) as opened:
        opened.run()
        yield opened
    drop_corpus(graph, manifest.corpus)


@pytest.fixture(scope="module")
def found(replay: Replay, graph: Graph) -> Json:
    return results(graph, replay)


def test_every_recording_can_be_replayed() -> None:
    of_manifests = {path for manifest in MANIFESTS for path in manifest.replies}
    assert of_manifests
    assert of_manifests == set(shipped_recordings())


def test_every_request_was_recorded(replay: Replay) -> None:
    assert replay.requests > 0
    assert not replay.replies.missing, missing_text(replay.manifest, replay.replies)


def test_what_came_out_is_what_was_recorded(replay: Replay, found: Json) -> None:
    recorded = json.loads(replay.manifest.results.read_text(encoding="utf-8"))
    assert differences(recorded, json.loads(json.dumps(found))) == []
    empty = [name for name, count in found["counts"].items() if not count and name != "failed"]
    assert empty == []
    assert found["kept"]


def test_dry_runs_say_what_is_taken(replay: Replay) -> None:
    given = {tuple(command.split()[:2]) for command in replay.manifest.commands}
    assert {tuple(one.command.split()) for one in replay.spending} == given & set(PAID)
    beyond = [
        str(one) for one in replay.spending if not all(1 / FACTOR <= part <= FACTOR for part in one.factors)
    ]
    assert beyond == []


def test_what_was_to_be_answered_and_judged_was(replay: Replay, found: Json) -> None:
    commands = [command.split()[:2] for command in replay.manifest.commands]
    made = commands.count(["run", "start"]) + commands.count(["evaluate", "chat"])
    assert len(found["runs"]) == made
    judged = [run for run in found["runs"] if run["judge"] not in RULES.values()]
    assert len(judged) == commands.count(["run", "judge"])
    assert all(run["answers"] for run in found["runs"])


@pytest.mark.campaign
def test_the_same_commands_send_nothing_again(replay: Replay, found: Json, graph: Graph) -> None:
    before = replay.requests
    replay.run()
    assert replay.requests == before
    assert results(graph, replay) == found


def test_sheets_are_drawn_alike_and_tell_no_verdict(
    replay: Replay, found: Json, graph: Graph, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    drawn = write_sheets(graph, replay.manifest, first, seed=1)
    assert write_sheets(graph, replay.manifest, second, seed=1) == drawn
    assert drawn["questions"] == len(found["kept"])
    assert drawn["triples"] > 0
    assert drawn["links"] > 0
    for name, fields in FIELDS.items():
        text = (first / f"{name}.jsonl").read_text(encoding="utf-8")
        assert text == (second / f"{name}.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        assert [line["number"] for line in lines] == list(range(1, drawn[name] + 1))
        assert {line[field] for line in lines for field in fields} <= {""}
        assert not {"id", "judge", "run", "said", "cluster"} & {key for line in lines for key in line}
    key = json.loads((first / "key.json").read_text(encoding="utf-8"))
    assert {name: len(key[name]) for name in FIELDS} == drawn


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.name)
def test_a_change_of_a_prompt_says_which_recordings_it_outdates(manifest: Manifest) -> None:
    told = outdated_text(manifest)
    if told:
        warnings.warn(f"{told}; it still replays, but record it anew", stacklevel=1)
    assert read_replies(*manifest.replies).by_place


def test_what_is_missing_is_told_by_prompt() -> None:
    manifest = next(one for one in MANIFESTS if not one.campaign)
    replies = read_replies()
    assert missing_text(manifest, replies) == ""
    replies.missing = ["write-claims@9: Oda Wexler\nleads it", "write-claims@9: x", "judge-binary@1: y"]
    told = missing_text(manifest, replies)
    assert "write-claims@9: 2" in told
    assert "judge-binary@1: 1" in told
    assert f"record tests/data/model_replies/{manifest.path.name}" in told
