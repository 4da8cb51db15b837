"""`import hopgrade`: every public name is there, and has an example, which is true on the small world."""

import doctest
import subprocess
import sys
from inspect import isclass, isfunction

import pytest

import hopgrade
import kg
from services.python_api.comparisons import JudgedComparison
from services.python_api.corpus import Corpus
from services.python_api.runs import Run
from tests.services.python_api.examples import examples_of, run_examples

MODULES = (
    "services.assertions",
    "services.python_api.comparisons",
    "services.python_api.building",
    "services.python_api.comparisons",
    "services.python_api.building",
    "services.python_api.corpus",
    "services.python_api.building",
    "services.python_api.plots",
    "services.python_api.runs",
)
EXAMPLES = [found for module in MODULES for found in examples_of(module)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_true(example: doctest.DocTest, valley: Corpus, kg_environment: None) -> None:
    assert run_examples(example, valley) == []


def test_every_function_and_method_has_an_example() -> None:
    public = {name: getattr(hopgrade, name) for name in hopgrade.__all__}
    functions = {name: found for name, found in public.items() if isfunction(found)}
    for class_ in (Corpus, JudgedComparison, Run):
        methods = {name: found for name, found in vars(class_).items() if isfunction(found)}
        functions |= {f"{class_.__name__}.{name}": found for name, found in methods.items() if name[0] != "_"}
    without = [name for name, found in functions.items() if ">>> " not in (found.__doc__ or "")]
    assert without == ["Corpus.close"]
    assert all(found.__doc__ for found in public.values() if isclass(found))


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(AttributeError, match="module 'hopgrade' has no attribute 'open_corpse'"):
        getattr(hopgrade, "open_corpse")  # noqa: B009


def test_importing_kg_loads_nothing_heavy() -> None:
    heavy = "{'neo4j', 'pandas', 'services', 'networkx'}"
    code = f"import sys, hopgrade; print(sorted({heavy} & set(sys.modules)), dir(hopgrade))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("[] ")
    assert "'open_corpus'" in said


def test_the_old_module_still_has_the_names_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match=r"kg\.open_corpus has moved to hopgrade\.open_corpus"):
        assert kg.open_corpus is hopgrade.open_corpus
    with pytest.raises(AttributeError, match="module 'kg' has no attribute 'open_corpse'"):
        getattr(kg, "open_corpse")  # noqa: B009
