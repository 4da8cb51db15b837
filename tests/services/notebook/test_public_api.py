"""`import kg`: every public name is there, has an example, and the example is true on the small world."""

import doctest
import subprocess
import sys
from inspect import isclass, isfunction

import pytest

import kg
from services.notebook.corpus import Corpus
from services.notebook.runs import Run
from tests.services.notebook.examples import examples_of, run_examples

MODULES = (
    "services.assertions",
    "services.notebook.corpus",
    "services.notebook.plots",
    "services.notebook.runs",
)
EXAMPLES = [found for module in MODULES for found in examples_of(module)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_true(example: doctest.DocTest, valley: Corpus, kg_environment: None) -> None:
    assert run_examples(example, valley) == []


def test_every_function_and_method_has_an_example() -> None:
    public = {name: getattr(kg, name) for name in kg.__all__}
    functions = {name: found for name, found in public.items() if isfunction(found)}
    for class_ in (Corpus, Run):
        methods = {name: found for name, found in vars(class_).items() if isfunction(found)}
        functions |= {f"{class_.__name__}.{name}": found for name, found in methods.items() if name[0] != "_"}
    without = [name for name, found in functions.items() if ">>> " not in (found.__doc__ or "")]
    assert without == ["Corpus.close"]
    assert all(found.__doc__ for found in public.values() if isclass(found))


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(AttributeError, match="module 'kg' has no attribute 'open_corpse'"):
        getattr(kg, "open_corpse")  # noqa: B009


def test_importing_kg_loads_nothing_heavy() -> None:
    heavy = "{'neo4j', 'pandas', 'services', 'networkx'}"
    code = f"import sys, kg; print(sorted({heavy} & set(sys.modules)), dir(kg))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("[] ")
    assert "'open_corpus'" in said
