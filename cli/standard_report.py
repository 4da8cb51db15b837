"""`kg standard report`: what a judged comparison shows, in the terminal and in files."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from cli.console import ConsoleProgress, check_place, out, print_json, remark, say, table, write_whole
from cli.options import AsJson, HtmlFile
from kg.errors import SettingsError
from services.report.html_values import TableView
from services.standard.analysis.analyse import analyse
from services.standard.analysis.content import Results, results_json
from services.standard.archive import read_archive
from services.standard.report.html import render_html
from services.standard.report.latex import render_latex
from services.standard.report.markdown import render_markdown
from services.standard.report.text import text_sections
from services.standard.report.written import header_texts, note_texts, row_texts

app = typer.Typer(rich_markup_mode=None)

_WRITERS: Mapping[str, Callable[[Results], str]] = {
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
    latex: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the tables for a paper, with booktabs.", show_default=False),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the whole report as Markdown.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the report of an archive; also as a page, JSON, LaTeX or Markdown.

    Every figure is computed anew from the rows of the archive; kg standard verify tells whether they are
    those that were written with it.
    """
    given = {"--html": html, "--latex": latex, "--markdown": markdown}
    files = {option: path for option, path in given.items() if path is not None}
    for option, path in files.items():
        check_place(path, option)
    _check_different(archive, files)
    with ConsoleProgress() as progress:
        progress.begin("analysis")
        results = analyse(read_archive(archive))
        progress.end(f"hypotheses {len(results.hypotheses)}, systems {len(results.systems)}")
    for option, path in files.items():
        write_whole(path, _WRITERS[option](results), option)
        remark(f"Written: {path}")
    if as_json:
        print_json(results_json(results))
    elif not files:
        print_results(results)


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


def print_results(results: Results) -> None:
    """The sections that fit a terminal, each with its sentences and tables."""
    for section in text_sections(results):
        say(f"\n{section.heading}", "bold")
        for sentence in section.sentences:
            say(sentence)
        for point in section.points:
            say(f"- {point}")
        for command in section.commands:
            say(f"  {command}")
        for view in section.tables:
            _print_table(view)


def _print_table(view: TableView) -> None:
    out.print()
    out.print(table(str(view.caption), header_texts(view), [row_texts(row) for row in view.rows]))
    for note in note_texts(view):
        say(note, "dim")
