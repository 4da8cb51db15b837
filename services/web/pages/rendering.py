"""From a view's values to a page. Whatever the templates write is escaped, and nothing unseen stays so.

A route whose errors end in a page that says what went wrong and what to do about it."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import services.report
from kg import __version__
from kg.errors import (
    CorpusError,
    EmbeddingError,
    HopgradeError,
    ModelError,
    NothingToDoError,
    SettingsError,
    StoreTooNewError,
    StoreTooOldError,
    StoreUnavailableError,
    TokenNeededError,
    UserError,
    command,
)
from kg.paths.path_rows import LINK_WORDS
from services.evaluate.matrix import BIN_NAMES, BINS, SMALL
from services.report.html_environment import DAY, HEAT_STEPS, NIGHT, heat_step, visible_value
from services.report.html_soundness import worst_order
from services.report.html_values import (
    DASH,
    percent,
    plural,
    share_or_counts,
    short_time,
    signed,
    whole,
    wrong_words,
)
from services.web.pages.parameters import address, api_address, name_of
from services.web.views.cursors import MissingError

PAGE_TEMPLATES = Path(__file__).parent / "templates"
REPORT_TEMPLATES = Path(services.report.__file__).parent / "templates"


def style_sheet(typeface: str = "") -> str:
    """The style sheet as text; `typeface` is the address of the file that it loads letters from."""
    environment = Environment(
        loader=FileSystemLoader([PAGE_TEMPLATES, REPORT_TEMPLATES]),
        autoescape=False,  # noqa: S701  a style sheet, made of our own colours only
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    values = {
        "day": DAY.variables(),
        "night": NIGHT.variables(),
        "heat_steps": range(HEAT_STEPS),
        "parts": [*(f"hop-{hop}" for hop in range(1, len(DAY.hops) + 1)), "reasoning", "failed", "untold"],
        "series": range(len(DAY.series)),
        "typeface": typeface,
    }
    return "\n".join(environment.get_template(name).render(values) for name in ("report.css", "page.css"))


_STATIC = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".txt": "text/plain", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
TYPEFACE = "inter.woff2"
A_YEAR = "public, max-age=31536000, immutable"
A_MOMENT = "no-cache"

assets_router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent; `version` is a hash of it."""

    content: bytes
    media_type: str
    version: str


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by its name."""
    found = {
        path.name: (path.read_bytes(), _TYPES[path.suffix])
        for path in sorted(_STATIC.iterdir())
        if path.suffix in _TYPES
    }
    typeface = f"/static/{TYPEFACE}?v={_version(found[TYPEFACE][0])}"
    found["page.css"] = (style_sheet(typeface).encode(), "text/css")
    return {
        name: Asset(content, media_type, _version(content)) for name, (content, media_type) in found.items()
    }


def _version(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


def asset_address(name: str) -> str:
    """The address of a file; it changes with the file, so that browsers may keep what they have."""
    return f"/static/{name}?v={assets()[name].version}"


@assets_router.get("/static/{name}")
async def send_asset(request: Request, name: str) -> Response:
    """A file of the page."""
    asset = assets().get(name)
    if asset is None:
        return PlainTextResponse("There is no such file.", 404)
    headers = {
        "ETag": f'"{asset.version}"',
        "Cache-Control": A_YEAR if request.query_params.get("v") == asset.version else A_MOMENT,
    }
    if asset.version in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


SECTIONS: Mapping[str, str] = {
    "": "Overview",
    "matrix": "Matrix",
    "questions": "Questions",
    "graph": "Graph",
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


def another_system(corpus: str) -> str:
    """The command by which a system with another retriever answers too, in a run of a name of its own."""
    return command("run start single-step --retriever graph --name graph --corpus", corpus)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([PAGE_TEMPLATES, REPORT_TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible_value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        address=address,
        another_system=another_system,
        worst_order=worst_order,
        api_address=api_address,
        asset=asset_address,
        version=__version__,
        bin_names=BIN_NAMES,
        bins=BINS,
        small=SMALL,
        dash=DASH,
        link_words=LINK_WORDS,
    )
    environment.filters.update(
        percent=percent,
        wrong_words=wrong_words,
        whole=whole,
        plural=plural,
        share_or_counts=share_or_counts,
        short_time=short_time,
        signed=signed,
        heat_step=heat_step,
        shell=quote,
    )
    return environment


Handler = Callable[[Request], Coroutine[Any, Any, Response]]
NOT_FOUND = 404


class PageRoute(APIRoute):
    """A route of the page."""

    def get_route_handler(self) -> Handler:
        """The handler with errors turned into pages."""
        handler = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handler(request)
            except HopgradeError as error:
                corpus = _known(request, error)
                section = _section(request) if corpus else ""
                return error_page(status_of(error), error.message, error.remedy, corpus, section)
            except RequestValidationError as error:
                wrong = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
                return error_page(400, f"The address holds a value that can't work ({wrong}).")

        return handled


def status_of(error: HopgradeError) -> int:
    """The HTTP status of one of our errors."""
    if isinstance(error, CorpusError | NothingToDoError | MissingError):
        return NOT_FOUND
    if isinstance(error, StoreUnavailableError | StoreTooOldError | StoreTooNewError):
        return 503
    if isinstance(error, ModelError | EmbeddingError):
        return 502
    if isinstance(error, TokenNeededError):
        return 403
    return 400 if isinstance(error, UserError) else 500


def error_page(status: int, message: str, remedy: str = "", corpus: str = "", section: str = "") -> Response:
    """What went wrong, as a page; with a corpus, its views are offered, that of `section` first."""
    said = message[:1].upper() + message[1:]
    return page(
        "error.html",
        "Not found" if status == NOT_FOUND else "Error",
        corpus,
        status=status,
        said=said,
        remedy=remedy,
        beside=section,
    )


def _section(request: Request) -> str:
    """The view that an address lies in or below, such as the questions for one of them; empty for none."""
    parts = request.url.path.split("/")
    return parts[3] if len(parts) > 3 and parts[3] in SECTIONS else ""


def _known(request: Request, error: HopgradeError) -> str:
    """The corpus of the address, where the error is not about it."""
    if isinstance(error, NothingToDoError | SettingsError | MissingError):
        return name_of(str(request.path_params.get("corpus", "")))
    return ""
