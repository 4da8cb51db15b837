"""The how-to pages on Python and on CI: their code runs, their workflow is one."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from matplotlib import pyplot as plt

import hopgrade
from kg.settings import Settings
from kg.store.graph import Graph
from services.external.given_answers import read_own
from services.external.replies import AnswerRow
from services.python_api.corpus import Corpus
from services.runs.records import drop_run
from tests.docs.test_reference import check_call
from tests.graph_reading import change

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def _blocks(page: str, language: str) -> list[str]:
    text = (HOW_TO / page).read_text(encoding="utf-8")
    return [code for name, code in _FENCED.findall(text) if name == language]


@pytest.mark.usefixtures("kg_environment")
def test_the_python_page_runs_from_top_to_bottom(graph: Graph, small_corpus: str) -> None:
    code = "\n".join(_blocks("python.md", "python"))
    assert '"ormelund"' in code
    names: dict[str, object] = {}
    try:
        exec(compile(code.replace("ormelund", small_corpus), "python.md", "exec"), names)
    finally:
        plt.close("all")
        change(graph, "MATCH (s:Standard {corpus: $corpus}) DETACH DELETE s", corpus=small_corpus)
        corpus = Corpus(graph, small_corpus, Settings())
        for run in corpus.runs():
            if run.name != "single-step":
                drop_run(graph, small_corpus, run.name)
    opened = names["corpus"]
    assert isinstance(opened, Corpus)
    opened.close()


def test_the_workflow_is_whole_and_its_commands_exist() -> None:
    (source,) = _blocks("ci-gate.md", "yaml")
    workflow = yaml.safe_load(source)
    # YAML 1.1 reads the key "on" as true.
    assert workflow[True] == "pull_request"
    steps = workflow["jobs"]["gate"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    calls = [step["run"] for step in steps if step.get("run", "").startswith("kg ")]
    for call in calls:
        check_call(call)
    gate = shlex.split(calls[-1])
    assert gate[:4] == ["kg", "run", "gate", "ours"]
    written = gate[gate.index("--junit") + 1]
    (upload,) = [step for step in steps if step.get("uses", "").startswith("actions/upload-artifact")]
    assert written in upload["with"]["path"].split()
    assert upload["if"] == "always()"


@pytest.mark.usefixtures("kg_environment")
def test_the_baseline_that_the_page_writes_can_be_evaluated(small_corpus: str) -> None:
    (code,) = [block for block in _blocks("ci-gate.md", "python") if "baseline.jsonl" in block]
    code = code.replace('open_corpus("ours")', f"open_corpus({small_corpus!r})")
    exec(compile(code.replace('run("ours")', 'run("single-step")'), "ci-gate.md", "exec"), {})
    rows = list(read_own(Path("baseline.jsonl")))
    with hopgrade.open_corpus(small_corpus) as corpus:
        asked = {question.id for question in corpus.questions()}
    assert {row.question_id for row in rows if isinstance(row, AnswerRow)} == asked


def test_the_tests_that_the_page_shows_are_python() -> None:
    for block in _blocks("ci-gate.md", "python"):
        compile(block, "ci-gate.md", "exec")
