"""Without the optional extras every module can be loaded but those that are nothing without one."""

import json
import subprocess
import sys

BELONGING = {
    "services.benchmarks.graphrag": "neo4j_graphrag",
    "services.external.adapters.graphrag_over_graph": "neo4j_graphrag",
    "services.pytest_plugin": "pytest",
}
"""Modules that are loaded only where somebody asks for what their library does."""

LOADING = """
import importlib, json, pkgutil, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import cli, kg, services

missing = {}
for package in (kg, services, cli):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            missing[found.name] = error.name.partition(".")[0]
print(json.dumps(missing))
"""

EXTRAS = {
    *(
        "bm25s",
        "graphdatascience",
        "haystack",
        "langchain_core",
        "llama_index",
        "matplotlib",
        "neo4j_graphrag",
    ),
    *("neo4j_graphrag", "networkx", "pyarrow", "pytest", "ray", "sentence_transformers"),
}


def test_what_needs_an_extra_is_loaded_only_where_it_is_asked_for() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", f"EXTRAS = {EXTRAS!r}\n{LOADING}"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == BELONGING
