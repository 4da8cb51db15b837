"""Ten minutes in a terminal with README as the only help: a team with a system of its own, and an export.

The third way, that of an analyst, leads through a browser: `services/web/pages/test_in_a_browser.py`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg.store.graph import Graph
from services.runs.records import drop_run, list_runs
from tests.cli.conftest import Kg
from tests.docs.markdown import README, typed
from tests.graph_reading import read
from tests.small_world import ARTICLES
from tests.web_system import Received, Sent, web_system

ROOT = Path(__file__).parents[2]
ADDRESS = "http://localhost:8000/answer"
QUESTIONS = """
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.text AS text, q.answer AS answer, q.hops AS hops, q.kind AS kind,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(c:Chunk) RETURN DISTINCT c.text } AS evidence
"""


@pytest.fixture(autouse=True)
def _without_own_runs(graph: Graph, small_corpus: str) -> Iterator[None]:
    yield
    for name in {row["name"] for row in list_runs(graph, small_corpus)} & {"ours", "last-week"}:
        drop_run(graph, small_corpus, name)


def page_of(goal: str) -> str:
    """The page that README says to read for a goal."""
    row = next(line for line in README.splitlines() if line.startswith(f"| {goal} |"))
    (linked,) = re.findall(r"\]\(([^)]+)\)", row)
    return Path(ROOT, linked).read_text(encoding="utf-8")


def test_a_team_learns_where_its_system_fails_and_stops_a_worse_one(
    kg: Kg, graph: Graph, small_corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {row["text"]: row for row in read(graph, QUESTIONS, corpus=small_corpus)}
    deepest = 5

    def respond(asked: Received) -> Sent:
        """As the page's map has it: right up to `deepest` hops, beyond it and on other kinds nothing."""
        assert isinstance(asked.body, dict)
        assert asked.headers["Authorization"] == "Bearer secret"
        one = known[asked.body["query"]]
        whole = deepest == 5 or (one["kind"] == "chain" and one["hops"] <= deepest)
        sources = [{"content": text} for text in one["evidence"][: None if whole else 1]]
        return Sent({"data": {"answer": one["answer"] if whole else "Zanzibar", "sources": sources}})

    goal = "evaluate your own system"
    (mapping,) = re.findall(r"^```yaml\n(request:.*?)^```$", page_of(goal), re.DOTALL | re.MULTILINE)
    (tmp_path / "rag.yaml").write_text(mapping, encoding="utf-8")
    monkeypatch.setenv("RAG_TOKEN", "secret")
    mine = {"mine": small_corpus}
    with web_system(respond) as web:
        before = kg(*typed(goal, {ADDRESS: web.url, "ours": "last-week", **mine}))
        assert before.code == 0, before.err
        deepest = 2
        now = kg(*typed(goal, {ADDRESS: web.url, **mine}))
    assert now.code == 0, now.err
    # One command says how deep it holds, where the chain breaks, and what to do next.
    rates = dict(re.findall(r"^(\d) hops\s+\S+\s+(\S+)", now.out, re.MULTILINE))
    assert rates == {"2": "0.00", "3": "1.00", "4": "1.00", "5": "1.00"}, now.out
    assert "First broken hop: retrieval 100 %" in now.out
    (report,) = re.findall(r"^Report: (\S+)", now.out, re.MULTILINE)
    assert "ours" in (tmp_path / report).read_text(encoding="utf-8")
    assert "kg run gate ours" in now.out
    gate = kg(*typed("stop a worse one in CI", mine))
    assert (gate.code, "worse" in gate.out) == (1, True), gate.out + gate.err
    hops = kg(*typed("see which hop breaks, and why", mine))
    assert hops.code == 0, hops.err
    assert "retrieval" in hops.out


def test_a_data_set_is_exported_read_back_and_holds_its_evidence(
    kg: Kg, small_corpus: str, tmp_path: Path
) -> None:
    ended = kg(*typed("export a data set", {"mine": small_corpus}))
    assert ended.code == 0, ended.err
    (equal,) = re.findall(r"(\d+) of \1 questions equal", ended.out)
    out = tmp_path / "out" / "musique"
    rows = [json.loads(line) for file in out.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == int(equal) > 0
    bodies = " ".join(" ".join(ARTICLES.values()).split())
    for row in rows:
        support = [one["paragraph_text"] for one in row["paragraphs"] if one["is_supporting"]]
        assert bool(support) == row["answerable"], row
        assert all(" ".join(text.split()) in bodies for text in support)
        supporting = {one["idx"] for one in row["paragraphs"] if one["is_supporting"]}
        assert {step["paragraph_support_idx"] for step in row["question_decomposition"]} <= supporting
    assert any(len(row["question_decomposition"]) == 5 for row in rows)
    assert {"manifest.json", "README.md"} <= {file.name for file in out.iterdir()}
    # What the command prints last leads on.
    following = re.findall(r"kg (dataset verify .+)$", ended.out + ended.err, re.MULTILINE)
    assert following, ended.out
    checked = kg(*following[-1].split())
    assert checked.code == 0, checked.err
