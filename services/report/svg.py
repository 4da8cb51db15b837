"""Drawings as SVG inside a page: elements, and a figure that says in words what it shows.

A drawing as a file of its own, for papers, slides and README, with its colours by day and by night.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from services.report.html_environment import DAY, HEAT_STEPS, NIGHT
from services.report.html_values import visible

WIDTH = 360.0
"""Units a drawing is wide: those of a phone, on which its letters keep their size."""

_WIDEST_LETTER = 0.66
"""Width of a digit or a small letter, as a share of the size of type, in a wide sans-serif."""
_WIDEST_SIGN = 0.96
_HATCH_GAP = 6


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure's content with its size and its meaning; `desc` tells what a reader would see."""

    title: str
    desc: str
    height: float
    shapes: Markup


def figure(id_: str, drawing: Drawing) -> Markup:
    """The drawing as an image for whoever sees it and as title and description for whoever does not."""
    words = Markup("").join(
        (
            element("title", drawing.title, id=f"{id_}-title"),
            element("desc", drawing.desc, id=f"{id_}-desc"),
        )
    )
    return element(
        "svg",
        words + drawing.shapes,
        id=id_,
        class_="drawing",
        viewBox=f"0 0 {_number(WIDTH)} {_number(drawing.height)}",
        role="img",
        focusable="false",
        aria_labelledby=f"{id_}-title {id_}-desc",
    )


def element(tag: str, content: str | Markup = "", /, **attributes: str | float) -> Markup:
    """An element; text and attributes are escaped, `class_` is class, and other _ are -."""
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _number(value))
        for key, value in attributes.items()
    )
    inside = content if isinstance(content, Markup) else Markup.escape(visible(content))
    return Markup("<{0}{1}>{2}</{0}>").format(tag, written, inside)


def group(shapes: Iterable[Markup]) -> Markup:
    """Shapes one after the other."""
    return Markup("").join(shapes)


def text(x: float, y: float, words: str, class_: str, anchor: str = "middle") -> Markup:
    """A line of text whose base line is at y."""
    return element("text", words, x=x, y=y, class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def box(x: float, y: float, width: float, height: float, **attributes: str | float) -> Markup:
    """A rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, **attributes)


def hatching(x: float, y: float, width: float, height: float) -> Markup:
    """Slanted lines over a box, dark beside pale, which mark numbers too small to say anything.

    They are lines and no pattern, which would make a printed page ten times as large.
    """
    return group(
        element("path", d=_slants(x, y, width, height, shift), class_=class_)
        for shift, class_ in ((0.0, "hatch"), (1.5, "hatch pale"))
    )


def _slants(x: float, y: float, width: float, height: float, shift: float) -> str:
    reach = int(width + height)
    offsets = (offset + shift for offset in range(_HATCH_GAP, reach, _HATCH_GAP))
    return "".join(
        f"M{_number(x + max(0.0, c - height))} {_number(y + min(height, c))}"
        f"L{_number(x + min(width, c))} {_number(y + max(0.0, c - width))}"
        for c in offsets
    )


def text_width(words: str, size: float) -> float:
    """At most how wide the text is in units; letters of no known font are measured generously."""
    return size * sum(
        _WIDEST_SIGN if sign > "\u024f" or sign in "%+<>\u2212\u2014\u2026mwMW" else _WIDEST_LETTER
        for sign in words
    )


def fitted(words: str, size: float, width: float) -> str:
    """The text, cut short with an ellipsis where it could be wider than that."""
    shown = visible(words)
    if text_width(shown, size) <= width:
        return shown
    while shown and text_width(f"{shown}\u2026", size) > width:
        shown = shown[:-1]
    return f"{shown}\u2026"


def marker(shape: int, x: float, y: float, class_: str) -> Markup:
    """A mark at a point: disc, square, triangle or diamond, so that colour is never the only difference."""
    match shape % 4:
        case 0:
            return element("circle", cx=x, cy=y, r=4.2, class_=class_)
        case 1:
            return box(x - 3.8, y - 3.8, 7.6, 7.6, class_=class_)
        case 2:
            return _polygon(((x, y - 5), (x + 5, y + 4), (x - 5, y + 4)), class_)
    return _polygon(((x, y - 5.4), (x + 5.4, y), (x, y + 5.4), (x - 5.4, y)), class_)


def swatch(shape: int, class_: str) -> Markup:
    """A mark by itself, for a key beside a figure; the words stand next to it."""
    return element(
        "svg",
        marker(shape, 7, 7, f"mark {class_}"),
        class_="swatch",
        viewBox="0 0 14 14",
        aria_hidden="true",
        focusable="false",
    )


def _polygon(corners: Sequence[tuple[float, float]], class_: str) -> Markup:
    places = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
    return element("polygon", points=places, class_=class_)


def _number(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.2f}".rstrip("0").rstrip(".")


_STYLE = """
.drawing { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.drawing text { fill: var(--ink); font-variant-numeric: tabular-nums lining-nums; }
.drawing .label { font-size: 12px; }
.drawing .small { font-size: 11.5px; fill: var(--quiet); }
.drawing .tiny { font-size: 11px; fill: var(--quiet); }
.drawing .rate { font-size: 15px; font-weight: 600; }
.ground { fill: var(--paper); }
.empty { fill: none; stroke: var(--axis); stroke-width: 1; stroke-dasharray: 3 3; }
.hatch { stroke: var(--ink); stroke-width: 1.1; fill: none; }
.hatch.pale { stroke: var(--paper); }
"""


def svg_file(drawing: Drawing) -> str:
    """The drawing as an SVG document; the same drawing gives the same text."""
    ground = box(0, 0, WIDTH, drawing.height, class_="ground")
    whole = Drawing(drawing.title, drawing.desc, drawing.height, ground + drawing.shapes)
    opening, _, rest = figure("matrix", whole).partition(">")
    return f'{opening} xmlns="http://www.w3.org/2000/svg"><style>{_style()}</style>{rest}\n'


def _style() -> str:
    day, night = _variables(DAY.variables()), _variables(NIGHT.variables())
    steps = "".join(
        f".heat-{step} {{ fill: var(--heat-{step}); }}\n"
        f".drawing .heat-{step}-ink {{ fill: var(--heat-{step}-ink); }}\n"
        for step in range(HEAT_STEPS)
    )
    return f":root {{ {day} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {night} }} }}{_STYLE}{steps}"


def _variables(colours: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
