"""What a language model costs is told before it is spent: by the commands of the page, and no other asks."""

import inspect
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from cli.commands import COMMANDS, Command, Entry
from kg.llm.protocol import Estimate
from services.preflight.asking import cost_lines
from services.runs.estimate import RunEstimate
from tests.cli.command_tree import Leaf, leaves

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "local-model.md"
ROW = re.compile(r"^\| `(kg [^`]+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
ROWS = {call: cells for call, *cells in ROW.findall(PAGE.read_text(encoding="utf-8"))}
LEAVES = {leaf.call: leaf for leaf in leaves()}
TRIALS = {"kg doctor", "kg benchmark prompts"}
"""What they ask are the gold items themselves."""


def options_of(leaf: Leaf) -> set[str]:
    return {name for option in leaf.options for name in option.opts}


def modules(entries: Mapping[str, Entry], words: tuple[str, ...] = ("kg",)) -> dict[str, str]:
    """The module of each command, by its call."""
    found: dict[str, str] = {}
    for name, entry in entries.items():
        here = (*words, name)
        found |= (
            {" ".join(here): entry.module} if isinstance(entry, Command) else modules(entry.commands, here)
        )
    return found


@pytest.mark.parametrize("call", ROWS)
def test_a_command_has_what_the_page_says(call: str) -> None:
    dry, _, trial, smaller = ROWS[call]
    has = options_of(LEAVES[call])
    assert ("--dry-run" in dry) == ("--dry-run" in has)
    assert (trial.startswith(("yes", "with"))) == ("--no-preflight" in has)
    sizes = re.findall(r"`(--[\w-]+)`(?: of `(kg [\w ]+)`)?", smaller)
    assert sizes or smaller == "no need"
    for option, other in sizes:
        assert option in (options_of(LEAVES[other]) if other else has)


def test_no_other_command_asks_a_model() -> None:
    told = {"--dry-run", "--no-preflight", "--reader"}
    assert {call for call, leaf in LEAVES.items() if told & options_of(leaf)} <= ROWS.keys()
    by_module = modules(COMMANDS)
    spending = {
        call
        for call, module in by_module.items()
        if re.search(r"role_budget\(|report_spending\(", inspect.getsource(import_module(module)))
    }
    assert {by_module[call] for call in spending} <= {by_module[call] for call in ROWS}


@pytest.mark.parametrize("call", sorted(ROWS.keys() - TRIALS))
def test_every_command_says_the_cost_or_has_a_dry_run(call: str) -> None:
    dry, said, *_ = ROWS[call]
    assert said == "yes" or "--dry-run" in dry


def test_a_line_is_said_of_each_part_that_asks() -> None:
    fresh = Estimate(9, 2, 1_000, 100, 0.5, 1_500, 900, 2.0)
    run = RunEstimate(4, 400, 40, None, 8, 1_200, 800, None)
    lines = list(cost_lines({"claims": fresh, "links": Estimate(3, 3), "answers": run}))
    assert lines == [
        "The job, claims: about 7 calls, 1,000 tokens in and 100 out, 0.5000 in money; at most 1,500 in and "
        "900 out, 2.0000 in money.",
        "The job, answers: about 4 calls, 400 tokens in and 40 out; at most 1,200 in and 800 out.",
    ]
