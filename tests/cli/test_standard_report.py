"""`kg standard report`: an archive's report in the terminal and in files, without a graph."""

import csv
from pathlib import Path

import pytest

from benchmarks.made_comparison import PlantedEffects, made_comparison
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import results_json
from services.comparison.archive import write_archive
from tests.kg_command import run_kg
from tests.services.comparison.analysis.planted_protocol import planted_protocol


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("standard") / "made.zip"
    write_archive(path, made_comparison(planted_protocol(), PlantedEffects(questions=80, clusters=20)))
    return path


def test_a_terminal_sees_decisions_and_limits(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run_kg(capsys, monkeypatch, "standard", "report", str(archive))
    assert ended.code == 0, ended.err
    assert "better: genetic has a higher accuracy than top-k" in ended.out
    assert "Limits" in ended.out
    assert "kg standard verify made.zip" in ended.out


def test_json_holds_every_figure(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run_kg(capsys, monkeypatch, "standard", "report", str(archive), "--json")
    wanted = results_json(
        analyse(made_comparison(planted_protocol(), PlantedEffects(questions=80, clusters=20)))
    )
    assert ended.json["hypotheses"][0]["by"][0]["p"] == wanted["hypotheses"][0]["by"][0]["p"]  # type: ignore[index]
    assert set(ended.json) == set(wanted)


def test_files_are_written_in_each_format(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"--html": tmp_path / "r.html", "--latex": tmp_path / "r.tex", "--markdown": tmp_path / "r.md"}
    options = [part for option, path in files.items() for part in (option, str(path))]
    ended = run_kg(capsys, monkeypatch, "standard", "report", str(archive), *options)
    assert ended.code == 0, ended.err
    starts = [path.read_text(encoding="utf-8").lstrip()[:20] for path in files.values()]
    assert starts[0].startswith("<!DOCTYPE html>")
    assert starts[1].startswith("% Tables of")
    assert starts[2].startswith("# made: a judged")


def test_peoples_labels_stand_beside_the_judges_and_for_their_calibration(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet, page = tmp_path / "sheet.csv", tmp_path / "r.md"
    drawn = ("--number", "160", "--seed", "2")
    run_kg(capsys, monkeypatch, "standard", "label", str(archive), "--sheet", str(sheet), *drawn)
    blank = run_kg(capsys, monkeypatch, "standard", "label", str(archive), "--labels", str(sheet), *drawn)
    assert (blank.out, blank.code) == ("", 0)
    assert "no answer is labelled yet" in blank.err
    ended = run_kg(capsys, monkeypatch, "standard", "report", str(archive), "--labels", str(sheet), *drawn)
    assert "no answer is labelled yet" in ended.err
    assert "beside people" not in ended.out
    with sheet.open(encoding="utf-8", newline="") as opened:
        rows = [row | {"right": ("yes", "no")[place % 2]} for place, row in enumerate(csv.DictReader(opened))]
    with sheet.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    options = ("report", str(archive), "--labels", str(sheet), *drawn, "--markdown", str(page), "--json")
    told = run_kg(capsys, monkeypatch, "standard", *options).json
    people, calibration = told["people"], told["calibration"]
    assert calibration["judge"]["sensitivity"] == people[0]["sensitivity"]
    assert people[0]["system"] == "all"
    # Half of the labels are yes whatever the answer: kappa is about 0, by clusters.
    assert people[0]["kappa_interval"]["low"] < 0 < people[0]["kappa_interval"]["high"]
    assert "## The judges beside people" in page.read_text("utf-8")
    label = ("label", str(archive), "--labels", str(sheet), *drawn)
    assert "Judges held against people's labels" in run_kg(capsys, monkeypatch, "standard", *label).out


def test_a_file_that_is_no_archive_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no.zip").write_text("no", encoding="utf-8")
    ended = run_kg(capsys, monkeypatch, "standard", "report", str(tmp_path / "no.zip"))
    assert ended.code == 2
    assert "can't be read as an archive" in ended.err


def test_a_place_that_cannot_be_written_is_told_before_the_work(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run_kg(
        capsys,
        monkeypatch,
        "standard",
        "report",
        str(archive),
        "--html",
        str(tmp_path / "missing" / "r.html"),
    )
    assert ended.code == 2
    assert "no file can be written" in ended.err


def test_no_file_is_written_over_another(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = archive.read_bytes()
    for options in (("--html", str(archive)), ("--html", "a.out", "--markdown", "a.out")):
        ended = run_kg(capsys, monkeypatch, "standard", "report", str(archive), *options)
        assert ended.code == 2
        assert "Give another file" in ended.err
    assert archive.read_bytes() == before
    assert not (tmp_path / "a.out").exists()


def test_a_link_is_followed(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target, link = tmp_path / "target.md", tmp_path / "link.md"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    ended = run_kg(capsys, monkeypatch, "standard", "report", str(archive), "--markdown", str(link))
    assert ended.code == 0, ended.err
    assert link.is_symlink()
    assert target.read_text("utf-8").startswith("# ")
