"""What `kg` says about itself."""

import pytest

from tests.cli.command_tree import Leaf, find, leaves, root
from tests.cli.conftest import Kg

COMMANDS = list(leaves())
MOST_ENTRIES = 15

every_command = pytest.mark.parametrize("leaf", COMMANDS, ids=lambda leaf: leaf.call)


def test_the_top_level_can_be_taken_in_at_a_glance() -> None:
    assert len(root().commands) <= MOST_ENTRIES
    for name, command in root().commands.items():
        assert command.help, name


@every_command
def test_a_command_and_all_its_options_have_help(leaf: Leaf) -> None:
    assert leaf.command.help
    described = {found.name: found.help for found in leaf.arguments}
    described |= {found.name: found.help for found in leaf.options}
    assert all(described.values()), described


@every_command
def test_every_number_has_bounds_as_neo4j_and_generators_take_not_any(leaf: Leaf, kg: Kg) -> None:
    shown = kg(*leaf.words, "--help").out
    assert "<int>" not in shown
    assert "x>=" not in shown


@every_command
def test_the_example_calls_the_command_with_options_that_exist(leaf: Leaf) -> None:
    assert leaf.example
    called, arguments = find(leaf.example)
    assert called.words == leaf.words
    called.command.make_context("kg", arguments).close()


@every_command
def test_the_example_stands_in_the_help(leaf: Leaf, kg: Kg) -> None:
    shown = kg(*leaf.words, "--help")
    assert shown.code == 0
    assert f"Example: {leaf.example}" in " ".join(shown.out.split())


def test_kg_alone_shows_its_commands(kg: Kg) -> None:
    shown = kg()
    for name in root().commands:
        assert f"  {name} " in shown.out
    assert shown.err == ""


def test_a_group_alone_shows_its_commands(kg: Kg) -> None:
    shown = kg("corpus")
    assert "  rejects " in shown.out
    assert shown.err == ""


def test_the_version(kg: Kg) -> None:
    assert kg("--version").out.startswith("hopgrade ")


@pytest.mark.parametrize(
    ("arguments", "named", "where"),
    [
        (("frobnicate",), "frobnicate", "kg --help"),
        (("--frobnicate",), "--frobnicate", "kg --help"),
        (("run", "matrix", "--frobnicate"), "--frobnicate", "kg run matrix --help"),
        (("corpus", "frobnicate"), "frobnicate", "kg corpus --help"),
        (("run", "matrix", "too", "many"), "many", "kg run matrix --help"),
        (("run-all",), "FILE", "kg run-all --help"),
        (("run-all", "x.jsonl", "--top", "0"), "--top", "kg run-all --help"),
        (("run-all", "x.jsonl", "--top", "many"), "--top", "kg run-all --help"),
        (("run-all", "x.jsonl", "--per-depth", "0"), "--per-depth", "kg run-all --help"),
        (("run-all", "x.jsonl", "--corpus"), "--corpus", "--help"),
        (("corpus", "build", "--seed", "-5"), "--seed", "kg corpus build --help"),
        (("graph", "paths", "draw", "--seed", "9" * 20), "--seed", "kg graph paths draw --help"),
        (
            ("graph", "paths", "census", "--engine", "turbo"),
            ": 'turbo' is not one of",
            "kg graph paths census --help",
        ),
    ],
)
def test_a_wrong_call_is_told_in_one_sentence(
    kg: Kg, arguments: tuple[str, ...], named: str, where: str
) -> None:
    ended = kg(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert named in ended.err
    assert where in ended.err


def test_a_misspelt_option_is_told_what_was_meant(kg: Kg) -> None:
    assert "--corpus" in kg("run", "matrix", "--corpsu", "mine").err
