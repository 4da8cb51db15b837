"""`kg` starts at once: commands are listed from a table, and imported only when they are called."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import cli
from cli.commands import COMMANDS, ELSEWHERE, Command, Entry
from cli.main import commands_of
from tests.cli.command_tree import find
from tests.cli.conftest import Kg

MODELS = {"openai", "spacy", "lemminflect", "sklearn", "scipy", "onnxruntime"}
HEAVY = MODELS | {"neo4j", "numpy", "pandas"}

UNWANTED = {
    "--version": HEAVY,
    "--help": HEAVY,
    "corpu": HEAVY,
    "server --help": HEAVY,
    "questions --help": HEAVY,
    "server status": MODELS | {"pandas", "pyarrow"},
}
"""What each call has no use for."""

MODULES = [f"cli.{found.name}" for found in iter_modules(cli.__path__) if found.name != "main"]

_PRINT_IMPORTED = """
import sys
from cli.main import main
try:
    main()
finally:
    sys.stderr.write("\\n" + " ".join(sys.modules))
"""


def listed(entries: Mapping[str, Entry] = COMMANDS) -> Iterator[tuple[str, Command]]:
    for name, entry in entries.items():
        if isinstance(entry, Command):
            yield name, entry
        else:
            yield from listed(entry.commands)


@pytest.mark.parametrize("module", MODULES)
def test_the_table_lists_what_the_module_makes_with_the_same_help(module: str) -> None:
    of_module = {name: entry.help for name, entry in listed() if entry.module == module}
    made = commands_of(module) if "app" in vars(import_module(module)) else {}
    assert of_module == {
        name: " ".join((command.help or "").split("\n\n")[0].split()) for name, command in made.items()
    }, "write it into cli/commands.py"


def test_every_module_of_the_table_exists() -> None:
    assert {entry.module for _, entry in listed()} <= set(MODULES)


def run_and_tell(home: Path, *call: str, **environment: str) -> tuple[str, set[str]]:
    """What a call prints, and what is imported at its end."""
    ended = subprocess.run(
        [sys.executable, "-c", _PRINT_IMPORTED, *call],
        env={**os.environ, "HOPGRADE_HOME": str(home), **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    return ended.stdout, set(ended.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("call", UNWANTED)
def test_nothing_heavy_is_imported_that_is_not_needed(call: str, tmp_path: Path) -> None:
    _, imported = run_and_tell(tmp_path, *call.split())
    assert "cli.main" in imported
    assert imported & UNWANTED[call] == set()


def test_the_web_server_starts_without_parser_model_client_and_learner() -> None:
    code = "import sys, services.web.api.app; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert MODELS & set(said.split()) == {"scipy"}, "which the statistics of its pages are made of"
    assert "scipy.optimize" not in said.split()


def test_a_shell_is_told_the_names_of_commands_at_once(tmp_path: Path) -> None:
    typed = {"_KG_COMPLETE": "complete_bash", "COMP_WORDS": "kg run st", "COMP_CWORD": "2"}
    told, imported = run_and_tell(tmp_path, **typed)
    assert told.split() == ["start"]
    assert imported & HEAVY == set()
    assert not [name for name in imported if name.startswith("services.")]


@pytest.mark.parametrize(
    ("other", "usual"), [("compare verify", "standard verify"), ("review sample", "run sample")]
)
def test_a_group_is_found_under_its_other_name_too(kg: Kg, other: str, usual: str) -> None:
    found, wanted = kg(*other.split(), "--help"), kg(*usual.split(), "--help")
    assert (found.code, found.out) == (0, wanted.out.replace(f"kg {usual}", f"kg {other}", 1))


def test_a_misspelt_command_is_told_what_was_meant(kg: Kg) -> None:
    assert "Did you mean 'corpus'?" in kg("corpu").err
    assert kg("corpus", "lst").err.endswith("Did you mean 'list'? See: kg corpus --help\n")
    assert "). See: kg corpus list --help" in kg("corpus", "list", "--deep").err


@pytest.mark.parametrize(("words", "there"), ELSEWHERE.items())
def test_what_stands_elsewhere_is_named_with_the_command_that_does_it(kg: Kg, words: str, there: str) -> None:
    told = kg(*words.split(), "one", "another")
    assert told.code == 2
    assert f"; what does that is {there}. See: kg " in told.err
    leaf, arguments = find(there)
    assert arguments
    assert len(arguments) <= sum(100 if one.nargs == -1 else one.nargs for one in leaf.arguments)
