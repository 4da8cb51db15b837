"""A drawing as a file of its own, for papers, slides and README, with its colours by day and by night."""

from collections.abc import Mapping

from services.report.html_palette import DAY, HEAT_STEPS, NIGHT
from services.report.svg import WIDTH, Drawing, box, figure

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
