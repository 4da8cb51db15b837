"""The page: one well-formed, self-contained, accessible file, whatever the report holds."""

import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.report.content import Report
from services.report.html import render_html
from tests.services.report.pages import Node, read_page
from tests.services.report.reports import (
    HOSTILE,
    NAMES,
    empty_report,
    make_comparison,
    make_report,
    make_run,
)

REPORTS = {
    "no run": empty_report(),
    "two runs that answered nothing": empty_report(2),
    "one run": make_report(1),
    "three runs": make_report(3),
    "five runs": make_report(5),
    "hostile names": make_report(2, (HOSTILE, f"b{HOSTILE}")),
}
INTERACTIVE = (
    "script",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "img",
    "link",
    "base",
    "audio",
    "video",
)


@pytest.fixture(scope="module", params=list(REPORTS.values()), ids=list(REPORTS))
def page(request: pytest.FixtureRequest) -> Node:
    """A page of every sort."""
    return read_page(render_html(request.param))


@pytest.fixture(scope="module")
def full_page() -> Node:
    """The page of a report on two runs."""
    return read_page(render_html(REPORTS["three runs"]))


def table(page: Node, caption: str) -> Node:
    """The only table with this caption."""
    found = [one for one in page.all("table") if one.one("caption").text == caption]
    assert len(found) == 1, [one.one("caption").text for one in page.all("table")]
    return found[0]


def cells(one: Node, header: str) -> list[str]:
    """The cells of the row with this header."""
    rows = [row for row in one.one("tbody").all("tr") if row.one("th").text == header]
    assert len(rows) == 1
    return [cell.text for cell in rows[0].all("td")]


def test_it_has_a_language_a_title_and_one_main_heading(page: Node) -> None:
    assert page.one("html")["lang"] == "en"
    assert page.one("head").one("title").text.startswith("Report on ormelund: ")
    assert len(page.all("h1")) == 1


def test_headings_go_down_one_level_at_a_time(page: Node) -> None:
    levels = [int(node.tag[1]) for node in page.walk() if re.fullmatch(r"h[1-6]", node.tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_every_reference_leads_to_one(page: Node) -> None:
    ids = [node["id"] for node in page.walk() if node.get("id")]
    assert len(ids) == len(set(ids))
    named = [id_ for node in page.walk() for id_ in node.get("aria-labelledby").split()]
    linked = [node["href"].removeprefix("#") for node in page.all("a")]
    assert set(named) | set(linked) <= set(ids)
    assert all(node["href"].startswith("#") for node in page.all("a"))


def test_every_table_has_a_caption_and_headers_and_scrolls_in_a_labelled_box(page: Node) -> None:
    labels = []
    ids = {node["id"]: node.text for node in page.walk() if node.get("id")}
    for one in page.all("table"):
        assert one.one("caption").text
        width = len(one.one("thead").all("th"))
        assert all(head["scope"] == "col" for head in one.one("thead").all("th"))
        for row in one.one("tbody").all("tr"):
            assert row.one("th")["scope"] == "row"
            assert len(row.children) == width
        box = one.parent
        assert box is not None
        assert (box["role"], box["tabindex"]) == ("region", "0")
        labels.append(" ".join(ids[id_] for id_ in box["aria-labelledby"].split()))
    assert len(labels) == len(set(labels))


def test_every_drawing_says_what_it_shows(page: Node) -> None:
    for drawing in page.all("svg"):
        if drawing.get("aria-hidden") == "true":
            continue
        assert drawing["role"] == "img"
        title, desc = drawing.children[0], drawing.children[1]
        assert (title.tag, desc.tag) == ("title", "desc")
        assert drawing["aria-labelledby"].split() == [title["id"], desc["id"]]
        assert title.text
        assert desc.text


def test_it_asks_for_nothing_and_runs_nothing(page: Node) -> None:
    assert page.all(*INTERACTIVE) == []
    for node in page.walk():
        assert not any(
            name.startswith("on") or name in ("src", "srcset", "style") for name in node.attributes
        )
    assert not re.search(r"url\(|@import|https?:", page.one("style").text)


def test_its_policy_allows_its_own_style_and_nothing_else(page: Node) -> None:
    policies = [node for node in page.all("meta") if node.get("http-equiv") == "Content-Security-Policy"]
    style = page.one("style").raw
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert policies[0]["content"].split("; ")[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]


def test_the_first_link_skips_to_the_report(page: Node) -> None:
    first = page.all("a")[0]
    assert "skip" in first.classes
    assert page.one("main")["id"] == first["href"].removeprefix("#")


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    text = render_html(report)
    assert text == render_html(report)
    assert text.encode("utf-8").decode("utf-8") == text


def test_names_are_shown_as_they_are_and_controls_written_out() -> None:
    text = render_html(REPORTS["hostile names"])
    shown = HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b").replace("\ud800", "\\ud800")
    page = read_page(text)
    assert any(node.text == f"Run {shown}" for node in page.all("h2"))
    assert not set(text) & set("\u202e\x1b\ud800")


def test_the_matrix_stands_with_counts_intervals_and_marks(full_page: Node) -> None:
    run = make_run()
    found = cells(
        table(
            read_page(render_html(make_report(1))), "Error rates by reasoning depth and retrieval distance"
        ),
        "5 hops",
    )
    cell = run.matrix.cell(5, 1)
    assert cell.clustered is not None
    assert found[0] == (
        f"{100 * (cell.error_rate or 0):.0f}%* (small){cell.errors} of {cell.n}"
        f"{100 * cell.clustered.low:.0f}\u2013{100 * cell.clustered.high:.0f}%"
    )
    assert len(found) == 5
    assert not found[4].startswith(found[0][:4] + "*")
    maps = [one for one in full_page.all("svg") if one.get("id").endswith("-heat")]
    assert len(maps) == 3


def test_errors_stand_by_the_borders_that_evidence_crosses() -> None:
    run = make_run()
    page = read_page(render_html(make_report(1)))
    shown = table(page, "Error rate by borders that the evidence must cross")
    place, time = run.crossings
    cell = place.cells[3]
    assert cell.small
    assert cell.clustered is not None
    found = cells(shown, "geographic")
    assert found[3] == (
        f"{100 * cell.error_rate:.0f}%* (small){cell.errors} of {cell.n}"
        f"{100 * cell.clustered.low:.0f}\u2013{100 * cell.clustered.high:.0f}%distance {cell.difficulty:.2f}"
    )
    assert len(found) == 6
    assert [one.crossings for one in time.cells] == [0, 1]
    assert all("no answers" in entry for entry in cells(shown, "temporal")[2:4])


def test_all_runs_stand_side_by_side_only_where_there_are_several(full_page: Node) -> None:
    rows = table(full_page, "Error rates by depth, all runs").one("tbody").all("th")
    assert [row.text for row in rows] == list(NAMES[:3])
    captions = [one.text for one in read_page(render_html(make_report(1))).all("caption")]
    assert not any("all runs" in caption for caption in captions)


def test_what_is_undefined_is_a_dash_with_a_reason_and_never_a_number() -> None:
    page = read_page(render_html(empty_report(1)))
    for caption in ("Error rates by reasoning depth and retrieval distance", "Accuracy by depth"):
        for row in ("2 hops", "5 hops"):
            undefined = [one for one in cells(table(page, caption), row) if one != "0 of 0"]
            assert set(undefined) == {"\u2014 no answers"}
    facts = table(page, "What produced the answers")
    assert cells(facts, "cost") == ["\u2014 no price is set"]
    assert cells(facts, "finished") == ["\u2014 not finished"]
    assert cells(facts, "seed") == ["\u2014 not recorded"]
    assert not [one.text for one in page.all("td") if "%" in one.text]


def test_worst_names_come_as_entities_claims_articles(full_page: Node) -> None:
    captions = [one.text for one in read_page(render_html(make_report(1))).all("caption")]
    worst = [one.split()[0] for one in captions if "highest error rate" in one]
    assert worst == ["Entities", "Claims", "Articles"]
    assert "highest error rate" in full_page.text


def test_a_depth_without_a_hop_says_so() -> None:
    losses = table(read_page(render_html(make_report(1))), "Where the chain broke first")
    assert cells(losses, "2 hops")[3] == "\u2014 no hop"
    assert "\u2014" not in "".join(cells(losses, "5 hops"))


counts = st.integers(0, 3_000)
shares = st.floats(0, 1)
names = st.text(st.characters(), max_size=30)


@pytest.mark.campaign
@given(first=names, second=names, note=names, difference=st.floats(-1, 1), decided=st.booleans())
@settings(max_examples=25)
def test_any_names_and_differences_give_a_whole_page(
    first: str, second: str, note: str, difference: float, decided: bool
) -> None:
    base = empty_report(2)
    report = Report(
        corpus=first,
        version=second,
        dataset=note,
        generators=(first, second),
        bins="global",
        runs=base.runs,
        links=(),
        comparisons=tuple(
            make_comparison(first, second, scope, difference, decided) for scope in ("all", note)
        ),
        notes=(note,),
    )
    page = read_page(render_html(report))
    assert page.all(*INTERACTIVE) == []
    assert len(page.all("h1")) == 1
    ids = [node["id"] for node in page.walk() if node.get("id")]
    assert len(ids) == len(set(ids))
