"""What a judge's calibration comes to: how well he tells right from wrong, and what sways him.

Everything here is a function of the rows and the protocol alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from services.standard.calibration.clustered import mean_change, share, youden
from services.standard.calibration.decide import decide
from services.standard.calibration.values import (
    Bias,
    BiasKind,
    Category,
    CategoryFigure,
    Figure,
    Variant,
    Verdict,
)
from services.standard.protocol import Calibration, Judge
from services.standard.records import Count, Judgement, Share

__all__ = [
    "Bias",
    "BiasKind",
    "CalibrationFigures",
    "CalibrationRow",
    "Category",
    "CategoryFigure",
    "Figure",
    "Variant",
    "Verdict",
    "calibration_figures",
]


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """What a judge said of an answer of known quality; `expected` is the score it deserves.

    `shown` is whether the evidence of the hops was shown, `supporting` are the chunks that bear on the
    answer; `cluster` is the question's. The judgement's system names category and variant.
    """

    id: str
    category: Category
    variant: Variant
    trial: Count
    question: str
    cluster: str
    text: str
    expected: Share
    shown: bool
    supporting: tuple[str, ...]
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class CalibrationFigures:
    """All that is known of a judge.

    `sensitivity` is the share of right answers that he calls right, `specificity` that of the others that he
    does not, `discernment` their sum less 1 (Youden's J). `hops` and `supports` are the same J for what he
    says of the evidence of hops and of chunks. `reasons` say what led to the verdict.
    """

    judge: str
    questions: int
    rows: int
    failed: int
    categories: tuple[CategoryFigure, ...]
    sensitivity: Figure | None
    specificity: Figure | None
    discernment: Figure | None
    hops: Figure | None
    supports: Figure | None
    position: Bias
    length: Bias
    self_preference: Bias
    consistency: Figure | None
    verdict: Verdict
    reasons: tuple[str, ...]


def calibration_figures(
    judge: Judge, rows: Iterable[CalibrationRow], bounds: Calibration
) -> CalibrationFigures:
    """The figures of a judge, from all that he said of the answers made to try him.

    Discernment is over answers as they are; a variant is held against the same answer as it is, and the
    judge's own wording against a sentence by rule.
    """
    tried = tuple(sorted(rows, key=lambda row: row.id))
    judged = [row for row in tried if row.judgement.score is not None]
    plain = [row for row in judged if row.variant == "plain"]
    right = [row for row in plain if row.expected == 1]
    other = [row for row in plain if row.expected < 1]
    sensitivity = _share([(row, row.judgement.right is True) for row in right])
    specificity = _share([(row, row.judgement.right is False) for row in other])
    discernment = youden(sensitivity, specificity)
    hops = _evidence_figure([(row, row.shown, said) for row in plain for said in row.judgement.hops])
    supports = _evidence_figure(
        [
            (row, chunk in row.supporting, said)
            for row in plain
            for chunk, said in sorted(row.judgement.supports.items())
        ]
    )
    position = _bias("position", judged, "reversed", "plain", "no answer was put with its evidence reversed")
    length = _bias("length", judged, "padded", "plain", "no answer was put among empty words")
    own = "rules word no answers" if judge.kind == "rules" else "he worded no answer so that it could be used"
    self_preference = _bias("self-preference", judged, "own wording", "sentence", own)
    consistency = _share([(row, row.judgement.score == before) for row, before in _repeats(judged)])
    verdict, reasons = decide(
        bounds,
        1 - len(judged) / len(tried) if tried else 1.0,
        {"answers": discernment, "the evidence of hops": hops, "supporting chunks": supports},
        (position, length, self_preference),
        consistency,
        (sensitivity, specificity),
    )
    return CalibrationFigures(
        judge=judge.name,
        questions=len({row.question for row in tried}),
        rows=len(tried),
        failed=len(tried) - len(judged),
        categories=tuple(_category(name, tried) for name in get_args(Category)),
        sensitivity=sensitivity,
        specificity=specificity,
        discernment=discernment,
        hops=hops,
        supports=supports,
        position=position,
        length=length,
        self_preference=self_preference,
        consistency=consistency,
        verdict=verdict,
        reasons=reasons,
    )


def _category(name: Category, tried: Sequence[CalibrationRow]) -> CategoryFigure:
    rows = [row for row in tried if row.category == name and row.variant == "plain"]
    scores = [row.judgement.score for row in rows if row.judgement.score is not None]
    return CategoryFigure(
        category=name,
        expected=rows[0].expected if rows else 0.0,
        n=len(rows),
        failed=len(rows) - len(scores),
        mean=sum(scores) / len(scores) if scores else None,
    )


def _evidence_figure(told: Sequence[tuple[CalibrationRow, bool, bool]]) -> Figure | None:
    """Youden's J of what was said of pieces of evidence, given as (row, whether it is so, what was said)."""
    return youden(
        _share([(row, said) for row, true, said in told if true]),
        _share([(row, not said) for row, true, said in told if not true]),
    )


def _bias(
    kind: BiasKind, judged: Sequence[CalibrationRow], variant: Variant, against: Variant, why: str
) -> Bias:
    changed = _scores(judged, variant)
    before = _scores(judged, against)
    pairs = [(row, score - before[key][1]) for key, (row, score) in changed.items() if key in before]
    if not pairs:
        return Bias(kind, None, None, None, None, why)
    right = _change([(row, change) for row, change in pairs if row.expected == 1])
    wrong = _change([(row, change) for row, change in pairs if row.expected < 1])
    # Apart from each other: a judge who is harder on right answers and softer on wrong ones shows no mean.
    worst = max((one.value for one in (right, wrong) if one is not None), key=abs)
    return Bias(kind, worst, right, wrong, _share([(row, change != 0) for row, change in pairs]))


def _scores(
    judged: Sequence[CalibrationRow], variant: Variant
) -> Mapping[tuple[str, Category], tuple[CalibrationRow, float]]:
    return {
        (row.question, row.category): (row, row.judgement.score)
        for row in judged
        if row.variant == variant and row.judgement.score is not None
    }


def _repeats(judged: Sequence[CalibrationRow]) -> list[tuple[CalibrationRow, float]]:
    """Each repetition with the score of the first time."""
    before = _scores(judged, "plain")
    repeated = (row for row in judged if row.variant == "repeated")
    return [(row, before[key][1]) for row in repeated if (key := (row.question, row.category)) in before]


def _share(hits: Sequence[tuple[CalibrationRow, bool]]) -> Figure | None:
    return share([hit for _, hit in hits], [row.cluster for row, _ in hits])


def _change(changes: Sequence[tuple[CalibrationRow, float]]) -> Figure | None:
    return mean_change([change for _, change in changes], [row.cluster for row, _ in changes])
