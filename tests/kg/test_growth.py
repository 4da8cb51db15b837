"""No expression and no part of the reading of an article takes more than linear time on any text.

Neither half goes by the wall clock. What is written in Python is counted: the lines that run, the same number
on every machine. Inside an expression nothing can be counted, so its processor time is taken, and only as a
ratio: a text of n characters is measured beside one of 2n, the least of several tries each, and only where it
costs far more than a plain scan of the same text, so that the times compared are long ones. A linear
expression gives a ratio of 2, a quadratic one 4; up to `MOST_GROWTH` is let pass.
"""

import gc
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from time import process_time
from types import FrameType, ModuleType
from typing import Any

import pytest

import kg.extract
import kg.ingest
import kg.resolve
import kg.text
import services.comparison.judging
from kg.extract.article import read_article
from kg.extract.pipeline import Model, load_model
from tests.examples import read_examples
from tests.kg.extract.conftest import as_input

MOST_GROWTH = 3.0
MOST_LINES_GROWTH = 2.5
SIZES = (400, 2_000)
METHODS = "match|fullmatch|search|sub|subn|finditer"
FAR_MORE = 6
"""So many times a plain scan of the text an expression has to cost before its growth is looked at."""

PACKAGES = (kg.text, kg.extract, kg.ingest, kg.resolve, services.comparison.judging)
ROOT = str(Path(kg.extract.__file__).parents[2])
UNITS = (
    "a", "A", "Aa", "1", "_", "-", ".", ",", "'", '"', "(", ")", "[", "{", " ", "\n", "\t", "\u200b",
    "\U0001f3c6", "e\u0301", "\u4e2d", "a ", "A ", "Aa ", "1 ", "1,", ". ", "a.", "A.", "- ", "' ", '" ',
    "( ", "a(", "(a) ", "a, ", "and ", "of the ", "A of ", "was ", "known as ", "a b. ", "Aa-", "a-",
    "\n\n", "a\n", "born ", "January 1 ", "Mr. ", "co-", "# ", "!? ", "$1 ", "in the ",
)  # fmt: skip
TEXTS: tuple[str, ...] = read_examples("kg/growth")["texts"]
BOUNDED = {
    "kg.extract.model_text._CLOSED_BY_STOP": "names of at most 120 letters",
    "kg.ingest.json_rows._COLON": "matched at one place only, through `skip`",
}
"""Expressions that may grow faster, since what they read is short."""

USES = {"kg.resolve.name_pool._USUAL": "fullmatch"}
"""How expressions are used whose names don't stand before the method."""

Work = Callable[[], object]


def modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | frozenset | set):
        for part in value:
            yield from patterns_in(part)
    elif isinstance(value, dict):
        yield from patterns_in([*value, *value.values()])


@cache
def expressions() -> dict[str, tuple[re.Pattern[str], frozenset[str]]]:
    """Every compiled expression of the modules by its place, with the methods that are called on it there."""
    found: dict[str, tuple[re.Pattern[str], frozenset[str]]] = {}
    for module in modules():
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            for number, pattern in enumerate(patterns_in(value)):
                called = frozenset(
                    re.findall(rf"\b{name}\.(match|fullmatch|search|sub|subn|finditer)\(", source)
                )
                if used := USES.get(f"{module.__name__}.{name}"):
                    called = frozenset({used})
                place = f"{module.__name__}.{name}" + (f"[{number}]" if number else "")
                found[place] = pattern, called or frozenset({"finditer"})
    return found


def work_of(pattern: re.Pattern[str], method: str, text: str) -> Work:
    if method in {"match", "fullmatch"}:
        return lambda: getattr(pattern, method)(text)
    return lambda: sum(1 for _ in pattern.finditer(text))


def seconds(work: Work, tries: int = 1) -> float:
    """The least processor time of so many tries."""
    least = float("inf")
    for _ in range(tries):
        begun = process_time()
        work()
        least = min(least, process_time() - begun)
    return least


def grows_too_fast(make: Callable[[str], Work], unit: str) -> float:
    """The growth from n to 2n on some repetition of the unit where it is above the bound; 0 elsewhere."""
    for size in SIZES:
        text = (unit * (size // len(unit) + 1))[:size] + "\0"
        double = (unit * (2 * size // len(unit) + 1))[: 2 * size] + "\0"
        scan = seconds(lambda text=text: sum(1 for _ in re.finditer(r"\w|\W", text)), 3)  # type: ignore[misc]
        if seconds(make(text), 2) < FAR_MORE * scan:
            continue
        growth = min(seconds(make(double), 5) / seconds(make(text), 5) for _ in range(3))
        if growth > MOST_GROWTH:
            return growth
    return 0.0


@pytest.mark.campaign  # processor time, which a busy machine can spoil
@pytest.mark.parametrize("pattern", [r"\s+x", r"(\w+)\s*-", r"\s*,?\s+z"])
def test_an_expression_that_is_not_linear_is_caught(pattern: str) -> None:
    made = re.compile(pattern)
    assert any(grows_too_fast(lambda text: work_of(made, "finditer", text), unit) for unit in (" ", "a"))


@pytest.mark.campaign
def test_every_expression_is_linear() -> None:
    wrong = {
        f"{place} on {unit!r}": round(growth, 1)
        for place, (pattern, methods) in expressions().items()
        if place not in BOUNDED
        for method in methods
        for unit in UNITS
        if (growth := grows_too_fast(lambda text, p=pattern, m=method: work_of(p, m, text), unit))  # type: ignore[misc]
    }
    assert len(expressions()) > 80
    assert not wrong


def lines_run(work: Work) -> int:
    """How many lines of our own run, whatever the machine.

    In a thread of its own, and without the collector of garbage: what it ends there, such as the greenlets of
    a browser that another test drove, would end the tracing too.
    """
    count = 0

    def line(_: FrameType, event: str, __: Any) -> Any:  # noqa: ANN401
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, _: str, __: Any) -> Any:  # noqa: ANN401
        return line if frame.f_code.co_filename.startswith(ROOT) else None

    def traced() -> None:
        sys.settrace(call)
        try:
            work()
        finally:
            sys.settrace(None)

    gc.disable()
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(traced).result()
    finally:
        gc.enable()
    return count


def repeated(unit: str, words: int) -> str:
    return "".join(unit.replace("{i}", str(i)) for i in range(words // len(unit.split()) + 1))


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


@pytest.mark.parametrize("unit", TEXTS)
def test_reading_an_article_runs_a_linear_number_of_lines(model: Model, unit: str) -> None:
    def lines(words: int) -> int:
        item = as_input(repeated(unit, words), "Some Title")
        return lines_run(lambda: read_article(model, item))

    small, large = lines(150), lines(300)
    assert 0 < large <= MOST_LINES_GROWTH * small
