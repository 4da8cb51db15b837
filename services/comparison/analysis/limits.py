"""What a reader must not conclude from a judged comparison, in sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from services.comparison.analysis.content import (
    ClusterFacts,
    CrossingRow,
    HypothesisResult,
    Look,
    MeasureRow,
    SystemFacts,
)
from services.comparison.archive import JudgeRole
from services.comparison.judging.calibration import CalibrationFigures
from services.comparison.protocol import MEASURE_NAMES, Protocol
from services.comparison.records import Question, RunRecord
from services.questions.spans.facets import FACET_NAMES
from services.report.html_values import listed, plural
from services.statistics.intervals import FEW_CLUSTERS

LARGE_SHARE = 0.25
_JUDGE = {"judge": "judge", "second_judge": "second judge"}


def design_limits(
    protocol: Protocol, runs: Sequence[RunRecord], look: Look, clusters: ClusterFacts
) -> Iterator[str]:
    """Limits that lie in how the comparison was laid out."""
    if look.number < look.looks:
        yield (
            f"This is look {look.number} of {look.looks}, after {look.questions:,} of {look.planned:,} "
            "questions: what is not supported yet may still become so."
        )
    yield from _cluster_limits(protocol, clusters)
    if _kinds(protocol) == {"rules"}:
        yield (
            "Both judges are rules that compare words by the same code, and so are not two: an answer that "
            "is right in other words counts as wrong by both, and their agreement replicates nothing."
        )
    if protocol.generator.kind == "rules":
        yield (
            "Answers are by rules that read them out of the evidence: differences between systems are those "
            "of evidence, and a language model may make more or less of it."
        )
    outside = [one.system for one in runs if not one.ours]
    if outside:
        yield (
            f"{listed(outside)} {'was' if len(outside) == 1 else 'were'} run outside of the comparison: "
            "what evidence was shown is known only as far as it was told."
        )
    if "cluster recall" in {one.measure for one in protocol.hypotheses}:
        yield (
            f"Cluster Recall counts {FACET_NAMES[protocol.evidence_clusters][1]}; by another grouping it is "
            "another number."
        )
    yield (
        "Cluster Recall, Hop Consistency and Evidence Alignment are definitions of our own for names that "
        "were published without formulas; compare them with figures of this standard only."
    )
    yield (
        f"All of this holds for the questions of {protocol.dataset.corpus}, this pool, this budget and this "
        "generator; nothing here says that it holds for others."
    )


def result_limits(
    systems: Sequence[SystemFacts],
    measures: Sequence[MeasureRow],
    hypotheses: Sequence[HypothesisResult],
    judges: Mapping[JudgeRole, CalibrationFigures],
    crossings: Sequence[CrossingRow],
) -> Iterator[str]:
    """Limits that showed in what came of it."""
    for role, judge in judges.items():
        if judge.verdict == "rejected":
            yield (
                f"The {_JUDGE[role]} {judge.judge} was rejected: figures by that judge are shown, and "
                "nothing is claimed by them."
            )
        elif judge.verdict == "adjusted":
            yield (
                f"The {_JUDGE[role]} {judge.judge} errs: differences in accuracy are also given adjusted "
                "for the errors, which are taken to be the same for every system."
            )
    for system in systems:
        if system.errors or system.missing:
            told = [plural(system.errors, "error")] if system.errors else []
            told += [plural(system.missing, "missing answer")] if system.missing else []
            yield f"{system.name} has {listed(told)} among its questions; errors count as wrong."
    unjudged = sum(one.undefined for one in measures if one.measure == "accuracy" and one.role == "judge")
    if unjudged:
        yield f"The judge gave no verdict on {plural(unjudged, 'answer')}, left out of accuracy."
    yield from _unlike_questions(measures)
    blunt = [
        one.id
        for one in hypotheses
        if one.by[0].detectable is not None
        and one.by[0].detectable > one.smallest
        and one.decision == "not supported"
    ]
    if blunt:
        yield (
            f"{listed(blunt)}: there were too few questions or clusters to see the smallest difference of "
            "interest, so that nothing was shown does not mean that there is nothing."
        )
    if any(one.small for one in crossings):
        yield "By crossings, shares that rest on fewer than 20 answers are marked: they say little."


def evidence_limits(protocol: Protocol, questions: Iterable[Question]) -> Iterator[str]:
    """Limits that lie in what is known of the gold evidence."""
    golds = [gold for question in questions for gold in question.gold]
    if not golds or any(gold.claim for gold in golds) or "model" in _kinds(protocol):
        return
    yield (
        "Of the gold evidence only the passages are known, not the facts that they state: both judges go by "
        "the same passages, so that what one finds of Cluster Recall or Hop Consistency the other finds too."
    )


def _kinds(protocol: Protocol) -> set[str]:
    return {protocol.judge.kind, protocol.second_judge.kind}


def _cluster_limits(protocol: Protocol, clusters: ClusterFacts) -> Iterator[str]:
    if clusters.clusters < 2:
        yield f"All questions fall into one cluster by {clusters.facet}: there is no interval and no test."
    elif clusters.clusters < FEW_CLUSTERS:
        yield (
            f"The questions fall into only {clusters.clusters:,} clusters by {clusters.facet}: intervals and "
            "tests over so few are rough."
        )
    elif clusters.effective < FEW_CLUSTERS:
        yield (
            f"The {clusters.clusters:,} clusters are so uneven that they are worth {clusters.effective:.0f} "
            "of equal size: intervals and tests over so few are rough."
        )
    if clusters.clusters > 1 and clusters.largest > LARGE_SHARE * clusters.questions:
        yield (
            f"One cluster holds {clusters.largest:,} of {clusters.questions:,} questions and weighs on "
            "every figure."
        )
    if clusters.clusters == clusters.questions and clusters.questions > 1:
        yield (
            f"By {clusters.facet} no two questions share a cluster, so that all count as independent; "
            "questions that are alike in another way are not allowed for."
        )


def _unlike_questions(measures: Sequence[MeasureRow]) -> Iterator[str]:
    """Measures defined for unlike questions, so that their means alone compare nothing."""
    counts: dict[str, set[int]] = {}
    for one in measures:
        if one.role != "second_judge":
            counts.setdefault(MEASURE_NAMES[one.measure], set()).add(one.n)
    for name, numbers in counts.items():
        if len(numbers) > 1:
            yield (
                f"{name} is defined for {min(numbers):,} to {max(numbers):,} questions, not the same for "
                "every system: its means do not compare systems, the paired differences do."
            )
