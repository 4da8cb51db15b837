"""Each command that a remedy, or a line that leads on, names is in the command tree with its options."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from kg.errors import command
from tests.cli.command_tree import Leaf, find, leaves
from tests.examples import examples

ROOT = Path(__file__).parents[2]
_FIRST_WORDS = {"command": 0, "lead_on": 1}
"""Which argument of a call begins the command."""


def commands_in_remedies() -> Iterator[tuple[str, str]]:
    """Where `command(...)` or `lead_on(PURPOSE, ...)` is called, and what it says; VALUE is worked out."""
    for package in ("kg", "services", "cli"):
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if re.search("command\\(|lead_on\\(", text) else ():
                called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
                if not isinstance(node, ast.Call) or called not in _FIRST_WORDS:
                    continue
                if isinstance(node.args[_FIRST_WORDS[called]], ast.Constant):
                    words, *values = (
                        ast.literal_eval(one) if isinstance(one, ast.Constant) else "VALUE"
                        for one in node.args[_FIRST_WORDS[called] :]
                    )
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", command(words, *values)


def test_remedies_name_commands_and_options_that_there_are() -> None:
    unknown = []
    groups = {f"kg {leaf.words[0]}" for leaf in leaves() if len(leaf.words) > 1}
    remedies = list(commands_in_remedies())
    for place, line in remedies:
        if line in groups:
            continue
        leaf, arguments = find(line)
        options = {name for option in leaf.options for name in (*option.opts, *option.secondary_opts)}
        unknown += [f"{place}: {line}" for one in arguments if one.startswith("--") and one not in options]
        if len([one for one in arguments if not one.startswith("--")]) > _places(leaf):
            unknown.append(f"{place}: {line}")
    assert len(remedies) > 90
    assert unknown == []


def _places(leaf: Leaf) -> int:
    """How many words may follow a command: its arguments and a value for each option."""
    arguments = [100 if one.nargs == -1 else one.nargs for one in leaf.arguments]
    return sum(arguments) + sum(not one.is_flag for one in leaf.options)


@examples("words, values, expected")
def test_values_are_quoted_for_a_shell(words: str, values: tuple[str, ...], expected: str) -> None:
    assert command(words, *values) == expected
