"""The example notebook runs from top to bottom on the bundled corpus, and is kept without outputs."""

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "ormelund.ipynb"


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_the_notebook_runs(seed_corpus: str, kg_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(NOTEBOOK.parents[2]))
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    opening = next(cell for cell in notebook.cells if '"ormelund")' in cell.source)
    opening.source = opening.source.replace('"ormelund"', repr(seed_corpus))
    # A cell that raises ends the run with its traceback.
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("image/png" in data for data in shown) == 2
    assert sum("text/html" in data for data in shown) >= 4
    assert any("right by answer match>" in data["text/plain"] for data in shown)
