"""People's labels on answers of the systems themselves: how far each judge errs where it counts.

A sheet is blind: it shows question, key and answer, and neither system nor verdict. Which answers stand in it
follows from the archive and a seed, so that a filled sheet finds its answers again by their ids.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np

from kg.errors import InputError, NothingToDoError
from kg.ids import content_hash
from services.comparison.archive import ROLES, Comparison, JudgeRole
from services.comparison.judging.calibration import Figure, mean_change, share, youden
from services.comparison.judging.known_answers import in_drawn_order
from services.comparison.records import Answer, Question
from services.statistics.agreement import clustered_kappa
from services.statistics.intervals import Interval, partition

COLUMNS = ("id", "question", "key", "also", "answer", "right")
YES, NO = frozenset({"yes", "y", "1", "right", "true"}), frozenset({"no", "n", "0", "wrong", "false"})
ALL = "all"


@dataclass(frozen=True, slots=True)
class SheetRow:
    """An answer to be labelled; `id` says nothing of its system."""

    id: str
    question: str
    key: str
    also: str
    answer: str


@dataclass(frozen=True, slots=True)
class LabelledFigures:
    """A judge against people, on the answers of a system or of all ("all").

    `sensitivity` is the share of answers that people call right which the judge calls right too,
    `specificity` that of the others that he does not, `discernment` their sum less 1; `bias` is the mean of
    his verdict less theirs: by so much he makes the system's accuracy too large. `kappa` is Cohen's, its
    interval that of `clustered_kappa`.
    """

    judge: str
    system: str
    n: int
    sensitivity: Figure | None
    specificity: Figure | None
    discernment: Figure | None
    bias: Figure | None
    kappa: float | None
    kappa_interval: Interval | None


def draw_sheet(comparison: Comparison, number: int, seed: int) -> tuple[SheetRow, ...]:
    """A blind sheet of about `number` answers, equally many of each system, in an order that tells nothing.

    Answers that abstain or failed are left out, for no judge weighs them. Equal answers to a question stand
    in it once, and count for each system that gave them.

    Raises:
        NothingToDoError: no system gave an answer.
    """
    drawn = _sample_answers(comparison, number, seed)
    rows = {row.id: row for _, _, row in drawn}
    if not rows:
        raise NothingToDoError(
            "no system of this comparison gave an answer that could be labelled.",
            "Label another comparison: abstentions and errors need nobody's label.",
        )
    return tuple(rows[name] for name in sorted(rows))


def _sample_answers(comparison: Comparison, number: int, seed: int) -> list[tuple[str, int, SheetRow]]:
    """For each answer its system, the number of its question from 0, and its row of the sheet."""
    systems = [one.name for one in comparison.protocol.systems]
    each = ceil(number / len(systems))
    found: list[tuple[str, int, SheetRow]] = []
    for system in systems:
        said = {
            answer.question: (system, place, _sheet_row(comparison.questions[place], answer, seed))
            for place, answer in enumerate(comparison.answers[system])
            if not answer.abstained and not answer.error
        }
        # The same questions of every system, as far as it answered them: labels are shared, and pairs kept.
        found += [said[name] for name in in_drawn_order(said, f"labels {seed}")[:each]]
    return found


def _sheet_row(question: Question, answer: Answer, seed: int) -> SheetRow:
    id_ = content_hash((str(seed), answer.question, answer.text), 16)
    return SheetRow(id_, question.text, question.answer, "; ".join(question.accepted), answer.text)


def sheet_text(rows: Iterable[SheetRow]) -> str:
    """The sheet as CSV, its last column empty; a cell that a table would take for a formula has a quote."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([row.id, *map(_plain, (row.question, row.key, row.also, row.answer)), ""])
    return written.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def read_labels(path: Path) -> dict[str, bool]:
    """Whether people call each answer right, by its id in the sheet; rows without a label are left out.

    Raises:
        InputError: it can't be read, has not these columns, or a label is neither yes nor no.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as opened:
            table = csv.DictReader(opened)
            if not {"id", "right"} <= set(table.fieldnames or ()):
                raise InputError(
                    f"{path} has no columns id and right.", "Fill a sheet that this command wrote."
                )
            return dict(_labels(path, table))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} can't be read: {error}.", "Give the sheet as CSV in UTF-8.") from error


def _labels(path: Path, table: Iterable[Mapping[str, str | None]]) -> Iterator[tuple[str, bool]]:
    for number, row in enumerate(table, start=2):
        word = (row["right"] or "").strip().casefold()
        if word in YES | NO:
            yield row["id"] or "", word in YES
        elif word:
            raise InputError(f"{path}:{number}: {word!r} is no label.", "Write yes or no, or leave it empty.")


def label_figures(
    comparison: Comparison, labels: Mapping[str, bool], number: int, seed: int
) -> tuple[LabelledFigures, ...]:
    """Each judge against the labels, over the whole sheet and by system; `number` and `seed` are its.

    Errors of a judge that differ from system to system show here, where a calibration on made answers takes
    them for alike. Intervals take only clusters of questions for independent.

    Raises:
        InputError: a label is of no answer of this sheet.
    """
    drawn = _sample_answers(comparison, number, seed)
    if unknown := sorted(labels.keys() - {row.id for _, _, row in drawn}):
        raise InputError(
            f"{len(unknown):,} labels are of no answer of this sheet, the first of id {unknown[0]!r}.",
            "Give the archive, the number and the seed that the sheet was written with.",
        )
    labelled = [one for one in drawn if one[-1].id in labels]
    return tuple(
        figures
        for role in ROLES
        for system in (ALL, *(one.name for one in comparison.protocol.systems))
        if (figures := _figures(comparison, role, system, labelled, labels)) is not None
    )


def errors_by_people(
    comparison: Comparison, figures: Iterable[LabelledFigures]
) -> dict[JudgeRole, tuple[Figure, Figure]]:
    """Sensitivity and specificity of each judge over all labelled answers, where both are known."""
    of_all = {one.judge: one for one in figures if one.system == ALL}
    return {
        role: (one.sensitivity, one.specificity)
        for role in ROLES
        if (one := of_all.get(getattr(comparison.protocol, role).name)) is not None
        and one.sensitivity is not None
        and one.specificity is not None
    }


def _figures(
    comparison: Comparison,
    role: JudgeRole,
    system: str,
    labelled: Sequence[tuple[str, int, SheetRow]],
    labels: Mapping[str, bool],
) -> LabelledFigures | None:
    said = {
        (name, place): row.right
        for name, rows in comparison.judgements[role].items()
        for place, row in enumerate(rows)
    }
    rows = [
        (labels[row.id], verdict, comparison.questions[place].cluster)
        for name, place, row in labelled
        if system in (ALL, name) and (verdict := said[name, place]) is not None
    ]
    if not rows:
        return None
    right = [(verdict, cluster) for label, verdict, cluster in rows if label]
    wrong = [(not verdict, cluster) for label, verdict, cluster in rows if not label]
    sensitivity, specificity = (
        share([hit for hit, _ in part], [cluster for _, cluster in part]) for part in (right, wrong)
    )
    kappa = clustered_kappa(
        [verdict for _, verdict, _ in rows],
        [label for label, _, _ in rows],
        partition([cluster for _, _, cluster in rows]),
        np.random.default_rng([comparison.protocol.seeds.inference, 3]),
        comparison.protocol.inference.draws,
    )
    return LabelledFigures(
        judge=getattr(comparison.protocol, role).name,
        system=system,
        n=len(rows),
        sensitivity=sensitivity,
        specificity=specificity,
        discernment=youden(sensitivity, specificity),
        bias=mean_change(
            [float(verdict) - float(label) for label, verdict, _ in rows],
            [cluster for _, _, cluster in rows],
        ),
        kappa=None if kappa is None else kappa.plain.value,
        kappa_interval=None if kappa is None else kappa.interval,
    )
