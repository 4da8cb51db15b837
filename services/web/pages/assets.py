"""What the page loads besides itself: a style sheet, a typeface, scripts of ours, and Cytoscape.js.

The page's style sheet: that of the reports, so that drawings look the same in both, and its own.

Where the templates of the page lie, and those of the reports, of which it uses the tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import services.report
from services.report.html_environment import DAY, HEAT_STEPS, NIGHT

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

router = APIRouter(include_in_schema=False)


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


@router.get("/static/{name}")
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
