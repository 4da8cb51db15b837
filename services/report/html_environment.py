"""The templates of pages that are one file, with the style sheet inside."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from services.report.html_palette import DAY, HEAT_STEPS, NIGHT
from services.report.html_values import visible

_TEMPLATES = Path(__file__).parent / "templates"


def style_values() -> dict[str, object]:
    """What the style sheet is filled with."""
    return {
        "day": DAY.variables(),
        "night": NIGHT.variables(),
        "heat_steps": range(HEAT_STEPS),
        "parts": [*(f"hop-{hop}" for hop in range(1, len(DAY.hops) + 1)), "reasoning", "failed", "untold"],
        "series": range(len(DAY.series)),
    }


def style_hash() -> str:
    """The hash by which the page allows its own style sheet, and so no other."""
    style = environment().get_template("report.css").render(style_values())
    return b64encode(sha256(style.encode()).digest()).decode()


@cache
def environment() -> Environment:
    """The templates; whatever they write is escaped, and shows what is hidden in it."""
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
    """Whatever the templates write passes here, so that no name can hide what it holds."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
