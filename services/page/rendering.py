"""From a view's values to a page. Whatever the templates write is escaped, and nothing unseen stays so."""

from collections.abc import Mapping
from functools import cache
from shlex import quote

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kg import __version__
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.page.addresses import address, api_address
from services.page.assets import asset_address
from services.page.template_folders import PAGE_TEMPLATES, REPORT_TEMPLATES
from services.report.html_palette import heat_step
from services.report.html_values import DASH, percent, plural, signed, visible, whole

SECTIONS: Mapping[str, str] = {
    "": "Overview",
    "matrix": "Matrix",
    "questions": "Questions",
    "paths": "Paths",
    "entities": "Entities",
    "runs": "Runs",
    "compare": "Compare",
    "standards": "Standards",
    "ask": "Ask",
}
"""The views of a corpus, by their address, as the navigation names them."""


def page(
    template: str,
    title: str,
    corpus: str = "",
    section: str | None = None,
    status: int = 200,
    **values: object,
) -> HTMLResponse:
    """A page from a template; `section` is the view that the navigation marks."""
    html = (
        _environment()
        .get_template(template)
        .render(title=title, corpus=corpus, section=section, sections=SECTIONS, **values)
    )
    return HTMLResponse(html, status)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([PAGE_TEMPLATES, REPORT_TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        address=address,
        api_address=api_address,
        asset=asset_address,
        version=__version__,
        bin_names=BIN_NAMES,
        bins=BINS,
        small=SMALL,
        dash=DASH,
    )
    environment.filters.update(
        percent=percent, whole=whole, plural=plural, signed=signed, heat_step=heat_step, shell=quote
    )
    return environment


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
