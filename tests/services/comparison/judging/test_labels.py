"""People's labels: a blind sheet, and what its labels say of the judges, by hand."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from kg.errors import InputError
from services.comparison.analysis.analyse import analyse
from services.comparison.judging.labels import (
    draw_sheet,
    errors_by_people,
    label_figures,
    read_labels,
    sheet_text,
)
from tests.examples import examples
from tests.services.comparison.made_comparison import made_comparison

NUMBER = 24


def test_a_sheet_is_blind_and_the_same_again() -> None:
    comparison = made_comparison()
    rows = draw_sheet(comparison, NUMBER, 1)
    # Every fourth answer of both systems is the same wrong one, and is labelled once.
    assert len(rows) == 24 - 3
    text = sheet_text(rows)
    assert not any(word in text for word in ("good", "poor", "exact", "overlap"))
    assert text == sheet_text(draw_sheet(comparison, NUMBER, 1))
    assert [one.id for one in draw_sheet(comparison, NUMBER, 2)] != [one.id for one in rows]
    assert len(draw_sheet(comparison, 6, 1)) <= 6


def test_formulas_are_no_formulas_in_the_sheet() -> None:
    (row, *_) = draw_sheet(made_comparison(), NUMBER, 0)
    assert '"\'=1+1, or so"' in sheet_text([replace(row, answer="=1+1, or so")])


def test_labels_tell_how_far_a_judge_errs(tmp_path: Path) -> None:
    comparison = made_comparison()
    rows = {one.id: one for one in draw_sheet(comparison, NUMBER, 1)}
    right = sorted(name for name, one in rows.items() if one.answer == one.key)
    wrong = sorted(rows.keys() - right)
    assert (len(right), len(wrong)) == (9, 12)
    # People find one of the nine wrong, two of the answers that the rules call wrong right, and skip one.
    poor = [name for name in wrong if not _shared(rows[name].question)]
    said = dict.fromkeys(right, "yes") | dict.fromkeys(wrong, "No") | {right[0]: "no"}
    said |= {poor[0]: "yes", poor[1]: "YES", poor[2]: ""}
    path = tmp_path / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as opened:
        written = csv.writer(opened)
        written.writerows([("id", "right"), *said.items()])
    figures = label_figures(comparison, read_labels(path), NUMBER, 1)
    found = {(one.judge, one.system): one for one in figures}
    whole = found["exact", "all"]
    # Of 24 answers 23 are labelled: ten right, eight of them by the judge too; of thirteen others one is.
    assert whole.n == 23
    assert whole.sensitivity is not None
    assert whole.specificity is not None
    assert whole.bias is not None
    assert (whole.sensitivity.value, whole.specificity.value) == (8 / 10, 12 / 13)
    assert whole.bias.value == pytest.approx((1 - 2) / 23)
    # 20 of 23 agree; by chance (9 * 10 + 14 * 13) / 23².
    chance = (9 * 10 + 14 * 13) / 23**2
    assert whole.kappa == pytest.approx((20 / 23 - chance) / (1 - chance))
    assert whole.kappa_interval is None  # too few clusters to draw from
    # The judge errs one way for "good", the other way for "poor".
    good, bad = found["exact", "good"].bias, found["exact", "poor"].bias
    assert good is not None
    assert bad is not None
    assert good.value == pytest.approx(1 / 12)
    assert bad.value == pytest.approx(-2 / 11)
    errors = errors_by_people(comparison, figures)
    assert errors["judge"] == (whole.sensitivity, whole.specificity)
    told = analyse(comparison, errors).calibration["judge"]
    assert (told.sensitivity, told.specificity) == errors["judge"]


def _shared(question: str) -> bool:
    """Whether both systems gave the same answer: on every fourth town."""
    return any(town in question for town in ("Aldmoor", "Eskdale", "Inglewood"))


@examples("text, told")
def test_a_sheet_that_cannot_be_read_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        label_figures(made_comparison(), read_labels(path), NUMBER, 1)
