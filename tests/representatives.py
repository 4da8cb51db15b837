"""Cases of which a test run takes some, and `pytest -m campaign` the rest."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")


def representatives(cases: Iterable[T], *usual: T) -> list[ParameterSet]:
    """The cases as parameters; only the `usual` ones are part of a test run, the others repeat them."""
    return [
        pytest.param(case, marks=() if case in usual else (pytest.mark.campaign,), id=str(case))
        for case in cases
    ]
