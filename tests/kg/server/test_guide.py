"""The guide as Browser gets it, and the style: what is shown is what is in the files."""

import re
from html.parser import HTMLParser
from http import HTTPStatus

import pytest

from kg.files import bundled_folder
from kg.queries import area_queries
from kg.server.configuration import CHAPTERS, guide_html, guide_url, is_served, style_grass, style_url
from kg.stages.resolution import TYPE_LABELS
from tests.web_system import Sent, web_system

RULES = re.compile(r"((node|relationship)(\.\w+)? \{\n(  [a-z-]+: ('[^'\n]+'|#[0-9a-f]{6}|\d+px);\n)+\}\n)+")
BROWSER = "http://127.0.0.1:7474/browser/"


class Blocks(HTMLParser):
    """The texts of all blocks, those that a click puts into the editor apart, and whether tags are paired."""

    def __init__(self) -> None:
        super().__init__()
        self.runnable: list[str] = []
        self.shown: list[str] = []
        self.slides = 0
        self._open: list[str] = []
        self._text: list[str] | None = None
        self._target: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "br":
            self._open.append(tag)
        self.slides += tag == "slide"
        if tag == "pre":
            self._text = []
            self._target = self.runnable if "runnable" in (dict(attrs)["class"] or "") else self.shown

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "pre" and self._text is not None:
            self._target.append("".join(self._text))
            self._text = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)


@pytest.fixture(scope="module")
def blocks() -> Blocks:
    reader = Blocks()
    reader.feed(guide_html(BROWSER))
    reader.close()
    return reader


def test_every_query_is_shown_as_it_is_in_its_file(blocks: Blocks) -> None:
    texts = {statement.text for statement in area_queries("browser")}
    assert {*blocks.runnable[1:], *blocks.shown} == texts
    assert blocks.slides == len(CHAPTERS) + 1


def test_what_writes_is_never_run_by_a_click(blocks: Blocks) -> None:
    writing = [statement.text for statement in area_queries("browser") if statement.mode != "read"]
    assert writing
    assert blocks.shown == writing


def test_it_begins_with_the_style(blocks: Blocks) -> None:
    assert blocks.runnable[0] == f":style {BROWSER}hopgrade/style.grass"
    assert style_url(BROWSER) in blocks.runnable[0]
    assert guide_url(BROWSER) == f"{BROWSER}hopgrade/guide.html"


def test_nothing_is_fetched_from_elsewhere() -> None:
    assert set(re.findall(r"https?://[^/\"'<]+", guide_html(BROWSER))) == {"http://127.0.0.1:7474"}


def test_the_style_names_labels_and_relationships_that_exist() -> None:
    text = style_grass()
    assert RULES.fullmatch(text)
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in bundled_folder("cypher").rglob("*.cypher")
    )
    styled = set(re.findall(r"^(?:node|relationship)\.(\w+) \{$", text, re.MULTILINE))
    assert styled >= {*TYPE_LABELS, "RELATES", "MIRRORED", "Claim", "Article", "Question"}
    assert [name for name in styled if f":{name}" not in source and f"'{name}'" not in source] == []


def test_mirrored_edges_look_different_from_stated_ones() -> None:
    colours = re.findall(r"relationship\.(RELATES|MIRRORED) \{\n  color: (#\w+);", style_grass())
    assert len({colour for _, colour in colours}) == 2


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" as WCAG 2.2 defines it, 0 for black and 1 for white."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_captions_can_be_read_on_their_colours() -> None:
    pairs = re.findall(r"  color: (#\w+);\n(?:  .+\n)*?  text-color-internal: (#\w+);", style_grass())
    assert len(pairs) > 20
    for pair in pairs:
        dark, light = sorted(luminance(colour) for colour in pair)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, pair


def test_a_server_of_an_older_kg_without_the_guide_is_told_at_once() -> None:
    with web_system(lambda _: Sent("", HTTPStatus.NOT_FOUND)) as web:
        assert not is_served(web.url.replace("answer", "browser/hopgrade/guide.html"))


def test_a_page_that_nobody_serves_is_not_there() -> None:
    assert not is_served("http://127.0.0.1:9/browser/hopgrade/guide.html", timeout_seconds=0.1)
