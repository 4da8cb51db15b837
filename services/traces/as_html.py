"""A trace as one page: what the system did, drawn beside the gold chain, then step by step.

A single file without scripts that opens anywhere and asks nothing of a network.
"""

from functools import cache
from pathlib import Path

from jinja2 import Environment

from kg import __version__
from services.report.html_environment import page_environment, sheet_hash
from services.report.html_palette import DAY, NIGHT
from services.report.svg import figure
from services.traces import sentences
from services.traces.chain_svg import MOST_COLOURS, chain_drawing
from services.traces.shown import ShownTrace

_TEMPLATES = Path(__file__).parent / "templates"


def render_trace(trace: ShownTrace) -> str:
    """The trace as an HTML document in UTF-8; the same trace gives the same text."""
    templates, style = _environment(), _style_values()
    return templates.get_template("trace.html").render(
        **style,
        trace=trace,
        told=sentences,
        drawing=figure("chain", chain_drawing(trace)),
        prefixes=any(hop.right is not None for hop in trace.chain),
        style_hash=sheet_hash(templates, "trace.css", style),
        version=__version__,
    )


def _style_values() -> dict[str, object]:
    return {"day": DAY.variables(), "night": NIGHT.variables(), "hop_colours": range(1, MOST_COLOURS + 1)}


@cache
def _environment() -> Environment:
    return page_environment(_TEMPLATES)
