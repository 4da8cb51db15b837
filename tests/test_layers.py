"""The layers and the packages within them hold, and each outside thing has one part that talks to it."""

import ast
from collections import deque
from dataclasses import dataclass
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


STARTS = ("MATCH ", "MERGE ", "UNWIND ", "CREATE ", "CALL ", "CYPHER ")
"""How a statement of Cypher begins."""


@dataclass(frozen=True, slots=True)
class Source:
    """What the tests ask of a file: the modules that it imports anywhere, and the lines of its statements."""

    imports: list[str]
    statements: list[int]
    lines: int

    @property
    def packages(self) -> set[str]:
        return {module.split(".")[0] for module in self.imports}


@cache
def sources() -> dict[str, Source]:
    """Each file is parsed and gone through once: both take seconds for all of them."""
    return {
        path.relative_to(ROOT).as_posix(): _read(path.read_text(encoding="utf-8"))
        for area in ("hopgrade", "kg", "services", "cli")
        for path in sorted((ROOT / area).rglob("*.py"))
    }


def _read(text: str) -> Source:
    imports, statements = [], []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            imports.append(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(STARTS):
            statements.append(node.lineno)
    return Source(imports, statements, len(text.splitlines()))


def test_a_layer_imports_only_what_is_below_it() -> None:
    upwards = {
        where: sorted(above)
        for where, source in sources().items()
        if (above := source.packages & FORBIDDEN[where.split("/")[0]])
    }
    assert upwards == {}


def test_packages_import_only_what_the_table_lists() -> None:
    table: dict[str, list[str]] = yaml.safe_load(PACKAGES.read_text(encoding="utf-8"))
    found: dict[str, set[str]] = {}
    for where, source in sources().items():
        layer, package = (*where.removesuffix(".py").split("/"), "__init__")[:2]
        if layer in {"kg", "services"} and package != "__init__":
            others = {module.split(".")[1] for module in source.imports if module.startswith(f"{layer}.")}
            found.setdefault(f"{layer}/{package}", set()).update(others - {package})
    assert {package: sorted(others) for package, others in found.items()} == table
    below: set[str] = set()
    for package, below_it in table.items():
        layer = package.split("/")[0]
        assert {f"{layer}/{other}" for other in below_it} <= below, f"{package} would close a circle"
        below.add(package)


def test_the_public_api_loads_nothing_by_itself() -> None:
    facade = ast.parse((ROOT / FACADE).read_text(encoding="utf-8"))
    at_import = [node for node in facade.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {getattr(node, "module", None) for node in at_import} == {"importlib", "kg", "typing"}


def test_outside_things_are_talked_to_in_one_place() -> None:
    elsewhere = [
        f"{where} imports {module}"
        for where, source in sources().items()
        for module in sorted(source.packages)
        if not where.startswith(ONLY.get(module, ("",)))
    ]
    assert elsewhere == []


def test_a_module_is_small_and_its_name_says_its_job() -> None:
    assert {where: source.lines for where, source in sources().items() if source.lines > MAX_LINES} == {}
    assert [where for where in sources() if Path(where).stem in SAYING_NOTHING] == []


def test_no_statement_is_written_in_python() -> None:
    # The last one's product is a script of statements, which nobody here runs.
    allowed = {"kg/queries.py", "kg/store/graph.py", "services/datasets/graph_cypher.py"}
    written = [
        f"{where}:{line}"
        for where, source in sources().items()
        if where not in allowed
        for line in source.statements
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
