"""The documents say what the code does."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml

from cli.commands import ALIASES
from cli.completion import COMPLETION_OPTIONS, SHELLS
from kg.queries import Query
from kg.settings import Settings
from kg.store.graph import Graph
from services.report.html import render_html
from tests.cli.command_tree import leaves
from tests.docs.reference_code import MEASURES
from tests.docs.write_reference import DOCS, PAGES
from tests.services.report.pages import read_page
from tests.services.report.test_written import full_report

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("C*.md")), *sorted(DOCS.rglob("*.md"))]
TEXTS = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}

_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
_TYPED = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
_INDENTED = re.compile(r"^ {4,}(.*)$", re.M)
_INLINE = re.compile(r"`(kg [^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_VARIABLE = re.compile(r"(?<![\w{])(?:HOPGRADE|NEO4J|OPENAI)_[A-Z0-9_]+(?!\w)")

OTHERS_VARIABLES = {"HOPGRADE_SHARED", "NEO4J_AUTH"}
"""Of tests and benchmarks, and of Neo4j's own image."""

COMMANDS = {leaf.words: leaf for leaf in leaves()}
GROUPS = {words[:size] for words in COMMANDS for size in range(1, len(words))}
"""The words that call a group of commands, as in "kg graph paths"."""


@pytest.mark.parametrize("page", PAGES)
def test_the_reference_is_what_the_code_says(page: str) -> None:
    assert TEXTS[DOCS / page] == PAGES[page](), "run python -m tests.docs.write_reference"


def test_every_table_of_a_runs_report_has_its_measures() -> None:
    listed = {table for named in MEASURES.values() for _, _, *tables in named.values() for table in tables}
    shown = {plain_caption(one.text) for one in read_page(render_html(full_report(2))).all("caption")}
    assert shown == {*listed, "What produced the answers"}


def plain_caption(caption: str) -> str:
    """The caption of a table without the names in it, and without which of several like ones it is."""
    for form, kept in (
        ("(.*), all runs", r"\1"),
        (r"(.*) \((?:retrieved|cited)\)", r"\1"),
        ("(Error rates with difficulty by ).*", r"\1an embedder and chunks"),
        ("Accuracy of .* less that of .*", "Accuracy of B less that of A"),
    ):
        caption = re.sub(f"^{form}$", kept, caption)
    return caption


def test_every_command_and_setting_is_documented() -> None:
    commands = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    settings = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    assert [leaf.call for leaf in COMMANDS.values() if f"\n## {leaf.call}\n" not in commands] == []
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert f"| `{name.upper()}` |" in settings


def test_the_settings_that_are_named_exist() -> None:
    known = {name.upper() for name in Settings.model_fields} | OTHERS_VARIABLES
    for path, text in TEXTS.items():
        assert set(_VARIABLE.findall(text)) <= known, path


def calls(text: str) -> list[str]:
    """The `kg` commands that a document shows: in fences, in indented blocks, and between backticks."""
    plain = _FENCED.sub("", text)
    blocks = "\n".join((*_FENCED.findall(text), *_INDENTED.findall(plain)))
    lines = (line.strip().removeprefix("$ ").removeprefix("- run: ") for line in blocks.splitlines())
    return [line for line in (*lines, *_INLINE.findall(plain)) if line.startswith("kg ")]


def check_call(line: str) -> None:
    """Make sure that a shown command exists, and its options do."""
    words = shlex.split(re.split(r" (?:\||>|&&|;) ?", line)[0].replace("[OPTIONS]", ""), comments=True)
    words[1:2] = [ALIASES.get(name, name) for name in words[1:2]]
    if tuple(words[1:]) in GROUPS or set(words[1:]) <= {
        "--help",
        "--version",
        *COMPLETION_OPTIONS,
        *SHELLS,
    }:
        return
    sizes = [size for size in range(1, len(words)) if tuple(words[1 : size + 1]) in COMMANDS]
    assert sizes, f"no command is called by {line}"
    called, arguments = words[1 : sizes[0] + 1], words[sizes[0] + 1 :]
    # A line of the reference shows only the form of a call, without the options that it needs.
    if arguments and "[OPTIONS]" not in line:
        COMMANDS[tuple(called)].command.make_context("kg", arguments).close()


def test_the_commands_that_are_shown_exist() -> None:
    for line in {line: None for text in TEXTS.values() for line in calls(text)}:
        check_call(line)


@pytest.mark.parametrize("line", ["kg frobnicate", "kg run-all x.jsonl --frobnicate", "kg corpus frob"])
def test_a_command_that_does_not_exist_would_be_noticed(line: str) -> None:
    text = f"Do `{line}`, or\n\n```\n{line}\n```\n\n    {line}\n"
    assert calls(text) == [line, line, line]
    with pytest.raises((AssertionError, typer.TyperException), match="frob"):
        check_call(line)


def test_the_code_that_is_shown_can_be_read() -> None:
    shown = [(path, *found) for path, text in TEXTS.items() for found in _TYPED.findall(text)]
    for path, language, code in shown:
        match language:
            case "json":
                json.loads(code)
            case "jsonl":
                assert [json.loads(line) for line in code.splitlines()]
            case "yaml":
                assert yaml.safe_load(code)
            case "python":
                compile(code, path.name, "exec")
            case "csv":
                header, *rows = csv.reader(code.splitlines(), strict=True)
                assert {len(row) for row in rows} == {len(header)}
            case "cypher":
                assert code.startswith("CYPHER 25\n")
            case _:
                assert language in {"sh", "text", "diff"}, language


def test_the_cypher_that_is_shown_runs_without_notices(graph: Graph) -> None:
    shown = [
        Query(path.name, code, purpose="", params={}, returns={}, mode="read")
        for path, text in TEXTS.items()
        for language, code in _TYPED.findall(text)
        if language == "cypher" and path.parent != ROOT
    ]
    assert shown
    assert [(one.name, notice) for one in shown for notice in graph.explain(one)[1]] == []


def test_the_links_lead_somewhere() -> None:
    links = {
        (path.parent, link) for path, text in TEXTS.items() for link in _LINK.findall(_FENCED.sub("", text))
    }
    within = [(folder, to) for folder, to in links if "://" not in to and not to.startswith(("#", "mailto:"))]
    assert [(folder, to) for folder, to in within if not (folder / to.partition("#")[0]).exists()] == []
