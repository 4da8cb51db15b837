"""Cases that differ in their words alone are data: a file in tests/data for each file of tests with some."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

DATA = Path(__file__).parent / "data"
Test = TypeVar("Test", bound=Callable[..., None])


def examples(names: str) -> Callable[[Test], Test]:
    """Run a test for each row that stands under its name, without `test_`; lists within rows become tuples.

    The rows of tests/kg/text/test_opinion.py are in tests/data/kg/text/opinion.yaml.
    """

    def parametrized(test: Test) -> Test:
        _, *folders, file = test.__module__.split(".")
        of_file = read_examples("/".join([*folders, file.removeprefix("test_")]))
        rows = of_file[test.__name__.removeprefix("test_")]
        marked: Test = pytest.mark.parametrize(names, rows)(test)
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
