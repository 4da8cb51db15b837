"""What follows from a comparison, as files of its archive: all figures, the report, the tables."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import ValidationError

from kg.errors import InputError
from services.standard.analysis.analyse import analyse
from services.standard.analysis.content import Results, read_results, results_json
from services.standard.archive import Comparison, Rendered
from services.standard.archive_rows import read_text
from services.standard.hashing import JsonData
from services.standard.report.renderers import render_html, render_latex, render_markdown

RESULTS = "results.json"

REPORTS: Mapping[str, Callable[[Results], str]] = {
    "report.html": render_html,
    "report.md": render_markdown,
    "tables.tex": render_latex,
}
"""What is made of the results, by its name in the archive."""


def render_outcome(comparison: Comparison) -> Rendered:
    """The files of everything that follows from a comparison.

    Raises:
        InputError: rows of it don't fit together.
    """
    results = analyse(comparison)
    return {RESULTS: _text(results), **rendered_reports(results)}


def rendered_reports(results: Results) -> Rendered:
    """The reports that follow from results."""
    return {name: render(results) for name, render in REPORTS.items()}


def results_document(results: Results) -> JsonData:
    """Results as the JSON that an archive holds of them."""
    document: JsonData = json.loads(_text(results))
    return document


def archived_results_text(archive: Path) -> str:
    """The JSON text of the results in an archive.

    Raises:
        InputError: it holds none.
    """
    return read_text(archive, RESULTS)


def archived_results(archive: Path) -> Results:
    """The results in an archive.

    Raises:
        InputError: it holds none, or they can't be read.
    """
    try:
        return read_results(archived_results_text(archive))
    except ValidationError as error:
        raise InputError(
            f"{RESULTS} can't be read: {error.errors()[0]['msg']}.",
            "The archive was changed; get it again from whoever made it.",
        ) from error


def _text(results: Results) -> str:
    return json.dumps(results_json(results), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
