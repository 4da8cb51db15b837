"""The report in its formats: complete, well formed, and safe whatever a name holds."""

import re
from dataclasses import replace

import pytest

from benchmarks.made_comparison import PlantedEffects, made_comparison
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import HypothesisResult, Results
from services.comparison.report.renderers import (
    render_html,
    render_latex,
    render_markdown,
    text_sections,
)
from services.comparison.report.sections import sections
from services.comparison.report.sentences import finding, forest_plot, naive_sentences
from services.report import svg
from services.report.written import escape_latex, escape_markdown
from tests.examples import examples
from tests.services.comparison.analysis.planted_protocol import planted_protocol
from tests.services.report.pages import read_page

HOSTILE = '<script>alert("1")</script> a|b_c & 100% $x$ \\input{y} \u202e~^#{}'


@pytest.fixture(scope="module")
def results() -> Results:
    return analyse(made_comparison(planted_protocol(), PlantedEffects()))


@pytest.fixture(scope="module")
def hostile(results: Results) -> Results:
    """Results in which every text that comes from elsewhere holds markup."""
    return replace(
        results,
        limits=(HOSTILE,),
        systems=tuple(replace(one, origin=HOSTILE) for one in results.systems),
        replication=replace(results.replication, judge=HOSTILE),
        hypotheses=tuple(replace(one, claim=HOSTILE) for one in results.hypotheses),
    )


def test_the_page_is_well_formed_and_asks_nothing_of_a_network(results: Results) -> None:
    text = render_html(results)
    page = read_page(text)
    assert not page.all("script", "link", "img", "iframe")
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    ids = [node["id"] for node in page.walk() if node.get("id")]
    assert len(ids) == len(set(ids))
    for node in page.walk():
        for name in node.get("aria-labelledby").split():
            assert name in ids
        if node.tag == "a":
            assert node["href"].lstrip("#") in ids


def test_the_page_tells_everything_in_order(results: Results) -> None:
    page = read_page(render_html(results))
    headings = [node.text for node in page.all("h2")][1:]
    assert headings == [section.heading for section in sections(results)]
    assert headings[:4] == [
        "In short",
        "What was fixed before the run",
        "What came of the hypotheses",
        "Systems and measures",
    ]
    for one in results.hypotheses:
        assert one.claim in page.text
    for limit in results.limits:
        assert limit in page.text


def test_names_are_data_in_the_page(hostile: Results) -> None:
    page = read_page(render_html(hostile))
    assert not page.all("script")
    assert '<script>alert("1")</script> a|b_c' in page.text
    assert "\u202e" not in page.text


def test_names_are_data_in_markdown(hostile: Results) -> None:
    text = render_markdown(hostile)
    assert "<script>" not in text
    widths = {}
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        counts = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
        assert len(counts) <= 1, rows
        widths.update(dict.fromkeys(counts))
    assert len(widths) > 3


@examples("given, markdown, latex")
def test_text_is_escaped_for_each_format(given: str, markdown: str, latex: str) -> None:
    assert escape_markdown(given) == markdown
    assert escape_latex(given) == latex


def test_latex_tables_are_balanced_and_rows_as_wide_as_their_head(hostile: Results) -> None:
    text = render_latex(hostile)
    for name in ("tabular", "longtable"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}")
    assert text.count(r"\end{tabular}") + text.count(r"\end{longtable}") == text.count(r"\toprule") > 5
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels))
    bodies = re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.DOTALL)
    for body, form in zip(bodies, _column_forms(text), strict=True):
        for row in body.splitlines():
            if row.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", row)) == len(form) - 1, row
    plain = re.sub(r"\\[{}]", "", text)
    assert plain.count("{") == plain.count("}")
    # What is left of dollars are the formulas of our own.
    assert set(re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", text)) <= {"-", r"\pm", r"\alpha"}


def _column_forms(text: str) -> list[list[str]]:
    """The columns of each table: l and r, or the share of the line that each paragraph has."""
    starts = re.findall(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}\n", text)
    return [re.findall(r"dimexpr([\d.]+)", start) or list(start) for start in starts]


def test_a_latex_table_of_many_lines_breaks_over_pages(results: Results) -> None:
    text = render_latex(results)
    long = re.findall(r"\\begin\{longtable\}.*?\\endhead(.*?)\\end\{longtable\}", text, re.DOTALL)
    short = re.findall(r"\\begin\{tabular\}.*?\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    assert len(long) >= 1
    assert all(body.count(r"\\" + "\n") > 10 for body in long)
    assert all(body.count(r"\\" + "\n") <= 42 for body in short)


def test_columns_of_latex_never_take_more_than_the_line(results: Results) -> None:
    forms = _column_forms(render_latex(results))
    shares = [[float(share) for share in form] for form in forms if not set(form) <= {"l", "r"}]
    assert 0 < len(shares) < len(forms)
    assert all(0.98 < sum(one) <= 1 for one in shares)


def test_every_difference_says_what_is_taken_from_what(results: Results) -> None:
    name = "better: genetic \u2212 top-k, accuracy"
    made = {view.caption: view for section in sections(results) for view in section.tables}
    for caption in ("Hypotheses and decisions", "Intervals by the judge, exact", "Tests by the judge, exact"):
        assert name in [row.header for row in made[caption].rows]
    assert f"{name}, second judge" in [
        row.header for row in made["Cluster-aware and naive, side by side"].rows
    ]
    assert name in svg.figure("it", forest_plot(results.hypotheses))
    assert all(f"{one.second} \u2212 {one.first}" in render_markdown(results) for one in results.pairs)


def test_what_a_naive_test_would_have_said_is_told_without_the_p_of_its_contrary(results: Results) -> None:
    one = results.hypotheses[0]
    naively = replace(
        one.by[0], decision="not supported", naive_decision="contradicted", naive_p_holm=0.998, p_holm=0.5
    )
    told = " ".join(finding(replace(one, by=(naively, *one.by[1:]))))
    assert "would have called it contradicted." in told
    assert "0.998" not in told
    other = replace(naively, naive_decision="supported", naive_p_holm=0.021)
    assert "supported (p 0.021)." in " ".join(finding(replace(one, by=(other, *one.by[1:]))))
    whole = replace(results, hypotheses=(replace(one, by=(naively, *one.by[1:])), *results.hypotheses[1:]))
    assert f"the contrary of {one.id}" in naive_sentences(whole)[0]


def test_notes_of_a_latex_cell_stand_below_it(results: Results) -> None:
    text = render_latex(results)
    first = results.hypotheses[0].by[0]
    assert first.estimate is not None
    # Where columns are paragraphs, and where they are as wide as they come.
    assert rf"& +{100 * first.estimate:.1f}\newline +" in text
    assert re.search(r"& \\shortstack\[[lr]\]\{[^&]*\\\\\\relax ", text)


def test_tables_are_narrow_enough_for_a_page(results: Results) -> None:
    assert all(len(view.columns) <= 7 for section in sections(results) for view in section.tables)


def test_the_protocol_tells_what_was_compared_and_when_a_judge_is_rejected(results: Results) -> None:
    protocol = next(section for section in sections(results) if section.id == "protocol")
    assert [point.split(":")[0] for point in protocol.points] == ["top-k", "mmr", "genetic", "graph"]
    facts = {str(row.header): row.entries[0].text for row in protocol.tables[1].rows}
    assert (
        facts["a judge is rejected"] == "below discernment 0.5 or consistency 0.9, or with a bias above 0.1"
    )
    assert facts["looks at the results"] == "one, after all questions"


def test_a_rejected_judge_is_told_at_the_top() -> None:
    faulty = PlantedEffects(trial_errors={"judge": 0.4, "second_judge": 0.0})
    results = analyse(made_comparison(planted_protocol(), faulty))
    assert results.calibration["judge"].verdict == "rejected"
    assert "The judge was rejected" in sections(results)[0].sentences[0]


def test_it_is_said_where_crossings_are_unknown_and_how_many_questions_cross(results: Results) -> None:
    def told(of: Results) -> str:
        return render_markdown(of).split("## Questions that cross clusters")[1].split("\n## ")[0]

    assert "not known of these questions" in told(replace(results, crossings=()))
    assert re.search(r"\d+ of 400 questions \(\d+\.\d%\) cross at least one", told(results))


def test_what_to_type_to_repeat_it_needs_the_archive_alone(results: Results) -> None:
    repeat = next(section for section in sections(results) if section.id == "repeat")
    assert "unzip made.zip protocol.json pool.jsonl -d again" in repeat.commands


def test_figures_of_all_formats_are_the_same(results: Results) -> None:
    shown = [view for section in sections(results) for view in section.tables]
    page, markdown = read_page(render_html(results)), render_markdown(results)
    cells = [str(entry.text) for view in shown for row in view.rows for entry in row.entries]
    texts = {node.text for node in page.all("td")}
    for cell in cells:
        assert any(cell in text for text in texts), cell
        assert escape_markdown(cell) in markdown


def test_a_terminal_gets_no_folded_table_and_every_limit(results: Results) -> None:
    shown = text_sections(results)
    assert not any(view.folded for section in shown for view in section.tables)
    assert next(section for section in shown if section.id == "limits").points == results.limits


def test_the_forest_stays_in_its_box_and_says_in_words_what_it_shows(results: Results) -> None:
    drawing = forest_plot(results.hypotheses)
    page = read_page(svg.figure("it", drawing))
    for node in page.walk():
        for name in ("x1", "x2", "x"):
            assert -0.01 <= float(node.get(name) or 0) <= svg.WIDTH + 0.01
        for name in ("y1", "y2", "y"):
            assert -0.01 <= float(node.get(name) or 0) <= drawing.height + 0.01
    for one in results.hypotheses:
        assert one.id in drawing.desc
        assert one.decision in drawing.desc


def test_filled_squares_are_claims(results: Results) -> None:
    def squares(one: HypothesisResult) -> list[str]:
        page = read_page(svg.figure("it", forest_plot([one])))
        return [node["class"] for node in page.all("rect")]

    better = next(one for one in results.hypotheses if one.id == "better")
    undecided = replace(better, by=tuple(replace(tested, decision="not supported") for tested in better.by))
    assert squares(better) == ["estimate", "estimate"]
    assert squares(undecided) == ["estimate open", "estimate open"]


def test_what_cannot_be_said_is_told_and_no_number() -> None:
    one = made_comparison(planted_protocol(), PlantedEffects(questions=30, clusters=1))
    results = analyse(one)
    text = render_markdown(results)
    assert "With 1 cluster no difference whatever could have been claimed" in text
    assert "nan" not in re.findall(r"[a-z]+", render_html(results).split("</style>")[1].lower())
