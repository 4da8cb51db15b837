"""`kg standard report`: what a judged comparison shows, in the terminal and in files.

`kg standard list`: the judged comparisons of a corpus, and what came of them.

`kg standard verify`: every figure of an archive computed anew.

`kg standard label`: people label answers of a judged comparison blind, and the judges are held to that.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from cli import options
from cli.console import ConsoleProgress, check_place, out, print_json, remark, say, table, write_whole
from cli.options import (
    SHEET,
    AsJson,
    FilledSheet,
    HtmlFile,
    LatexFile,
    MarkdownFile,
    SheetNumber,
    SheetSeed,
)
from cli.session import existing_corpus, open_session
from kg import __version__
from kg.errors import SettingsError
from kg.queries import query
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import HypothesisResult, Results, results_json
from services.comparison.archive import read_archive
from services.comparison.judging.labels import (
    draw_sheet,
    errors_by_people,
    label_figures,
    read_labels,
    sheet_text,
)
from services.comparison.report.renderers import (
    Labelled,
    render_html,
    render_latex,
    render_markdown,
    text_sections,
)
from services.comparison.report.tables_protocol import labels_table
from services.comparison.verify import Check, Verified, verify_archive
from services.report.html_values import TableView, plural, points, points_range
from services.report.written import header_texts, note_texts, row_texts
from services.web.views.standards import StandardSummary, summary_of_row

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("comparison", "systems", "questions", "decided", "survive both", "locked")


@app.command("list", epilog="Example: kg standard list --corpus ormelund")
def list_(corpus: options.Corpus = None, as_json: options.AsJson = False) -> None:
    """List the comparisons that were locked on a corpus, with how their hypotheses were decided.

    One that was begun and not locked yet is known to its folder alone.
    """
    with open_session() as session:
        found = existing_corpus(session.graph, corpus)
        rows = session.graph.rows(query("comparisons/page_standards"), corpus=found, name="")
    listed = [summary_of_row(row) for row in rows]
    if as_json:
        print_json([asdict(one) for one in listed])
    elif listed:
        out.print(table(f"Judged comparisons on {found}", COLUMNS, [_row(one) for one in listed]))
    else:
        say(f"No comparison is locked on corpus {found!r} yet.")
        say(f"Begin one: kg standard init FOLDER --corpus {quote(found)}")


def _row(one: StandardSummary) -> tuple[object, ...]:
    return (
        one.name,
        ", ".join(one.systems),
        "" if one.questions is None else f"{one.questions:,} in {plural(one.clusters or 0, 'cluster')}",
        _describe_decisions(one),
        "" if one.survived is None else one.survived,
        one.locked_at[:16].replace("T", " "),
    )


def _describe_decisions(one: StandardSummary) -> str:
    if one.state != "analysed":
        return "not run yet" if one.state == "locked" else "written by another version"
    decided = ", ".join(f"{count} {decision}" for decision, count in one.decisions.items())
    early = one.look is not None and one.looks is not None and one.look < one.looks
    return f"{decided}; look {one.look} of {one.looks}" if early else decided


@app.command(epilog="Example: kg standard verify first/first.zip")
def verify(
    archive: Annotated[
        Path,
        typer.Argument(metavar="NAME.zip", help="Archive that kg standard run wrote.", show_default=False),
    ],
    as_json: AsJson = False,
) -> None:
    """Compute every figure of an archive anew, without a graph; say equal, or where not.

    Judges by rules judge again from the texts; what a model said is taken as it is in the archive. Exit code
    1 where something differs.
    """
    with ConsoleProgress() as progress:
        progress.begin(f"verify {archive.name}")
        found = verify_archive(archive, progress.step)
        progress.end("equal" if found.equal else "not equal")
    if as_json:
        print_json({**asdict(found), "equal": found.equal})
    else:
        _print_verified(found)
    if not found.equal:
        raise typer.Exit(1)


def _print_verified(found: Verified) -> None:
    say(f"Comparison {found.standard!r}, protocol {found.protocol}", "bold")
    columns = ("computed anew", "over", "")
    out.print(
        table(
            f"{found.archive}, by hopgrade {found.written_by}", columns, [_line(one) for one in found.checks]
        )
    )
    if found.equal:
        say("Verify: equal")
        return
    say("Verify: NOT EQUAL")
    for check in found.checks:
        for one in check.differences:
            remark(f"differs: {one}")
        if check.more:
            remark(f"and {check.more:,} more in {check.name}")
    if found.written_by != __version__:
        remark(
            f"It was written by hopgrade {found.written_by}, and this is {__version__}, which may compute or "
            "lay out some of it otherwise: verify with the version that wrote it."
        )


def _line(check: Check) -> list[object]:
    differing = len(check.differences) + check.more
    return [check.name, check.examined, "equal" if check.equal else f"{differing:,} differ"]


_WRITERS: Mapping[str, Callable[[Results, Labelled], str]] = {
    "--html": render_html,
    "--latex": render_latex,
    "--markdown": render_markdown,
}


@app.command(epilog="Example: kg standard report first.zip --html first.html")
def report(
    archive: Annotated[
        Path,
        typer.Argument(metavar="NAME.zip", help="The archive of a judged comparison.", show_default=False),
    ],
    html: HtmlFile = None,
    latex: LatexFile = None,
    markdown: MarkdownFile = None,
    labels: FilledSheet = None,
    number: SheetNumber = SHEET,
    seed: SheetSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Show the report of an archive; also as a page, JSON, LaTeX or Markdown.

    Every figure is computed anew from the rows of the archive; kg standard verify tells whether they are
    those that were written with it. With --labels people's labels stand beside the judges, and for their
    calibration; --number and --seed must be those of the sheet.
    """
    given = {"--html": html, "--latex": latex, "--markdown": markdown}
    files = {option: path for option, path in given.items() if path is not None}
    for option, path in files.items():
        check_place(path, option)
    _check_different(archive, files)
    with ConsoleProgress() as progress:
        progress.begin("analysis")
        comparison = read_archive(archive)
        labelled = label_figures(comparison, read_labels(labels), number, seed) if labels else ()
        results = analyse(comparison, errors_by_people(comparison, labelled))
        progress.end(f"hypotheses {len(results.hypotheses)}, systems {len(results.systems)}")
    if labels and not labelled:
        remark("note: no answer is labelled yet; write yes or no under right.")
    for option, path in files.items():
        write_whole(path, _WRITERS[option](results, labelled), option)
        remark(f"Written: {path}")
    if as_json:
        people = {"people": [asdict(one) for one in labelled]} if labels else {}
        print_json(results_json(results) | people)
    elif not files:
        print_results(results, labelled)


def _check_different(archive: Path, files: Mapping[str, Path]) -> None:
    """Make sure that no file would be written over another, or over the archive.

    Raises:
        SettingsError: one would.
    """
    taken = {archive.resolve(): "the archive"}
    for option, path in files.items():
        if other := taken.get(path.resolve()) if path.is_file() or not path.exists() else None:
            raise SettingsError(f"{option} {path} is {other} too.", f"Give another file: {option} FILE")
        taken[path.resolve()] = f"the file of {option}"


def print_results(results: Results, labelled: Labelled = ()) -> None:
    """The sections that fit a terminal, each with its sentences and tables."""
    for section in text_sections(results, labelled):
        say(f"\n{section.heading}", "bold")
        for sentence in section.sentences:
            say(sentence)
        for point in section.points:
            say(f"- {point}")
        for command in section.commands:
            say(f"  {command}")
        for view in section.tables:
            print_table(view)


def print_table(view: TableView) -> None:
    """A table of a report with what stands below it."""
    out.print()
    out.print(table(str(view.caption), header_texts(view), [row_texts(row) for row in view.rows]))
    for note in note_texts(view):
        say(note, "dim")


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
    text = first.adjusted.why or "-" if estimate is None else f"{points(estimate)}{span}"
    return [one.id, one.claim, "-" if first.estimate is None else points(first.estimate), text]
