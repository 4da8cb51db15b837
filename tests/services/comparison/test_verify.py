"""Verifying says equal of what was computed, and names the place of whatever was changed afterwards."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from services.comparison.analysis.content import read_results
from services.comparison.archive import Comparison, read_archive, write_archive
from services.comparison.judged import render_outcome, rendered_reports
from services.comparison.protocol import Judge
from services.comparison.rejudging import differing_judgements
from services.comparison.verify import MOST_DIFFERENCES, Verified, verify_archive
from tests.examples import examples
from tests.services.comparison.made_comparison import made_comparison, made_protocol, made_run


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the small comparison, as it was written."""
    path = tmp_path_factory.mktemp("verify") / "small.zip"
    write_archive(path, made_comparison(), render_outcome)
    return path


def _changed(archive: Path, path: Path, change: Callable[[dict[str, bytes]], None]) -> Verified:
    """What verifying says of a copy with changed files, whose manifest was made to fit them."""
    with ZipFile(archive) as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()}
    change(files)
    manifest = json.loads(files.pop("manifest.json"))
    for name, data in files.items():
        rows = data.count(b"\n") if name.endswith(".jsonl") else None
        manifest["files"][name] = {
            "sha256": hashlib.sha256(data).hexdigest(),
            "size": len(data),
            "rows": rows,
        }
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for name, data in {**files, "manifest.json": json.dumps(manifest).encode()}.items():
            bundle.writestr(name, data)
    return verify_archive(path)


def _rewritten(comparison: Comparison, path: Path) -> Verified:
    write_archive(path, comparison, render_outcome)
    return verify_archive(path)


def _differing(found: Verified) -> dict[str, list[str]]:
    return {check.name: [str(one) for one in check.differences] for check in found.checks if not check.equal}


@pytest.mark.parametrize("look", [1, 2])
def test_what_was_computed_is_equal(tmp_path: Path, look: int) -> None:
    found = _rewritten(made_comparison(look), tmp_path / "small.zip")
    assert _differing(found) == {}
    assert found.equal
    assert [check.name for check in found.checks] == [
        "files",
        "protocol",
        "rows",
        "rules",
        "judge",
        "calibration of judge",
        "second judge",
        "calibration of second judge",
        "results",
        "tables",
    ]


def test_a_changed_file_is_named_where_the_manifest_was_not_made_to_fit(
    archive: Path, tmp_path: Path
) -> None:
    path = tmp_path / "changed.zip"
    with ZipFile(archive) as old, ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"supported", b"SUPPORTED") if name == "report.md" else data)
        new.writestr("extra.txt", "x")
    found = _differing(verify_archive(path))
    assert found["files"][0] == "extra.txt: archived a file that the manifest doesn't name, computed nothing"
    assert found["files"][1].startswith("report.md: archived ")
    assert "report.md: line" in found["tables"][0]


def test_a_changed_figure_is_named_with_both_values(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        results = json.loads(files["results.json"])
        results["hypotheses"][0]["by"][0]["estimate"] += 0.01
        files["results.json"] = json.dumps(results).encode()

    found = _differing(_changed(archive, tmp_path / "changed.zip", change))
    (estimate,) = found["results"]
    assert estimate.startswith("results.json: hypotheses.1.by.1.estimate: archived 0.76, computed 0.75")
    # The tables still show what was computed.
    assert found.keys() == {"results"}


def _forged(files: dict[str, bytes]) -> None:
    """Put a false decision and a false mean into the results and into the reports that are made of them, and
    their true values under names that read like their places."""
    results = json.loads(files["results.json"])
    hypothesis, measure = results["hypotheses"][0], results["measures"][0]
    results["hypotheses.1.decision"] = hypothesis["decision"]
    results["hypotheses.1.by.1.decision"] = hypothesis["by"][0]["decision"]
    results["measures.1.mean"] = measure["mean"]
    hypothesis["decision"] = hypothesis["by"][0]["decision"] = "contradicted"
    measure["mean"] /= 2
    known = {name: value for name, value in results.items() if "." not in name}
    rendered = rendered_reports(read_results(json.dumps(known)))
    assert "contradicted" in rendered["report.md"]
    files.update({name: text.encode() for name, text in rendered.items()})
    files["results.json"] = json.dumps(results).encode()


def test_a_false_decision_with_the_true_one_beside_it_is_found(archive: Path, tmp_path: Path) -> None:
    found = _changed(archive, tmp_path / "changed.zip", _forged)
    assert not found.equal
    differing = _differing(found)
    assert differing.keys() == {"results", "tables"}
    decision = found.checks[-2].differences
    assert 'results.json: hypotheses.1.decision: archived "contradicted", computed' in "\n".join(
        map(str, decision)
    )
    assert any(
        one.place == 'results.json: "hypotheses.1.decision"' and one.computed == "nothing" for one in decision
    )
    assert any("contradicted" in one for one in differing["tables"])


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"hypotheses"', b'"extra": null,\n "hypotheses"'), (b'"decision"', b'"decision": "x", "decision"')],
    ids=("a name that it doesn't know", "two values of one name"),
)
def test_results_with_more_in_them_than_was_computed_are_not_equal(
    archive: Path, tmp_path: Path, old: bytes, new: bytes
) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["results.json"] = files["results.json"].replace(old, new, 1)

    assert _differing(_changed(archive, tmp_path / "changed.zip", change)).keys() == {"results"}


def test_a_changed_verdict_is_found_by_judging_again(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        name = "judgements/judge/02.jsonl"
        files[name] = files[name].replace(b'"score":0.0', b'"score":1.0', 1)

    found = _differing(_changed(archive, tmp_path / "changed.zip", change))
    (verdict,) = found["judge"]
    assert "judge on poor, question-" in verdict
    assert verdict.endswith(": score: archived 1.0, computed 0.0")
    assert "results" in found


def test_a_changed_answer_is_found(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        name = "answers/02.jsonl"
        files[name] = files[name].replace(b'"text":"Flo Gant"', b'"text":"Ana Brel Ana Brel"', 1)

    found = _differing(_changed(archive, tmp_path / "changed.zip", change))
    assert any("answer_tokens: archived" in one for one in found["rows"])
    assert {"judge", "second judge"} <= found.keys()


def test_a_changed_protocol_is_not_the_locked_one(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["protocol.json"] = files["protocol.json"].replace(b'"smallest": 0.1', b'"smallest": 0.05')

    found = _differing(_changed(archive, tmp_path / "changed.zip", change))
    assert found["protocol"][0].startswith("lock.json: hash: archived ")


def test_changed_pools_are_not_those_of_the_protocol(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["pool.jsonl"] = files["pool.jsonl"].replace(b"chunk-00b", b"chunk-07b", 1)

    found = _differing(_changed(archive, tmp_path / "changed.zip", change))
    assert found["protocol"][0].startswith("protocol.json: pool.hash: ")
    assert "good: pool" in found["rules"][0]


def test_a_missing_row_is_told_and_stops_nothing(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        for name in ("answers/01.jsonl", "questions.jsonl"):
            files[name] = b"".join(files[name].splitlines(keepends=True)[:-1])

    found = _changed(archive, tmp_path / "changed.zip", change)
    assert not found.equal
    assert len(found.checks) == 10
    assert "look.json: planned: archived 12, computed 11" in _differing(found)["protocol"]


def _without_first(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[1:])


def _doubled(data: bytes) -> bytes:
    return data + data.splitlines(keepends=True)[0]


def _replacing(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(old, new, 1)


@pytest.mark.parametrize(
    "changes",
    [
        [
            ("chunks.jsonl", _doubled, "rows", "chunks.jsonl: chunk-00a: archived 2 rows, computed one"),
            ("calibration/judge.jsonl", _doubled, "calibration of judge", "the others being doubles"),
            (
                "answers/01.jsonl",
                _replacing(b'"system":"good"', b'"system":"poor"'),
                "rows",
                "answers of good: row 1: archived poor on",
            ),
            (
                "runs.jsonl",
                _replacing(b'"ours":true', b'"ours":false'),
                "rules",
                "runs.jsonl: row 1: archived good by the run small/good, brought along",
            ),
            ("report.html", lambda data: b"\xff" + data, "tables", "is no text in UTF-8"),
        ],
        [
            ("runs.jsonl", _replacing(b"12:05:00Z", b"12:05:00"), "rules", "can't be computed with"),
            (
                "questions.jsonl",
                _replacing(b'"chunk":"chunk-00a"', b'"chunk":"c"'),
                "rows",
                "chunks.jsonl: c: archived nothing, computed gold evidence of question-00",
            ),
            ("results.json", lambda _: b"[" * 100_000 + b"]" * 100_000, "results", "can't be computed with"),
        ],
        [
            ("runs.jsonl", _without_first, "rules", "runs.jsonl: row 1: archived poor by"),
            ("questions.jsonl", _doubled, "rows", "questions.jsonl: question-00: archived 2 rows"),
            ("results.json", _replacing(b"0.75", b"NaN"), "results", "can't be computed with"),
        ],
    ],
)
def test_rows_that_do_not_fit_are_told_with_their_place(
    archive: Path, tmp_path: Path, changes: list[tuple[str, Callable[[bytes], bytes], str, str]]
) -> None:
    def put(files: dict[str, bytes]) -> None:
        for name, change, _, _ in changes:
            assert change(files[name]) != files[name]
            files[name] = change(files[name])

    found = _differing(_changed(archive, tmp_path / "changed.zip", put))
    for _, _, check, told in changes:
        assert any(told in one for one in found[check]), found[check]


def test_why_nothing_was_computed_is_told_once(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["pool.jsonl"] = files["pool.jsonl"].replace(b"}\n", b"]\n", 1)

    found = _differing(_changed(archive, tmp_path / "changed.zip", change))
    (told,) = found["protocol"]
    assert told.startswith("protocol: not computed: line 1 of pool.jsonl in changed.zip is no Candidates: ")
    assert "archived" not in told
    assert found["rules"] == ["rules: not computed, for the same reason as protocol"]


def test_a_missing_file_is_told_once(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.zip"
    with ZipFile(archive) as old, ZipFile(path, "w") as new:
        for name in old.namelist():
            if name != "report.md":
                new.writestr(name, old.read(name))
    found = _differing(verify_archive(path))
    assert found == {
        "files": ["files: not computed: changed.zip holds no report.md"],
        "tables": ["tables: not computed, for the same reason as files"],
    }


def test_a_manifest_that_counts_wrong_is_told(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.zip"
    with ZipFile(archive) as old, ZipFile(path, "w") as new:
        for name in old.namelist():
            manifest = json.loads(old.read("manifest.json"))
            manifest["files"]["answers/01.jsonl"]["rows"] = 7
            new.writestr(name, json.dumps(manifest) if name == "manifest.json" else old.read(name))
    (told,) = _differing(verify_archive(path))["files"]
    assert told.startswith("answers/01.jsonl: ")
    assert "7 rows, computed" in told
    assert told.endswith("12 rows")


def test_many_differences_are_counted_and_few_are_listed(archive: Path, tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        name = "judgements/judge/01.jsonl"
        files[name] = files[name].replace(b'"judge":"exact"', b'"judge":"someone"').replace(b"gold", b"old")

    found = _changed(archive, tmp_path / "changed.zip", change)
    (check,) = [check for check in found.checks if check.name == "judge"]
    assert len(check.differences) == MOST_DIFFERENCES
    assert check.more > 0


def test_a_run_from_before_the_lock_is_told_from_the_archive_too(tmp_path: Path) -> None:
    comparison = made_comparison()
    early = made_run("poor", started_at="2026-10-31T12:00:00Z")
    found = _rewritten(replace(comparison, runs=(comparison.runs[0], early)), tmp_path / "small.zip")
    (told,) = _differing(found)["rules"]
    assert told.startswith("poor: after the lock: archived run 'small/poor' was begun at 2026-10-31")


def test_of_a_model_the_measures_are_computed_again_and_the_verdict_is_taken(tmp_path: Path) -> None:
    """The judgements of the rules stand in for a model's, who is not there to be asked."""
    plain = made_comparison()
    model = Judge(kind="model", name="overlap")
    protocol = made_protocol().model_copy(update={"second_judge": model})
    made = made_comparison(protocol=protocol)
    assert _differing(_rewritten(made, tmp_path / "small.zip")) == {}
    judged = dict(plain.judgements["second_judge"])
    first, *others = judged["good"]
    wrong = replace(first, score=0.5, cluster_recall=0.25)
    changed = replace(
        made,
        judgements={**made.judgements, "second_judge": {**judged, "good": (wrong, *others)}},
    )
    (told,) = _differing(_rewritten(changed, tmp_path / "changed.zip"))["second judge"]
    assert told.endswith("cluster_recall: archived 0.25, computed 1.0")


@examples("changes, told")
def test_what_a_model_can_not_have_said_is_told(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    """The judgements of the rules stand in for a model's, who is not there to be asked."""
    model = Judge(kind="model", name="overlap")
    made = made_comparison(protocol=made_protocol().model_copy(update={"second_judge": model}))
    judged = dict(made.judgements["second_judge"])
    first, *others = judged["good"]
    changed = replace(first, **changes)  # type: ignore[arg-type]
    second = {**judged, "good": (changed, *others)}
    path = tmp_path / "changed.zip"
    write_archive(path, replace(made, judgements={**made.judgements, "second_judge": second}))
    comparison = read_archive(path)
    found = [str(one) for one in differing_judgements(comparison, "second_judge")]
    assert any(told in one for one in found), found
