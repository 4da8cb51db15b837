"""A wheel holds everything that the code reads, and works where there is no clone."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(folder.glob("hopgrade-*.whl"))


def test_it_holds_every_file_that_the_code_reads(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("cypher", "seed"):
        inside = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert {f"kg/bundled/{name}" for name in inside} <= names
    code = {
        path.relative_to(ROOT).as_posix()
        for layer in ("hopgrade", "kg", "services", "cli")
        for path in (ROOT / layer).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert code <= names
    assert {"kg/server/server.lock.json", "kg/server/gds.lock.json", "kg/text/vocab.txt"} <= names
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


def test_it_works_outside_the_clone(wheel: Path, tmp_path: Path, kg_environment: None) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    program = (
        "import json, kg; from kg.queries import all_queries; from kg.files import bundled_folder;"
        "articles = (bundled_folder('seed') / 'articles').glob('*.md');"
        "print(json.dumps([kg.__file__, len(list(all_queries())), len(list(articles))]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    where, statements, articles = json.loads(ended.stdout)
    assert where.startswith(str(site))
    assert statements == len(list((ROOT / "cypher").rglob("*.cypher")))
    assert articles >= 48
    listed = subprocess.run(
        [sys.executable, "-c", "from cli.main import main; main()", "corpus", "list", "--json"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert isinstance(json.loads(listed.stdout), list)
