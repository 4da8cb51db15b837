"""Cases that differ in their words alone are data: a file in tests/data for each file of tests with some."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

import pytest
import yaml

DATA = Path(__file__).parent / "data"
Test = TypeVar("Test", bound=Callable[..., None])


def examples(names: str) -> Callable[[Test], Test]:
    """Run a test for each row that stands under its name, without `test_`.

    Rows are a list, or a mapping of what a case is called to its row. Lists within rows become what the test
    declares, and tuples else. Those of tests/kg/text/test_opinion.py are in tests/data/kg/text/opinion.yaml.
    """

    def parametrized(test: Test) -> Test:
        _, *folders, file = test.__module__.split(".")
        of_file = read_examples("/".join([*folders, file.removeprefix("test_")]))
        found = of_file[test.__name__.removeprefix("test_")]
        ids, rows = (list(found), found.values()) if isinstance(found, dict) else (None, found)
        declared = [test.__annotations__[name.strip()] for name in names.split(",")]
        given = [
            tuple(map(_as_declared, row, declared)) if len(declared) > 1 else _as_declared(row, declared[0])
            for row in rows
        ]
        marked: Test = pytest.mark.parametrize(names, given, ids=ids)(test)
        return marked

    return parametrized


@cache
def read_examples(name: str) -> Any:  # noqa: ANN401
    """What stands in a file of tests/data, lists as tuples."""
    with (DATA / f"{name}.yaml").open(encoding="utf-8") as file:
        return _tuples(yaml.load(file, yaml.CSafeLoader))


def _tuples(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return {key: _tuples(each) for key, each in value.items()} if isinstance(value, dict) else value


def _as_declared(value: Any, declared: Any) -> Any:  # noqa: ANN401
    """A value in which tuples are the lists and sets that an annotation speaks of."""
    kind, of = get_origin(declared), get_args(declared)
    if kind is UnionType:
        return value if value is None else _as_declared(value, of[0])
    if kind in {list, set, frozenset}:
        return kind(_as_declared(one, of[0]) for one in value)
    if kind is dict and isinstance(value, dict):
        return {key: _as_declared(one, of[1]) for key, one in value.items()}
    if kind is tuple:
        each = of[:1] * len(value) if of[-1] is ... else of
        return tuple(map(_as_declared, value, each))
    return value
