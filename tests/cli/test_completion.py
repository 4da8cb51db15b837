"""What a shell completes, and ids by their beginning."""

import os
import subprocess
from collections.abc import Mapping

import pytest

from cli.completion import whole_id
from kg.errors import NothingToDoError
from kg.queries import query
from kg.store.graph import Graph
from tests.cli.conftest import KG, Kg


def completed(words: str, environment: Mapping[str, str]) -> list[str]:
    """What bash is told for a line of which the last word is being typed."""
    line = {"_KG_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    ended = subprocess.run(KG, env={**environment, **line}, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    return ended.stdout.split()


@pytest.fixture
def questions(graph: Graph, small_corpus: str) -> list[str]:
    rows = graph.rows(
        query("corpus/find_ids"), label="Question", prefix="question-", corpus=small_corpus, limit=1_000
    )
    return [str(row["id"]) for row in rows]


def test_names_and_ids_are_completed(
    small_corpus: str, questions: list[str], process_environment: dict[str, str]
) -> None:
    assert small_corpus in completed(f"kg questions list --corpus {small_corpus[:4]}", process_environment)
    of = f"--corpus {small_corpus}"
    assert "single-step" in completed(f"kg run matrix {of} sin", process_environment)
    assert completed(f"kg questions show {of} {questions[0][:-1]}", process_environment) == [
        one for one in questions if one.startswith(questions[0][:-1])
    ]


@pytest.mark.campaign
def test_without_a_server_nothing_is_completed_and_none_is_started(tmp_path: os.PathLike[str]) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "HOPGRADE_"))
    }
    environment["HOPGRADE_HOME"] = str(tmp_path)
    assert completed("kg questions list --corpus o", environment) == []
    assert os.listdir(tmp_path) == []  # noqa: PTH208
    nowhere = {"NEO4J_URI": "bolt://127.0.0.1:9", "NEO4J_PASSWORD": "none"}
    assert completed("kg run matrix s", {**environment, **nowhere}) == []


@pytest.mark.campaign
def test_an_id_is_meant_by_its_beginning(
    graph: Graph, kg: Kg, small_corpus: str, questions: list[str]
) -> None:
    whole = questions[0]
    start = next(
        whole[:end] for end in range(10, len(whole)) if sum(q.startswith(whole[:end]) for q in questions) == 1
    )
    for given in (whole, start, start.removeprefix("question-")):
        assert whole_id(graph, "question", given, small_corpus) == whole
        assert (
            kg("questions", "show", given, "--corpus", small_corpus, "--json").json["question"]["id"] == whole
        )
    with pytest.raises(NothingToDoError, match="20 or more ids begin with 'question-'"):
        whole_id(graph, "question", "question-", small_corpus)
    assert whole_id(graph, "question", "no-such-id", small_corpus) == "no-such-id"
