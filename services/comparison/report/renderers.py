r"""What a terminal shows of a judged comparison: what came of it, and the tables that matter most.

The report of a judged comparison as one page, which opens anywhere and asks nothing of a network.

The tables of a judged comparison for a paper, in LaTeX.

The report of a judged comparison as Markdown, with tables in pipes.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import TypeAlias

from jinja2 import Environment

from services.comparison.analysis.content import Results
from services.comparison.judging.labels import LabelledFigures
from services.comparison.refusals import moment
from services.comparison.report.sections import Section, protocol_of, sections
from services.comparison.report.sentences import CAPTION, forest_plot
from services.report.html_environment import page_environment, style_hash, style_values
from services.report.html_values import TableView, name, visible
from services.report.svg import figure
from services.report.written import escape_markdown, latex_table, markdown_table

_TEMPLATES = Path(__file__).parent / "templates"

Labelled: TypeAlias = Sequence[LabelledFigures]
"""The judges held against people's labels, where there are such."""


def render_html(results: Results, labelled: Labelled = ()) -> str:
    """The report as an HTML document in UTF-8; the same results give the same text."""
    protocol = protocol_of(results)
    made = sections(results, labelled)
    return (
        _environment()
        .get_template("standard.html")
        .render(
            **style_values(),
            style_hash=style_hash(),
            title=f"{protocol.name}: a judged comparison on {protocol.dataset.corpus}",
            name=name(protocol.name),
            corpus=name(protocol.dataset.corpus),
            results=results,
            version=results.version,
            locked=f"{moment(results.locked_at).astimezone(UTC):%Y-%m-%d %H:%M}",
            summary=made[0],
            sections=made[1:],
            plot=figure("forest", forest_plot(results.hypotheses)),
            plot_caption=CAPTION,
        )
    )


@cache
def _environment() -> Environment:
    return page_environment(_TEMPLATES)


def render_latex(results: Results, labelled: Labelled = ()) -> str:
    r"""Every table of the report, to be \input; the same results give the same text."""
    return "\n".join(_latex_lines(results, labelled)) + "\n"


def _latex_lines(results: Results, labelled: Labelled) -> Iterator[str]:
    name = protocol_of(results).name
    head = f"% Tables of the judged comparison {name}, protocol {results.protocol_hash}."
    # A line end in it would end the comment, and what follows would be read as LaTeX.
    yield " ".join(visible(head).split())
    yield r"% Needs \usepackage{array,booktabs,longtable}; wide tables break their cells to fit the line."
    for section in sections(results, labelled):
        for number, view in enumerate(section.tables, start=1):
            yield from latex_table(view, f"tab:{section.id}-{number}")


def render_markdown(results: Results, labelled: Labelled = ()) -> str:
    """The whole report; the same results give the same text."""
    return "\n".join(_markdown_lines(results, labelled)) + "\n"


def _markdown_lines(results: Results, labelled: Labelled) -> Iterator[str]:
    protocol = protocol_of(results)
    name, corpus = escape_markdown(protocol.name), escape_markdown(protocol.dataset.corpus)
    yield f"# {name}: a judged comparison on {corpus}"
    for section in sections(results, labelled):
        yield from _markdown_section(section)


def _markdown_section(section: Section) -> Iterator[str]:
    yield f"\n## {escape_markdown(section.heading)}"
    for sentence in section.sentences:
        yield f"\n{escape_markdown(sentence)}"
    if section.points:
        yield ""
    for point in section.points:
        yield f"- {escape_markdown(point)}"
    if section.commands:
        yield "\n```sh"
        yield from section.commands
        yield "```"
    for view in section.tables:
        yield from markdown_table(view)


SHOWN = ("summary", "measures", "naive", "calibration", "people", "replication", "limits", "repeat")
"""The sections that fit a terminal; the others are in the page and in Markdown."""


def text_sections(results: Results, labelled: Labelled = ()) -> tuple[Section, ...]:
    """The sections for a terminal, without folded tables and without definitions."""
    return tuple(
        Section(
            section.id,
            section.heading,
            section.sentences,
            () if section.id == "measures" else section.points,
            section.commands,
            tuple(view for view in section.tables if _fits(view)),
        )
        for section in sections(results, labelled)
        if section.id in SHOWN
    )


def _fits(view: TableView) -> bool:
    return not view.folded and len(view.columns) < 8
