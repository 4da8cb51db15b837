"""The example notebook runs from top to bottom on the bundled corpus; its outputs are of these cells."""

import re
from copy import deepcopy

import nbformat
import pytest
from nbclient import NotebookClient

from benchmarks.notebook import NOTEBOOK, PATIENCE_SECONDS, hash_of_cells


def kinds(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """What each cell gives: the types of its outputs."""
    return [
        sorted(kind for output in cell.get("outputs", []) for kind in output.get("data", {}))
        for cell in notebook.cells
    ]


@pytest.fixture(scope="module")
def kept() -> nbformat.NotebookNode:
    """The notebook as it is in the repository."""
    read: nbformat.NotebookNode = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    return read


def test_its_outputs_are_of_these_cells_and_of_the_demo_that_the_tutorial_shows(
    kept: nbformat.NotebookNode,
) -> None:
    assert kept.metadata["outputs_of"] == hash_of_cells(kept.cells), "make it anew: benchmarks/notebook.py"
    told = next(cell for cell in kept.cells if cell.source.endswith("\nrun")).outputs[0].data["text/plain"]
    right, answers = re.findall(r"(\d+) of (\d+) right", told)[0]
    tutorial = (NOTEBOOK.parents[1] / "tutorial.md").read_text(encoding="utf-8")
    assert f"answers {int(answers):,}, right {int(right):,}" in tutorial, "made by another version"


def test_the_notebook_runs(
    kept: nbformat.NotebookNode, seed_corpus: str, kg_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(NOTEBOOK.parents[2]))
    notebook = deepcopy(kept)
    opening = next(cell for cell in notebook.cells if '"ormelund")' in cell.source)
    opening.source = opening.source.replace('"ormelund"', repr(seed_corpus))
    # A cell that raises ends the run with its traceback.
    NotebookClient(notebook, timeout=PATIENCE_SECONDS, kernel_name="python3").execute()
    assert kinds(notebook) == kinds(kept)
    assert sum("image/png" in some for some in kinds(notebook)) == 2
