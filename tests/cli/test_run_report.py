"""`kg run report` and `kg run matrix` as a user meets them."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kg.corpus import drop_corpus
from kg.store.graph import Graph
from services.evaluate.write_back import analyse_run
from tests.cli.conftest import Kg
from tests.examples import examples
from tests.graph_reading import change, value
from tests.names import unique_name
from tests.services.report.planted import Given, Planted, answer, plant

QUESTIONS = [
    Planted(f"{hops}-{i}", hops=hops, start=i % 4, bin=i % 4 + 1, difficulty=i / 25, exact=i % 2 == 0)
    for hops in (2, 3)
    for i in range(24)
]
FEW = [Given(q.name, right=i % 3 == 0, chunks=(q.start,)) for i, q in enumerate(QUESTIONS)]
MANY = [Given(q.name, right=i % 6 != 5, chunks=tuple(range(8))) for i, q in enumerate(QUESTIONS)]


@pytest.fixture(scope="module")
def planted(graph: Graph) -> Iterator[str]:
    name = unique_name("test", "module")
    plant(graph, name, QUESTIONS)
    answer(graph, name, "few", FEW)
    answer(graph, name, "many", MANY, generator="a-model", judge="a-judge")
    yield name
    drop_corpus(graph, name)


def test_the_report_has_every_part_and_says_no_more_than_it_knows(kg: Kg, planted: str) -> None:
    ended = kg("run", "report", "--corpus", planted)
    assert ended.code == 0
    verdict, heading = ended.out.split("\n\nReport on 2 runs")
    assert " ".join(verdict.split()).startswith("few is wrong on 67% of 48 chain questions (95% ")
    assert "Not shown to differ" in verdict or "not shown to differ" in verdict
    assert heading
    for part in (
        "Run 'few'", "single-step, vector-10, planted; judged by exact match",
        "Run 'many'", "single-step, vector-10, a-model; judged by a-judge",
        "Error rate by reasoning depth and retrieval distance", "Heat map of the error rates",
        "Accuracy by depth", "Accuracy by retrieval distance", "How error goes with retrieval distance",
        "r of quartile and error rate, by aggregate", "Accuracy by kind of question",
        "Of the wrong answers, lost first at or in", "Questions whose evidence was retrieved",
        "Fails most on entities", "Fails most on claims", "Fails most on articles",
        "How well evidence was retrieved", "MAP@10",
        "Questions that need a missing link", "many less few: accuracy on the same questions", "To know",
    ):  # fmt: skip
        assert part in ended.out, part
    assert f"Of the tokens {3 * len(FEW)} cached, {len(FEW)} for thinking" in ended.out
    # Five clusters, the articles of the answers: p is at least 2 / 2^5 before Holm.
    assert "not shown to differ" in ended.out
    assert "is better" not in ended.out


def test_a_report_is_written_for_a_paper_too(kg: Kg, planted: str, tmp_path: Path) -> None:
    files = {option: tmp_path / f"report.{option}" for option in ("markdown", "latex")}
    options = [text for option, path in files.items() for text in (f"--{option}", str(path))]
    ended = kg("run", "report", "few", "--corpus", planted, *options)
    assert ended.code == 0, ended.err
    assert ended.out == ""
    assert "| MAP@10 |" in files["markdown"].read_text(encoding="utf-8")
    assert "MAP@10 &" in files["latex"].read_text(encoding="utf-8")


@pytest.mark.campaign
def test_a_table_fits_in_eighty_columns(kg: Kg, planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = kg("run", "report", "--corpus", planted).out.splitlines()
    told = [line for line in shown if len(line.rstrip()) > 80]
    # Only sentences are longer, which a terminal wraps.
    assert [line for line in told if not line.endswith(".") and not line.startswith("- ")] == []


def test_a_heat_map_is_readable_without_colour_and_marks_small_cells(kg: Kg, planted: str) -> None:
    shown = kg("run", "report", "few", "--corpus", planted).out
    heat = shown[shown.index("Heat map") :].splitlines()[2:6]
    assert [line.split()[0] for line in heat] == ["2", "3", "4", "5"]
    assert heat[0].count("*") == 4
    assert heat[2].split() == ["4", "hops", "-", "-", "-", "-"]
    blocks = {"\u2591": 0.25, "\u2592": 0.5, "\u2593": 0.75, "\u2588": 1.0}
    for cell in heat[0].split("hops")[1].split("*")[:4]:
        block, rate = cell.split()
        assert set(block) == {next(shade for shade, bound in blocks.items() if float(rate) <= bound)}


def test_json_has_the_numbers_and_what_is_worked_out_from_them(kg: Kg, planted: str) -> None:
    shown = kg("run", "report", "few", "many", "--corpus", planted, "--json").json
    few, many = shown["runs"]
    assert (few["matrix"]["total"]["n"], few["matrix"]["total"]["errors"]) == (48, 32)
    assert few["matrix"]["small_cells"] == 16
    assert few["matrix"]["by_depth"][0]["small"] is False
    assert few["ablation"][0]["by_depth"].keys() == {"2", "3", "4", "5"}
    assert many["facts"]["judge"] == "a-judge"
    assert {one["scope"] for one in shown["comparisons"]} == {"all", "2 hops", "3 hops"}
    assert not any(one["decided"] for one in shown["comparisons"])


def test_a_matrix_lists_the_entities_on_which_its_own_run_fails_most(kg: Kg, planted: str) -> None:
    listed = {
        run: kg("run", "matrix", run, "--corpus", planted, "--json").json["worst_entities"]
        for run in ("few", "many")
    }
    assert listed["few"] != listed["many"]
    for run, worst in listed.items():
        report = kg("run", "report", run, "--corpus", planted, "--json").json
        assert worst == report["runs"][0]["worst"]["entities"][:5]
        told = ", ".join(f"{one['name']} ({one['wrong']} of {one['answers']} wrong)" for one in worst)
        shown = kg("run", "matrix", run, "--corpus", planted).out
        assert f"\nFails most on entities: {told}\n" in shown
        assert f"Why it fails: kg run report {run} --corpus {planted}" in shown


def test_the_list_of_runs_names_what_its_shares_count(kg: Kg, planted: str, graph: Graph) -> None:
    analyse_run(graph, planted, "few")
    shown = kg("run", "list", "--corpus", planted).out
    heads = " ".join(shown[: shown.index("few")].split())
    assert "wrong, chain wrong," in heads
    assert "questions all kinds" in heads
    assert shown.count("67%") == shown.count("32 of 48") == 2
    assert re.search(r"\d\d?% to \d\d?%", shown)
    assert f"Where the newest fails: kg run matrix many --corpus {planted}" in shown


@pytest.mark.campaign
def test_a_seed_repeats_it_and_the_graph_has_it(kg: Kg, planted: str, graph: Graph) -> None:
    one, again = (kg("run", "report", "--corpus", planted, "--seed", "3", "--json").json for _ in range(2))
    assert one == again
    stored = (
        "MATCH (f:Finding {corpus: $corpus, measure: 'difference in accuracy', scope: 'all'}) RETURN f.value"
    )
    assert value(graph, stored, corpus=planted) == one["comparisons"][0]["difference"]


class Tags(HTMLParser):
    """The tags of a page that load something."""

    def __init__(self) -> None:
        super().__init__()
        self.loading: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loading += [f"{tag} {value}" for name, value in attrs if name in {"src", "srcset"}]


@pytest.mark.campaign
def test_the_page_is_written_whole_and_loads_nothing(kg: Kg, planted: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text("old", encoding="utf-8")
    ended = kg("run", "report", "--corpus", planted, "--html", str(page), "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["corpus"] == planted
    assert "Page written" in ended.err
    text = page.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.loading == []
    assert "few" in text
    assert [path.name for path in tmp_path.iterdir() if "report" in path.name] == ["report.html"]


@examples("arguments, told")
def test_mistakes_are_told_in_a_sentence(kg: Kg, planted: str, arguments: tuple[str, ...], told: str) -> None:
    ended = kg(*arguments, "--corpus", planted)
    assert ended.code == 2
    assert told in ended.err
    assert ended.err.count("\n") == 1


def test_the_matrix_of_one_run_says_who_answered_and_who_judged(kg: Kg, planted: str) -> None:
    shown = kg("run", "matrix", "many", "--corpus", planted)
    assert "Run 'many': wrong answers by a-judge, a-model, 48 questions" in shown.out
    as_json = kg("run", "matrix", "many", "--corpus", planted, "--json").json
    assert as_json["matrix"]["total"]["n"] == 48
    # Nobody wrote what the planted questions span, as in a corpus of an older version.
    assert "articles" in [one["facet"] for one in as_json["crossings"]]
    assert {one["n"] for one in as_json["crossings"]} == {48}


@pytest.mark.campaign
def test_errors_are_told_by_the_borders_that_evidence_crosses(kg: Kg, graph: Graph, planted: str) -> None:
    change(
        graph,
        "MATCH (q:Question {corpus: $corpus}) SET q.spans_time = q.bin, q.crossings_time = q.bin - 1",
        corpus=planted,
    )
    try:
        shown = kg("run", "matrix", "many", "--corpus", planted)
        found = kg("run", "matrix", "many", "--corpus", planted, "--json").json["crossings"]
        report = kg("run", "report", "many", "--corpus", planted, "--json").json
    finally:
        change(
            graph,
            "MATCH (q:Question {corpus: $corpus}) REMOVE q.spans_time, q.crossings_time",
            corpus=planted,
        )
    (time,) = (one for one in found if one["facet"] == "time")
    assert (time["facet"], time["border"], time["n"]) == ("time", "temporal", 48)
    assert [(cell["crossings"], cell["n"], cell["small"]) for cell in time["cells"]] == [
        (number, 12, True) for number in range(4)
    ]
    assert "temporal" in shown.out
    assert "* fewer than 20 questions" in " ".join(shown.out.split())
    assert report["runs"][0]["crossings"] == found
