"""README, tutorial and the page on Browser show what commands and queries give, and go on doing so."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from markdown import markdown  # type: ignore[import-untyped]
from playwright.sync_api import sync_playwright

from cli.matrix import print_matrix, read_verdict
from kg.ids import run_id
from kg.queries import Query, area_queries
from kg.store.graph import Graph
from services.evaluate.write_back import read_matrix
from services.report.collect import read_worst_nodes
from services.report.run_facts import read_facts

README = Path(__file__).resolve().parents[1] / "README.md"
DOCS = README.parent / "docs"
BLOCK = re.compile(r"```(\w*)\n(.*?)\n```", re.DOTALL)
RUN = "single-step"
SCREEN = 800
STYLE = """
body { margin: 0 }
main { box-sizing: border-box; max-width: 1012px; margin: 0 auto; padding: 32px; font: 16px/1.5 sans-serif }
h1, h2 { margin: 24px 0 16px; padding-bottom: .3em; border-bottom: 1px solid; line-height: 1.25 }
h1 { margin-top: 0 }
h2 { font-size: 1.5em }
p, table, pre { margin: 0 0 16px }
code { font: 85% monospace; padding: .2em .4em }
pre { padding: 16px; line-height: 1.45; overflow: auto }
table { border-collapse: collapse; display: block; max-width: 100%; width: max-content }
td, th { padding: 6px 13px; border: 1px solid }
"""


def shape(line: str) -> str:
    """A line with its numbers blotted out, since the last digits depend on the kind of processor."""
    return re.sub(r"[+<-]?\d*[.,]?\d+", "#", re.sub(r"\s+", " ", line)).strip()


def shown_queries() -> list[tuple[Query, list[str]]]:
    """The queries that docs/browser.md shows with what they give: header and rows of the table below each."""
    by_text = {query.text: query for query in area_queries("browser")}
    text = (DOCS / "browser.md").read_text(encoding="utf-8")
    found = re.findall(r"```cypher\n((?:(?!```).)*)\n```\n\n((?:\|[^\n]*\n)+)", text, re.DOTALL)
    return [(by_text[text], table.strip().splitlines()) for text, table in found]


def test_the_two_commands_are_targets_of_make() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    block = BLOCK.findall(README.read_text(encoding="utf-8"))[0][1]
    assert set(re.findall(r"^make (\w+)", block, re.MULTILINE)) == {"demo", "test"} <= targets
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    assert "exec make test" in ci


def test_files_that_it_points_to_exist() -> None:
    text = README.read_text(encoding="utf-8")
    for target in (*re.findall(r"\]\(([^)#]+)\)", text), *re.findall(r'src="([^"]+)"', text)):
        assert (README.parent / target).exists(), target


def test_no_text_installs_from_an_index_what_none_has() -> None:
    root = README.parent
    places = [README, *DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    places += [path for part in ("kg", "services", "cli") for path in (root / part).rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in places}
    wrong = re.compile(r"pip install [^\n]*(?<![/\w])hopgrade\b|hopgrade\[")
    assert [path.name for path, text in texts.items() if wrong.search(text)] == []
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    named = {name for text in texts.values() for name in re.findall(r"pip install -e '\.\[([\w-]+)\]'", text)}
    assert named
    assert named <= {*extras}


def test_it_leads_with_the_picture() -> None:
    first, second = README.read_text(encoding="utf-8").split("\n\n")[:2]
    assert first.startswith("# ")
    assert second.startswith("<img")


def test_it_fits_two_screens() -> None:
    """Of 1280 x 800, in type and widths like those of the page of a repository."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no browser on this machine")
    body = markdown(README.read_text(encoding="utf-8"), extensions=["tables", "fenced_code"])
    body = re.sub(r"<img [^>]*width=\"(\d+)\"[^>]*>", _blank_picture, body)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        page = browser.new_page(viewport={"width": 1280, "height": SCREEN})
        page.set_content(f"<style>{STYLE}</style><main>{body}</main>")
        height = page.evaluate("document.documentElement.scrollHeight")
        browser.close()
    assert height <= 2 * SCREEN


def _blank_picture(found: re.Match[str]) -> str:
    """As much room as the picture of the overview, which is 1280 x 800, takes."""
    return f'<img width="{found[1]}" height="{int(found[1]) * 800 // 1280}">'


def test_three_queries_are_shown_with_results() -> None:
    assert len(shown_queries()) == 3


def test_the_queries_give_such_results(graph: Graph, seed_corpus: str) -> None:
    for query, table in shown_queries():
        rows = [row for row in graph.rows(query) if row.get("corpus", seed_corpus) == seed_corpus]
        header, _, *shown = table
        assert [cell.strip() for cell in header.strip("|").split("|")] == list(query.returns)
        assert bool(rows) == bool(shown)


def test_the_demo_prints_what_the_tutorial_shows(
    graph: Graph, seed_corpus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = BLOCK.findall((DOCS / "tutorial.md").read_text(encoding="utf-8"))
    demo = next(block for _, block in blocks if f"Run '{RUN}'" in block)
    matrix = [shape(line) for line in demo[demo.index(f"{RUN} is wrong on") :].splitlines()]
    facts = read_facts(graph, seed_corpus, RUN)
    worst_nodes = read_worst_nodes(graph, run_id(seed_corpus, RUN))["entities"]
    print_matrix(
        read_matrix(graph, seed_corpus, RUN), RUN, worst_nodes, facts, read_verdict(graph, seed_corpus, RUN)
    )
    printed = [shape(line) for line in capsys.readouterr().out.splitlines()]
    worst = next(index for index, line in enumerate(printed) if line.startswith("Fails most"))
    assert printed[:worst] == matrix[:worst]
    assert matrix[worst].startswith("Fails most on entities: ")


def test_the_example_of_the_gate_is_of_the_demo_that_the_tutorial_shows() -> None:
    """Its baseline has as many questions as that run, and as many right to two digits."""
    tutorial = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    gate = (DOCS / "how-to" / "ci-gate.md").read_text(encoding="utf-8")
    rows = re.findall(r"^(all|\d hops) +(\d+)  (0\.\d+)", gate, re.MULTILINE)
    checks = {scope: (int(n), float(accuracy)) for scope, n, accuracy in rows}
    (told,) = re.findall(r"answers ([\d,]+), right ([\d,]+),", tutorial)
    answers, right = (int(number.replace(",", "")) for number in told)
    assert checks.pop("all") == (answers, round(right / answers, 3))
    cells = re.findall(r"^(\d hops) .* (\d\.\d\d) \((\d+)\) *$", tutorial, re.MULTILINE)
    assert checks.keys() == {scope for scope, _, _ in cells}
    for scope, error_rate, n in cells:
        assert checks[scope][0] == int(n)
        assert abs(1 - checks[scope][1] - float(error_rate)) <= 0.0056


def test_every_depth_and_bin_of_the_seed_corpus_has_enough_questions(graph: Graph, seed_corpus: str) -> None:
    matrix = read_matrix(graph, seed_corpus, RUN)
    assert all(cell.n >= 20 for cell in matrix.cells)
