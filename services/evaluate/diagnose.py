"""From a trace to what is kept of it: why it failed, how it behaved, which hops it missed.

Cascades: whether a system that misses a hop makes up for it at the next one, or in the end.

The failures of a run one by one, each with its answer to look at, and where most of them are.

The failures of a run in figures: by cause, first failing hop and behaviour; what a miss leads to.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.evaluate.causes import (
    BEHAVIOURS,
    CAUSES,
    Attribution,
    Behaviour,
    Cause,
    attribute,
    behaviours_of,
    unknown_behaviours,
)
from services.evaluate.hop_aware import Figure, Group, group_by_hops, share
from services.evaluate.hop_states import hop_states, hop_words, searches_for_hops
from services.evaluate.hop_traces import Trace


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is kept of an answer's trace.

    `hops_found` tells for each hop of the chain that the graph has evidence for whether any of it was seen,
    empty where the system doesn't tell what it retrieved or hops don't go on from one another. `prefixes`
    tells of each prefix question that was asked whether it was answered right. `failure` is None for a right
    answer; then there are no behaviours either. `unknown` are those of which the trace says nothing.
    """

    answer: str
    question: str
    kind: str
    query_type: str
    hops: int
    cluster: str
    right: bool
    failure: Attribution | None
    behaviours: tuple[Behaviour, ...]
    hops_found: tuple[bool, ...]
    prefixes: Mapping[int, bool]
    unknown: frozenset[Behaviour] = frozenset()


def diagnose(trace: Trace) -> Diagnosis:
    """The diagnosis of one answer."""
    states = hop_states(trace)
    failure = attribute(trace, states)
    words = hop_words(trace)
    shown = (
        behaviours_of(trace, words, states, searches_for_hops(trace, words)) if failure is not None else ()
    )
    chained = trace.retrieval_reported and any(state.goes_on for state in states)
    return Diagnosis(
        answer=trace.answer,
        question=trace.question,
        kind=trace.kind,
        query_type=trace.query_type,
        hops=trace.hops,
        cluster=trace.cluster,
        right=trace.correct,
        failure=failure,
        behaviours=shown,
        hops_found=tuple(state.seen is not None for state in states if state.provable) if chained else (),
        prefixes={one.hops: one.correct for one in trace.prefixes},
        unknown=unknown_behaviours(trace),
    )


@dataclass(frozen=True, slots=True)
class Cascade:
    """What follows on a first miss at a hop, and on none up to there.

    Over the answers that got every hop before `hop`: `missed` is the share that missed it. Of these,
    `recovered` got the next hop (no answers where `hop` is the last), and `right` were right in the end. For
    comparison `next_after_hit` and `right_after_hit` are the same shares where the hop was not missed.
    """

    hop: int
    missed: Figure
    recovered: Figure
    right: Figure
    next_after_hit: Figure
    right_after_hit: Figure


def cascade_by_evidence(diagnoses: Sequence[Diagnosis]) -> tuple[Cascade, ...]:
    """The cascade where a hop is missed if none of its evidence was seen, over chains.

    AgenticRAGTracer (section 4.4) says that failures cascade, without a figure; the shares are ours.
    """
    return _cascades(diagnoses, lambda one: dict(enumerate(one.hops_found, start=1)))


def cascade_by_prefixes(diagnoses: Sequence[Diagnosis]) -> tuple[Cascade, ...]:
    """The cascade where a hop is missed if the prefix question that ends with it was answered wrong.

    The whole question ends with the last hop. Only answers whose prefix questions were all asked count. As
    AgenticRAGTracer's MaxD (section 4.3), told by hop.
    """
    return _cascades(
        [one for one in diagnoses if one.hops > 1 and all(hop in one.prefixes for hop in range(1, one.hops))],
        lambda one: {**one.prefixes, one.hops: one.right},
    )


def _cascades(
    diagnoses: Sequence[Diagnosis], got: Callable[[Diagnosis], Mapping[int, bool]]
) -> tuple[Cascade, ...]:
    known = [(one, got(one)) for one in diagnoses]
    deepest = max((max(hops, default=0) for _, hops in known), default=0)
    return tuple(_cascade(known, hop) for hop in range(1, deepest + 1))


def _cascade(known: Sequence[tuple[Diagnosis, Mapping[int, bool]]], hop: int) -> Cascade:
    reached = [
        (one, hops)
        for one, hops in known
        if hop in hops and all(hops.get(before, True) for before in range(1, hop))
    ]
    missed = [(one, hops) for one, hops in reached if not hops[hop]]
    hit = [(one, hops) for one, hops in reached if hops[hop]]
    return Cascade(
        hop=hop,
        missed=share([not hops[hop] for _, hops in reached], [one.cluster for one, _ in reached]),
        recovered=_next(missed, hop),
        right=_right(missed),
        next_after_hit=_next(hit, hop),
        right_after_hit=_right(hit),
    )


def _next(some: Sequence[tuple[Diagnosis, Mapping[int, bool]]], hop: int) -> Figure:
    further = [(one, hops[hop + 1]) for one, hops in some if hop + 1 in hops]
    return share([got for _, got in further], [one.cluster for one, _ in further])


def _right(some: Sequence[tuple[Diagnosis, Mapping[int, bool]]]) -> Figure:
    return share([one.right for one, _ in some], [one.cluster for one, _ in some])


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer of a run that is not right, by ids: why, at which hop where one can be told, and how."""

    run: str
    answer: str
    question: str
    cause: Cause
    hop: int | None
    why: str
    behaviours: tuple[Behaviour, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """How many failures have this cause at this hop, and one of them: that with the least question id."""

    cause: Cause
    hop: int | None
    count: int
    example: Failure


def failures_of(run: str, diagnoses: Iterable[Diagnosis]) -> tuple[Failure, ...]:
    """The failures among a run's diagnoses, in their order; `run` is its name."""
    return tuple(
        Failure(
            run, one.answer, one.question, one.failure.cause, one.failure.hop, one.failure.why, one.behaviours
        )
        for one in diagnoses
        if one.failure is not None
    )


def frequent_places(failures: Iterable[Failure], most: int) -> tuple[Place, ...]:
    """The causes and hops with most failures, at most so many, the most frequent first."""
    found: defaultdict[tuple[Cause, int | None], list[Failure]] = defaultdict(list)
    for one in failures:
        found[one.cause, one.hop].append(one)
    places = [
        Place(cause, hop, len(some), min(some, key=lambda one: one.question))
        for (cause, hop), some in found.items()
    ]
    # Among those that are as frequent, the earlier hop first: a failure there hides those farther on.
    places.sort(key=lambda one: (-one.count, one.hop is None, one.hop or 0, one.cause))
    return tuple(places[:most])


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
        groups=tuple(cause_figures(group, some) for group, some in group_by_hops(diagnoses)),
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
        behaviours={name: _behaviour_share(name, [one for one, _ in failed]) for name in BEHAVIOURS},
    )


def _behaviour_share(name: Behaviour, failed: Sequence[Diagnosis]) -> Figure:
    known = [one for one in failed if name not in one.unknown]
    return share([name in one.behaviours for one in known], [one.cluster for one in known])


def worst_places(total: CauseFigures) -> list[tuple[int, Cause, int]]:
    """The hop and cause with most failures, and how many; several where they have as many."""
    places = [
        (hop, cause, count) for hop, counts in total.first_hops.items() for cause, count in counts.items()
    ]
    most = max((count for *_, count in places), default=0)
    return [place for place in places if place[-1] == most]
