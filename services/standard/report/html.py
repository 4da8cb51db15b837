"""The report of a judged comparison as one page, which opens anywhere and asks nothing of a network."""

from datetime import UTC
from functools import cache
from pathlib import Path

from jinja2 import Environment

from services.report.html_environment import page_environment, style_hash, style_values
from services.report.html_values import name
from services.report.svg import figure
from services.standard.analysis.content import Results
from services.standard.refusals import moment
from services.standard.report.forest import CAPTION, forest_plot
from services.standard.report.sections import protocol_of, sections

_TEMPLATES = Path(__file__).parent / "templates"


def render_html(results: Results) -> str:
    """The report as an HTML document in UTF-8; the same results give the same text."""
    protocol = protocol_of(results)
    made = sections(results)
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
