"""The layers and the packages within them hold, and each outside thing has one part that talks to it."""

import ast
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 460
SAYING_NOTHING = {"utils", "util", "helpers", "common", "base", "manager", "misc"}
FORBIDDEN = {
    "kg": {"services", "cli", "hopgrade"},
    "services": {"cli", "hopgrade"},
    "cli": {"hopgrade"},
    "hopgrade": {"cli"},
}
FACADE = "hopgrade/__init__.py"
"""`import hopgrade` is the public API: its names are loaded when they are used."""
PACKAGES = ROOT / "tests" / "data" / "package_imports.yaml"
"""Packages from the lowest upwards, each with those of its layer that it imports."""
ONLY = {
    "neo4j": ("kg/store/", "kg/connect.py"),
    "openai": (
        "kg/embed/openai.py",
        "kg/endpoints.py",
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
    "graphdatascience": ("services/python_api/",),
    "ray": ("kg/engine/cluster.py",),
    "matplotlib": ("services/python_api/",),
}


@cache
def trees() -> dict[str, ast.Module]:
    """Each file once: to parse 800 of them takes seconds, and a test of its own for each takes more."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for area in ("hopgrade", "kg", "services", "cli")
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
        if (above := modules & FORBIDDEN[where.split("/")[0]])
    }
    assert upwards == {}


def test_packages_import_only_what_the_table_lists() -> None:
    table: dict[str, list[str]] = yaml.safe_load(PACKAGES.read_text(encoding="utf-8"))
    found: dict[str, set[str]] = {}
    for where, tree in trees().items():
        layer, package = (*where.removesuffix(".py").split("/"), "__init__")[:2]
        if layer in {"kg", "services"} and package != "__init__":
            others = {module.split(".")[1] for module in imports(tree) if module.startswith(f"{layer}.")}
            found.setdefault(f"{layer}/{package}", set()).update(others - {package})
    assert {package: sorted(others) for package, others in found.items()} == table
    below: set[str] = set()
    for package, below_it in table.items():
        layer = package.split("/")[0]
        assert {f"{layer}/{other}" for other in below_it} <= below, f"{package} would close a circle"
        below.add(package)


def test_the_public_api_loads_nothing_by_itself() -> None:
    at_import = [node for node in trees()[FACADE].body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {getattr(node, "module", None) for node in at_import} == {"importlib", "kg", "typing"}


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
    allowed = {"kg/queries.py", "kg/store/graph.py", "services/datasets/graph_cypher.py"}
    written = [
        f"{where}:{node.lineno}"
        for where, tree in trees().items()
        if where not in allowed
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(starts)
    ]
    assert written == []


def test_yaml_is_read_without_libyaml_too() -> None:
    """The loader in C takes more than YAML allows; users and other tools may have the one in Python only."""
    files = [path for area in ("seed", "kg", "tests/data") for path in (ROOT / area).rglob("*.yaml")]
    assert len(files) > 150
    broken = {}
    for path in files:
        try:
            deque(yaml.parse(path.read_text(encoding="utf-8"), yaml.SafeLoader), maxlen=0)
        except yaml.YAMLError as error:
            broken[path.relative_to(ROOT).as_posix()] = str(error)
    assert broken == {}
