"""What `kg` says about itself."""

from tests.cli.command_tree import find, leaves, root
from tests.cli.conftest import Kg
from tests.examples import examples

COMMANDS = list(leaves())
MOST_ENTRIES = 15


def test_the_top_level_can_be_taken_in_at_a_glance() -> None:
    assert len(root().commands) <= MOST_ENTRIES
    for name, command in root().commands.items():
        assert command.help, name


def test_commands_and_all_their_options_have_help() -> None:
    for leaf in COMMANDS:
        assert leaf.command.help, leaf.call
        assert all(found.help for found in leaf.arguments), leaf.call
        assert all(found.help for found in leaf.options), leaf.call


def test_examples_call_their_commands_with_options_that_exist() -> None:
    for leaf in COMMANDS:
        assert leaf.example, leaf.call
        called, arguments = find(leaf.example)
        assert called.words == leaf.words
        called.command.make_context("kg", arguments).close()


def test_help_shows_the_example_and_bounds_as_neo4j_and_generators_take_not_any_number(kg: Kg) -> None:
    for leaf in COMMANDS:
        shown = kg(*leaf.words, "--help")
        assert shown.code == 0, leaf.call
        assert f"Example: {leaf.example}" in " ".join(shown.out.split())
        assert "<int>" not in shown.out, leaf.call
        assert "x>=" not in shown.out, leaf.call


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


@examples("arguments, named, where")
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
