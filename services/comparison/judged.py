"""Both judges of a comparison at work: what they say of its answers, and of answers of known quality.

What a judge said is in a journal in the comparison's folder, from which a run that was cut off goes on.

What follows from a comparison, as files of its archive: all figures, the report, the tables.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from kg.errors import InputError
from kg.llm.budget import Budget
from kg.progress import Progress
from kg.settings import Settings
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import Results, read_results, results_json
from services.comparison.archive import ROLES, Comparison, JudgeRole, Rendered
from services.comparison.archive_rows import Rows, read_text
from services.comparison.folder import Journal
from services.comparison.judging.calibration import CalibrationRow
from services.comparison.judging.known_answers import make_items
from services.comparison.judging.model_judge import open_judge
from services.comparison.protocol import JsonData
from services.comparison.records import Judgement
from services.comparison.rejudging import judge_of, judged_answers, tried_judge
from services.comparison.report.renderers import render_html, render_latex, render_markdown

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


JOURNALS = "verdicts"
"""The folder of the journals within that of the comparison; safe to delete, at the price of judging anew."""


def judge_all(
    comparison: Comparison,
    folder: Path,
    settings: Settings,
    budgets: Mapping[JudgeRole, Budget],
    opened: ExitStack,
    progress: Progress,
) -> Comparison:
    """Let both judges judge everything that they have not judged yet; the comparison with what they said.

    The judgements can be read as long as the journals are open, which `opened` closes.

    Raises:
        SettingsError: a judge can't be had.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: a model can't go on; what it judged is
            kept.
    """
    protocol, chunks = comparison.protocol, {chunk.id: chunk for chunk in comparison.chunks}
    pool = {candidates.question: candidates for candidates in comparison.pool}
    items = make_items(comparison.sample, chunks, pool, protocol, comparison.known)
    judgements: dict[JudgeRole, Mapping[str, Rows[Judgement]]] = {}
    calibration: dict[JudgeRole, Rows[CalibrationRow]] = {}
    for role in ROLES:
        named = judge_of(protocol, role)
        verdicts = opened.enter_context(Journal(folder / JOURNALS / f"{role}.jsonl", Judgement))
        tries = opened.enter_context(Journal(folder / JOURNALS / f"{role}-calibration.jsonl", CalibrationRow))
        text = f"{role.replace('_', ' ')} {named.name}"
        with open_judge(named, settings, budgets.get(role)) as judge:
            progress.begin(f"calibration of {text}", len(items))
            calibration[role] = tried_judge(judge, named, items, tries, progress)
            progress.end(f"{len(calibration[role]):,} answers of known quality")
            progress.begin(text, sum(map(len, comparison.answers.values())))
            judgements[role] = {
                system: judged_answers(
                    judge, named, comparison.questions, answers, chunks, verdicts, progress
                )
                for system, answers in comparison.answers.items()
            }
            failed = sum(bool(row.failed) for rows in judgements[role].values() for row in rows)
            progress.end(
                f"{sum(map(len, judgements[role].values())):,} judgements, {failed:,} without a verdict"
            )
    return replace(comparison, judgements=judgements, calibration=calibration)
