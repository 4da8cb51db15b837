"""A trace as one page: what the system did, drawn beside the gold chain, then step by step.

A single file without scripts that opens anywhere and asks nothing of a network.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kg import __version__
from services.report.html_palette import DAY, NIGHT
from services.report.html_values import visible
from services.report.svg import figure
from services.traces import sentences
from services.traces.chain_svg import MOST_COLOURS, chain_drawing
from services.traces.shown import ShownTrace

_TEMPLATES = Path(__file__).parent / "templates"


def render_trace(trace: ShownTrace) -> str:
    """The trace as an HTML document in UTF-8; the same trace gives the same text."""
    return (
        _environment()
        .get_template("trace.html")
        .render(
            **_style_values(),
            trace=trace,
            told=sentences,
            drawing=figure("chain", chain_drawing(trace)),
            prefixes=any(hop.right is not None for hop in trace.chain),
            style_hash=_style_hash(),
            version=__version__,
        )
    )


def _style_values() -> dict[str, object]:
    return {"day": DAY.variables(), "night": NIGHT.variables(), "hop_colours": range(1, MOST_COLOURS + 1)}


def _style_hash() -> str:
    """The hash by which the page allows its own style sheet, and so no other."""
    style = _environment().get_template("trace.css").render(_style_values())
    return b64encode(sha256(style.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _shown(value: object) -> object:
    """Whatever the templates write passes here, so that no text can hide what it holds."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
