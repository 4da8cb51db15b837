"""The layers hold: cli -> services -> kg, and each outside thing has one part that talks to it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(path for area in ("kg", "services", "cli") for path in (ROOT / area).rglob("*.py"))
MAX_LINES = 420
FORBIDDEN = {"kg": {"services", "cli"}, "services": {"cli"}, "cli": set[str]()}
FACADE = ROOT / "kg" / "__init__.py"
"""`import kg` is the public API: this file alone leads upwards, to names that are loaded when used."""
ONLY = {
    "neo4j": ("kg/store/",),
    "openai": (
        "kg/embed/openai.py",
        "kg/endpoint_errors.py",
        "kg/llm/calls.py",
        "kg/llm/failed_tries.py",
        "kg/llm/wire.py",
    ),
    "spacy": ("kg/extract/",),
    "onnxruntime": ("kg/embed/",),
    "typer": ("cli/",),
    "rich": ("cli/",),
    "jgo": ("kg/server/",),
    "graphdatascience": ("services/notebook/",),
    "matplotlib": ("services/notebook/",),
}


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def ids(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_a_layer_imports_only_what_is_below_it(path: Path) -> None:
    if path == FACADE:
        pytest.skip("the public API, which test_the_public_api_loads_nothing_by_itself holds to its rule")
    layer = path.relative_to(ROOT).parts[0]
    assert not {module.split(".")[0] for module in imports(path)} & FORBIDDEN[layer]


def test_the_public_api_loads_nothing_by_itself() -> None:
    at_import = [
        node
        for node in ast.parse(FACADE.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert {getattr(node, "module", None) for node in at_import} == {"importlib", "typing"}


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_outside_things_are_talked_to_in_one_place(path: Path) -> None:
    where = path.relative_to(ROOT).as_posix()
    for module in {module.split(".")[0] for module in imports(path)}:
        assert where.startswith(ONLY.get(module, ("",))), f"{where} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_a_module_is_small_and_its_name_says_its_job(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES
    assert path.stem not in {"utils", "util", "helpers", "common", "base", "manager", "misc"}


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_no_statement_is_written_in_python(path: Path) -> None:
    starts = ("MATCH ", "MERGE ", "UNWIND ", "CREATE ", "CALL ", "CYPHER ")
    texts = (
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    # The last one's product is a script of statements, which nobody here runs.
    allowed = {"kg/queries.py", "kg/store/graph.py", "services/exports/graph_cypher.py"}
    where = path.relative_to(ROOT).as_posix()
    assert where in allowed or not [text for text in texts if text.startswith(starts)]
