"""The layers hold: cli -> services -> kg, and each outside thing has one part that talks to it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 420
SAYING_NOTHING = {"utils", "util", "helpers", "common", "base", "manager", "misc"}
FORBIDDEN = {"kg": {"services", "cli"}, "services": {"cli"}, "cli": set[str]()}
FACADE = "kg/__init__.py"
"""`import kg` is the public API: this file alone leads upwards, to names that are loaded when used."""
ONLY = {
    "neo4j": ("kg/store/",),
    "openai": (
        "kg/embed/openai.py",
        "kg/endpoint_errors.py",
        "kg/llm/calls.py",
        "kg/llm/contact.py",
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


@cache
def trees() -> dict[str, ast.Module]:
    """Each file once: to parse 800 of them takes seconds, and a test of its own for each takes more."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for area in ("kg", "services", "cli")
        for path in sorted((ROOT / area).rglob("*.py"))
    }


def imports(tree: ast.Module) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@cache
def imported() -> dict[str, set[str]]:
    """The packages that each file imports from."""
    return {where: {module.split(".")[0] for module in imports(tree)} for where, tree in trees().items()}


def test_a_layer_imports_only_what_is_below_it() -> None:
    upwards = {
        where: sorted(above)
        for where, modules in imported().items()
        if where != FACADE and (above := modules & FORBIDDEN[where.split("/")[0]])
    }
    assert upwards == {}


def test_the_public_api_loads_nothing_by_itself() -> None:
    at_import = [node for node in trees()[FACADE].body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {getattr(node, "module", None) for node in at_import} == {"importlib", "typing"}


def test_outside_things_are_talked_to_in_one_place() -> None:
    elsewhere = [
        f"{where} imports {module}"
        for where, modules in imported().items()
        for module in sorted(modules)
        if not where.startswith(ONLY.get(module, ("",)))
    ]
    assert elsewhere == []


def test_a_module_is_small_and_its_name_says_its_job() -> None:
    lines = {where: len((ROOT / where).read_text(encoding="utf-8").splitlines()) for where in trees()}
    assert {where: count for where, count in lines.items() if count > MAX_LINES} == {}
    assert [where for where in trees() if Path(where).stem in SAYING_NOTHING] == []


def test_no_statement_is_written_in_python() -> None:
    starts = ("MATCH ", "MERGE ", "UNWIND ", "CREATE ", "CALL ", "CYPHER ")
    # The last one's product is a script of statements, which nobody here runs.
    allowed = {"kg/queries.py", "kg/store/graph.py", "services/exports/graph_cypher.py"}
    written = [
        f"{where}:{node.lineno}"
        for where, tree in trees().items()
        if where not in allowed
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(starts)
    ]
    assert written == []
