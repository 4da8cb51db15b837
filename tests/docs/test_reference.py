"""The documents say what the code does."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from kg.settings import Settings
from tests.cli.command_tree import find, leaves
from tests.docs.write_reference import FOLDER, PAGES

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
_INLINE = re.compile(r"`(kg [^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


@pytest.mark.parametrize("page", PAGES)
def test_the_reference_is_what_the_code_says(page: str) -> None:
    kept = (FOLDER / page).read_text(encoding="utf-8")
    assert kept == PAGES[page](), "run python -m tests.docs.write_reference"


def test_every_setting_is_described() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name


def calls(text: str) -> list[str]:
    """The `kg` commands that a document shows, in fences and between backticks."""
    fenced = (
        line.strip().removeprefix("$ ") for block in _FENCED.findall(text) for line in block.splitlines()
    )
    inline = _INLINE.findall(_FENCED.sub("", text))
    return [line for line in (*fenced, *inline) if line.startswith("kg ")]


def check_call(line: str) -> None:
    """Make sure that a shown command exists, and its options do."""
    words = shlex.split(re.split(r" (?:\||>|&&|;) ?", line)[0].replace("[OPTIONS]", ""), comments=True)
    groups = {leaf.words[:1] for leaf in leaves() if len(leaf.words) > 1}
    if tuple(words[1:]) in groups or set(words[1:]) <= {"--help", "--version"}:
        return
    leaf, arguments = find(shlex.join(words))
    if arguments:
        leaf.command.make_context("kg", arguments).close()


@every_document
def test_the_commands_that_are_shown_exist(path: Path) -> None:
    for line in calls(path.read_text(encoding="utf-8")):
        check_call(line)


@pytest.mark.parametrize("line", ["kg frobnicate", "kg run-all x.jsonl --frobnicate", "kg corpus frob"])
def test_a_command_that_does_not_exist_would_be_noticed(line: str) -> None:
    text = f"Do `{line}`, or\n\n```\n{line}\n```\n"
    assert calls(text) == [line, line]
    with pytest.raises((AssertionError, typer.TyperException), match="frob"):
        check_call(line)


@every_document
def test_the_links_lead_somewhere(path: Path) -> None:
    for link in _LINK.findall(_FENCED.sub("", path.read_text(encoding="utf-8"))):
        if "://" in link or link.startswith(("#", "mailto:")):
            continue
        assert (path.parent / link.partition("#")[0]).exists(), link
