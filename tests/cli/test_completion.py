"""What a shell completes, and ids by their beginning."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.completion import SHELLS, whole_id
from kg.errors import NothingToDoError
from kg.queries import query
from kg.store.graph import Graph
from tests.cli.conftest import Kg
from tests.examples import examples


def completed(
    kg: Kg, monkeypatch: pytest.MonkeyPatch, words: str, shell: str = "bash", *, whole: bool = False
) -> list[str]:
    """The words, or `whole` lines, that a shell is told for a line of which the last word is being typed."""
    line = {"_KG_COMPLETE": f"complete_{shell}", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    line |= {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    with monkeypatch.context() as typing:
        for name, value in line.items():
            typing.setenv(name, value)
        ended = kg()
    assert (ended.code, ended.err) == (0, "")
    return ended.out.splitlines() if whole else ended.out.split()


@examples("words, offered")
def test_words_that_are_known_without_a_server_are_completed(
    kg: Kg, monkeypatch: pytest.MonkeyPatch, words: str, offered: tuple[str, ...]
) -> None:
    assert completed(kg, monkeypatch, words) == [*offered]


@pytest.fixture
def questions(graph: Graph, small_corpus: str) -> list[str]:
    rows = graph.rows(
        query("corpus/find_ids"), label="Question", prefix="question-", corpus=small_corpus, limit=1_000
    )
    return [str(row["id"]) for row in rows]


def test_names_and_ids_are_completed(
    kg: Kg, monkeypatch: pytest.MonkeyPatch, small_corpus: str, questions: list[str]
) -> None:
    assert small_corpus in completed(kg, monkeypatch, f"kg questions list --corpus {small_corpus[:4]}")
    for shell in ("zsh", "fish"):
        offered = completed(kg, monkeypatch, f"kg questions list --corpus {small_corpus[:4]}", shell)
        assert small_corpus in " ".join(offered)
    of = f"--corpus {small_corpus}"
    assert "single-step" in completed(kg, monkeypatch, f"kg run matrix {of} sin")
    start = questions[0][:-1]
    begun = [one for one in questions if one.startswith(start)]
    assert completed(kg, monkeypatch, f"kg questions show {of} {start}") == begun


def test_a_line_is_a_word_with_what_it_is_for(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = completed(kg, monkeypatch, "kg run ", "fish", whole=True)
    assert {line.split("\t")[0] for line in lines} >= {"start", "judge", "matrix"}
    assert [line for line in lines if line.count("\t") != 1] == []


def test_without_a_server_nothing_is_completed_and_none_is_started(
    kg: Kg, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith(("NEO4J_", "HOPGRADE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "none"))
    assert completed(kg, monkeypatch, "kg questions list --corpus o") == []
    assert not (tmp_path / "none").exists()
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")
    monkeypatch.setenv("NEO4J_PASSWORD", "none")
    assert completed(kg, monkeypatch, "kg run matrix s") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_named_shell_calls_this_program_by_its_path(
    kg: Kg, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shell: str
) -> None:
    monkeypatch.setenv("SHELL", "/bin/dash")
    monkeypatch.setenv("HOME", str(tmp_path))
    shown = kg("--show-completion", shell)
    assert shown.code == 0, shown.err
    calls = re.findall(rf"complete_{shell} (?:.*?\(commandline -cp\) )?([^\s)\"]+)", shown.out)
    assert calls
    assert all(Path(call).is_absolute() for call in calls)
    installed = kg("--install-completion", shell)
    assert installed.code == 0, installed.err
    assert str(tmp_path) in installed.out


def test_a_shell_without_completion_is_told(kg: Kg) -> None:
    ended = kg("--show-completion", "ksh")
    assert (ended.code, ended.out) == (2, "")
    assert "bash, zsh, fish" in ended.err


_CTRL_C_AT_AN_IMPORT = """
import signal, sys
from cli.main import main
def hear(event, given):
    if event == "import" and given[0].startswith("services."):
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(hear)
main()
"""


def test_ctrl_c_while_a_word_is_completed_writes_nothing_over_the_line() -> None:
    line = {"_KG_COMPLETE": "complete_bash", "COMP_WORDS": "kg run matrix s", "COMP_CWORD": "3"}
    ended = subprocess.run(
        [sys.executable, "-c", _CTRL_C_AT_AN_IMPORT],
        env={**os.environ, **line},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


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
