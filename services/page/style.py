"""The page's style sheet: that of the reports, so that drawings look the same in both, and its own."""

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from services.page.template_folders import PAGE_TEMPLATES, REPORT_TEMPLATES
from services.report.html_palette import DAY, HEAT_STEPS, NIGHT


def style_sheet() -> str:
    """The style sheet as text."""
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
    }
    return "\n".join(environment.get_template(name).render(values) for name in ("report.css", "page.css"))
