"""What a protocol's hypotheses can be expected to show, before anything is known of the answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from services.evaluate.statistics.power import (
    POWER,
    PairedSpread,
    detectable,
    power_of,
    power_of_equivalence,
)
from services.evaluate.statistics.spending import level_at
from services.standard.protocol import Hypothesis, Measure, Protocol
from services.standard.records import Question

ASSUMED_SD = 0.5
"""The standard deviation of paired differences: that of two systems of which a quarter of the answers are
judged otherwise."""
ASSUMED_SD_OF_RECALL = 0.3
"""That of Cluster Recall, a share of several clusters: two systems seldom differ in all of them."""
ASSUMED_INTRA_CLUSTER = 0.1
"""The correlation of two questions of a cluster: what is usual where evidence is shared."""
ENOUGH = POWER
"""The chance of being seen below which a smallest difference is warned of."""


@dataclass(frozen=True, slots=True)
class PlannedPower:
    """The chance that a hypothesis' smallest difference is seen, and what is seen with a chance of .8.

    Over `questions` that can have its measure, in `clusters`; at `level`, that of the first step of Holm and
    of the last look, to which earlier ones leave less. `sd` is what paired differences are assumed to have.
    `chance` and `detectable` are None below two clusters, `detectable` for an equivalence too.
    """

    hypothesis: str
    questions: int
    clusters: int
    smallest: float
    sd: float
    level: float
    chance: float | None
    detectable: float | None

    @property
    def seen(self) -> bool:
        """Whether the smallest difference of interest will most likely be seen, if it is there."""
        return self.chance is not None and self.chance >= ENOUGH


def planned_powers(protocol: Protocol, questions: Sequence[Question]) -> Iterator[PlannedPower]:
    """The planned power of each hypothesis, on what is assumed above; a pilot of your own says more."""
    for hypothesis in protocol.hypotheses:
        sizes = Counter(one.cluster for one in _measurable(hypothesis, questions))
        yield _planned(hypothesis, list(sizes.values()), _level(hypothesis, protocol))


def assumed_sd(measure: Measure) -> float:
    """The standard deviation that paired differences of a measure are assumed to have."""
    return ASSUMED_SD_OF_RECALL if measure == "cluster recall" else ASSUMED_SD


def _level(hypothesis: Hypothesis, protocol: Protocol) -> float:
    inference = protocol.inference
    share = inference.alpha / len(protocol.hypotheses) if inference.correction == "holm" else inference.alpha
    two_sided = hypothesis.direction == "different"
    return level_at(inference.looks, len(inference.looks), share, inference.spending, two_sided)


def _measurable(hypothesis: Hypothesis, questions: Iterable[Question]) -> Iterator[Question]:
    """The questions that can have the measure: those on evidence need gold, and consistency adjacent hops."""
    for question in questions:
        hops = {piece.hop for piece in question.gold}
        match hypothesis.measure:
            case "cluster recall" | "evidence alignment":
                can = bool(hops)
            case "hop consistency":
                can = any(hop + 1 in hops for hop in hops)
            case _:
                can = True
        if can:
            yield question


def _planned(hypothesis: Hypothesis, sizes: Sequence[int], level: float) -> PlannedPower:
    clusters, count, smallest = len(sizes), sum(sizes), hypothesis.smallest
    sd = assumed_sd(hypothesis.measure)
    if clusters < 2:
        return PlannedPower(hypothesis.id, count, clusters, smallest, sd, level, None, None)
    spread = PairedSpread(sd, ASSUMED_INTRA_CLUSTER, count / clusters, pstdev(sizes) / fmean(sizes))
    error, freedom = spread.standard_error(clusters), spread.freedom(clusters)
    if hypothesis.direction == "equivalent":
        chance = power_of_equivalence(smallest, error, freedom, level)
        return PlannedPower(hypothesis.id, count, clusters, smallest, sd, level, chance, None)
    two_sided = hypothesis.direction == "different"
    return PlannedPower(
        hypothesis=hypothesis.id,
        questions=count,
        clusters=clusters,
        smallest=smallest,
        sd=sd,
        level=level,
        chance=power_of(smallest, error, freedom, level, two_sided),
        detectable=min(1.0, detectable(error, freedom, POWER, level, two_sided)),
    )
