"""Cascades: whether a system that misses a hop makes up for it at the next one, or in the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from services.evaluate.attribution.diagnose import Diagnosis
from services.evaluate.hop_aware.figures import Figure, share


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
    """The cascade where a hop is missed if none of its evidence was seen, over chains."""
    return _cascades(diagnoses, lambda one: dict(enumerate(one.found, start=1)))


def cascade_by_prefixes(diagnoses: Sequence[Diagnosis]) -> tuple[Cascade, ...]:
    """The cascade where a hop is missed if the prefix question that ends with it was answered wrong.

    The whole question ends with the last hop. Only answers whose prefix questions were all asked count.
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
