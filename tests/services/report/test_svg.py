"""Drawings: everything stays inside its box, and what is undefined is not drawn as a number.

A picture by itself: well-formed, with its words, its colours, and nothing from elsewhere.
"""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from services.evaluate.matrix import difficulty_matrix
from services.report import svg
from services.report.content import Compared, HopLoss
from services.report.html import render_html
from services.report.html_comparisons import forest_plot
from services.report.svg import svg_file
from services.report.svg_charts import Point, Series, heat_map, loss_chart, loss_parts, rate_chart
from services.statistics.intervals import Interval
from tests.services.report.pages import Node, read_page
from tests.services.report.reports import HOSTILE, empty_report, make_comparison, make_matrix

SIZES = {"label": 12.0, "small": 11.5, "tiny": 11.0, "value": 12.0, "rate": 15.0, "share": 11.0}
"""Sizes of type by class, as in the style sheet."""

shares = st.floats(0, 1)


def drawn(drawing: svg.Drawing) -> Node:
    """The drawing as a page would hold it, after everything in it was found inside its box."""
    root = read_page(svg.figure("it", drawing)).one("svg")
    for node in root.walk():
        _check_inside(node, drawing.height)
    return root


def _check_inside(node: Node, height: float) -> None:
    def at(name: str) -> float:
        return float(node[name])

    match node.tag:
        case "text":
            size = SIZES[next(iter(node.classes & SIZES.keys()))]
            width = svg.text_width(node.text, size)
            left = at("x") - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[node["text-anchor"]]
            assert left >= -0.01, node.text
            assert left + width <= svg.WIDTH + 0.01, node.text
            assert size <= at("y") + 2 <= height + 0.01, node.text
        case "rect":
            assert at("x") >= -0.01
            assert at("y") >= -0.01
            assert at("width") >= 0
            assert at("x") + at("width") <= svg.WIDTH + 0.01
            assert at("y") + at("height") <= height + 0.01
        case "line":
            assert all(-0.01 <= at(x) <= svg.WIDTH + 0.01 for x in ("x1", "x2"))
            assert all(-0.01 <= at(y) <= height + 0.01 for y in ("y1", "y2"))
        case "path":
            numbers = [float(number) for number in re.findall(r"[\d.-]+", node["d"])]
            assert all(-0.01 <= number <= max(svg.WIDTH, height) for number in numbers)


def texts(drawing: svg.Drawing) -> list[str]:
    """All lines of text in a drawing."""
    return [node.text for node in drawn(drawing).all("text")]


def test_the_style_sheet_sets_the_sizes_that_are_measured_here() -> None:
    style = render_html(empty_report())
    for class_, size in SIZES.items():
        assert f".drawing .{class_} {{ font-size: {size:g}px;" in style


def test_a_heat_map_has_every_cell_and_marks_the_small_ones() -> None:
    matrix = make_matrix(a_cell=40)
    words = texts(heat_map(matrix, "it"))
    assert sum(word.startswith("n ") for word in words) == 25
    assert words.count("n 10*") == 4
    hatched = [node for node in drawn(heat_map(matrix, "it")).all("path") if "pale" not in node.classes]
    assert len(hatched) == 4 + 1


def test_a_heat_map_of_nothing_shows_no_rate() -> None:
    root = drawn(heat_map(difficulty_matrix([]), "it"))
    words = [node.text for node in root.all("text")]
    assert words.count("none") == 25
    assert not [word for word in words if re.fullmatch(r"[\d<>]+%", word) and word not in ("0%", "100%")]
    assert "every cell is empty" in root.one("desc").text


def point(n: int, share: float | None) -> Point:
    """A point with an interval around it."""
    interval = None if share is None else Interval(share * 0.9, min(1.0, share + 0.1))
    return Point(n, share, interval, n < 20)


@given(
    points=st.lists(st.builds(point, st.integers(0, 10**7), st.none() | shares), min_size=4, max_size=4),
    runs=st.integers(1, 9),
)
@settings(max_examples=40)
def test_points_of_any_accuracy_stay_inside(points: list[Point], runs: int) -> None:
    series = [Series(f"run {number}", tuple(points)) for number in range(runs)]
    root = drawn(rate_chart("accuracy", "told", ["2 hops", "3 hops", "4 hops", "5 hops"], series))
    marks = [node for node in root.walk() if "mark" in node.classes]
    assert len(marks) == runs * sum(one.accuracy is not None for one in points)


def test_higher_accuracy_stands_higher_and_none_is_a_dash() -> None:
    points = (Point(50, 0.2, None), Point(50, 0.8, Interval(0.7, 0.9)), Point(0, None, None))
    root = drawn(rate_chart("accuracy", "told", ["a", "b", "c"], [Series("run", points)]))
    low, high = [float(node["cy"]) for node in root.all("circle")]
    assert low > high
    assert "\u2014 none" in [node.text for node in root.all("text")]


@st.composite
def losses(draw: st.DrawFn) -> HopLoss:
    """Any depth's losses."""
    hops = draw(st.integers(2, 5))
    numbers = st.integers(0, 400)
    lost = tuple(draw(numbers) for _ in range(hops))
    reasoning, errors = draw(numbers), draw(numbers)
    wrong = sum(lost) + reasoning + errors
    return HopLoss(hops, wrong, lost, reasoning, errors, draw(st.integers(0, wrong)))


@given(st.lists(losses(), max_size=4))
@settings(max_examples=40)
def test_a_bar_is_cut_by_the_numbers_of_its_parts(found: list[HopLoss]) -> None:
    root = drawn(loss_chart(found, "it"))
    parts = [float(node["width"]) for node in root.all("rect") if "part" in node.classes]
    expected = [number / loss.wrong for loss in found for *_, number in loss_parts(loss) if number]
    assert parts == pytest.approx([share * 292 for share in expected], abs=0.01)


comparisons = st.builds(
    make_comparison,
    first=st.just("a"),
    second=st.just(HOSTILE),
    scope=st.text(max_size=20),
    difference=st.floats(-1, 1),
    decided=st.booleans(),
)


@given(st.lists(comparisons, min_size=1, max_size=5))
@settings(max_examples=40)
def test_differences_stay_inside_on_their_side_of_zero(found: list[Compared]) -> None:
    root = drawn(forest_plot(found))
    zero = float(next(node for node in root.all("line") if node.classes == {"axis"})["x1"])
    marks = [node for node in root.all("rect") if "estimate" in node.classes]
    assert len(marks) == len(found)
    for mark, one in zip(marks, found, strict=True):
        middle = float(mark["x"]) + 4
        assert (middle - zero) * one.difference >= -0.02
        assert ("open" in mark.classes) != one.decided


def test_attributes_and_text_are_escaped() -> None:
    element = svg.element("text", '<b>"&', class_='a"b')
    assert element == Markup('<text class="a&#34;b">&lt;b&gt;&#34;&amp;</text>')


def test_a_text_that_is_too_long_is_cut_to_its_width() -> None:
    assert svg.fitted("2 hops", 12, 54) == "2 hops"
    cut = svg.fitted("a very long scope", 12, 54)
    assert cut.endswith("\u2026")
    assert svg.text_width(cut, 12) <= 54


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
