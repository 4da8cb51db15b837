"""Every figure of the reference has a worked example, and a test against a package where one is named."""

import ast
from pathlib import Path

import pytest

from tests.docs.reference_code import MEASURES, TESTED

TESTS = Path(__file__).parents[1]


def test_every_figure_has_a_worked_example() -> None:
    figures = {name for listed in MEASURES.values() for name in listed}
    assert {name for name, tests in TESTED.items() if tests["example"]} == figures


@pytest.mark.parametrize("name", TESTED)
def test_what_is_named_is_a_test(name: str) -> None:
    require_test(TESTED[name]["example"])
    if "library" in TESTED[name]:
        package, _, test = TESTED[name]["library"].partition(" ")
        assert package in packages_of(require_test(test))


def require_test(named: str) -> ast.Module:
    """The module of a test that must be there."""
    path, _, function = named.partition("::")
    module = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    tests = {one.name for one in module.body if isinstance(one, ast.FunctionDef)}
    assert function.startswith("test_")
    assert function in tests
    return module


def packages_of(module: ast.Module) -> set[str]:
    """The packages that a module imports from, by their first names, where they are there or always."""
    whole = (alias.name for one in ast.walk(module) if isinstance(one, ast.Import) for alias in one.names)
    parts = (one.module or "" for one in ast.walk(module) if isinstance(one, ast.ImportFrom))
    named = (
        str(one.args[0].value)
        for one in ast.walk(module)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr == "importorskip"
        and isinstance(one.args[0], ast.Constant)
    )
    return {name.partition(".")[0] for name in (*whole, *parts, *named)}
