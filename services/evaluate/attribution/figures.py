"""The failures of a run in figures: by cause, first failing hop and behaviour; what a miss leads to."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.evaluate.attribution.behaviours import BEHAVIOURS, Behaviour
from services.evaluate.attribution.cascade import Cascade, cascade_by_evidence, cascade_by_prefixes
from services.evaluate.attribution.causes import CAUSES, Cause
from services.evaluate.attribution.diagnose import Diagnosis
from services.evaluate.hop_aware.content import Group
from services.evaluate.hop_aware.figures import Figure, share
from services.evaluate.hop_aware.grouping import grouped

ALL = "all"


@dataclass(frozen=True, slots=True)
class CauseFigures:
    """The failures among the answers to a group of questions.

    `causes` has each cause's share of the failures, and `behaviours` each behaviour's, over the failures of
    which it can be known; an answer may show several. `first_hops` counts failures by the number of the first
    failing hop and the cause there, over those for which a hop can be told; `no_hop` counts the others by
    cause.
    """

    group: Group
    answers: int
    failures: int
    causes: Mapping[Cause, Figure]
    first_hops: Mapping[int, Mapping[Cause, int]]
    no_hop: Mapping[Cause, int]
    behaviours: Mapping[Behaviour, Figure]


@dataclass(frozen=True, slots=True)
class AttributionFigures:
    """Why a run failed: for each group of questions and for all, and what became of misses on the way."""

    run: str
    groups: tuple[CauseFigures, ...]
    total: CauseFigures
    by_evidence: tuple[Cascade, ...]
    by_prefixes: tuple[Cascade, ...]


def attribution_figures(run: str, diagnoses: Sequence[Diagnosis]) -> AttributionFigures:
    """The figures of a run's diagnoses, by kind of question and hops as hop-aware analysis has them."""
    return AttributionFigures(
        run=run,
        groups=tuple(cause_figures(group, some) for group, some in grouped(diagnoses)),
        total=cause_figures(Group(ALL, ALL, None), diagnoses),
        by_evidence=cascade_by_evidence(diagnoses),
        by_prefixes=cascade_by_prefixes(diagnoses),
    )


def cause_figures(group: Group, diagnoses: Sequence[Diagnosis]) -> CauseFigures:
    """The figures of some answers."""
    failed = [(one, one.failure) for one in diagnoses if one.failure is not None]
    clusters = [one.cluster for one, _ in failed]
    first: defaultdict[int, Counter[Cause]] = defaultdict(Counter)
    for _, failure in failed:
        if failure.hop is not None:
            first[failure.hop][failure.cause] += 1
    return CauseFigures(
        group=group,
        answers=len(diagnoses),
        failures=len(failed),
        causes={name: share([failure.cause == name for _, failure in failed], clusters) for name in CAUSES},
        first_hops={hop: dict(first[hop]) for hop in sorted(first)},
        no_hop=dict(Counter(failure.cause for _, failure in failed if failure.hop is None)),
        behaviours={name: _shown(name, [one for one, _ in failed]) for name in BEHAVIOURS},
    )


def _shown(name: Behaviour, failed: Sequence[Diagnosis]) -> Figure:
    known = [one for one in failed if name not in one.unknown]
    return share([name in one.behaviours for one in known], [one.cluster for one in known])


def worst_places(total: CauseFigures) -> list[tuple[int, Cause, int]]:
    """The hop and cause with most failures, and how many; several where they have as many."""
    places = [
        (hop, cause, count) for hop, counts in total.first_hops.items() for cause, count in counts.items()
    ]
    most = max((count for *_, count in places), default=0)
    return [place for place in places if place[-1] == most]
