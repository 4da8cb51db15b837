"""The templates of pages that are one file, with the style sheet inside."""

from base64 import b64encode
from collections.abc import Mapping
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
    return sheet_hash(environment(), "report.css", style_values())


@cache
def environment() -> Environment:
    """The templates of reports."""
    return page_environment(_TEMPLATES)


def page_environment(folder: Path) -> Environment:
    """The templates in a folder and those of reports; what they write is escaped, and shows what it hides."""
    return Environment(
        loader=FileSystemLoader([folder, _TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def sheet_hash(templates: Environment, name: str, values: Mapping[str, object]) -> str:
    """The hash of a style sheet filled with values, as a content security policy names it."""
    style = templates.get_template(name).render(values)
    return b64encode(sha256(style.encode()).digest()).decode()


def _shown(value: object) -> object:
    """Whatever the templates write passes here, so that no name can hide what it holds."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
