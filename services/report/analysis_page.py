"""Hop-aware analysis of runs as a page by itself, which opens anywhere and asks nothing of a network."""

from collections.abc import Sequence

from markupsafe import Markup

from kg import __version__
from services.evaluate.hop_aware.analyse import ALL, CHAINED, comparison_notes
from services.evaluate.hop_aware.content import HopAware
from services.evaluate.matrix import SMALL
from services.evaluate.run_analysis import RunAnalysis
from services.report import svg
from services.report.html_environment import environment, style_hash, style_values
from services.report.html_hop_aware import failure_tables, goal_tables, kind_lines, tables_of
from services.report.html_overview import overview
from services.report.html_values import name
from services.report.svg_charts import steps_grid


def render_analysis(corpus: str, analyses: Sequence[RunAnalysis]) -> str:
    """The analysis of these runs as an HTML document in UTF-8; the same analysis gives the same text."""
    hops = [one.hops for one in analyses]
    runs = ", ".join(one.run for one in hops)
    return (
        environment()
        .get_template("analysis.html")
        .render(
            **style_values(),
            style_hash=style_hash(),
            title=f"Hop by hop, {corpus}: {runs}",
            version=__version__,
            corpus=name(corpus),
            runs=analyses,
            sections=kind_sections(hops),
            failures=[
                (name(one.hops.run), (*failure_tables(one.failures), *goal_tables(one.goals)))
                for one in analyses
            ],
            overview=overview("glance", analyses),
            notes=[*comparison_notes(hops), *(note for one in hops for note in one.notes)],
            small=SMALL,
        )
    )


def kind_sections(analyses: Sequence[HopAware]) -> list[dict[str, object]]:
    """A section for each kind of question, and one for all together, by the names of their template.

    It has a drawing for each run that has steps, and tables. Those of kinds that are no chains of hops are
    `folded`: there is less to learn from them.
    """
    return [
        {
            "number": number,
            "heading": name(label),
            "grids": tuple(_grids(number, label, analyses)),
            "tables": tables_of(lines, "run, depth" if len(analyses) > 1 else "depth", f": {label}"),
            "folded": label != ALL and not any(one.group.kind in CHAINED for _, one in lines),
        }
        for number, (label, lines) in enumerate(kind_lines(analyses), start=1)
    ]


def _grids(section: int, label: str, analyses: Sequence[HopAware]) -> list[tuple[Markup, Markup]]:
    grids = []
    for number, run in enumerate(analyses, start=1):
        rows = [one for one in run.groups if one.group.label == label and one.group.hops is not None]
        if any(one.group.kind in CHAINED and one.steps.by_count for one in rows):
            drawing = steps_grid(rows, f"Searches of {run.run} for a question, by depth: {label}")
            grids.append((name(run.run), svg.figure(f"grid-{section}-{number}", drawing)))
    return grids
