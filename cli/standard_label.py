"""`kg standard label`: people label answers of a judged comparison blind, and the judges are held to that."""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli.console import check_place, out, print_json, remark, say, table, write_whole
from cli.options import SHEET, AsJson, FilledSheet, SheetNumber, SheetSeed
from cli.standard_report import print_table
from kg.errors import SettingsError
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import HypothesisResult
from services.comparison.archive import read_archive
from services.comparison.judging.labels import (
    draw_sheet,
    errors_by_people,
    label_figures,
    read_labels,
    sheet_text,
)
from services.comparison.report.tables_protocol import labels_table
from services.report.html_values import points, points_range

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: kg standard label first/first.zip --sheet answers.csv")
def label(
    archive: Annotated[
        Path,
        typer.Argument(metavar="NAME.zip", help="Archive that kg standard run wrote.", show_default=False),
    ],
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write a sheet (CSV) here: yes or no goes under right.", show_default=False),
    ] = None,
    labels: FilledSheet = None,
    number: SheetNumber = SHEET,
    seed: SheetSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Draw answers for people to label blind; with their labels, tell how far each judge errs.

    The sheet shows question, key and answer, and neither system nor verdict. The labels give each judge's
    sensitivity and specificity on answers of the systems themselves, by system too, and the differences of
    accuracy after allowing for these errors. --number and --seed must be those of the sheet.
    """
    if (sheet is None) == (labels is None):
        raise SettingsError(
            "a sheet is either written or read.", "Give one of --sheet FILE and --labels FILE."
        )
    if sheet is not None:
        check_place(sheet, "--sheet")
    comparison = read_archive(archive)
    if sheet is not None:
        rows = draw_sheet(comparison, number, seed)
        write_whole(sheet, sheet_text(rows), "--sheet")
        if as_json:
            print_json({"sheet": str(sheet), "answers": len(rows)})
            return
        say(f"{len(rows):,} answers written to {sheet}: write yes or no under right, and nothing else.")
        say("Abstentions are left out, and what several systems answered alike stands there once.")
        say(
            f"Then: kg standard label {quote(str(archive))} --labels {quote(str(sheet))} --number {number} "
            f"--seed {seed}"
        )
        return
    figures = label_figures(comparison, read_labels(labels or Path()), number, seed)
    results = analyse(comparison, errors_by_people(comparison, figures))
    judged = [one for one in results.hypotheses if one.measure == "accuracy"]
    if as_json:
        print_json(
            {"judges": [asdict(one) for one in figures], "hypotheses": [asdict(one) for one in judged]}
        )
        return
    if not figures:
        remark("note: no answer is labelled yet; write yes or no under right.")
        return
    print_table(labels_table(figures))
    if judged:
        columns = ("", "hypothesis", "points", "allowing for the judge's errors")
        out.print(table("Differences of accuracy", columns, [_difference(one) for one in judged]))


def _difference(one: HypothesisResult) -> list[str]:
    first = one.by[0]
    interval = first.adjusted.interval
    span = "" if interval is None else f" ({points_range(interval)})"
    estimate = first.adjusted.estimate
    told = first.adjusted.why or "-" if estimate is None else f"{points(estimate)}{span}"
    return [one.id, one.claim, "-" if first.estimate is None else points(first.estimate), told]
