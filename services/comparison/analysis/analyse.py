"""The analysis of a judged comparison: from its rows to all figures of its report.

What unanswered questions do to the verdicts of a judge who errs, told for each hypothesis.

The mean of every measure of every system, with what the clusters leave of its certainty.

Error rates by how many borders of clusters a question's evidence crosses.

All pairs of systems in all measures about which nothing was claimed beforehand: looked at, not tested.

Whether a second judge comes to the same: verdict by verdict, and hypothesis by hypothesis.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from services.comparison.analysis.content import (
    AgreementRow,
    ClusterFacts,
    CrossingRow,
    GroundsRow,
    HypothesisResult,
    Look,
    MeasureRow,
    Pair,
    Replication,
    Results,
    SystemFacts,
)
from services.comparison.analysis.contrasts import UNEQUAL, Contrast, Contrasted, contrast_all, judge_errors
from services.comparison.analysis.hypotheses import (
    claimed_contrasts,
    flipped,
    hypothesis_results,
)
from services.comparison.analysis.limits import design_limits, evidence_limits, result_limits
from services.comparison.analysis.measures_table import (
    MEASURES,
    UNJUDGED,
    MeasureTable,
    measure_table,
    roles_of,
    tables_so_far,
)
from services.comparison.archive import ROLES, Comparison, JudgeRole
from services.comparison.judging.calibration import Figure, calibration_figures, youden
from services.comparison.protocol import ClusterFacet, Protocol
from services.evaluate.matrix import BINS, SMALL
from services.statistics.agreement import clustered_kappa
from services.statistics.clustered_means import clustered_means, rate_intervals
from services.statistics.intervals import Floats, Partition, effective_groups
from services.statistics.several_tests import holm, spent_at

ALL = "all"


def replication(
    table: MeasureTable, hypotheses: Sequence[HypothesisResult], draws: int, seed: int, alone: bool = False
) -> Replication:
    """The agreement of the judges on each system's answers and on all, and the claims that survive both.

    Answers that abstain or failed are left out: their verdict needs no judge, so it shows no agreement.
    `alone` tells that the judges share code (`Protocol.judges_share_code`).
    """
    first, second = table.verdicts["judge"], table.verdicts["second_judge"]
    rows = [
        _agreement(
            system,
            first[:, [column]],
            second[:, [column]],
            table.silent[:, [column]],
            table.parts,
            draws,
            seed,
        )
        for column, system in enumerate(table.systems)
    ]
    rows.append(_agreement(ALL, first, second, table.silent, table.parts, draws, seed))
    return Replication(
        judge=table.judges["judge"],
        second_judge=table.judges["second_judge"],
        agreement=tuple(rows),
        survived=tuple(one.id for one in hypotheses if one.survives is True),
        lost=tuple(one.id for one in hypotheses if one.survives is False),
        share_code=alone,
    )


def _agreement(
    system: str,
    first: Floats,
    second: Floats,
    silent: NDArray[np.bool_],
    parts: Partition,
    draws: int,
    seed: int,
) -> AgreementRow:
    both = np.isfinite(first) & np.isfinite(second) & ~silent
    said = first[both].astype(np.int8), second[both].astype(np.int8)
    clusters = np.broadcast_to(parts.codes[:, None], first.shape)[both]
    names, codes = np.unique(clusters, return_inverse=True)
    counts = np.bincount(2 * said[0] + said[1], minlength=4).tolist()
    # The same seed for each: a figure does not depend on which systems stand before it.
    found = clustered_kappa(
        said[0].tolist(),
        said[1].tolist(),
        Partition(codes.astype(np.intp), len(names)),
        np.random.default_rng([seed, 2]),
        draws,
    )
    value = None if found is None else found.plain.value
    return AgreementRow(
        system=system,
        n=int(both.sum()),
        unjudged=int((~both & ~silent).sum()),
        both_right=counts[3],
        to_right=counts[1],
        to_wrong=counts[2],
        both_wrong=counts[0],
        kappa=value,
        interval=None if found is None else found.interval,
        why="no answer by both" if found is None else "" if value is not None else "all verdicts alike",
    )


def exploratory(protocol: Protocol) -> list[Contrast]:
    """Every two systems in every measure, by the first judge, less those that a hypothesis is about.

    The later system is compared with the earlier one, in the order of the protocol.
    """
    claimed = {(one.measure, frozenset((one.system, one.against))) for one in protocol.hypotheses}
    return [
        Contrast(second.name, first.name, measure, "none" if measure in UNJUDGED else "judge")
        for measure in MEASURES
        for first, second in combinations(protocol.systems, 2)
        if (measure, frozenset((first.name, second.name))) not in claimed
    ]


def pairs(found: Sequence[Contrasted]) -> tuple[Pair, ...]:
    """What the exploratory contrasts show; Holm's adjustment is over all of them."""
    tests = [flipped(one, "different") for one in found]
    adjusted = holm([None if test is None else test.value for test in tests])
    return tuple(
        Pair(
            first=one.contrast.against,
            second=one.contrast.system,
            measure=one.contrast.measure,
            n=one.clustered.n,
            clusters=one.clustered.clusters,
            estimate=one.clustered.mean,
            interval=one.clustered.interval,
            p=None if test is None else test.value,
            p_holm=p_holm,
            naive_p=one.naive_p("different"),
        )
        for one, test, p_holm in zip(found, tests, adjusted, strict=True)
    )


def crossing_rows(table: MeasureTable) -> tuple[CrossingRow, ...]:
    """Each system's share of wrong answers, by the first judge, for each facet and number of crossings.

    Questions of which a facet says nothing, and answers without a verdict, are left out.
    """
    return tuple(_crossing_rows(table))


def _crossing_rows(table: MeasureTable) -> Iterator[CrossingRow]:
    wrong = 1.0 - table.values["judge", "accuracy"]
    for facet in get_args(ClusterFacet):
        crossed = np.array([question.crossings.get(facet, -1) for question in table.questions])
        for number in np.unique(crossed[crossed >= 0]).tolist():
            chosen = crossed == number
            codes, parts = np.unique(table.parts.codes[chosen], return_inverse=True)
            clusters = Partition(parts.astype(np.intp), len(codes))
            found = rate_intervals(clustered_means(wrong[chosen], clusters, least=0.0, most=1.0))
            for column, system in enumerate(table.systems):
                one = found.column(column)
                yield CrossingRow(
                    system=system,
                    facet=facet,
                    crossings=number,
                    n=one.n,
                    errors=round((one.mean or 0.0) * one.n),
                    rate=one.mean,
                    clusters=one.clusters,
                    interval=one.interval,
                    small=one.n < SMALL,
                )


METHOD = "score interval by cluster"
"""How the interval of a mean is made: `services.statistics.clustered_means`."""


def measure_rows(table: MeasureTable) -> tuple[MeasureRow, ...]:
    """A row for each measure, judge and system, in this order."""
    return tuple(_rows(table))


def _rows(table: MeasureTable) -> Iterator[MeasureRow]:
    for measure in MEASURES:
        for role in roles_of(measure):
            means = clustered_means(table.values[role, measure], table.parts, least=0.0, most=1.0)
            found = rate_intervals(means)
            for column, system in enumerate(table.systems):
                one = found.column(column)
                yield MeasureRow(
                    system=system,
                    measure=measure,
                    role=role,
                    judge=table.judges[role],
                    n=one.n,
                    undefined=len(table.questions) - one.n,
                    clusters=one.clusters,
                    mean=one.mean,
                    interval=one.interval,
                    method=METHOD,
                    design_effect=one.design_effect,
                    effective_n=one.effective_n,
                    naive=one.naive_interval,
                )


def grounds_rows(table: MeasureTable) -> tuple[GroundsRow, ...]:
    """For each judge and system what its right answers rest on: over all, by depth, and by distance there.

    An answer is right for the wrong reason where the judge calls it right, and evidence of a hop was not
    shown (the blog on GADMEC, "Evaluation & Results").
    Null questions, and others without gold evidence, are left out; so are parts without a right answer.
    """
    hops = np.array([question.hops for question in table.questions], np.intp)
    bins = np.array([question.bin or 0 for question in table.questions], np.intp)
    depths = sorted({int(depth) for depth in hops})
    whole = np.ones(len(hops), np.bool_)
    parts: list[tuple[int | None, int | None, NDArray[np.bool_]]] = [(None, None, whole)]
    for depth in depths:
        parts.append((depth, None, hops == depth))
        parts += [(depth, place, (hops == depth) & (bins == place)) for place in BINS]
    found = (
        _grounds_row(table, role, column, *part)
        for role in ROLES
        for column in range(len(table.systems))
        for part in parts
    )
    return tuple(row for row in found if row.n)


def _grounds_row(
    table: MeasureTable,
    role: JudgeRole,
    column: int,
    hops: int | None,
    place: int | None,
    inside: NDArray[np.bool_],
) -> GroundsRow:
    held, borne = table.hops_shown[role][:, column], table.borne[role][:, column]
    right = inside & (table.values[role, "accuracy"][:, column] == 1) & np.isfinite(held)
    lacking = np.where(right, held < 1, np.nan)
    found = rate_intervals(clustered_means(lacking[:, None], table.parts, least=0.0, most=1.0)).column(0)
    n, every = int(right.sum()), int((right & (held == 1)).sum())
    none = int((right & (held == 0)).sum())
    return GroundsRow(
        system=table.systems[column],
        role=role,
        hops=hops,
        bin=place,
        n=n,
        every=every,
        some=n - every - none,
        none=none,
        unrelated=int((right & (borne == 0)).sum()),
        rate=found.mean,
        clusters=found.clusters,
        interval=found.interval,
        small=n < SMALL,
    )


def silence_of(system: SystemFacts) -> float:
    """The share of the questions that a system left without an answer."""
    asked = system.answers + system.missing
    return (system.abstained + system.errors + system.missing) / asked if asked else 0.0


def silence_limits(results: Sequence[HypothesisResult], systems: Sequence[SystemFacts]) -> Iterator[str]:
    """Whom the judges favour, and by how much, where the systems of a hypothesis are not silent alike."""
    silent = {system.name: silence_of(system) for system in systems}
    for one in results:
        favours = [
            f"{one.system if by.adjusted.shift > 0 else one.against} by {100 * abs(by.adjusted.shift):.1f} "
            f"points by {by.judge}"
            for by in one.by
            if abs(by.adjusted.shift) >= UNEQUAL
        ]
        if favours:
            yield (
                f"{one.id}: {one.system} leaves {100 * silent[one.system]:.0f}% of the questions "
                f"unanswered, {one.against} {100 * silent[one.against]:.0f}%. A silence is weighed by no "
                f"judge, so one who errs favours {' and '.join(favours)}. Its tests and its adjusted "
                "difference allow for that; the difference itself does not."
            )


def analyse(
    comparison: Comparison, errors_by_people: Mapping[JudgeRole, tuple[Figure, Figure]] | None = None
) -> Results:
    """All that a comparison shows: a pure function of its rows and its protocol, seeds included.

    `errors_by_people` has sensitivity and specificity of a judge as people's labels show them, which stand
    for those of his calibration wherever his errors are allowed for.

    Raises:
        InputError: a row is about a question that the comparison doesn't hold.
    """
    protocol, inference = comparison.protocol, comparison.protocol.inference
    judges = {
        role: calibration_figures(getattr(protocol, role), comparison.calibration[role], protocol.calibration)
        for role in ROLES
    }
    for role, (sensitivity, specificity) in (errors_by_people or {}).items():
        discernment = youden(sensitivity, specificity)
        judges[role] = replace(
            judges[role],
            sensitivity=sensitivity,
            specificity=specificity,
            discernment=discernment,
            verdict="rejected" if judges[role].verdict == "rejected" else "adjusted",
        )
    table = measure_table(comparison)
    claimed, others = claimed_contrasts(protocol), exploratory(protocol)
    *earlier, now = tables_so_far(table, comparison.look, inference)
    draws, seed, errors = inference.draws, protocol.seeds.inference, judge_errors(judges)
    before = [contrast_all(one, claimed, draws, seed, errors) for one in earlier]
    found = contrast_all(now, [*claimed, *others], draws, seed, errors)
    hypotheses = hypothesis_results(protocol, [*before, found[: len(claimed)]], judges)
    measures, crossings = measure_rows(table), crossing_rows(table)
    look, clusters = _look(comparison), _cluster_facts(protocol, table)
    return Results(
        protocol=protocol.model_dump(mode="json"),
        protocol_hash=comparison.lock.hash,
        locked_at=comparison.lock.locked_at,
        version=comparison.lock.version,
        look=look,
        clusters=clusters,
        systems=table.facts,
        measures=measures,
        hypotheses=hypotheses,
        pairs=pairs(found[len(claimed) :]),
        replication=replication(table, hypotheses, draws, seed, protocol.judges_share_code),
        calibration={role: judges[role] for role in ROLES},
        crossings=crossings,
        limits=(
            *design_limits(protocol, comparison.runs, look, clusters),
            *evidence_limits(protocol, table.questions),
            *result_limits(table.facts, measures, hypotheses, judges, crossings),
            *silence_limits(hypotheses, table.facts),
        ),
        grounds=grounds_rows(table),
    )


def _look(comparison: Comparison) -> Look:
    inference = comparison.protocol.inference
    look, shares = comparison.look, inference.looks
    return Look(
        number=look.number,
        looks=len(shares),
        questions=look.questions,
        planned=look.planned,
        spent=spent_at(shares[look.number - 1], inference.alpha, inference.spending),
    )


def _cluster_facts(protocol: Protocol, table: MeasureTable) -> ClusterFacts:
    sizes = table.parts.sizes.tolist()
    return ClusterFacts(
        facet=protocol.inference.clusters,
        questions=len(table.questions),
        clusters=table.parts.size,
        largest=max(sizes, default=0),
        effective=effective_groups(sizes),
    )
