"""The outputs and pictures of the example notebook, made by running it on what `kg demo` left.

    kg demo
    python -m benchmarks.notebook [docs/notebooks/ormelund.ipynb]

Runs every cell from top to bottom, with the settings of this shell, and writes the notebook with what came
out. A hash of the cells is kept with it, so that a test can tell outputs that are older than their cells.
"""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from kg.ids import content_hash

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "notebooks" / "ormelund.ipynb"
PATIENCE_SECONDS = 600


def hash_of_cells(cells: Iterable[nbformat.NotebookNode]) -> str:
    """What the outputs were made from: the sources of all cells of code, in their order."""
    return content_hash(cell.source for cell in cells if cell.cell_type == "code")


def main() -> None:
    """Run it and write it back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebook", type=Path, nargs="?", default=NOTEBOOK)
    path = parser.parse_args().notebook
    os.environ["PYTHONPATH"] = str(ROOT)
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=PATIENCE_SECONDS, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran: another at each run
    notebook.metadata["outputs_of"] = hash_of_cells(notebook.cells)
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
