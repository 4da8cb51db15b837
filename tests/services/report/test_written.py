"""A report on runs as Markdown and LaTeX."""

from services.report.written import render_report_latex, render_report_markdown
from tests.services.report.reports import HOSTILE, make_report


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
