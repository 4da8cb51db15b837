"""A picture by itself: well-formed, with its words, its colours, and nothing from elsewhere."""

import re
from xml.etree import ElementTree

from services.report.svg import svg_file
from services.report.svg_charts import heat_map
from tests.services.report.reports import HOSTILE, make_matrix

SVG = "{http://www.w3.org/2000/svg}"


def test_the_matrix_stands_alone_and_says_what_it_shows() -> None:
    root = ElementTree.fromstring(svg_file(heat_map(make_matrix(), HOSTILE)))
    assert root.tag == f"{SVG}svg"
    said = [child.text or "" for child in root if child.tag in (f"{SVG}title", f"{SVG}desc")]
    assert said[0].startswith(f"Error rates of {HOSTILE[:30]}")
    assert len(said) == 2
    assert {element.tag for element in root.iter()} == {
        SVG + name for name in ("svg", "style", "title", "desc", "rect", "text", "path")
    }


def test_every_colour_that_is_used_is_given_for_day_and_night() -> None:
    style = ElementTree.fromstring(svg_file(heat_map(make_matrix(), "mine"))).findtext(f"{SVG}style") or ""
    day, night = re.findall(r":root \{(.*?)\}", style)
    used = set(re.findall(r"var\((--[\w-]+)\)", style))
    assert used <= set(re.findall(r"(--[\w-]+):", day)) & set(re.findall(r"(--[\w-]+):", night))
    assert "http" not in style
