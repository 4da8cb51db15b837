"""`kg run report` and `kg run matrix`: what runs show, as tables, as a page, as JSON."""

from typing import Annotated

import typer

from cli.console import print_json, remark
from cli.matrix import matrix
from cli.options import MAX_SEED, AsJson, Corpus, HtmlFile, Runs
from cli.report_tables import print_report
from cli.session import existing_corpus, open_session
from cli.whole_file import check_place, write_whole
from services.report.as_json import report_json
from services.report.html import render_html
from services.report.make import make_report


def report(
    runs: Runs = None,
    corpus: Corpus = None,
    html: HtmlFile = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of bootstrap and sign-flips.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Report on runs: where they fail, why, and whether they differ; its numbers go into the graph too."""
    if html is not None:
        check_place(html, "--html")
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        made = make_report(session.graph, name, runs or [], session.progress, seed)
    if html is not None:
        write_whole(html, render_html(made), "--html")
        remark(f"Page written: {html}")
    if as_json:
        print_json(report_json(made))
    elif html is None:
        print_report(made)


def register(app: typer.Typer) -> None:
    """Add these commands to the group."""
    app.command(epilog="Example: kg run report single-step decomposition --html report.html")(report)
    app.command(epilog="Example: kg run matrix single-step --corpus ormelund")(matrix)
