"""A report on runs as Markdown and LaTeX."""

from collections import Counter
from dataclasses import fields, replace

import pytest

from services.evaluate.diagnose import attribution_figures
from services.evaluate.hop_aware import hop_aware
from services.evaluate.hop_traces import depth_of
from services.evaluate.run_analysis import RunAnalysis, SoughtAnswer, goal_rows
from services.rag.agents.goal_seeking.primitives import Ending
from services.report.comparisons import repeated_runs
from services.report.content import Ceilings, Report, RunSection
from services.report.html import render_html
from services.report.soundness import answer_grounds, answer_silences, cost_points
from services.report.written import (
    escape_latex,
    escape_markdown,
    render_report_latex,
    render_report_markdown,
)
from tests.services.report.pages import read_page
from tests.services.report.reports import HOSTILE, make_rate, make_report
from tests.services.report.test_hops_at_a_glance import FAILED, diagnosis, track
from tests.services.report.test_soundness import given

ANSWERS = [
    given(
        f"q{number}", number % 3 > 0, (True, number % 2 > 0), kind="null" if number < 4 else "chain",
        cited=(number % 2 > 0, True), cluster=f"c{number % 5}", confidence=number / 30, tokens=number,
    )
    for number in range(30)
]  # fmt: skip


def fill(run: RunSection) -> RunSection:
    """The run with what `make_run` leaves out."""
    rate = make_rate("accuracy", 20, 30)
    deep = depth_of(3, False, {1: True, 2: False})
    searched = [replace(track(number, (5, 10)), depth=deep) for number in range(5)]
    failed = [
        replace(diagnosis(number, *place), hops_found=(True, False), prefixes={1: True, 2: False})
        for number, place in enumerate(FAILED)
    ]
    sought = [SoughtAnswer("inference", True, "c", Ending("achieved", 2))]
    return replace(
        run,
        grounds=answer_grounds(ANSWERS),
        silences=answer_silences(ANSWERS),
        ceilings=Ceilings("closed", "gold", rate, rate, rate, None, rate),
        analysis=RunAnalysis(
            hop_aware("c", run.facts.name, searched), attribution_figures("r", failed), goal_rows(sought)
        ),
    )


def full_report(number: int) -> Report:
    """A report with every table that there is."""
    report = make_report(number)
    answers = {run.facts.name: ANSWERS for run in report.runs}
    return replace(
        report,
        runs=tuple(map(fill, report.runs)),
        costs=cost_points(answers),
        repeats=repeated_runs(answers, dict.fromkeys(answers, "same")),
    )


@pytest.mark.parametrize("number", [1, 3])
def test_every_table_of_the_page_is_in_the_written_reports(number: int) -> None:
    report = full_report(number)
    empty = {field.name for field in fields(Report) if not getattr(report, field.name)}
    assert empty <= {"comparisons", "repeats"} if number == 1 else not empty
    assert all(getattr(run, field.name) for run in report.runs for field in fields(RunSection))
    captions = Counter(one.text for one in read_page(render_html(report)).all("caption"))
    markdown, latex = render_report_markdown(report), render_report_latex(report)
    for caption, times in captions.items():
        assert markdown.count(f"\n**{escape_markdown(caption)}**\n") == times, caption
        assert latex.count(rf"\caption[{escape_latex(caption)}]") == times, caption
    assert markdown.count("\n| --- |") == captions.total()
    assert latex.count(r"\label{") == captions.total()


def test_every_run_has_its_tables_and_the_measures_of_what_it_ranked() -> None:
    report = make_report(2)
    markdown, latex = render_report_markdown(report), render_report_latex(report)
    assert "| MRR@10 | 0.4203 | 0.38\u20130.46 | 812 |" in markdown
    assert r"MRR@10 & 0.4203 & 0.38--0.46 & 812 \\" in latex
    for run in report.runs:
        assert f"\n## Run {run.facts.name}\n" in markdown
    assert latex.count(r"\caption[How well evidence was retrieved]") == 2
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}")
    assert all(f"- {note}" in markdown for note in report.notes)


def test_names_are_data_and_no_markup() -> None:
    report = make_report(2, (HOSTILE, "other"))
    markdown, latex = render_report_markdown(report), render_report_latex(report)
    assert "<bdi>" not in markdown + latex
    assert "<script>" not in markdown
    assert r"\textless{}script\textgreater{}" in latex
