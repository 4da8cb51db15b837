"""Whatever is written on a colour can be read, by day and at night."""

import re
from itertools import pairwise

import pytest

from services.report.html import render_html
from services.report.html_environment import DAY, NIGHT, Paint, Palette, heat_step
from tests.services.report.reports import make_report

TEXT, MARK = 4.5, 3.0
"""Contrast that WCAG 2.2 asks of text (1.4.3) and of what else carries meaning (1.4.11)."""

THEMES = pytest.mark.parametrize("theme", [DAY, NIGHT], ids=["day", "night"])


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio (WCAG 2.2), 1 to 21."""
    darker, brighter = sorted((luminance(first), luminance(second)))
    return (brighter + 0.05) / (darker + 0.05)


def paints(theme: Palette) -> tuple[Paint, ...]:
    """Everything that is written on."""
    return (*theme.heat, *theme.hops, theme.reasoning, theme.failed)


def test_contrast_is_computed_as_published() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@THEMES
def test_text_can_be_read_on_the_page_and_on_panels(theme: Palette) -> None:
    for ink in (theme.ink, theme.quiet, theme.link):
        assert contrast(ink, theme.paper) >= TEXT
        assert contrast(ink, theme.panel) >= TEXT


@THEMES
def test_figures_can_be_read_on_every_fill(theme: Palette) -> None:
    for paint in paints(theme):
        assert contrast(paint.fill, paint.ink) >= TEXT, paint


@THEMES
def test_marks_and_axes_stand_out(theme: Palette) -> None:
    for colour in (*theme.series, theme.axis):
        assert contrast(colour, theme.paper) >= MARK


@THEMES
def test_error_rates_go_one_way_in_lightness(theme: Palette) -> None:
    steps = [luminance(paint.fill) for paint in theme.heat]
    assert steps in (sorted(steps), sorted(steps, reverse=True))
    # A step that is not told from the next one would be no step.
    assert all(contrast(one.fill, after.fill) > 1.12 for one, after in pairwise(theme.heat))


def test_a_rate_has_the_step_of_its_tenth() -> None:
    assert [heat_step(rate) for rate in (0.0, 0.09, 0.1, 0.3, 0.7, 0.999, 1.0)] == [0, 0, 1, 3, 7, 9, 9]


def test_the_page_uses_no_colour_beside_the_palette() -> None:
    used = set(re.findall(r"#[0-9a-f]{6}\b", render_html(make_report(1))))
    assert used <= {*DAY.variables().values(), *NIGHT.variables().values(), "#ffffff"}
