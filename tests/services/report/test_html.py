"""The page: one well-formed, self-contained, accessible file, whatever the report holds.

Numbers and names as a page writes them.
Whatever is written on a colour can be read, by day and at night.
The sentences that a reader meets first say what the figures say, and no more.
"""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.evaluate.matrix import AnswerVerdict, difficulty_matrix
from services.report.content import HopLoss, Report, RunSection
from services.report.html import render_html
from services.report.html_comparisons import chain_sentence, pair_views, verdict
from services.report.html_environment import DAY, NIGHT, Paint, Palette, heat_step
from services.report.html_summary import cautions, headline, run_sentences
from services.report.html_values import (
    duration,
    name,
    p_text,
    percent,
    percent_range,
    plural,
    points_range,
    share_or_counts,
    short_time,
    signed,
    visible,
)
from services.statistics.intervals import Interval
from tests.services.report.pages import Node, read_page
from tests.services.report.reports import (
    HOSTILE,
    NAMES,
    empty_report,
    empty_run,
    make_comparison,
    make_facts,
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


@pytest.mark.parametrize(
    ("share", "written"),
    [(0, "0%"), (0.001, "<1%"), (0.314, "31%"), (0.996, ">99%"), (1, "100%")],
)
def test_a_share_that_is_not_quite_none_or_all_is_not_written_as_such(share: float, written: str) -> None:
    assert percent(share) == written


def test_intervals_signs_and_p_values() -> None:
    assert percent_range(Interval(0.204, 0.449)) == "20\u201345%"
    assert points_range(Interval(-0.1204, 0.02)) == "\u221212.0 to +2.0"
    assert [signed(0.714), signed(-0.2), signed(-0.0), signed(-0.001)] == [
        "+0.71",
        "\u22120.20",
        "0.00",
        "0.00",
    ]
    assert [p_text(0.0004), p_text(0.0342)] == ["<0.001", "0.034"]


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.04, "0.0 s"), (41.3, "41 s"), (372.4, "6 min 12 s"), (7_384, "2 h 3 min")],
)
def test_lengths_of_time(seconds: float, written: str) -> None:
    assert duration(seconds) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.0, "<1 ms"), (0.0242, "24 ms"), (0.9994, "999 ms"), (1.0, "1.0 s"), (372.4, "6 min 12 s")],
)
def test_short_lengths_of_time(seconds: float, written: str) -> None:
    assert short_time(seconds) == written


def test_counts_with_nouns() -> None:
    assert [plural(1, "cluster"), plural(1_200, "cluster")] == ["1 cluster", "1,200 clusters"]


def test_a_name_keeps_its_own_direction_and_is_never_markup() -> None:
    assert name("<b>\u05e9\u202e") == "<bdi>&lt;b&gt;\u05e9\\u202e</bdi>"


@given(st.text(st.characters()))
def test_what_is_visible_can_be_sent_and_turns_nothing_around(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not set(shown) & {chr(code) for code in (0, 7, 27, 0x200B, 0x200F, 0x202E, 0x2066, 0xFEFF)}
    assert visible(shown) == shown


@given(st.text(st.characters(categories=("L", "N", "P", "Zs"))))
def test_letters_of_every_script_stay(text: str) -> None:
    assert visible(text) == text


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


def run_of(errors: dict[tuple[int, int], int], a_cell: int = 20) -> RunSection:
    """A run with so many errors in some cells of so many answers; every answer is a cluster of its own."""
    rows = [
        AnswerVerdict(f"q{hops}{bin_}{n}", hops, bin_, 0.1 * bin_, n < wrong, f"a{hops}{bin_}{n}")
        for (hops, bin_), wrong in errors.items()
        for n in range(a_cell)
    ]
    return replace(empty_run(), facts=make_facts("it", errors=0), matrix=difficulty_matrix(rows))


def plain(sentences: list[str]) -> str:
    """Sentences without markup, as one text."""
    text = " ".join(sentences)
    for tag in ("<bdi>", "</bdi>", "<strong>", "</strong>"):
        text = text.replace(tag, "")
    return text


def test_it_says_how_often_a_run_is_wrong_and_where_first_and_most() -> None:
    run = run_of({(2, 1): 4, (2, 4): 12, (3, 1): 8, (3, 4): 20})
    said = plain([str(one) for one in run_sentences(run)])
    assert "it is wrong on 55% of 80 chain questions" in said
    assert "first wrong on more than half at 2 hops, far (60% of 20" in said
    assert "fails most at 3 hops, far (100% of 20" in said
    assert "error" not in said.replace("fails", "")


def test_a_run_that_is_seldom_wrong_has_no_first_failing_cell() -> None:
    said = plain([str(one) for one in run_sentences(run_of({(2, 1): 1, (2, 2): 3}))])
    assert "more than half" not in said
    assert "fails most at 2 hops, Q2 (15% of 20" in said


def test_small_cells_are_never_called_the_worst() -> None:
    run = run_of({(2, 1): 19, (2, 2): 0}, a_cell=19)
    said = plain([str(one) for one in run_sentences(run)])
    assert "No cell of its matrix has 20 answers or more." in said
    assert "fails most" not in said


def test_where_chains_break_is_told_in_shares_of_all_wrong_answers() -> None:
    losses = (HopLoss(2, 10, (1, 4), 5, 0, 0), HopLoss(3, 10, (1, 3, 1), 4, 1, 0))
    run = replace(run_of({(2, 1): 10, (3, 1): 10}), losses=losses)
    said = plain([str(one) for one in run_sentences(run)])
    assert "50% lack the evidence of a hop and 45% have all of it" in said
    assert "lost most often at hop 2." in said


def test_how_far_error_rises_is_told_beside_whether_it_does() -> None:
    run = run_of({(2, 1): 2, (2, 4): 8, (3, 1): 12, (3, 4): 18})
    said = plain([str(one) for one in run_sentences(run)])
    assert "Error rises with hops by 50.0 points a hop (p " in said
    assert "rises with distance to the evidence by 10.0 points a quarter (p 0.007), tested by" in said
    level = plain([str(one) for one in run_sentences(run_of({(2, 1): 10, (3, 1): 11}))])
    assert "is not shown to change with hops (+5.0 points a hop, p 0." in level


def test_the_difference_on_chain_questions_says_what_it_is_over_and_by_which_test() -> None:
    said = plain([str(chain_sentence(make_comparison("a", "b", "chain", 0.113, True)))])
    assert said.startswith(
        "On 192 chain questions, which the matrix is about, b gives 11.3 percentage points more right "
        "answers than a (95%"
    )
    assert "by itself)" in said
    assert "b gives as many right answers as a" in plain(
        [str(chain_sentence(make_comparison("a", "b", "chain", 0.0, False)))]
    )


def test_of_few_answers_counts_are_told_and_no_share() -> None:
    said = [share_or_counts(1.0, answers) for answers in (2, 4, 5, None)]
    assert said == ["2 of 2", "4 of 4", "100%", "100%"]
    assert share_or_counts(1 / 3, 3) == "1 of 3"


def test_cautions_name_small_cells_and_few_clusters_once_for_runs_that_share_them() -> None:
    runs = tuple(
        replace(one, facts=make_facts(name))
        for name, one in (("a", run_of({(2, 1): 4})), ("b", run_of({(2, 1): 9})))
    )
    report = Report("c", "1", "v-1", (), "depth", runs, (), (), ())
    said = [plain([str(one)]) for one in cautions(report)]
    assert said[0].startswith("Runs &#39;a&#39;, &#39;b&#39;: 15 of 16 cells have fewer than 20 answers")
    assert "20 questions fall into 20 clusters" in said[1]
    assert sum("clusters" in one for one in said) == 1
    assert not any("does not mean" in one for one in said)


def test_without_runs_there_is_nothing_to_judge_and_nothing_to_warn_of() -> None:
    assert "No run is in this report" in str(headline(empty_report()))
    assert cautions(empty_report()) == []
    assert "answered no chain question" in str(run_sentences(empty_run())[0])


def test_differences_are_told_with_their_side_and_only_when_shown() -> None:
    better = plain([str(verdict(make_comparison("a", "b", "all", 0.071, True)))])
    assert (
        "Shown to differ. On 624 questions of all kinds b gives 7.1 percentage points more right answers "
        "than a" in better
    )
    worse = plain([str(verdict(make_comparison("a", "b", "all", -0.071, True)))])
    assert "b gives 7.1 percentage points fewer right answers than a" in worse
    open_ = plain([str(verdict(make_comparison("a", "b", "all", 0.02, False)))])
    assert open_.startswith("Not shown to differ.")
    equal = plain([str(verdict(make_comparison("a", "b", "all", 0.0, False)))])
    assert "a and b are right equally often" in equal


def test_a_pair_tells_what_the_test_without_clusters_would_have_claimed() -> None:
    pairs = pair_views(make_report(3).comparisons)
    assert len(pairs) == 3
    said = plain([str(one) for one in pairs[0].sentences])
    assert "the difference is shown at 2 hops" in said
    assert "would have claimed a difference at 3 hops, 4 hops, 5 hops" in said


def test_what_only_holm_keeps_from_being_shown_is_not_blamed_on_clusters() -> None:
    one = replace(make_comparison("a", "b", "all", 0.05, False), p_value=0.03, p_holm=0.2, naive_p=0.008)
    said = plain([str(sentence) for sentence in pair_views([one])[0].sentences])
    assert "Looked at alone, all kinds would be shown" in said
    assert "counts the same news twice" not in said
