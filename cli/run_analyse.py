"""`kg run analyse`: runs hop by hop, as tables, as a page, as JSON."""

import typer

from cli.analysis_tables import print_analyses, print_places
from cli.console import print_json, remark
from cli.options import AsJson, Corpus, HtmlFile, Runs
from cli.session import existing_corpus, open_session
from cli.whole_file import check_place, write_whole
from services.evaluate.attribution.failures import Failure
from services.evaluate.run_analysis import RunAnalysis, analyse_failures
from services.report.analysis_page import render_analysis
from services.report.as_json import plain
from services.report.collect import choose_runs


def analyse(
    runs: Runs = None,
    corpus: Corpus = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> None:
    """Analyse runs hop by hop: accuracy, depth, searches, and to what failures are due; writes nothing.

    How deep a run gets is known where its prefix questions were asked: kg run start SYSTEM --prefixes. With
    --json every failure is listed, with its cause and why.
    """
    if html is not None:
        check_place(html, "--html")
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        chosen = choose_runs(session.graph, name, runs or [])
        session.progress.begin("traces", len(chosen))
        found: list[RunAnalysis] = []
        failures: list[Failure] = []
        for run in chosen:
            analysis, failed = analyse_failures(session.graph, name, run)
            found.append(analysis)
            failures += failed
            session.progress.advance()
        session.progress.end(f"answers {sum(one.hops.answers for one in found):,}")
    if html is not None:
        write_whole(html, render_analysis(name, found), "--html")
        remark(f"Page written: {html}")
    if as_json:
        print_json({"corpus": name, "runs": plain(found), "failures": plain(failures)})
    elif html is None:
        print_analyses(found)
        print_places(name, failures)


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command(epilog="Example: kg run analyse single-step decomposition --html hops.html")(analyse)
