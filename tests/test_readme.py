"""README, tutorial and the page on Browser show what commands and queries give, and go on doing so."""

import re
import tomllib
from pathlib import Path

import pytest

from cli.matrix import print_matrix
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
TWO_SCREENS = 100
"""Lines, of a terminal or of a page of a repository."""


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


def test_it_fits_two_screens_and_begins_with_a_picture() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= TWO_SCREENS
    assert any("<img" in line for line in lines[:8])


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
    matrix = [shape(line) for line in demo[demo.index(f"Run '{RUN}'") :].splitlines()]
    facts = read_facts(graph, seed_corpus, RUN)
    worst_nodes = read_worst_nodes(graph, run_id(seed_corpus, RUN))["entities"]
    print_matrix(read_matrix(graph, seed_corpus, RUN), RUN, worst_nodes, facts)
    printed = [shape(line) for line in capsys.readouterr().out.splitlines()]
    worst = next(index for index, line in enumerate(printed) if line.startswith("Fails most"))
    assert printed[:worst] == matrix[:worst]
    assert matrix[worst].startswith("Fails most on entities: ")


def test_every_depth_and_bin_of_the_seed_corpus_has_enough_questions(graph: Graph, seed_corpus: str) -> None:
    matrix = read_matrix(graph, seed_corpus, RUN)
    assert all(cell.n >= 20 for cell in matrix.cells)
