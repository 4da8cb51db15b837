"""What a judge's calibration comes to: how well he tells right from wrong, and what sways him.

Everything here is a function of the rows and the protocol alone.

Shares and mean changes over judgements, of which those on questions of one cluster are not independent.

Whether a judge is taken: accepted, adjusted for his errors, or rejected, and for which reasons.

His errors in telling right from wrong can be allowed for as long as they are the same for every system
(Rogan and Gladen 1978). What sways him, such as length or order, may differ from system to system, so a
biased judge can't be mended by a formula and is rejected.

The parts of a calibration's figures, and their names.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, get_args

import numpy as np

from services.comparison.protocol import Calibration, Judge
from services.comparison.records import Count, Judgement, Share
from services.statistics.clustered_means import cluster_interval, clustered_means, share_interval
from services.statistics.intervals import partition, wilson

Category = Literal[
    "right, right evidence", "right, wrong evidence", "wrong, right evidence", "fluent nonsense",
    "partly right", "null, answered", "null, silent", "of a run, right", "of a run, wrong",
]  # fmt: skip
"""What an answer of known quality is: the answer, and the evidence that was shown for it. A null question is
answered wrongly, or left unanswered in words that no rule takes for an abstention. Those of a run were not
made: people, or an exact match, say what they are."""

OF_A_RUN: Sequence[Category] = ("of a run, right", "of a run, wrong")

Variant = Literal["plain", "reversed", "padded", "sentence", "own wording", "repeated"]
"""How it is put: as it is, with the evidence in the opposite order, among empty words, in a sentence by rule,
in a sentence by the judge himself, or as it is once more."""

Verdict = Literal["accepted", "adjusted", "rejected"]
"""`adjusted`: good enough, but his errors are to be allowed for in every share of right answers."""

BiasKind = Literal["position", "length", "self-preference"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure over `n` judgements with its 95 % interval, which allows for questions of one cluster."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A judge on `answers` of a finished run; the figures are those of `CalibrationFigures`."""

    answers: int
    sensitivity: Figure | None
    specificity: Figure | None
    discernment: Figure | None


@dataclass(frozen=True, slots=True)
class CategoryFigure:
    """The mean score of a category as it is; `failed` of its `n` answers got no verdict."""

    category: Category
    expected: float
    n: int
    failed: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class Bias:
    """How much the mean score changes where the answer stays what it is: of right answers, and of others.

    `worst` is the larger change of the two, with its sign; `flips` the share of scores that change at all.
    None where it was not measured, and `why` says why.
    """

    kind: BiasKind
    worst: float | None
    right: Figure | None
    wrong: Figure | None
    flips: Figure | None
    why: str = ""


MOST_FAILED = 0.1
"""Above this share of answers without a verdict, a judge is rejected."""

GOOD_ENOUGH = 0.95
"""From this sensitivity and specificity on, nothing needs to be adjusted."""


def decide(
    bounds: Calibration,
    failed_share: float,
    discernment: Mapping[str, Figure | None],
    biases: Iterable[Bias],
    consistency: Figure | None,
    errors: tuple[Figure | None, Figure | None],
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and its reasons, one sentence each.

    `discernment` has Youden's J by what is told apart, the answers first; `errors` are sensitivity and
    specificity. A bound is held against the figure, not against its interval; where the interval
    reaches beyond the bound, a reason says so.
    """
    found = [_judged_enough(failed_share)]
    for what, figure in discernment.items():
        found.append(_at_least(f"Discernment of {what} (Youden's J)", figure, bounds.least_discernment))
    found.append(_at_least("The share of scores that repeat", consistency, bounds.least_consistency))
    found += [_within(bias, bounds.most_bias) for bias in biases]
    if faults := tuple(one.sentence for one in found if one.is_fault):
        return "rejected", faults
    notes = tuple(one.sentence for one in found if one.sentence)
    if any(figure is None or figure.value < GOOD_ENOUGH for figure in errors):
        sensitivity, specificity = map(_two, errors)
        text = f"Sensitivity is {sensitivity} and specificity {specificity}: shares of right answers are "
        return "adjusted", (f"{text}also given adjusted for them.", *notes)
    return "accepted", ("Every bound is kept.", *notes)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What a bound says of a judge; without a sentence there is nothing to say."""

    sentence: str = ""
    is_fault: bool = False


def _judged_enough(failed_share: float) -> _Finding:
    if failed_share <= MOST_FAILED:
        return _Finding()
    text = f"There is no verdict on {failed_share:.0%} of the answers; {MOST_FAILED:.0%} are allowed."
    return _Finding(text, is_fault=True)


def _at_least(what: str, figure: Figure | None, least: float) -> _Finding:
    if figure is None:
        return _Finding(f"{what} could not be measured.", is_fault=True)
    if figure.value < least:
        text = f"{what} is {figure.value:.2f}; at least {least:.2f} is wanted."
        return _Finding(text, is_fault=True)
    if figure.low < least:
        text = f"{what} is {figure.value:.2f}, but its interval begins below the bound, at {figure.low:.2f}."
        return _Finding(text)
    return _Finding()


def _within(bias: Bias, most: float) -> _Finding:
    name = bias.kind.capitalize() if bias.kind == "self-preference" else f"{bias.kind} bias".capitalize()
    if bias.worst is None:
        return _Finding(f"{name} was not measured: {bias.why}.")
    if abs(bias.worst) > most:
        kind = "right" if bias.right is not None and bias.worst == bias.right.value else "other"
        text = f"{name} changes the mean score of {kind} answers by {bias.worst:+.2f}; at most {most:.2f} "
        return _Finding(f"{text}either way is allowed.", is_fault=True)
    for one in (bias.right, bias.wrong):
        if one is not None and max(-one.low, one.high) > most:
            text = f"{name} is {one.value:+.2f}, but its interval from {one.low:+.2f} to {one.high:+.2f} "
            return _Finding(f"{text}reaches beyond the bound.")
    return _Finding()


def _two(figure: Figure | None) -> str:
    return "unknown" if figure is None else f"{figure.value:.2f}"


def share(hits: Sequence[bool], clusters: Sequence[str]) -> Figure | None:
    """A share with its clustered score interval, None over nothing."""
    interval = share_interval(hits, clusters)
    if interval is None:
        return None
    return Figure(sum(hits) / len(hits), interval.low, interval.high, len(hits))


def youden(sensitivity: Figure | None, specificity: Figure | None) -> Figure | None:
    """Sensitivity + specificity - 1 (Youden 1950), None where one of them is.

    The bounds are the sums of theirs: exact where the two move together, as they may on the same questions,
    and too wide otherwise.
    """
    if sensitivity is None or specificity is None:
        return None
    return Figure(
        sensitivity.value + specificity.value - 1,
        sensitivity.low + specificity.low - 1,
        sensitivity.high + specificity.high - 1,
        sensitivity.n + specificity.n,
    )


def mean_change(changes: Sequence[float], clusters: Sequence[str]) -> Figure | None:
    """The mean of changes in [-1, 1] with Student's interval by cluster, None over nothing.

    Where all changes are alike, or all are of one cluster, they show no spread; then the interval is what
    the score interval of a share of 0 leaves open for pairs that change otherwise.
    """
    n = len(changes)
    if not n:
        return None
    found = clustered_means(np.asarray(changes, np.float64), partition(clusters)).column(0)
    mean = fmean(changes)
    if found.interval is not None and found.standard_error:
        return Figure(mean, found.interval.low, found.interval.high, n)
    unseen = cluster_interval([False] * n, clusters) or wilson(0, 1)
    half = unseen.high * (1 + abs(mean)) if unseen else 1.0
    return Figure(mean, max(-1.0, mean - half), min(1.0, mean + half), n)


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
    says of the evidence of hops and of chunks. `reasons` say what led to the verdict. `of_a_run` is None
    where he was tried on made answers alone.
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
    of_a_run: RunFigures | None = None


def calibration_figures(
    judge: Judge, rows: Iterable[CalibrationRow], bounds: Calibration
) -> CalibrationFigures:
    """The figures of a judge, from all that he said of the answers made to try him.

    Discernment is over answers as they are; a variant is held against the same answer as it is, and the
    judge's own wording against a sentence by rule.
    """
    tried = tuple(sorted(rows, key=lambda row: row.id))
    judged = [row for row in tried if row.judgement.score is not None]
    plain = [row for row in judged if row.variant == "plain" and row.category not in OF_A_RUN]
    sensitivity, specificity = _errors(plain)
    discernment = youden(sensitivity, specificity)
    of_a_run = run_figures([row for row in tried if row.category in OF_A_RUN])
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
    told_apart = {"answers": discernment, "the evidence of hops": hops, "supporting chunks": supports}
    if of_a_run is not None and of_a_run.discernment is not None:
        told_apart["answers of a run"] = of_a_run.discernment
    verdict, reasons = decide(
        bounds,
        1 - len(judged) / len(tried) if tried else 1.0,
        told_apart,
        (position, length, self_preference),
        consistency,
        (sensitivity, specificity),
    )
    return CalibrationFigures(
        judge=judge.name,
        questions=len({row.question for row in tried}),
        rows=len(tried),
        failed=len(tried) - len(judged),
        categories=tuple(
            _category(name, tried) for name in get_args(Category) if of_a_run or name not in OF_A_RUN
        ),
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
        of_a_run=of_a_run,
    )


def run_figures(rows: Sequence[CalibrationRow]) -> RunFigures | None:
    """A judge's errors on answers of a finished run, None without any.

    Sensitivity is the share of the right ones that he calls right, specificity that of the others that he
    does not, and discernment their sum less 1; intervals are by cluster of questions. What is right is what
    people say of a sample of the run's answers. Where they labelled none, only exact matches are known, so
    that there is a sensitivity alone, of the easiest answers. Such answers are as they come, where made ones
    are clean; a discernment of them is held against the protocol's bound too.
    """
    if not rows:
        return None
    sensitivity, specificity = _errors([row for row in rows if row.judgement.score is not None])
    return RunFigures(len(rows), sensitivity, specificity, youden(sensitivity, specificity))


def _errors(rows: Sequence[CalibrationRow]) -> tuple[Figure | None, Figure | None]:
    """Sensitivity and specificity over rows with a verdict."""
    right = [(row, row.judgement.right is True) for row in rows if row.expected == 1]
    other = [(row, row.judgement.right is False) for row in rows if row.expected < 1]
    return _share(right), _share(other)


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
