"""The pages make a site: no link leads nowhere, no page is left out, nothing is loaded from elsewhere."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import examples

ROOT = Path(__file__).parents[2]

_LOADED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^>]*>", re.I)
_STYLE = re.compile(
    r"<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preconnect|preload|icon))[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>",
    re.I,
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert pages
    assert [page for page in pages if not (site / page).with_suffix(".html").is_file()] == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    loaded = [tag for page in pages for tag in _elsewhere(page.read_text(encoding="utf-8"))]
    assert pages
    assert loaded == []


def _elsewhere(html: str) -> list[str]:
    return [found[0] for pattern in (_LOADED, _STYLE) for found in pattern.finditer(html)]


@examples("tag")
def test_what_comes_from_elsewhere_would_be_noticed(tag: str) -> None:
    assert _elsewhere(f"<p>{tag}</p>") == [tag]


def test_the_pages_pictures_are_of_the_demo_that_the_tutorial_shows() -> None:
    shown = json.loads((ROOT / "docs" / "pictures" / "shown.json").read_text(encoding="utf-8"))
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (questions,) = re.findall(r"is wrong on \d+% of (\d+) chain questions", tutorial)
    assert shown == {"chain questions": int(questions)}, "take them anew: benchmarks/screens.py"
