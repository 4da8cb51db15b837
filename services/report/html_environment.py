"""The templates of pages that are one file, with the style sheet inside.

The colours of the page, in daylight and at night.

Error rates go from pale to dark of one hue, which every kind of colour vision tells apart by lightness; at
night from dark to bright. The steps leave out the middle tones on which no ink can be read.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from services.report.html_values import visible


@dataclass(frozen=True, slots=True)
class Paint:
    """A fill, and the ink that is read on it."""

    fill: str
    ink: str


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme as #rrggbb.

    `heat` has ten steps of error rate; `series` the marks of systems; `hops` the hops at which the evidence
    was lost; `reasoning` and `failed` what else went wrong, `untold` where that isn't known.
    """

    paper: str
    panel: str
    ink: str
    quiet: str
    rule: str
    axis: str
    link: str
    heat: tuple[Paint, ...]
    series: tuple[str, ...]
    hops: tuple[Paint, ...]
    reasoning: Paint
    failed: Paint
    untold: Paint

    def variables(self) -> dict[str, str]:
        """The colours by the names that the style sheet uses."""
        plain = {
            name: getattr(self, name) for name in ("paper", "panel", "ink", "quiet", "rule", "axis", "link")
        }
        paints = chain(
            ((f"heat-{step}", paint) for step, paint in enumerate(self.heat)),
            ((f"hop-{hop}", paint) for hop, paint in enumerate(self.hops, start=1)),
            (("reasoning", self.reasoning), ("failed", self.failed), ("untold", self.untold)),
        )
        painted = {
            f"{name}{suffix}": colour
            for name, paint in paints
            for suffix, colour in (("", paint.fill), ("-ink", paint.ink))
        }
        return plain | painted | {f"series-{number}": colour for number, colour in enumerate(self.series)}


HEAT_STEPS = 10


def heat_step(rate: float) -> int:
    """The step, 0 to 9, of an error rate in [0, 1]."""
    return min(HEAT_STEPS - 1, int(rate * HEAT_STEPS + 1e-9))


def _paints(inks: tuple[str, str], dark_until: int, *fills: str) -> tuple[Paint, ...]:
    return tuple(Paint(fill, inks[step >= dark_until]) for step, fill in enumerate(fills))


_BLACK, _WHITE = "#1c1917", "#ffffff"

DAY = Palette(
    paper="#ffffff",
    panel="#f5f6f8",
    ink="#171a21",
    quiet="#565d6b",
    rule="#e1e4ea",
    axis="#868d9b",
    link="#2b4acb",
    heat=_paints(
        (_BLACK, _WHITE), 6,
        "#ffefe4", "#fed3bf", "#f6b79c", "#ec9c7b", "#df825d",
        "#cf6842", "#bd4f2a", "#a73814", "#902300", "#770f00",
    ),
    series=("#2b4acb", "#a8400f", "#0b6b5d", "#7a3d8b"),
    hops=_paints((_WHITE, _BLACK), 2, "#153e60", "#2f6690", "#6a9dc6", "#9dc0dc", "#cbdfed"),
    reasoning=Paint("#e0a03c", _BLACK),
    failed=Paint("#b3b8c2", _BLACK),
    untold=Paint("#e6e8ed", _BLACK),
)  # fmt: skip

NIGHT = Palette(
    paper="#12141a",
    panel="#1b1e26",
    ink="#e8eaef",
    quiet="#a6adbb",
    rule="#2f3440",
    axis="#747c8c",
    link="#9db2ff",
    heat=_paints(
        (_WHITE, "#14110f"), 5,
        "#32221e", "#4e2d24", "#6a3929", "#87462f", "#a35535",
        "#bd663d", "#d67948", "#ed8e57", "#ffa56b", "#ffbd84",
    ),
    series=("#9db2ff", "#ff9d6e", "#63cbb5", "#d5a1e4"),
    hops=_paints((_BLACK, _WHITE), 3, "#cbdfed", "#9dc0dc", "#6a9dc6", "#3d749e", "#27557a"),
    reasoning=Paint("#e0a03c", _BLACK),
    failed=Paint("#868d9b", _BLACK),
    untold=Paint("#2f3440", _WHITE),
)  # fmt: skip


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
        finalize=visible_value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def sheet_hash(templates: Environment, name: str, values: Mapping[str, object]) -> str:
    """The hash of a style sheet filled with values, as a content security policy names it."""
    style = templates.get_template(name).render(values)
    return b64encode(sha256(style.encode()).digest()).decode()


def visible_value(value: object) -> object:
    """Whatever the templates write passes here, so that no name can hide what it holds."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
