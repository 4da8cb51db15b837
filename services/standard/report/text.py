"""What a terminal shows of a judged comparison: what came of it, and the tables that matter most."""

from services.report.html_values import TableView
from services.standard.analysis.content import Results
from services.standard.report.sections import Section, sections

SHOWN = ("summary", "measures", "naive", "calibration", "replication", "limits", "repeat")
"""The sections that fit a terminal; the others are in the page and in Markdown."""


def text_sections(results: Results) -> tuple[Section, ...]:
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
        for section in sections(results)
        if section.id in SHOWN
    )


def _fits(view: TableView) -> bool:
    return not view.folded and len(view.columns) < 8
